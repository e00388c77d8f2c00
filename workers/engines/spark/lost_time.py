"""Every second of a run, given to what it went into by what the log itself measures: work, or a class of loss.

A class needs no family of problems that was seen before. Each second has one class: a stage that repeats another is repeated work, and
not also time in Python or in shuffles."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from contracts.spark import RunFacts, SqlExecution, SqlNode, StageFacts
from contracts.spark_time import TimePart
from contracts.verdicts import VerdictKind
from workers.engines.spark.batches import BATCH
from workers.engines.spark.looped import Loops, overlap_ms
from workers.engines.spark.plan import Plan, attributes, is_join, is_scan, scanned_table
from workers.engines.spark.recomputed import CACHED, WRITING, in_order, pieces
from workers.engines.spark.stage_runs import repeats
from workers.engines.spark.time_account import Key, Walls, python_stages, spill_rate, walls_of, within
from workers.engines.verdicts.thresholds import MIB

FEWEST_BATCHES = 3
FEWEST_ALIKE = 3
"""Pieces of plans that are equal but for their constants: two may be meant, three are a loop."""

FEWEST_DEAR = 2
"""Pieces that join the same tables in the same way, where they are read."""

JOINED = "joined"
EXCHANGE, BROADCAST = "Exchange", "Broadcast"

USUAL_GAP_MS = 1_000
"""Without a stage: what planning, listing and committing take of a query. Only what a gap takes beyond it is lost."""

USUAL_START_MS = 60_000
"""Until the first stage: what a cluster takes to give executors and a driver to begin. Only what a start takes beyond it is lost."""

INTERACTIVE = re.compile(
    r"(?:spark[ -]shell|pyspark-?shell|sparkr|databricks shell|sparksql(?:::.*)?|thrift jdbc/odbc server|spark connect server"
    r"|zeppelin|livy-session-\d{1,9}|.*(?:notebook|jupyter).*)",
    re.IGNORECASE,
)
"""Names that Spark and platforms give to sessions of people: until its first stage one waits for its user."""

TINY_MS = 100
TINY_BYTES = MIB
GOOD_BYTES = 64 * MIB
WAVES = 2
"""A task shorter than these is worth less than its start; so many tasks a slot are enough."""

OF_PARTS: Mapping[TimePart, VerdictKind] = {
    TimePart.SCHEDULING: VerdictKind.TASK_OVERHEAD,
    TimePart.PYTHON: VerdictKind.PYTHON_TIME,
    TimePart.GC: VerdictKind.MEMORY_TIME,
    TimePart.SPILL: VerdictKind.MEMORY_TIME,
    TimePart.SHUFFLE_WAIT: VerdictKind.SHUFFLE_TIME,
    TimePart.SHUFFLE_WRITE: VerdictKind.SHUFFLE_TIME,
    TimePart.FAILED: VerdictKind.FAILURES,
}
"""What the tasks' counters say; the rest is work."""

BY_BATCHES = (VerdictKind.TASK_OVERHEAD, VerdictKind.UNEVEN_TASKS, VerdictKind.SERIAL_SCAN, VerdictKind.DRIVER_WORK)
"""Losses that in a stream come from its being cut into batches."""


@dataclass
class Loss:
    """What one class took."""

    kind: VerdictKind
    ms: float = 0.0
    stages: dict[int, float] = field(default_factory=dict[int, float])
    """Stage → its part, ms; without what belongs to no stage."""
    times: int = 0
    """How often: repetitions, batches, gaps."""
    without_task_ms: float = 0.0
    """What of it passed without a running task."""
    between_turns_ms: float = 0.0
    """What of it passed between the turns of a loop."""

    def add(self, ms: float, stage: int | None = None) -> None:
        """More of it."""
        self.ms += ms
        if stage is not None and ms > 0:
            self.stages[stage] = self.stages.get(stage, 0.0) + ms

    def heaviest(self) -> tuple[int, ...]:
        """Its stages, those first that took the most."""
        return tuple(sorted(self.stages, key=lambda stage: (-self.stages[stage], stage)))


