"""A twin that is simulated: a made-up scenario, or the cells of a file."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from contracts.base import content_hash
from contracts.network import Cause, Level, Parameter, ParameterChange, Promise, ScenarioCard
from contracts.statements import Statement, member_term, name, number, say
from workers.engines.network.causes import Causes, find_causes
from workers.engines.network.causes.by_rules import ORDER
from workers.engines.network.optimising import Advice, Change, advise, promise, reached_by
from workers.engines.network.radio import State, measure
from workers.engines.network.radio.network import Floats, Network
from workers.engines.network.thresholds import INDICATORS, LEAST_SAMPLES, known
from workers.engines.network.twins.twin import Effect, LevelTable, Twin

MODEL_VERSION = 1
"""Increased when the model computes other figures."""


class ComputedTwin(Twin):
    """A network made and simulated at need; the results are kept for the life of the process."""

    is_computed = True

    def __init__(self, card: ScenarioCard, make: Callable[[], Network], version: str) -> None:
        """`make` is called when the network is first needed; `version` changes when it would make another one."""
        super().__init__(card)
        self._make, self._version = make, version

    def version(self) -> str:
        """From the model and what it is run on."""
        return content_hash([MODEL_VERSION, self._version])[:12]

    def level(self, level: Level) -> LevelTable:
        """Indicators of the simulated busy hour."""
        return self._cells if level is Level.CELL else self._grids

    def effect(self) -> Effect:
        """Simulate the advised changes."""
        return self._effect

    @cached_property
    def _before(self) -> State:
        return measure(self._make())

    @cached_property
    def _causes(self) -> Causes:
        return find_causes(self._before)

    @cached_property
    def _cells(self) -> LevelTable:
        cells, causes = self._before.network.cells, self._causes
        return LevelTable(
            ids=cells.ids,
            places={
                "site": cells.sites,
                "x_m": _plain(cells.x_m),
                "y_m": _plain(cells.y_m),
                "band_mhz": (round(self._before.network.frequency_mhz),) * len(cells),
                "azimuth_deg": _plain(cells.azimuth_deg),
                "tilt_deg": _plain(cells.tilt_deg),
                "height_m": _plain(cells.height_m),
                "power_dbm": _plain(cells.power_dbm),
                "carriers": tuple(int(value) for value in cells.carriers),
            },
            indicators=_rounded(_judged(self._before.cells), Level.CELL),
            causes=causes.cells,
            culprits={row: tuple(cells.ids[cell] for cell in guilty) for row, guilty in causes.culprits.items()},
        )

    @cached_property
    def _grids(self) -> LevelTable:
        area, cells, causes = self._before.network.area, self._before.network.cells, self._causes
        serving = self._before.serving
        return LevelTable(
            ids=area.ids,
            places={
                "x_m": _plain(area.x_m),
                "y_m": _plain(area.y_m),
                "serving_cell": tuple(cells.ids[cell] for cell in map(int, serving)),
                "samples": _plain(np.round(self._before.samples)),
            },
            indicators=_rounded(self._before.grids, Level.GRID),
            causes=tuple(ORDER[int(cause)] for cause in causes.grids),
            culprits={
                int(row): self._cells.culprits.get(int(serving[row]), ()) for row in np.flatnonzero(causes.grids)
                if causes.cells[int(serving[row])] is causes.grid_cause(int(row))
            },
        )  # fmt: skip

    @cached_property
    def _effect(self) -> Effect:
        advice: Advice = advise(self._before, self._causes)
        promised = promise(self._before, self._causes, advice)
        after = measure(advice.network)
        return Effect(
            cells=_rounded(_judged(after.cells), Level.CELL),
            grids=_rounded(after.grids, Level.GRID),
            changes=tuple(_as_change(change, self._before.network.cells.ids) for change in advice.changes),
            promises=tuple(
                Promise(
                    indicator=made.promised.indicator, cause=made.promised.cause, promised=round(made.promised.gain, 2),
                    reached=round(made.gain, 2),
                )
                for made in reached_by(promised, self._before, after)
            ),
        )  # fmt: skip


def _as_change(change: Change, ids: tuple[str, ...]) -> ParameterChange:
    return ParameterChange(
        cell=ids[change.cell], parameter=change.parameter, before=change.before, after=change.after, cause=change.cause,
        says=_says(change, ids[change.cell]),
    )  # fmt: skip


def _says(change: Change, cell: str) -> Statement:
    cause = member_term("network.cause", change.cause if change.cause is not Cause.NONE else Cause.WEAK_COVERAGE)
    before, after = number(change.before, 0), number(change.after, 0)
    match change.parameter:
        case Parameter.TILT:
            return say("network.change.tilt", cell=name(cell), before=before, after=after, cause=cause)
        case Parameter.POWER:
            return say("network.change.power", cell=name(cell), before=before, after=after, cause=cause)
        case Parameter.CARRIERS:
            return say("network.change.carriers", cell=name(cell), before=before, after=after, cause=cause)
        case Parameter.NEIGHBOURS:
            return say("network.change.neighbours", cell=name(cell), n=after, cause=cause)
        case Parameter.AZIMUTH | Parameter.OTHER:
            return say("network.change.azimuth", cell=name(cell), before=before, after=after, cause=cause)


def _rounded(values: dict[str, Floats], level: Level) -> dict[str, Floats]:
    return {name: np.round(values[name], INDICATORS[name].digits) for name in known(level) if name in values}


COUNTED = frozenset({"prb_util_pct", "dl_traffic_gb", "rrc_users", "samples"})
"""Indicators that are counts; the others are means over samples, and a mean over few says nothing."""


def _judged(cells: dict[str, Floats]) -> dict[str, Floats]:
    """Without the means of cells that hardly serve anybody."""
    few = ~(cells["samples"] >= LEAST_SAMPLES)
    return {name: values if name in COUNTED else np.where(few, np.nan, values) for name, values in cells.items()}


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(round(value, 1) for value in values.tolist())
