"""What may be wrong: hypotheses from the class, the verdicts found, the user's words, the code and experience, the likeliest first.

Each source adds to the log-odds of the kinds of problem that it speaks for, on top of how common such a problem is."""

import math
from collections.abc import Collection, Mapping, Sequence

from contracts.code import OperationKind
from contracts.statements import say_member
from contracts.tune.steps import Causes, Classification, Experience, ExperienceFound, Hypothesis, KeyCode
from contracts.verdicts import Findings, Severity, TuningClass, VerdictKind
from workers.kinds.tune.rules.code_leads import COLLECTING
from workers.kinds.tune.rules.first_look import is_measured
from workers.kinds.tune.rules.known_causes import CLASS_OF, KNOWN
from workers.kinds.tune.rules.mentions import mentions

MOST = 8
"""Hypotheses: more would not be looked at one by one."""

LEAST = 0.05
"""Below it a hypothesis is not worth a reader's time, unless there are too few."""

FEWEST = 3

WORD = 2.5
"""Log-odds of a word that is the problem's own name: e^2.5 makes 0.2 to 0.75."""

DENIED = -2.0
"""Users deny what they looked at; they may have looked in the wrong place, so it is no proof."""

CLASS = 2.0
"""Log-odds of a class that is certain; the others lose as much."""

FOUND: dict[Severity, float] = {Severity.PROBLEM: 5.0, Severity.HINT: 1.0, Severity.NOTE: 0.0}
"""Log-odds of a verdict that was found already, by its severity."""

NOT_FOUND = -2.5
"""The run was measured, and its verdicts do not have it. No proof: what it needs may not have been read."""

CODE = 1.0
"""Log-odds of a key spot whose operation leads to the problem."""

EXPERIENCE = 0.5
"""Log-odds of a piece of experience about the problem: such cases were seen, which says little of this one."""

SCOPE = 2.0
"""Log-odds that a SCOPE job adds to the problems that rules over SCOPE scripts look for; a job of another engine subtracts them."""

BY_CODE: dict[str, tuple[VerdictKind, ...]] = {
    OperationKind.JOIN.value: (VerdictKind.DATA_SKEW, VerdictKind.BROADCASTABLE_JOIN),
    OperationKind.GROUP.value: (VerdictKind.DATA_SKEW,),
    OperationKind.WINDOW.value: (VerdictKind.DATA_SKEW,),
    OperationKind.REPARTITION.value: (VerdictKind.REDUNDANT_EXCHANGE,),
    OperationKind.DISTINCT.value: (VerdictKind.REDUNDANT_EXCHANGE,),
    OperationKind.SORT.value: (VerdictKind.SPILL, VerdictKind.REDUNDANT_EXCHANGE),
    OperationKind.MAP.value: (VerdictKind.STRAGGLER, VerdictKind.FAILURES),
    OperationKind.COALESCE.value: (VerdictKind.TOO_FEW_TASKS,),
}


def suppose(
    classification: Classification,
    key_code: KeyCode,
    experience: ExperienceFound,
    findings: Findings | None,
    description: str,
    supposed: Collection[VerdictKind] = (),
) -> Causes:
    """At most eight hypotheses, `H1` the likeliest. Each prior is the chance of its own hypothesis, so that they do not sum to one.
    `supposed`: kinds that stay however unlikely they are, beside those that the user supposes."""
    odds = {kind: math.log(known.prior / (1 - known.prior)) for kind, known in KNOWN.items()}
    measured = findings is not None and is_measured(findings, classification.read)
    for source in (
        _by_class(classification),
        _by_verdicts(findings, measured),
        _by_words(description),
        _by_code(key_code),
        _by_experience(experience.items),
        _by_engine(classification, key_code),
    ):
        for kind, weight in source.items():
            odds[kind] += weight
    priors = {kind: 1 / (1 + math.exp(-value)) for kind, value in odds.items()}
    ranked = sorted(priors, key=lambda kind: -priors[kind])
    meant = {mention.meaning for mention in mentions(description) if not mention.is_denied}
    kept = _kept(ranked, priors, {*supposed, *meant})
    return Causes(
        hypotheses=tuple(
            Hypothesis(
                hypothesis_id=f"H{place}",
                kind=kind,
                tuning_class=CLASS_OF[kind],
                statement=say_member("tune.cause", kind),
                how_to_verify=(say_member("tune.verify", kind),),
                needs=KNOWN[kind].needs,
                prior=round(priors[kind], 4),
                experience=tuple(piece.experience_id for piece in experience.items if kind in piece.kinds),
            )
            for place, kind in enumerate(kept, start=1)
        )
    )