@dataclass(frozen=True)
class Seconds:
    """The wall clock of a run, given away."""

    wall_ms: int
    losses: Mapping[VerdictKind, Loss]
    longest_gap_ms: int = 0
    """Of the time in the driver, what was lost in the longest gap."""
    turns: int = 0
    """Of the loop with the most turns; 0 without a loop."""
    opening_ms: int = 0
    """Until the first stage, if most of the time in the driver was lost there; else 0."""


def seconds_of(facts: RunFacts) -> Seconds | None:
    """Each class with what it took; None where the log does not tell when the run began and ended."""
    start, end = facts.started_at, facts.ended_at
    if start is None or end is None or end <= start:
        return None
    found = _Given(facts, walls_of(facts, start, end))
    return Seconds(end - start, found.losses, found.longest_gap_ms, found.loops.turns, found.opening_ms)


class _Given:
    """Gives each part of the wall clock to its class."""

    def __init__(self, facts: RunFacts, walls: Walls) -> None:
        self.losses: dict[VerdictKind, Loss] = {}
        self.longest_gap_ms = self.opening_ms = 0
        self.loops = Loops(facts)
        self._facts = facts
        self._again = repeats(facts.stages)
        self._plans = [Plan(execution) for execution in facts.executions if execution.nodes]
        batches = [execution for execution in facts.executions if BATCH.search(execution.description)]
        numbers = {found[1] for execution in batches if (found := BATCH.search(execution.description))}
        self._is_stream = len(numbers) >= FEWEST_BATCHES
        of_jobs = {stage for job in facts.jobs if BATCH.search(job.description) for stage in job.stage_ids}
        self._in_batches = {stage for execution in batches for stage in execution.stage_ids} | of_jobs if self._is_stream else set[int]()
        self._repeated, most = repeated(self._plans)
        self._refilled = refilled(self._plans)
        stages = list(enumerate(facts.stages))  # of those at the same time the first one
        self._ends = sorted((stage.last_finish_at or stage.completed_at or 0, -place, stage.stage_id) for place, stage in stages)
        self._begins = sorted((stage.submitted_at or stage.first_launch_at or 0, place, stage.stage_id) for place, stage in stages)
        self._stages(walls)
        self._rest(walls, batches)
        for kind, times in ((VerdictKind.REPEATED_PLANS, most), (VerdictKind.STREAMING_TRIGGERS, len(numbers))):
            if kind in self.losses:
                self.losses[kind].times = (kind is VerdictKind.REPEATED_PLANS and self.loops.turns) or times

    def _add(self, kind: VerdictKind, ms: float, stage: int | None = None) -> None:
        if stage in self._in_batches and kind in BY_BATCHES:
            kind = VerdictKind.STREAMING_TRIGGERS
        if ms > 0:
            self.losses.setdefault(kind, Loss(kind)).add(ms, stage)

    def _stages(self, walls: Walls) -> None:
        rate, python = spill_rate(self._facts.stages), python_stages(self._facts)
        for stage in self._facts.stages:
            key: Key = (stage.stage_id, stage.attempt)
            wall, empty = walls.stages.get(key, 0.0), walls.idle.get(key, 0.0)
            if stage.stage_id in self._refilled or stage.stage_id in self._repeated:
                is_refill = stage.stage_id in self._refilled
                self._add(VerdictKind.EVICTED_CACHE if is_refill else VerdictKind.REPEATED_PLANS, wall + empty, stage.stage_id)
                continue
            without_work = _without_work(stage, self._facts.slots or 1)
            for part, share in within(stage, rate, is_python=stage.stage_id in python).items():
                kind = OF_PARTS.get(part)
                if kind is not None:
                    self._add(kind, wall * share, stage.stage_id)
                else:
                    self._add(VerdictKind.TASK_OVERHEAD, wall * share * without_work, stage.stage_id)
            self._add(self._of_empty_slots(stage), empty, stage.stage_id)

    def _of_empty_slots(self, stage: StageFacts) -> VerdictKind:
        is_whole = (stage.stage_id, stage.attempt) not in self._again
        few = is_whole and (stage.planned_tasks or stage.succeeded_tasks) < (self._facts.slots or 1)
        reads = not stage.shuffle_read_bytes and (
            stage.input_records or stage.input_bytes or any("Scan" in name for name in stage.operators)
        )
        return VerdictKind.SERIAL_SCAN if few and reads else VerdictKind.UNEVEN_TASKS

    def _rest(self, walls: Walls, batches: Sequence[SqlExecution]) -> None:
        """What belongs to no stage. In a stream the time between its first and its last batch is the batches' own."""
        waited = sum(self._of_loop(at, until) for at, until in walls.waits)
        self._add(VerdictKind.TASK_OVERHEAD, walls.unmanned.get(TimePart.SCHEDULING, 0.0) - waited)
        times = [at for execution in batches for at in (execution.started_at, execution.ended_at) if at is not None]
        begin, end = (min(times), max(times)) if self._is_stream and times else (0, 0)
        self._opening(round(walls.unmanned.get(TimePart.START, 0.0)))
        for at, until in walls.gaps:
            if begin <= at and until <= end:
                self._add(VerdictKind.STREAMING_TRIGGERS, until - at)
                continue
            lost = until - at - max(USUAL_GAP_MS, self._of_loop(at, until))
            if lost > 0:
                self._in_driver(lost, at, until)
                self.losses[VerdictKind.DRIVER_WORK].between_turns_ms += min(lost, overlap_ms(at, until, self.loops.between))
        loss = self.losses.get(VerdictKind.DRIVER_WORK)
        if loss and self.opening_ms - USUAL_START_MS <= loss.ms / 2:
            self.opening_ms = 0

    def _in_driver(self, lost: int, at: int, until: int) -> None:
        self._add(VerdictKind.DRIVER_WORK, lost)
        loss = self.losses[VerdictKind.DRIVER_WORK]
        loss.times += 1
        for stage in self._around(at, until):
            loss.stages[stage] = loss.stages.get(stage, 0.0) + lost
        self.longest_gap_ms = max(self.longest_gap_ms, lost)

    def _opening(self, took_ms: int) -> None:
        """Before the first stage of an application that waits for nobody."""
        start, lost = self._facts.started_at or 0, took_ms - USUAL_START_MS
        name = self._facts.app_name or self._facts.configuration.get("spark.app.name", "")
        if lost > 0 and not INTERACTIVE.fullmatch(name):
            self.opening_ms = took_ms
            self._in_driver(lost, start, start + took_ms)

    def _of_loop(self, at: int, until: int) -> int:
        """What of a time without a task is the price of a loop: all of it within a later turn, and between two turns what planning the
        next one usually takes. What is longer there is code of the script's own, which one pass would run too."""
        within = overlap_ms(at, until, self.loops.within)
        between = overlap_ms(at, until, self.loops.between)
        lost = within + min(between, USUAL_GAP_MS)
        self._add(VerdictKind.REPEATED_PLANS, lost)
        if lost:
            self.losses[VerdictKind.REPEATED_PLANS].without_task_ms += lost
        return lost

    def _around(self, at: int, until: int) -> Iterator[int]:
        """The stage that ended before a gap, and the one that began after it: between their lines the driver works."""
        ended = bisect_right(self._ends, at, key=lambda end: end[0])
        if ended:
            yield self._ends[ended - 1][2]
        begun = bisect_left(self._begins, until, key=lambda begin: begin[0])
        if begun < len(self._begins):
            yield self._begins[begun][2]


