"""Our recommender: whether enough is known for a plan, and what to read next if not."""

from collections.abc import Mapping, Sequence

from contracts.bundles import Artefact, ArtefactRead, Catalogue, Information
from contracts.tune.request import RecommenderProfile
from contracts.tune.steps import Causes, Classification, Evidence, InformationCheck, KeyCode, Need, Standing
from contracts.verdicts import TuningClass
from workers.engines.artefacts.kinds import ArtefactKind
from workers.kinds.tune.rules.known_causes import MEASURED
from workers.kinds.tune.rules.recommend.choosing import LEAST_BITS, Wanted, choose, missing_of
from workers.kinds.tune.rules.recommend.needs import BY_CLASS, can_tell, needs_of, score, unread
from workers.kinds.tune.rules.recommend.news import Question, about, about_the_class, expected
from workers.kinds.tune.rules.recommend.progress import key_findings, progress
from workers.kinds.tune.rules.standing import present

EVENT_LOG = "spark_event_log"
"""The kind of artefact that holds a whole run."""

ENOUGH = 0.7
"""Of the weight of what has to be known, for a class that has a table of its own."""

ENOUGH_OTHER = 0.5
"""For the others, whose hypotheses look in all directions."""

SCOPE = "scope_"
"""How the kinds of a SCOPE job's artefacts begin."""

PLACES = 0.2
"""Weight of what maps a stage to a line, as that of the operators in `BY_CLASS`."""

EXPLAINING: dict[TuningClass, frozenset[Information]] = {
    TuningClass.DATA_SKEW: frozenset({Information.HOT_KEYS}),
    TuningClass.EXCESS_SHUFFLE: frozenset({Information.DATA_VOLUME}),
    TuningClass.NONE: frozenset({Information.DATA_DISTRIBUTION, Information.SHUFFLE_STATISTICS}),
}
"""Information that the remedies of a class have to name (the heavy keys, the small table); for `none`, what would show a class. The plan
waits for it only where an unread artefact can give it; a plan without it is possible, and weaker."""


def check(
    *,
    classification: Classification,
    causes: Causes,
    evidence: Evidence,
    key_code: KeyCode,
    catalogue: Catalogue,
    kinds: Mapping[str, ArtefactKind],
    description: str = "",
) -> InformationCheck:
    """Step 4. `kinds` maps the registry's names to its kinds; an artefact of another kind tells nothing. How many rounds are made of
    it is the caller's business; an artefact that was read is never recommended again, so each round has fewer to choose from."""
    tuning_class = classification.tuning_class
    needs = needs_of(tuning_class, causes.hypotheses, evidence.read)
    left = unread(catalogue, evidence.read)
    known = present(evidence.read)
    reachable = frozenset[Information]().union(*(can_tell(artefact, kinds) for artefact in left))
    questions = _questions(classification, causes, evidence, known)
    places = _places(catalogue, known)
    sufficient = (
        _is_sufficient(tuning_class, needs, evidence.read, left, kinds)
        and not _would_settle(questions, evidence, left, kinds)
        and not any(places.keys() & can_tell(artefact, kinds) for artefact in left)
    )
    wanted = Wanted(questions, {**places, **missing_of(needs)})
    recommended = () if sufficient else choose(left, wanted, kinds, named_in=description)
    if not recommended and classification.is_preliminary:  # of a run that nothing measured all is read that is there
        unknown = {information: 1.0 for information in Information if information not in known}
        recommended = choose(left, Wanted((), unknown), kinds, named_in=description)
    return InformationCheck(
        sufficient=sufficient,
        score=score(needs),
        needs=needs,
        recommended=recommended,
        progress=progress(tuning_class, evidence, sufficient),
        key_findings=key_findings(tuning_class, evidence, key_code),
        profile=RecommenderProfile.OURS,
        not_in_bundle=tuple(need.information for need in needs if not need.present_in and need.information not in reachable),
    )


def _places(catalogue: Catalogue, known: frozenset[Information]) -> dict[Information, float]:
    """Information → weight: without a plan, the stages of a SCOPE job are matched to lines by their names alone. A Spark plan is in the
    event log."""
    is_scope = any(artefact.kind.startswith(SCOPE) for artefact in catalogue.artefacts)
    return {Information.OPERATORS: PLACES} if is_scope and Information.OPERATORS not in known else {}


def _questions(classification: Classification, causes: Causes, evidence: Evidence, known: frozenset[Information]) -> tuple[Question, ...]:
    settled = {hypothesis.hypothesis_id for hypothesis in evidence.hypotheses if hypothesis.standing is not Standing.OPEN}
    questions = [about(hypothesis, known) for hypothesis in causes.hypotheses if hypothesis.hypothesis_id not in settled]
    if classification.is_preliminary:
        questions.insert(0, about_the_class(classification, known))
    return tuple(questions)


def _would_settle(questions: Sequence[Question], evidence: Evidence, left: Sequence[Artefact], kinds: Mapping[str, ArtefactKind]) -> bool:
    """An unread artefact could refute or bear a hypothesis that is open. An event log settles what can be settled of a Spark run; what a
    SCOPE job did is spread over many small files."""
    if any(Information.STAGE_RUNS in artefact.tells and artefact.kind.startswith(EVENT_LOG) for artefact in evidence.read):
        return False
    return any(expected(questions, can_tell(artefact, kinds)) >= LEAST_BITS for artefact in left)


def _is_sufficient(
    tuning_class: TuningClass,
    needs: Sequence[Need],
    read: Sequence[ArtefactRead],
    left: Sequence[Artefact],
    kinds: Mapping[str, ArtefactKind],
) -> bool:
    """Enough by weight, something measured, and neither the script nor what explains the class left unread."""
    known = present(read)
    if score(needs) < (ENOUGH if tuning_class in BY_CLASS else ENOUGH_OTHER) or not MEASURED & known:
        return False
    waited_for = {Information.SCRIPT_LOGIC, *EXPLAINING.get(tuning_class, ())} - known
    return not any(waited_for & can_tell(artefact, kinds) for artefact in left)