def _kept(ranked: Sequence[VerdictKind], priors: Mapping[VerdictKind, float], supposed: Collection[VerdictKind]) -> list[VerdictKind]:
    """The likely ones; and what somebody supposes, however unlikely it is by now: they want to know what became of it."""
    worth = [kind for place, kind in enumerate(ranked) if place < FEWEST or priors[kind] >= LEAST or kind in supposed]
    while len(worth) > MOST:
        least = next((kind for kind in reversed(worth) if kind not in supposed), worth[-1])
        worth.remove(least)
    return worth


def _by_class(classification: Classification) -> dict[VerdictKind, float]:
    """A score of 0.5 says nothing. A measured class speaks for its kinds in full; scores by words as far as they go."""
    scores = {score.tuning_class: score.score for score in classification.scores}
    if classification.is_preliminary and classification.tuning_class is TuningClass.NONE:
        return {}
    if not classification.is_preliminary:
        scores = {tuning_class: float(tuning_class is classification.tuning_class) for tuning_class in TuningClass}
    return {kind: CLASS * (2 * scores.get(CLASS_OF[kind], 0) - 1) for kind in KNOWN}


def _by_verdicts(findings: Findings | None, measured: bool) -> dict[VerdictKind, float]:
    if findings is None:
        return {}
    found: dict[VerdictKind, float] = {}
    for verdict in findings.verdicts:
        if verdict.kind in KNOWN:
            found[verdict.kind] = max(found.get(verdict.kind, 0), FOUND[verdict.severity])
    return {kind: found.get(kind, NOT_FOUND if measured else 0) for kind in KNOWN}


def _by_words(description: str) -> dict[VerdictKind, float]:
    found: dict[VerdictKind, float] = {}
    denied: set[VerdictKind] = set()
    for mention in mentions(description):
        if mention.is_denied:
            denied.add(mention.meaning)
            continue
        for kind, weight in mention.speaks_for.items():
            found[kind] = max(found.get(kind, 0), WORD * weight)
    return found | dict.fromkeys(denied, DENIED)


def _by_code(key_code: KeyCode) -> dict[VerdictKind, float]:
    found: dict[VerdictKind, float] = {}
    for spot in key_code.spots:
        name = spot.text.split("(", 1)[0]
        found.update(dict.fromkeys(BY_CODE.get(spot.operation, ()), CODE))
        if name == "crossJoin":
            found[VerdictKind.CROSS_JOIN] = 2 * CODE
        if name in COLLECTING:
            found[VerdictKind.DATA_SKEW] = 2 * CODE
    return found


def _by_experience(items: Sequence[Experience]) -> Mapping[VerdictKind, float]:
    return {kind: EXPERIENCE for piece in items for kind in piece.kinds if kind in KNOWN}


def _by_engine(classification: Classification, key_code: KeyCode) -> dict[VerdictKind, float]:
    kinds = {artefact.kind for artefact in (*classification.read, *key_code.read)}
    if not kinds:
        return {}
    is_scope = any(kind.startswith("scope_") for kind in kinds)
    return {kind: SCOPE if is_scope else -SCOPE for kind, known in KNOWN.items() if known.of_scripts}