def _without_work(stage: StageFacts, slots: int) -> float:
    """The share of a stage's tasks that its data is not worth."""
    tasks, spread = stage.succeeded_tasks, stage.distributions.get("task_ms")
    read = stage.shuffle_read_bytes + stage.input_bytes
    needed = max(WAVES * slots, ceil(read / GOOD_BYTES))
    if spread is None or tasks <= 2 * needed or spread.median > TINY_MS or read > TINY_BYTES * tasks:
        return 0.0
    return 1 - needed / tasks


def repeated(plans: Sequence[Plan]) -> tuple[frozenset[int], int]:
    """(stages that do what others of the run did, but for constants; how often the most frequent of these pieces runs). Micro-batches are
    meant to be alike, and what is kept in memory is not computed again."""
    alike: dict[tuple[object, ...], list[tuple[int, ...]]] = defaultdict(list)
    for plan in plans:
        if BATCH.search(plan.execution.description):
            continue
        for root, stages in _all_pieces(plan):
            signature = _signature(plan, root)
            if signature and stages and stages not in alike[signature]:
                alike[signature].append(stages)
        for root, stages in pieces(plan):
            base = _base(plan, root)
            if base and stages and stages not in alike[base]:
                alike[base].append(stages)
    loops = [found for signature, found in alike.items() if len(found) >= (FEWEST_DEAR if signature[0] == JOINED else FEWEST_ALIKE)]
    first = {stage for found in loops for stage in found[0]}
    stages = frozenset(stage for found in loops for later in found[1:] for stage in later) - first
    return stages, max(map(len, loops), default=0)


