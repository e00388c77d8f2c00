"""What the evidence says of each hypothesis: it has its verdict, or what it needs was read and it has none, or it is open."""

from collections.abc import Mapping, Sequence

from contracts.bundles import ArtefactRead, Information
from contracts.statements import Statement, say, say_member, share
from contracts.tune.steps import Causes, Hypothesis, HypothesisFinding, Standing
from contracts.verdicts import Figure, Findings, Severity, Verdict, VerdictKind
from workers.kinds.tune.rules.known_causes import KNOWN
from workers.kinds.tune.rules.refuting import speaks_against
from workers.kinds.tune.rules.saying import amount, informed, value_of

LIGHT = 0.05
"""Of the run's time: a hint that touches less is no cause of a slow run; one that touches more is only not certain to be a gain."""


def judge_hypotheses(
    causes: Causes,
    findings: Findings | None,
    read: Sequence[ArtefactRead],
    numbers: Mapping[VerdictKind, Figure] | None = None,
) -> tuple[HypothesisFinding, ...]:
    """One finding per hypothesis, in their order. With the numbers of the run the one that refutes is named, where there is one."""
    verdicts = findings.verdicts if findings is not None else ()
    return tuple(_judge(hypothesis, verdicts, read, (numbers or {}).get(hypothesis.kind)) for hypothesis in causes.hypotheses)


def present(read: Sequence[ArtefactRead]) -> frozenset[Information]:
    """What is known: only what was really found in an artefact that was read."""
    return frozenset(information for artefact in read for information in artefact.tells)


def _judge(
    hypothesis: Hypothesis,
    verdicts: Sequence[Verdict],
    read: Sequence[ArtefactRead],
    number: Figure | None,
) -> HypothesisFinding:
    own = sorted((verdict for verdict in verdicts if verdict.kind is hypothesis.kind), key=lambda verdict: -verdict.share)
    problem = next((verdict for verdict in own if verdict.severity is Severity.PROBLEM), None)
    if problem is not None:
        summary = say("tune.judged.supported", finding=value_of(problem.summary))
        return _finding(hypothesis, Standing.SUPPORTED, summary, problem.figures)
    hint = next((verdict for verdict in own if verdict.severity is Severity.HINT), None)
    of_scripts = KNOWN[hypothesis.kind].of_scripts
    if hint is not None and of_scripts:
        summary = say("tune.judged.unweighed", finding=value_of(hint.summary))
        return _finding(hypothesis, Standing.OPEN, summary, hint.figures)
    missing = [need for need in hypothesis.needs if need not in present(read)]
    if missing:
        return _finding(hypothesis, Standing.OPEN, say("tune.judged.missing", needs=informed(missing)))
    if hint is not None and hint.share < LIGHT:
        summary = say("tune.judged.light", share=share(hint.share), finding=value_of(hint.summary))
        return _finding(hypothesis, Standing.REFUTED, summary, hint.figures)
    if hint is not None:
        return _finding(hypothesis, Standing.OPEN, say("tune.judged.uncertain", finding=value_of(hint.summary)), hint.figures)
    return _without_verdict(hypothesis, read, number)


def _without_verdict(hypothesis: Hypothesis, read: Sequence[ArtefactRead], number: Figure | None) -> HypothesisFinding:
    """All that it needs was read, and no verdict says so."""
    is_judged = not KNOWN[hypothesis.kind].of_scripts or any(artefact.kind.startswith("scope_") for artefact in read)
    measure = say_member("tune.measure", hypothesis.kind, value=amount(number.value, number.unit)) if number is not None else None
    if number is not None and measure is not None and speaks_against(number):
        return _finding(hypothesis, Standing.REFUTED, say("tune.judged.refuted_by", measure=measure), (number,))
    if is_judged:
        return _finding(hypothesis, Standing.REFUTED, say("tune.judged.refuted", needs=informed(hypothesis.needs)))
    if number is not None and measure is not None:
        return _finding(hypothesis, Standing.OPEN, say("tune.judged.seen", measure=measure), (number,))
    return _finding(hypothesis, Standing.OPEN, say("tune.judged.no_judge"))


def _finding(hypothesis: Hypothesis, standing: Standing, statement: Statement, figures: tuple[Figure, ...] = ()) -> HypothesisFinding:
    return HypothesisFinding(hypothesis_id=hypothesis.hypothesis_id, standing=standing, says=statement, figures=figures)
