"""The wall time of a run, split into parts that add up to it.

Each instant of the run belongs to the stages that have tasks then, in proportion to the tasks they run on average, as far as these fill
the slots; the rest of the slots is idle. What a stage has is split by what its tasks' own counters say they did.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from contracts.spark import RunFacts, StageFacts
from contracts.spark_time import StageTime, TimeAccount, TimePart, TimeSlice
from contracts.verdicts import ScriptSpot
from workers.engines.spark.plan import Plan
from workers.engines.spark.recomputed import repeated_stages
from workers.engines.spark.stage_runs import stage_runs

Key = tuple[int, int]
"""Stage and attempt."""

WITHOUT_STAGE = -1
"""In place of a stage's id."""

MOST_STAGES = 3
"""Stages named in a part."""

MOST_OF_RUN = 5
"""Stages named of the whole run."""

SPILL_BYTES_PER_MS = 200_000
"""Speed of a spill where the run wrote no shuffle file to measure it by: 200 MB/s, a plain disk."""

PYTHON_OPERATORS = ("Python", "InPandas", "InArrow")
"""Parts of the names of operators and RDDs whose tasks wait for a Python process."""

Spots = Callable[[int], ScriptSpot | None]


@dataclass(frozen=True, slots=True)
class Walls:
    """The wall clock of a run by what it belongs to, in ms."""

    stages: Mapping[Key, float]
    """A stage attempt's own."""
    unmanned: Mapping[TimePart, float]
    """What belongs to no stage."""
    idle: Mapping[Key, float]
    """Slots that were empty while a stage attempt ran, as a part of the wall clock: `IDLE_SLOTS`."""
    gaps: tuple[tuple[int, int], ...]
    """Times in which no stage ran and none was waiting, after the first one: (begin, end), Unix ms."""
    waits: tuple[tuple[int, int], ...] = ()
    """Times in which a stage was submitted and no task ran."""


@dataclass(frozen=True, slots=True)
class _Span:
    """The time between the first start and the last end of a stage attempt's tasks."""

    key: Key
    begin: int
    end: int
    running: float
    """Tasks at a time, on average."""


def time_account(facts: RunFacts, spot_of: Spots = lambda _: None) -> TimeAccount | None:
    """The account; None where the log does not tell when the run began and ended."""
    start, end = facts.started_at, facts.ended_at
    if start is None or end is None or end <= start:
        return None
    found = walls_of(facts, start, end)
    parts = _parts(facts, found)
    stage_walls: dict[int, float] = defaultdict(float)
    for stage in facts.stages:
        stage_walls[stage.stage_id] += found.stages.get((stage.stage_id, stage.attempt), 0.0)
    wall_ms = end - start
    slices = [_slice(part, stages, wall_ms, spot_of) for part, stages in parts.items() if sum(stages.values()) > 0]
    runs, left_out = stage_runs(facts, start, end, spot_of)
    again = {stage: stage_walls[stage] for stage in repeated_stages(facts) if stage_walls[stage] > 0}
    return TimeAccount(
        wall_ms=wall_ms,
        slots=facts.slots,
        slices=tuple(sorted(slices, key=lambda found: -found.ms)),
        stages=_heaviest(stage_walls, MOST_OF_RUN, spot_of),
        recomputed_ms=round(sum(again.values()), 1),
        recomputed=_heaviest(again, MOST_STAGES, spot_of),
        runs=runs,
        runs_left_out=left_out,
    )


def ms_by_stage(facts: RunFacts, part: TimePart) -> Mapping[int, float]:
    """What a part of the account is made of: stage → its ms on the wall clock, of all stages. Empty where there is no account."""
    start, end = facts.started_at, facts.ended_at
    if start is None or end is None or end <= start:
        return {}
    found = _parts(facts, walls_of(facts, start, end)).get(part, {})
    return {stage: ms for stage, ms in found.items() if stage != WITHOUT_STAGE}


