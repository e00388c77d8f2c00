"""What a measurement of the SQL engine is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.kinds.base import Bench


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures by name, the trivial method's beside ours, and the cases that went wrong."""

    figures: Mapping[str, float]
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many cases a group of figures was measured on."""
    missed: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Figure → the ids of its wrong cases."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One part of the evaluation."""

    name: str
    needs: str
    """A file of the data folder; without it the measurement is left out."""
    run: Callable[[Bench, Path], Measured]
