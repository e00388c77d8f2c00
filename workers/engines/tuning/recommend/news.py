"""How much an artefact is expected to tell, in bits.

A hypothesis that is open is a yes-or-no question with its prior as the chance of yes. An artefact answers it with the chance that is
the part of its missing needs which such an artefact tells; so much of the question's entropy is expected to go. Hypotheses are taken
as independent, so the sum is an upper bound where two of them speak of the same. A class known by words alone is one more question,
with the classes' scores as its chances."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.tuning_bundle import Information
from contracts.tuning_steps import Hypothesis
from contracts.tuning_verdicts import TuningClass

CLASS_EVIDENCE: dict[Information, float] = {
    Information.STAGE_RUNS: 0.25,
    Information.DATA_DISTRIBUTION: 0.2,
    Information.RUN_METRICS: 0.2,
    Information.SHUFFLE_STATISTICS: 0.15,
    Information.ERRORS: 0.1,
    Information.SCRIPT_LOGIC: 0.05,
    Information.OPERATORS: 0.05,
}
"""How much of the question which class it is each kind of information answers: what was measured does, code alone hardly."""


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
    missing = [one for one in hypothesis.needs if one not in known]
    return Question(
        bits=entropy((hypothesis.prior, 1 - hypothesis.prior)),
        answered_by=dict.fromkeys(missing, 1 / len(missing)) if missing else {},
        hypothesis=hypothesis,
    )


def about_the_class(scores: Mapping[TuningClass, float], known: frozenset[Information]) -> Question:
    """Which class it is."""
    bits = entropy([scores.get(one, 0.0) for one in TuningClass])
    return Question(bits=bits, answered_by={one: part for one, part in CLASS_EVIDENCE.items() if one not in known})


def expected(questions: Sequence[Question], tells: frozenset[Information]) -> float:
    """Bits that go when this is told."""
    return math.fsum(one.bits * math.fsum(part for need, part in one.answered_by.items() if need in tells) for one in questions)


def without(question: Question, told: frozenset[Information]) -> Question:
    """What is left to be answered when an artefact chosen before tells so much: a second one of its kind is no news."""
    return Question(question.bits, {one: part for one, part in question.answered_by.items() if one not in told}, question.hypothesis)
