"""A twin whose figures are in files: `cell_rca.csv` and `grid_rca.csv`, and `cell_sim.csv` and `grid_sim.csv` after the changes.

A column `root_cause` is not read: the causes are found from the indicators, and from height and tilt where the files have them.
"""

import csv
import hashlib
import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from contracts.network import Cause, Level, Parameter, ParameterChange, ScenarioCard
from contracts.statements import name, quote, say
from workers.engines.network.radio.network import Floats
from workers.engines.network.thresholds import INDICATORS, beyond, known
from workers.engines.network.twins.twin import Effect, LevelTable, Twin
from workers.errors import InvalidInput

MOST_BYTES = 50 * 1024 * 1024

TALL = 1.3
"""Times the median height. The files have no distances, so that height, tilt and coverage have to tell overshoot together."""
SMALL_TILT_DEG = 3.0
TARGET_COVERAGE_PCT = 95.0

_ID = {Level.CELL: "cell_id", Level.GRID: "grid_id"}
_HIDDEN = {"root_cause", "action"}


class FileTwin(Twin):
    """A twin in a folder."""

    is_computed = False

    def __init__(self, card: ScenarioCard, folder: Path) -> None:
        super().__init__(card)
        self._folder = folder

    def version(self) -> str:
        """From the bytes of the files."""
        return self._version

    @cached_property
    def _version(self) -> str:
        digest = hashlib.sha256()
        for level in Level:
            for stage in ("rca", "sim"):
                path = self._path(level, stage)
                digest.update(path.read_bytes() if path.is_file() else b"-")
        return digest.hexdigest()[:12]

    def level(self, level: Level) -> LevelTable:
        """The figures of before. Raises `InvalidInput` if a file is missing or malformed."""
        return self._cells if level is Level.CELL else self._grids

    def effect(self) -> Effect:
        """The figures of after, and the actions in words."""
        return self._effect

    @cached_property
    def _cells(self) -> LevelTable:
        return self._table(Level.CELL)

    @cached_property
    def _grids(self) -> LevelTable:
        return self._table(Level.GRID)

    @cached_property
    def _effect(self) -> Effect:
        rows = self._rows(Level.CELL, "sim")
        return Effect(
            cells=self._after(Level.CELL, rows),
            grids=self._after(Level.GRID, self._rows(Level.GRID, "sim")),
            changes=tuple(
                _change(row["cell_id"], action)
                for row in rows
                if (action := row.get("action", "").strip()) and action.lower() not in ("unchanged", "none")
            ),
            promises=(),
        )  # fmt: skip

    def _table(self, level: Level) -> LevelTable:
        rows = self._rows(level, "rca")
        columns = rows[0].keys() if rows else ()
        indicators = {name: _numbers(rows, name) for name in known(level) if name in columns}
        hidden = _HIDDEN | {_ID[level]} | indicators.keys()
        places = {name: tuple(_plain(row[name]) for row in rows) for name in columns if name not in hidden}
        ids = tuple(row[_ID[level]] for row in rows)
        if level is Level.GRID:
            return LevelTable(ids, places, indicators, self._grid_causes(indicators, places, len(ids)), {})
        causes = _cell_causes(indicators, places, len(ids))
        culprits = {row: (ids[row],) for row, cause in enumerate(causes) if cause is not Cause.NONE}
        return LevelTable(ids, places, indicators, causes, culprits)

    def _grid_causes(self, indicators: dict[str, Floats], places: Mapping[str, tuple[object, ...]], count: int) -> tuple[Cause, ...]:
        """By the grid's own indicators; else its serving cell's cause where that says something about every grid it serves."""
        by_cell = dict(zip(self._cells.ids, self._cells.causes, strict=True))
        serving = places.get("serving_cell", ("",) * count)
        inherited = {Cause.OVERSHOOT, Cause.MISSING_NEIGHBOUR, Cause.HIGH_LOAD}
        found: list[Cause] = []
        for row in range(count):
            cause = _by_indicators({name: float(values[row]) for name, values in indicators.items()})
            above = by_cell.get(str(serving[row]), Cause.NONE)
            found.append(above if cause is Cause.NONE and above in inherited else cause)
        return tuple(found)

    def _after(self, level: Level, rows: list[dict[str, str]]) -> dict[str, Floats]:
        """In the order of the table of before; rows that are missing have no value."""
        own = self.level(level)
        by_id = {row[_ID[level]]: row for row in rows}
        empty: dict[str, str] = {}
        ordered = [by_id.get(each, empty) for each in own.ids]
        return {name: _numbers(ordered, name) for name in own.indicators}

    def _rows(self, level: Level, stage: str) -> list[dict[str, str]]:
        path = self._path(level, stage)
        try:
            if path.stat().st_size > MOST_BYTES:
                raise InvalidInput.of(
                    say(
                        "network.refused.large",
                        file=name(path.name),
                        twin=name(self.card.digitaltwinsId),
                        most=name(f"{MOST_BYTES // 1024**2} MB"),
                    )
                )
            with path.open(encoding="utf-8-sig", newline="") as lines:
                rows = [{key: value or "" for key, value in row.items() if key} for row in csv.DictReader(lines)]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise InvalidInput.of(
                say("network.refused.unread", file=name(path.name), twin=name(self.card.digitaltwinsId), reason=name(type(error).__name__))
            ) from None
        if rows and _ID[level] not in rows[0]:
            raise InvalidInput.of(
                say("network.refused.no_column", file=name(path.name), twin=name(self.card.digitaltwinsId), column=name(_ID[level]))
            )
        return rows

    def _path(self, level: Level, stage: str) -> Path:
        return self._folder / f"{level.value}_{stage}.csv"


