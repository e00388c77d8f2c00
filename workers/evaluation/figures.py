"""What a number of played cases comes to."""

import math
from collections.abc import Sequence
from statistics import mean

from contracts.base import Contract
from contracts.reports import Usage
from workers.evaluation.by_model import ByModel
from workers.evaluation.calibration import Calibration, calibrate
from workers.evaluation.play import Played


class MethodFigures(Contract):
    """The figures of one method over all cases."""

    name: str
    cases: int
    top1: float
    """Share of cases whose right cause was named; `unknown` names none."""
    top1_low: float
    top1_high: float
    """95 % interval of the share (Wilson 1927)."""
    top3: float
    """Share of cases with the right cause among the first three."""
    unknown: float
    """Share of cases that ended without a named cause."""
    mean_turns: float
    mean_questions: float
    """Phenomena asked in a case."""
    repeated_questions: int
    """Questions, over all cases, about a phenomenon that the user was asked before, judged by the hidden ticket's own."""
    false_citations: int
    """Cited tickets, over all cases, that do not exist or have another cause."""
    calibration: Calibration | None
    """Of the confidence in the likeliest cause, named or not."""
    p50_ms: float
    p95_ms: float
    """A turn: search and engine, in this process; with a model, its answer too."""
    usage: Usage | None = None
    """What all cases used of the model; None: by the rules."""
    model_faults: int = 0
    """Turns for which the model's answer was of no use, so that the rules answered."""


class BaselineFigures(Contract):
    """A method without a dialogue."""

    name: str
    cases: int
    top1: float
    top3: float


def figures_of(name: str, played: Sequence[Played], model: ByModel | None = None) -> MethodFigures:
    """The figures of these cases; at least one."""
    count = len(played)
    right = sum(case.top1 for case in played)
    low, high = wilson(right, count)
    spent = sorted(ms for case in played for ms in case.turn_ms)
    return MethodFigures(
        name=name,
        cases=count,
        top1=round(right / count, 4),
        top1_low=low,
        top1_high=high,
        top3=round(sum(case.top3 for case in played) / count, 4),
        unknown=round(sum(case.named is None for case in played) / count, 4),
        mean_turns=round(mean(case.turns for case in played), 2),
        mean_questions=round(mean(case.questions for case in played), 2),
        repeated_questions=sum(case.repeated for case in played),
        false_citations=sum(case.false_citations for case in played),
        calibration=calibrate([(case.confidence, case.best_is_right) for case in played]),
        p50_ms=round(spent[len(spent) // 2], 1),
        p95_ms=round(spent[min(int(0.95 * len(spent)), len(spent) - 1)], 1),
        usage=None if model is None else model.usage,
        model_faults=0 if model is None else model.faults,
    )


def wilson(right: int, count: int) -> tuple[float, float]:
    """95 % score interval of a share (Wilson 1927): honest for few cases and for shares near 0 and 1."""
    z, share = 1.96, right / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return round(max((middle - spread) / scale, 0.0), 4), round(min((middle + spread) / scale, 1.0), 4)
