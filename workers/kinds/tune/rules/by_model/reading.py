"""Artefacts that a model asks for when the rules have nothing more to read: only unread ones that it was shown, each for a hypothesis that
is open."""

from collections.abc import Sequence

from contracts.statements import Statement, count, name, quote, say
from contracts.tune.answers import ReadingAnswer, WantedArtefact
from contracts.tune.steps import Evidence, InformationCheck, Recommendation, Standing
from workers.kinds.tune.rules.by_model.digest import Digest
from workers.kinds.tune.rules.by_model.thoughts import Unread
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.recommend.choosing import MOST

WHY_CHARS = 300


def judge_reading(
    answer: ReadingAnswer, by_rules: InformationCheck, evidence: Evidence, unread: Sequence[Unread], digest: Digest
) -> tuple[InformationCheck, tuple[Statement, ...]]:
    """The rules' check, which asks for nothing more, with at most three artefacts that a model asks for; and notes for the report. With
    one of them it is not enough that the rules say so."""
    undecided = {finding.hypothesis_id for finding in evidence.hypotheses if finding.standing is Standing.OPEN}
    by_name = {artefact.name: artefact for artefact in unread}
    added: dict[str, Recommendation] = {}
    for wanted in answer.wanted:
        artefact = by_name.get(digest.numbers.artefacts.get(wanted.artefact, ""))
        settles = wanted.hypothesis.strip() in undecided and wanted.why.strip()
        if artefact is not None and settles and artefact.name not in added and len(added) < MOST:
            added[artefact.name] = _recommendation(artefact, wanted)
    dropped = len(answer.wanted) - len(added)
    notes = (say("tune.model.wanted", n=count(dropped), of=count(len(answer.wanted))),) if dropped else ()
    if not added:
        return by_rules, notes
    return by_rules.model_copy(update={"sufficient": False, "recommended": tuple(added.values())}), notes


def _recommendation(artefact: Unread, wanted: WantedArtefact) -> Recommendation:
    kind = artefact.kind
    words = quote(clipped(wanted.why, WHY_CHARS))
    return Recommendation(
        name=artefact.name,
        kind=kind.name,
        content_description=kind.description,
        relevance=0,
        cost=round(kind.cost_s(artefact.size_bytes), 3),
        reason=say("tune.reading.model_asks", hypothesis=name(wanted.hypothesis.strip()), words=words),
        requires_parser=kind.parser is not None,
        parser=kind.parser,
        is_by_model=True,
    )
