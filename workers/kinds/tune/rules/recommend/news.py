"""How much an artefact is expected to tell, in bits.

A hypothesis that is open is a yes-or-no question with its prior as the chance of yes. An artefact answers it with the chance that is
the part of its missing needs which such an artefact tells; so much of the question's entropy is expected to go. Hypotheses are taken
as independent, so the sum is an upper bound where two of them speak of the same. A class known by words alone is one more
question."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.bundles import Information
from contracts.tune.steps import Classification, Hypothesis
from contracts.verdicts import TuningClass

CLASS_EVIDENCE: dict[TuningClass, dict[Information, float]] = {
    TuningClass.DATA_SKEW: {Information.DATA_DISTRIBUTION: 0.6, Information.STAGE_RUNS: 0.35, Information.SCRIPT_LOGIC: 0.05},
    TuningClass.EXCESS_SHUFFLE: {
        Information.SHUFFLE_STATISTICS: 0.55,
        Information.DATA_FLOW: 0.2,
        Information.OPERATORS: 0.2,
        Information.SCRIPT_LOGIC: 0.05,
    },
    TuningClass.OTHER: {
        Information.RUN_METRICS: 0.4,
        Information.STAGE_RUNS: 0.3,
        Information.ERRORS: 0.25,
        Information.SCRIPT_LOGIC: 0.05,
    },
    TuningClass.NONE: {
        Information.STAGE_RUNS: 0.3,
        Information.DATA_DISTRIBUTION: 0.25,
        Information.RUN_METRICS: 0.2,
        Information.SHUFFLE_STATISTICS: 0.2,
        Information.SCRIPT_LOGIC: 0.05,
    },
}
"""Information that would show each class, with its weight: measurements show it, code hardly does. Class `none` needs all of it."""

SMOOTHING = 0.15
"""Added to each class's score: words are often wrong."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something that is not known: its entropy in bits, and the information that would answer it, by its part in the answer."""

    bits: float
    answered_by: Mapping[Information, float]
    hypothesis: Hypothesis | None = None
    """None: which class it is."""


def entropy(chances: Sequence[float]) -> float:
    """Bits of a distribution; chances that do not sum to one are scaled."""
    total = math.fsum(chances)
    return -math.fsum(p / total * math.log2(p / total) for p in chances if p > 0) if total > 0 else 0.0


def about(hypothesis: Hypothesis, known: frozenset[Information]) -> Question:
    """Whether an open hypothesis holds; nothing answers it once all that it needs is known."""
    missing = [need for need in hypothesis.needs if need not in known]
    return Question(
        bits=entropy((hypothesis.prior, 1 - hypothesis.prior)),
        answered_by=dict.fromkeys(missing, 1 / len(missing)) if missing else {},
        hypothesis=hypothesis,
    )


def about_the_class(by_words: Classification, known: frozenset[Information]) -> Question:
    """Which class it is, of a run that is known by words alone: all classes are open, and the words make some of them likelier. What
    would show a likely class answers more of the question."""
    by_class = {} if by_words.tuning_class is TuningClass.NONE else {score.tuning_class: score.score for score in by_words.scores}
    chances = {tuning_class: by_class.get(tuning_class, 0.0) + SMOOTHING for tuning_class in TuningClass}
    total = math.fsum(chances.values())
    parts: dict[Information, float] = {}
    for tuning_class, chance in chances.items():
        for need, part in CLASS_EVIDENCE[tuning_class].items():
            if need not in known:
                parts[need] = parts.get(need, 0) + chance / total * part
    return Question(bits=entropy(tuple(chances.values())), answered_by=parts)


def expected(questions: Sequence[Question], tells: frozenset[Information]) -> float:
    """Bits of uncertainty that this information is expected to remove."""
    return math.fsum(
        question.bits * math.fsum(part for need, part in question.answered_by.items() if need in tells) for question in questions
    )


def without(question: Question, known: frozenset[Information]) -> Question:
    """What is left to be answered when an artefact chosen before tells so much: a second one of its kind is no news."""
    return Question(
        question.bits,
        {information: part for information, part in question.answered_by.items() if information not in known},
        question.hypothesis,
    )