def _parts(facts: RunFacts, found: Walls) -> dict[TimePart, dict[int, float]]:
    """Part → stage → ms."""
    parts: dict[TimePart, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    rate = spill_rate(facts.stages)
    python = python_stages(facts)
    for stage in facts.stages:
        wall = found.stages.get((stage.stage_id, stage.attempt), 0.0)
        for part, share in within(stage, rate, is_python=stage.stage_id in python).items():
            parts[part][stage.stage_id] += wall * share
    for (stage, _), ms in found.idle.items():
        parts[TimePart.IDLE_SLOTS][stage] += ms
    for part, ms in found.unmanned.items():
        parts[part][WITHOUT_STAGE] += ms
    return parts


def _slice(part: TimePart, stages: Mapping[int, float], wall_ms: int, spot_of: Spots) -> TimeSlice:
    ms = sum(stages.values())
    return TimeSlice(part=part, ms=round(ms, 1), share=min(1.0, round(ms / wall_ms, 4)), stages=_heaviest(stages, MOST_STAGES, spot_of))


def _heaviest(stages: Mapping[int, float], most: int, spot_of: Spots) -> tuple[StageTime, ...]:
    ranked = sorted(((stage, ms) for stage, ms in stages.items() if stage >= 0 and ms > 0), key=lambda item: (-item[1], item[0]))
    return tuple(StageTime(stage_id=stage, ms=round(ms, 1), spot=spot_of(stage)) for stage, ms in ranked[:most])


def walls_of(facts: RunFacts, start: int, end: int) -> Walls:
    """The wall clock between two instants, Unix ms."""
    spans = [span for stage in facts.stages if (span := _span(stage, start, end))]
    submitted = [
        (max(start, stage.submitted_at), min(end, stage.completed_at or end)) for stage in facts.stages if stage.submitted_at is not None
    ]
    first = min((begin for begin, _ in submitted), default=end)
    instants = {start, end, first, *(at for span in spans for at in (span.begin, span.end)), *(at for pair in submitted for at in pair)}
    opening, closing = _by(spans, lambda span: span.begin), _by(spans, lambda span: span.end)
    starts, ends = _counts(begin for begin, _ in submitted), _counts(finish for _, finish in submitted)
    clock, running, waiting = _Clock(float(facts.slots or 0), first, facts), dict[Key, float](), 0
    for at, until in pairwise(sorted(instants)):
        for span in closing.get(at, ()):
            running.pop(span.key, None)
        running.update({span.key: span.running for span in opening.get(at, ()) if span.end > at})
        waiting += starts.get(at, 0) - ends.get(at, 0)
        if at < start or until > end:
            continue
        if running:
            clock.work(at, until, running)
        else:
            clock.pause(at, until, is_waiting=waiting > 0)
    return Walls(clock.walls, clock.unmanned, clock.idle, tuple(clock.gaps), tuple(clock.waits))


class _Clock:
    """Gives each stretch of the wall clock to what ran in it, or to why nothing did."""

    def __init__(self, slots: float, first: int, facts: RunFacts) -> None:
        """`first`: when the first stage was submitted, Unix ms. Of a compacted log the jobs are gone that had ended by then."""
        self._slots, self._first = slots, first
        self._opening = TimePart.UNLOGGED if facts.reading.compacted else TimePart.START
        self._compacted_until = facts.reading.compacted_until or 0
        self.walls: dict[Key, float] = defaultdict(float)
        self.unmanned: dict[TimePart, float] = defaultdict(float)
        self.idle: dict[Key, float] = defaultdict(float)
        self.gaps: list[tuple[int, int]] = []
        """In which the driver worked alone; neighbours are one."""
        self.waits: list[tuple[int, int]] = []

    def pause(self, at: int, until: int, *, is_waiting: bool) -> None:
        """No task runs. `is_waiting`: a stage is submitted."""
        of_nobody = TimePart.UNLOGGED if at <= self._compacted_until else TimePart.DRIVER
        part = TimePart.SCHEDULING if is_waiting else self._opening if until <= self._first else of_nobody
        self.unmanned[part] += until - at
        if part is TimePart.SCHEDULING:
            self.waits.append((at, until))
        if part is TimePart.DRIVER:
            begun = self.gaps.pop()[0] if self.gaps and self.gaps[-1][1] == at else at
            self.gaps.append((begun, until))

    def work(self, at: int, until: int, running: Mapping[Key, float]) -> None:
        """Tasks run: each stage gets its share of the busy slots, and of those that are idle."""
        took, tasks = until - at, sum(running.values())
        busy = min(1.0, tasks / self._slots) if self._slots else 1.0
        for key, share in running.items():
            self.walls[key] += took * busy * share / tasks
            self.idle[key] += took * (1 - busy) * share / tasks


def _by(spans: Sequence[_Span], instant: Callable[[_Span], int]) -> dict[int, list[_Span]]:
    found: dict[int, list[_Span]] = defaultdict(list)
    for span in spans:
        found[instant(span)].append(span)
    return found


def _counts(instants: Iterable[int]) -> dict[int, int]:
    found: dict[int, int] = defaultdict(int)
    for at in instants:
        found[at] += 1
    return found


def _span(stage: StageFacts, start: int, end: int) -> _Span | None:
    opened, closed = stage.first_launch_at, stage.last_finish_at
    if opened is None or closed is None:  # no task succeeded: what its failed attempts took is all of it
        opened, closed = stage.submitted_at, stage.completed_at
    elif stage.lost_task_ms and stage.completed_at is not None:  # attempts that failed after the last success ran too
        closed = max(closed, stage.completed_at)
    if opened is None or closed is None or closed <= opened:
        return None
    begin, finish = max(start, opened), min(end, closed)
    took = stage.task_ms + stage.lost_task_ms
    if finish <= begin or took <= 0:
        return None
    return _Span((stage.stage_id, stage.attempt), begin, finish, took / (closed - opened))


def within(stage: StageFacts, spill_rate: float, *, is_python: bool) -> dict[TimePart, float]:
    """The shares of what the stage's tasks did; they add up to 1. Counters may overlap, so none may take more than is left."""
    all_ms = stage.task_ms + stage.lost_task_ms
    if all_ms <= 0:
        return {}
    left = float(stage.task_ms)
    taken: dict[TimePart, float] = {TimePart.FAILED: float(stage.lost_task_ms)}
    run_ms = min(stage.run_ms, stage.task_ms)
    spilled = stage.disk_spill_bytes / spill_rate if spill_rate else 0.0
    for part, ms in (
        (TimePart.SCHEDULING, stage.task_ms - run_ms),
        (TimePart.GC, stage.gc_ms),
        (TimePart.SHUFFLE_WAIT, stage.fetch_wait_ms),
        (TimePart.SPILL, spilled),
        (TimePart.SHUFFLE_WRITE, stage.shuffle_write_ms),
        (TimePart.COMPUTING, stage.cpu_ms),
    ):
        taken[part] = min(max(0.0, ms), left)
        left -= taken[part]
    taken[TimePart.PYTHON if is_python else TimePart.BLOCKED] = left
    return {part: ms / all_ms for part, ms in taken.items() if ms > 0}


def spill_rate(stages: Sequence[StageFacts]) -> float:
    """Bytes a millisecond."""
    written, took = sum(stage.shuffle_write_bytes for stage in stages), sum(stage.shuffle_write_ms for stage in stages)
    return written / took if took > 0 and written > 0 else SPILL_BYTES_PER_MS


def python_stages(facts: RunFacts) -> set[int]:
    """Stages whose tasks hand rows to a Python process: by their RDDs, or by their operators in the plan."""
    found = {stage.stage_id for stage in facts.stages if any(word in name for name in stage.operators for word in PYTHON_OPERATORS)}
    for execution in facts.executions:
        plan = Plan(execution)
        for node in plan.nodes.values():
            if any(word in node.name for word in PYTHON_OPERATORS):
                found.update(node.stage_ids)
    return found
