"""A run's stage attempts as work to be replayed: what they wait for, and what their tasks' time goes into."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from contracts.spark import RunFacts, StageFacts
from workers.engines.spark.whatif.schedule import NOTHING, Milliseconds, Work
from workers.engines.spark.whatif.tasks import rebuilt

TASKS_KEPT = 60_000
"""Tasks of all replayed stages together; beyond it light tasks are bundled, so that a replay takes well under a second."""

LEAST_KEPT = 16
"""Tasks that are kept of each stage at least."""


@dataclass(frozen=True, eq=False)
class Unit(Work):
    """One stage attempt. Its tasks' time is fixed cost, reading, writing, spilling and computing."""

    facts: StageFacts = field(kw_only=True)
    fixed: Milliseconds = field(default_factory=lambda: NOTHING)
    """Of each of `times` the part that does not depend on its data."""
    read_ms: float = 0
    write_ms: float = 0
    spill_ms: float = 0
    computing_ms: float = 0
    stands_for: Milliseconds = field(default_factory=lambda: NOTHING)
    """How many of the stage's tasks each of `times` is."""
    lost: Milliseconds = field(default_factory=lambda: NOTHING)
    """Times of attempts that failed: each kept a slot busy."""

    @property
    def stage_id(self) -> int:
        """The stage's."""
        return self.facts.stage_id

    @property
    def variable_ms(self) -> float:
        """All but the fixed cost."""
        return self.read_ms + self.write_ms + self.spill_ms + self.computing_ms

    def costing(self, **parts: float) -> "Unit":
        """With other parts; each task's variable time changes in proportion, or evenly where there was none."""
        changed = replace(self, **{name: max(0.0, value) for name, value in parts.items()})
        if not len(self.times):
            return changed
        variable = np.maximum(0.0, self.times - self.fixed)
        total = float(variable.sum())
        grown = variable * (changed.variable_ms / total) if total > 0 else np.full(len(variable), changed.variable_ms / len(variable))
        return replace(changed, times=np.minimum(self.times, self.fixed) + grown)

    def gone(self) -> "Unit":
        """Without work; what waited for it waits for what it waited for."""
        nothing = {"read_ms": 0.0, "write_ms": 0.0, "spill_ms": 0.0, "computing_ms": 0.0}
        return replace(self, times=NOTHING, lost=NOTHING, fixed=NOTHING, stands_for=NOTHING, tail_ms=0.0, **nothing)

    def work(self, factor: float, before: tuple[tuple[int, float], ...], at_ms: float) -> Work:
        """For the scheduler, with the time of its tasks multiplied, at another place of the list."""
        times = factor * np.concatenate([self.lost, self.times])
        return Work(order=self.order, before=before, at_ms=at_ms, tail_ms=self.tail_ms, times=times)


def duration_ms(stage: StageFacts) -> int | None:
    """From its submission to its end; none where the log does not tell both."""
    if stage.submitted_at is None or stage.completed_at is None:
        return None
    return max(0, stage.completed_at - stage.submitted_at)


def units_of(run: RunFacts) -> list[Unit]:
    """In the order they were submitted, so that each stands behind all it waits for: the parents that ran in time, the attempt before
    it, or, when it has none of them, what the driver had to see end first. They take as long as they took, without tasks."""
    stages = sorted(run.stages, key=lambda stage: (stage.submitted_at is None, stage.submitted_at or 0, stage.stage_id, stage.attempt))
    gates = _Gates(run, stages)
    return [_unit(run, stage, gates.before(stage, place)) for place, stage in enumerate(stages)]


def _unit(run: RunFacts, stage: StageFacts, before: tuple[tuple[int, float], ...]) -> Unit:
    since = run.started_at if run.started_at is not None else stage.submitted_at
    at_ms = max(0, stage.submitted_at - since) if stage.submitted_at is not None and since is not None and not before else 0
    return Unit(order=_order(stage), before=before, at_ms=at_ms, tail_ms=duration_ms(stage) or 0, facts=stage)


def with_tasks(units: Sequence[Unit], places: Collection[int], slots: int) -> list[Unit]:
    """The same, those at these places with their tasks, as far as the log tells them."""
    most = max(LEAST_KEPT, 2 * slots, TASKS_KEPT // max(1, len(places)))
    return [_with_tasks(unit, most) if place in places else unit for place, unit in enumerate(units)]


def _with_tasks(unit: Unit, most: int) -> Unit:
    stage = unit.facts
    spread = stage.distributions.get("task_ms")
    if spread is None:
        return unit
    times, stands_for = rebuilt(spread, most)
    failed = min(stage.failed_tasks, most)
    tail = max(0, stage.completed_at - stage.last_finish_at) if stage.completed_at and stage.last_finish_at else 0
    return replace(unit, times=times, stands_for=stands_for, lost=np.full(failed, stage.lost_task_ms / max(1, failed)), tail_ms=float(tail))


def _order(stage: StageFacts) -> tuple[int, ...]:
    return (min(stage.job_ids, default=0), stage.stage_id, stage.attempt)


class _Gates:
    """What stages waited for."""

    def __init__(self, run: RunFacts, stages: Sequence[StageFacts]) -> None:
        self._stages = stages
        self._places: dict[int, list[int]] = {}
        for place, stage in enumerate(stages):
            self._places.setdefault(stage.stage_id, []).append(place)
        self._ended = sorted((stage.completed_at, place) for place, stage in enumerate(stages) if stage.completed_at is not None)
        self._jobs = {job.job_id: job for job in run.jobs}
        self._job_ends = sorted((job.completed_at, job.job_id) for job in run.jobs if job.completed_at is not None)

    def before(self, stage: StageFacts, place: int) -> tuple[tuple[int, float], ...]:
        """Places and lags. A lag is counted from the last of them to end."""
        family = [earlier for parent in (*stage.parent_ids, stage.stage_id) for earlier in self._places.get(parent, ()) if earlier < place]
        found = [earlier for earlier in dict.fromkeys(family) if self._in_time(earlier, stage)]
        if not found:
            found = self._driver_saw(stage, place)
        ended = [at for earlier in found if (at := self._stages[earlier].completed_at) is not None]
        lag = max(0, stage.submitted_at - max(ended)) if ended and stage.submitted_at is not None else 0
        return tuple((earlier, float(lag)) for earlier in found)

    def _in_time(self, place: int, stage: StageFacts) -> bool:
        ended = self._stages[place].completed_at
        return ended is None or stage.submitted_at is None or ended <= stage.submitted_at

    def _driver_saw(self, stage: StageFacts, place: int) -> list[int]:
        """The stages of the job that ended last before the stage's own job began; where jobs are not known, the stage that ended last."""
        began = [at for job in stage.job_ids if job in self._jobs and (at := self._jobs[job].submitted_at) is not None]
        since = min(began, default=stage.submitted_at)
        if since is None:
            return []
        job = _last_before(self._job_ends, since)
        if job is not None:
            found = [earlier for number in self._jobs[job].stage_ids for earlier in self._places.get(number, ()) if earlier < place]
            found = [earlier for earlier in found if self._in_time(earlier, stage)]
            if found:
                return found
        if began:
            return []
        last = _last_before(self._ended, since)
        return [last] if last is not None and last < place else []


def _last_before(ends: list[tuple[int, int]], at: int) -> int | None:
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if ends[middle][0] <= at else (low, middle)
    return ends[low - 1][1] if low else None