def _base(plan: Plan, root: SqlNode) -> tuple[object, ...] | None:
    """What a piece joins, without what is done with it afterwards: two actions that group one join by different columns join twice."""
    nodes = list(in_order(plan, root))
    joins = [node for node in nodes if is_join(node)]
    scans = [scanned_table(node) for node in nodes if is_scan(node)]
    if (
        not joins
        or not all(scans)
        or any(CACHED in node.name for node in nodes)
        or any(EXCHANGE in node.name for node in nodes if BROADCAST not in node.name)
    ):
        return None
    named = tuple((node.name, tuple(sorted({column.name for column in attributes(node.simple_string)}))) for node in joins)
    filtered = tuple(sorted({column.name for node in nodes if node.name == "Filter" for column in attributes(node.simple_string)}))
    return (JOINED, tuple(sorted(scans)), named, filtered)


def _all_pieces(plan: Plan) -> Iterator[tuple[SqlNode, tuple[int, ...]]]:
    """What each stage computes, the last one too: under each shuffle, and under the action."""
    yield from pieces(plan)
    if not plan.exchanges:
        return
    top = min(plan.nodes)
    while plan.nodes[top].name.startswith(WRITING) and len(plan.children[top]) == 1:
        top = plan.children[top][0]
    written = {stage for exchange in plan.exchanges for stage in exchange.stage_ids[:1]}
    own = tuple(dict.fromkeys(stage for node in [plan.nodes[top], *plan.below(top)] for stage in node.stage_ids if stage not in written))
    yield plan.nodes[top], own


def _signature(plan: Plan, root: SqlNode) -> tuple[object, ...] | None:
    """The operators with the names of their columns and tables; None: it reads no table, or one that is kept in memory."""
    nodes = list(in_order(plan, root))
    if any(CACHED in node.name for node in nodes) or not any(is_scan(node) and scanned_table(node) for node in nodes):
        return None
    return tuple(
        (node.name, scanned_table(node) if is_scan(node) else tuple(sorted({column.name for column in attributes(node.simple_string)})))
        for node in nodes
        if not node.name.startswith(("WholeStageCodegen", "InputAdapter"))
    )


def refilled(plans: Sequence[Plan]) -> frozenset[int]:
    """Stages that compute parts of a kept table in a later query than the one that filled it: its blocks were dropped, or never fitted."""
    filled: dict[str, int] = {}
    found: set[int] = set()
    for plan in plans:
        own = set(plan.execution.stage_ids)
        for node in plan.nodes.values():
            if CACHED not in node.name:
                continue
            below = list(plan.below(node.node))
            scans = [scan for scan in below if is_scan(scan) and scan.stage_ids]
            kept = "\n".join(_of_kept(scan) for scan in below)
            stages = {stage for scan in scans for stage in scan.stage_ids if stage in own}
            if stages and filled.setdefault(kept, plan.execution.execution_id) != plan.execution.execution_id:
                found |= stages
    return frozenset(found)


NUMBERS = re.compile(r"#\d+L?|plan_id=\d+")


def _of_kept(node: SqlNode) -> str:
    return NUMBERS.sub("", node.simple_string)