def _change(cell: str, action: str) -> ParameterChange:
    says = say("network.change.other", cell=name(cell), action=quote(action))
    return ParameterChange(cell=cell, parameter=Parameter.OTHER, says=says)


def _cell_causes(indicators: dict[str, Floats], places: Mapping[str, tuple[object, ...]], count: int) -> tuple[Cause, ...]:
    heights = np.array([_float(value) for value in places.get("height_m", (math.nan,) * count)])
    tilts = np.array([_float(value) for value in places.get("tilt_deg", (math.nan,) * count)])
    usual = float(np.nanmedian(heights)) if count and not np.isnan(heights).all() else math.nan
    coverage = indicators.get("mr_coverage_pct", np.full(count, np.nan))
    reaching = (heights >= TALL * usual) & (tilts <= SMALL_TILT_DEG) & (coverage < TARGET_COVERAGE_PCT)
    found: list[Cause] = []
    for row in range(count):
        cause = _by_indicators({name: float(values[row]) for name, values in indicators.items()})
        found.append(Cause.OVERSHOOT if reaching[row] and cause in (Cause.NONE, Cause.OVERLAP_INTERFERENCE) else cause)
    return tuple(found)


_RULES = (
    ("rsrp_dbm", Cause.WEAK_COVERAGE),
    ("mr_coverage_pct", Cause.WEAK_COVERAGE),
    ("far_share_pct", Cause.OVERSHOOT),
    ("sinr_db", Cause.OVERLAP_INTERFERENCE),
    ("overlap_degree", Cause.OVERLAP_INTERFERENCE),
    ("prb_util_pct", Cause.HIGH_LOAD),
    ("ho_success_pct", Cause.MISSING_NEIGHBOUR),
)
"""The first indicator beyond its limit decides: without level nothing else can be judged, and a full cell needs good radio to be full
of traffic."""


def _by_indicators(values: dict[str, float]) -> Cause:
    return next((cause for name, cause in _RULES if name in values and beyond(name, np.array([values[name]]))[0]), Cause.NONE)


def _numbers(rows: list[dict[str, str]], column: str) -> Floats:
    digits = INDICATORS[column].digits
    return np.array([round(_float(row.get(column, "")), digits) for row in rows], dtype=np.float64)


def _float(text: object) -> float:
    try:
        value = float(str(text))
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _plain(text: str) -> str | float | int:
    value = _float(text)
    if math.isnan(value):
        return text
    return int(value) if value.is_integer() and "." not in text else value
