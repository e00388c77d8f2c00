"""Hypotheses of a model beside those of the rules. Only known kinds count, each once; no hypothesis of the rules is dropped for them."""

from contracts.bundles import Information
from contracts.statements import Sayable, Statement, Value, count, quote, say, say_member
from contracts.tune.answers import CausesAnswer, SupposedCause
from contracts.tune.steps import Causes, Experience, Hypothesis
from contracts.verdicts import VerdictKind
from workers.kinds.tune.rules.causes import MOST
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.known_causes import CLASS_OF, KNOWN
from workers.kinds.tune.rules.saying import value_of

STATEMENT_CHARS = 400
STEP_CHARS = 300
MOST_OWN = 3
"""Of kinds that the rules do not suppose: these suppose up to eight, of which most are refuted."""
MOST_STEPS = 6
"""Ways to verify one hypothesis."""
MOST_NEEDS = 2
"""What a model may ask to know beyond what its kind of problem needs."""


def judge_causes(answer: CausesAnswer, by_rules: Causes, experience: tuple[Experience, ...]) -> tuple[Causes, tuple[Statement, ...]]:
    """The rules' hypotheses, with what a model says more of them, and behind them its own, three at least; and notes for the
    report. Its own are as likely as such a problem is in general, and no likelier than the rules'."""
    named: dict[VerdictKind, SupposedCause] = {}
    for hypothesis in answer.hypotheses:
        kind = _kind(hypothesis.kind)
        if kind is not None and hypothesis.statement.strip():
            named.setdefault(kind, hypothesis)
    ours = {hypothesis.kind for hypothesis in by_rules.hypotheses}
    completed = [
        _more(hypothesis, named[hypothesis.kind]) if hypothesis.kind in named else hypothesis for hypothesis in by_rules.hypotheses
    ]
    new = [kind for kind in named if kind not in ours][: max(MOST - len(completed), MOST_OWN)]
    most = min((hypothesis.prior for hypothesis in completed), default=1.0)
    completed += [_own(kind, named[kind], len(completed) + at, most, experience) for at, kind in enumerate(new, start=1)]
    taken = len(named.keys() & ours) + len(new)
    dropped = len(answer.hypotheses) - taken
    notes = (say("tune.model.hypotheses", n=count(dropped), of=count(len(answer.hypotheses))),) if dropped else ()
    return Causes(hypotheses=tuple(completed)), notes


def _kind(word: str) -> VerdictKind | None:
    """A kind that is a problem."""
    return next((kind for kind in KNOWN if kind.value == word.strip().lower()), None)


def _more(ours: Hypothesis, theirs: SupposedCause) -> Hypothesis:
    """What may be wrong in this case, behind what such a problem is in general."""
    statement = _with_words(value_of(ours.statement), theirs)
    return ours.model_copy(update={"statement": statement, "how_to_verify": _steps(ours.how_to_verify, theirs)})


def _own(kind: VerdictKind, theirs: SupposedCause, number: int, most: float, experience: tuple[Experience, ...]) -> Hypothesis:
    needs = [information for word in theirs.needs for information in Information if information.value == word.strip().lower()]
    more = [information for information in dict.fromkeys(needs) if information not in KNOWN[kind].needs][:MOST_NEEDS]
    return Hypothesis(
        hypothesis_id=f"H{number}",
        kind=kind,
        tuning_class=CLASS_OF[kind],
        statement=_with_words(say_member("tune.cause", kind), theirs),
        how_to_verify=_steps((say_member("tune.verify", kind),), theirs),
        needs=(*KNOWN[kind].needs, *more),
        prior=min(KNOWN[kind].prior, most),
        experience=tuple(piece.experience_id for piece in experience if kind in piece.kinds),
    )


def _with_words(ours: Value, theirs: SupposedCause) -> Statement:
    """What such a problem is in general, and what the model says of this case."""
    return say("tune.cause_and_words", cause=ours, words=quote(clipped(theirs.statement, STATEMENT_CHARS)))


def _steps(ours: tuple[Sayable, ...], theirs: SupposedCause) -> tuple[Sayable, ...]:
    own = (clipped(step, STEP_CHARS) for step in theirs.how_to_verify if step.strip())
    return tuple(dict.fromkeys((*ours, *own)))[: max(MOST_STEPS, len(ours))]
