"""What the evidence says of each hypothesis: it has its verdict, or what it needs was read and it has none, or it is open."""

from collections.abc import Mapping, Sequence

from contracts.bundles import ArtefactRead, Information
from contracts.tune.steps import Causes, Hypothesis, HypothesisFinding, Standing
from contracts.verdicts import Figure, Findings, Severity, Verdict, VerdictKind
from workers.engines.language import Lang
from workers.kinds.tune.rules.causes_wording import information, listed, percent, quantity
from workers.kinds.tune.rules.known_causes import KNOWN
from workers.kinds.tune.rules.refuting import speaks_against
from workers.kinds.tune.rules.standing_wording import MEASURES, SENTENCES
from workers.kinds.tune.rules.wording import summary

LIGHT = 0.05
"""Of the run's time: a hint that touches less is no cause of a slow run; one that touches more is only not certain to be a gain."""


def judge_hypotheses(
    causes: Causes,
    findings: Findings | None,
    read: Sequence[ArtefactRead],
    language: Lang = "en",
    numbers: Mapping[VerdictKind, Figure] | None = None,
) -> tuple[HypothesisFinding, ...]:
    """One finding a hypothesis, in their order. With the numbers of the run the one that refutes is named, where there is one."""
    verdicts = findings.verdicts if findings is not None else ()
    return tuple(_judge(one, verdicts, read, language, (numbers or {}).get(one.kind)) for one in causes.hypotheses)


def present(read: Sequence[ArtefactRead]) -> frozenset[Information]:
    """What is known: only what was really found in an artefact that was read."""
    return frozenset(told for one in read for told in one.tells)


def _judge(
    hypothesis: Hypothesis,
    verdicts: Sequence[Verdict],
    read: Sequence[ArtefactRead],
    language: Lang,
    number: Figure | None,
) -> HypothesisFinding:
    sentences = SENTENCES[language]
    own = sorted((one for one in verdicts if one.kind is hypothesis.kind), key=lambda one: -one.share)
    problem = next((one for one in own if one.severity is Severity.PROBLEM), None)
    if problem is not None:
        said = sentences["supported"].format(verdict=summary(problem, language))
        return _finding(hypothesis, Standing.SUPPORTED, said, problem.figures)
    hint = next((one for one in own if one.severity is Severity.HINT), None)
    of_scripts = KNOWN[hypothesis.kind].of_scripts
    if hint is not None and of_scripts:
        return _finding(hypothesis, Standing.OPEN, sentences["unweighed"].format(verdict=summary(hint, language)), hint.figures)
    missing = [one for one in hypothesis.needs if one not in present(read)]
    if missing:
        needs = listed([information(one, language) for one in missing], language)
        return _finding(hypothesis, Standing.OPEN, sentences["missing"].format(needs=needs))
    if hint is not None and hint.share < LIGHT:
        said = sentences["light"].format(share=percent(hint.share), verdict=summary(hint, language))
        return _finding(hypothesis, Standing.REFUTED, said, hint.figures)
    if hint is not None:
        return _finding(hypothesis, Standing.OPEN, sentences["uncertain"].format(verdict=summary(hint, language)), hint.figures)
    return _without_verdict(hypothesis, read, language, number)


def _without_verdict(hypothesis: Hypothesis, read: Sequence[ArtefactRead], language: Lang, number: Figure | None) -> HypothesisFinding:
    """All that it needs was read, and no verdict says so."""
    sentences = SENTENCES[language]
    is_judged = not KNOWN[hypothesis.kind].of_scripts or any(one.kind.startswith("scope_") for one in read)
    measure = MEASURES[language][hypothesis.kind].format(value=quantity(number, language)) if number else ""
    if number is not None and speaks_against(number):
        return _finding(hypothesis, Standing.REFUTED, sentences["refuted_by"].format(measure=measure), (number,))
    if is_judged:
        needs = listed([information(one, language) for one in hypothesis.needs], language)
        return _finding(hypothesis, Standing.REFUTED, sentences["refuted"].format(needs=needs))
    if number is not None:
        return _finding(hypothesis, Standing.OPEN, sentences["seen"].format(measure=measure), (number,))
    return _finding(hypothesis, Standing.OPEN, sentences["no_judge"])


def _finding(hypothesis: Hypothesis, standing: Standing, said: str, figures: tuple[Figure, ...] = ()) -> HypothesisFinding:
    return HypothesisFinding(hypothesis_id=hypothesis.hypothesis_id, standing=standing, says=said, figures=figures)
