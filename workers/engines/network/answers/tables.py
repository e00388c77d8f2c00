"""Tables of a twin: all rows can be read by a reference, and the first five come with an answer.

A reference names the twin, the version of its figures, the level, what the table shows and the indicators:
`NET-01/3f2a9c/cell/before/rsrp_dbm,mr_coverage_pct`. The rows are computed from it again, so that no copy has to be kept.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from contracts import statements
from contracts.network import SAMPLE_ROWS, Cause, Cell, IndicatorColumn, Level, NetworkRows, NetworkTable
from contracts.statements import listing, quote, say, say_member
from workers.engines.network.radio.network import Floats
from workers.engines.network.thresholds import INDICATORS, beyond
from workers.engines.network.twins import LevelTable, Twin
from workers.errors import InvalidInput, NotFound


class Shows(StrEnum):
    """What a table holds beside its places."""

    BEFORE = "before"
    """The indicators and the root cause."""
    EFFECT = "effect"
    """The indicators before and after."""


_ID_NAME = {Level.CELL: "cell_id", Level.GRID: "grid_id"}
_PLACES: dict[tuple[Level, Shows], tuple[str, ...]] = {
    (Level.CELL, Shows.BEFORE): ("site", "x_m", "y_m", "band_mhz", "azimuth_deg", "tilt_deg", "height_m"),
    (Level.CELL, Shows.EFFECT): ("site", "x_m", "y_m", "azimuth_deg"),
    (Level.GRID, Shows.BEFORE): ("x_m", "y_m", "serving_cell", "samples"),
    (Level.GRID, Shows.EFFECT): ("x_m", "y_m", "serving_cell"),
}
_UNITS = {"band_mhz": "MHz", "azimuth_deg": "°", "tilt_deg": "°", "height_m": "m", "x_m": "m", "y_m": "m"}


def chosen_indicators(twin: Twin, level: Level, names: Sequence[str]) -> tuple[str, ...]:
    """The asked indicators, or all of the level. Raises `InvalidInput`, which lists the known ones."""
    own = twin.level(level).indicators
    unknown = [name for name in names if name not in own]
    if unknown:
        raise InvalidInput.of(
            say_member(
                "network.refused.no_indicator",
                level,
                wanted=listing(*(quote(each[:40]) for each in unknown)),
                scenario=statements.name(twin.card.digitaltwinsId),
                known=statements.names(own),
            )
        )
    return tuple(dict.fromkeys(names)) or tuple(own)


@dataclass(frozen=True)
class Rows:
    """A table whose rows are computed in the order in which they are shown: the worst first."""

    twin: Twin
    level: Level
    indicators: tuple[str, ...]
    shows: Shows

    @property
    def reference(self) -> str:
        """See the module."""
        return "/".join(
            (self.twin.card.digitaltwinsId, self.twin.version(), self.level.value, self.shows.value, ",".join(self.indicators))
        )  # fmt: skip

    @cached_property
    def own(self) -> LevelTable:
        """The twin's figures."""
        return self.twin.level(self.level)

    @cached_property
    def order(self) -> list[int]:
        """Problems by the asked indicators first, by how far they are beyond the limit; then the others."""
        badness = np.full(len(self.own.ids), -math.inf)
        for name in self.indicators:
            values, indicator = self.own.indicators[name], INDICATORS[name]
            if indicator.limit is not None:
                spread = abs(indicator.limit) or 10.0
                beyond_by = (indicator.limit - values if indicator.is_better_high else values - indicator.limit) / spread
                badness = np.fmax(badness, beyond_by)
        return [int(row) for row in np.argsort(-badness, kind="stable")]

    @property
    def columns(self) -> tuple[IndicatorColumn, ...]:
        """Places, indicators, and the root cause before the changes."""
        found = [IndicatorColumn(name=_ID_NAME[self.level])]
        found += [IndicatorColumn(name=name, unit=_UNITS.get(name, "")) for name in self._places]
        for name in self.indicators:
            found.append(IndicatorColumn(name=name, unit=INDICATORS[name].unit, is_indicator=True))
            if self.shows is Shows.EFFECT:
                found.append(IndicatorColumn(name=f"{name}_after", unit=INDICATORS[name].unit, is_indicator=True))
        return (*found, IndicatorColumn(name="root_cause"))

    @property
    def _places(self) -> list[str]:
        return [name for name in _PLACES[self.level, self.shows] if name in self.own.places]

    def rows(self, start: int, end: int) -> tuple[tuple[Cell, ...], ...]:
        """The rows from `start` to before `end`."""
        after = self.twin.after(self.level) if self.shows is Shows.EFFECT else {}
        return tuple(self._row(number, after) for number in self.order[start:end])

    def _row(self, number: int, after: dict[str, Floats]) -> tuple[Cell, ...]:
        found: list[Cell] = [self.own.ids[number], *(self.own.places[name][number] for name in self._places)]
        for name in self.indicators:
            found.append(plain(self.own.indicators[name][number]))
            if self.shows is Shows.EFFECT:
                found.append(plain(after[name][number]))
        return (*found, self.own.causes[number].value)

    def table(self) -> NetworkTable:
        """The reference and the first rows."""
        return NetworkTable(
            reference=self.reference, columns=self.columns, row_count=len(self.own.ids), sample=self.rows(0, SAMPLE_ROWS)
        )  # fmt: skip


def page_of(find: Callable[[str], Twin], reference: str, offset: int, limit: int) -> NetworkRows:
    """A page of the table that a reference names. Raises `NotFound` if its twin is gone or has other figures now."""
    try:
        twin_id, version, level, shows, names = reference.split("/")
        wanted, shown = Level(level), Shows(shows)
    except ValueError:
        raise InvalidInput.of(say("network.refused.no_reference", text=quote(reference[:80]))) from None
    twin = find(twin_id)
    if twin.version() != version:
        raise NotFound.of(say("network.refused.figures_changed", scenario=statements.name(twin_id)))
    rows = Rows(twin, wanted, chosen_indicators(twin, wanted, names.split(",")), shown)
    return NetworkRows(columns=rows.columns, rows=rows.rows(offset, offset + limit), offset=offset, row_count=len(rows.own.ids))


def plain(value: float) -> float | None:
    """A number for JSON."""
    return None if math.isnan(value) else float(value)


def shown_by(own: LevelTable, indicators: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows are a problem by one of these indicators."""
    found = np.zeros(len(own.ids), dtype=bool)
    for name in indicators:
        found |= beyond(name, own.indicators[name])
    return found & np.array([cause is not Cause.NONE for cause in own.causes], dtype=bool)
