"""The figures of a set of played cases."""

import math
from collections.abc import Sequence
from statistics import mean

from contracts.base import Contract
from contracts.reports import Usage
from workers.kinds.diagnose.evaluation.by_model import ByModel
from workers.kinds.diagnose.evaluation.calibration import Calibration, calibrate
from workers.kinds.diagnose.evaluation.play import Played


class MethodFigures(Contract):
    """The figures of one method over all cases."""

    name: str
    cases: int
    dialogues: int
    """Cases times rounds; every share and mean is over dialogues."""
    top1: float
    """Share of dialogues whose right cause was named; `unknown` names none."""
    top1_low: float
    top1_high: float
    """95 % interval of the share (Wilson 1927), for as many trials as there are cases: playing a case again is none."""
    top3: float
    """Share with the right cause among the first three, named or not."""
    unknown: float
    """Share that ended without a named cause."""
    mean_turns: float
    mean_questions: float
    """Phenomena asked in a dialogue."""
    repeated_questions: int
    """Questions, over all dialogues, about a phenomenon that the user was asked before, judged by the hidden ticket's own,
    or in the very words of an earlier question."""
    false_citations: int
    """Cited tickets, over all dialogues, that do not exist or have another cause; a named cause without any counts as one."""
    calibration: Calibration | None
    """Of the confidence in the cause ranked first, named or not; dialogues that ended without any cause state none."""
    named_calibration: Calibration | None
    """The same over named causes alone: abstaining does not help here."""
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
    cases = len({case.ticket_id for case in played})
    top1 = sum(case.top1 for case in played) / count
    low, high = wilson(top1, cases)
    spent = sorted(ms for case in played for ms in case.turn_ms)
    return MethodFigures(
        name=name,
        cases=cases,
        dialogues=count,
        top1=round(top1, 4),
        top1_low=low,
        top1_high=high,
        top3=round(sum(case.top3 for case in played) / count, 4),
        unknown=round(sum(case.named is None for case in played) / count, 4),
        mean_turns=round(mean(case.turns for case in played), 2),
        mean_questions=round(mean(case.questions for case in played), 2),
        repeated_questions=sum(case.repeated for case in played),
        false_citations=sum(case.false_citations for case in played),
        calibration=_calibration([case for case in played if case.ranked]),
        named_calibration=_calibration([case for case in played if case.named is not None]),
        p50_ms=round(percentile(spent, 50), 1),
        p95_ms=round(percentile(spent, 95), 1),
        usage=None if model is None else model.usage,
        model_faults=0 if model is None else model.faults,
    )


def _calibration(played: Sequence[Played]) -> Calibration | None:
    return calibrate([(case.confidence, case.best_is_right) for case in played], cases=[case.ticket_id for case in played])


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that this percentage of the values does not exceed (nearest rank)."""
    return ordered[max(-(-percent * len(ordered) // 100), 1) - 1]


def wilson(share: float, count: int) -> tuple[float, float]:
    """95 % score interval of a share of `count` trials (Wilson 1927): honest for few trials and for shares near 0 and 1."""
    z = 1.96
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return round(max((middle - spread) / scale, 0.0), 4), round(min((middle + spread) / scale, 1.0), 4)
