"""What a twin answers, wherever its figures come from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from contracts.network import Cause, Level, ParameterChange, Promise, ScenarioCard
from workers.engines.network.radio.network import Floats


@dataclass(frozen=True)
class LevelTable:
    """The cells or the grids of a twin before any change."""

    ids: tuple[str, ...]
    places: dict[str, tuple[Any, ...]]
    """Columns that name, place or configure a row: `site`, `tilt_deg`, `x_m`."""
    indicators: dict[str, Floats]
    causes: tuple[Cause, ...]
    culprits: dict[int, tuple[str, ...]]
    """Number of a row → the cells that cause its problem."""


@dataclass(frozen=True)
class Effect:
    """The optimised network."""

    cells: dict[str, Floats]
    grids: dict[str, Floats]
    changes: tuple[ParameterChange, ...]
    promises: tuple[Promise, ...]


class Twin(ABC):
    """A network with a name."""

    is_computed: bool

    def __init__(self, card: ScenarioCard) -> None:
        self.card = card

    @abstractmethod
    def version(self) -> str:
        """Changes when the figures do."""

    @abstractmethod
    def level(self, level: Level) -> LevelTable:
        """Indicators and root causes."""

    @abstractmethod
    def effect(self) -> Effect:
        """What the advised changes give."""

    def after(self, level: Level) -> dict[str, Floats]:
        """Indicators with the changes."""
        effect = self.effect()
        return effect.cells if level is Level.CELL else effect.grids
