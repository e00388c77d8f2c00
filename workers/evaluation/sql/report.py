"""What a measurement of SQL yields, and the report of all."""

from dataclasses import dataclass, field

from contracts.base import Contract, Json
from workers.kinds.base import EvaluationResult


class Measured(Contract):
    """What one measurement found."""

    name: str
    cases: int
    lines: tuple[str, ...] = ()
    """For a person: what was counted, and the figures in words."""


class SqlReport(EvaluationResult):
    """What an evaluation of the SQL engine found."""

    measured: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a measurement hands back."""

    figures: dict[str, float]
    cases: int
    lines: tuple[str, ...] = ()
    details: tuple[Json, ...] = field(default=())
    """A row for each case, for `--details`."""


def share_of(right: int, total: int) -> float:
    """A share to four digits; 0 of nothing."""
    return round(right / total, 4) if total else 0.0
