"""What changes would save: the run replayed as it was, scaled to what was measured, and replayed again with the changes made."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

import numpy as np

from contracts.spark import RunFacts
from contracts.statements import Join, Statement, listing, name, say, say_member, share
from contracts.whatif import Change, ChangeKind, Gain
from workers.engines.counts import exactly
from workers.engines.likely import LIKELY, WITHIN, likely_ms
from workers.engines.spark.whatif.assumptions import NOISE, draws
from workers.engines.spark.whatif.changes import changed
from workers.engines.spark.whatif.costs import priced, task_cost
from workers.engines.spark.whatif.delays import Delays
from workers.engines.spark.whatif.edges import Edges
from workers.engines.spark.whatif.reshape import crowded
from workers.engines.spark.whatif.units import Unit, duration_ms, units_of, with_tasks

DRAWS = 40
FEWEST_DRAWS = 8
TASKS_REPLAYED = 600_000
"""Over all draws: about two seconds."""

STEPS = 4
"""Steps of the search for the scale, which is exact but for the order of tasks; that changes little."""

WIDEST_SCALE = (0.2, 5.0)
WORTH_SAYING = 0.1
"""Off by this much, the scale is mentioned."""

STAGES_NAMED = 10

RESTARTS = frozenset({ChangeKind.BROADCAST, ChangeKind.DROP_EXCHANGE, ChangeKind.REMOVED})
"""Changes after which other stages do the work of those that go; and so it is with more tasks than there were."""

MOST_RESTART = 0.7
"""Of what a change saves: beginning again does not make a run slower than it was."""

NEEDS_SHARE = (ChangeKind.DROP_ROWS, ChangeKind.FEWER_BYTES, ChangeKind.LESS_COMPUTING)


class Replay:
    """A run on which many changes are tried: its stages and their edges are worked out once, and so is the gain of each set of changes."""

    def __init__(self, run: RunFacts) -> None:
        self.run = run
        self._gains: dict[tuple[Change, ...], Gain] = {}

    def gain(self, changes: tuple[Change, ...]) -> Gain:
        """The gain of all the changes together. Deterministic; no run and no change makes it fail: where there is nothing to replay, or
        nothing that a change says anything about, it saves nothing and says so.

        After: measured time times replay with the changes over replay without; the median over draws of the assumptions, the interval
        from its tenth to its ninetieth percentile."""
        if changes not in self._gains:
            self._gains[changes] = _estimate(self.run, *self._stages, changes)
        return self._gains[changes]

    @cached_property
    def _stages(self) -> tuple[list[Unit], Edges]:
        units = units_of(self.run)
        return units, Edges(units)


def _estimate(run: RunFacts, units: list[Unit], edges: Edges, changes: tuple[Change, ...]) -> Gain:
    before_ms = run.wall_ms
    if not any("task_ms" in stage.distributions for stage in run.stages):
        return _gain(before_ms or 0, [1.0], [1.0], say("spark.whatif.nothing"), ())
    effective = tuple(change for change in changes if _says_something(change, units))
    slots = _slots(run)
    touched = _touched(units, edges, effective)
    delays = Delays.between(units, touched)
    units = with_tasks(units, touched, slots)
    closing_ms = _closing_ms(run, units)
    target = float(before_ms) - closing_ms if before_ms is not None else None
    scale, raw_ms = _scale(units, delays, slots, target)
    was_ms = delays.end_ms(units, slots, scale) + closing_ms
    slots_after = next((change.slots for change in reversed(effective) if change.kind is ChangeKind.SLOTS and change.slots), slots)
    costs = {place: task_cost(unit.facts) for place, unit in enumerate(units) if len(unit.times)}
    is_restarted = any(_restarts(change, units) for change in effective)
    shares: list[float] = []
    noisy: list[float] = []
    if effective and was_ms > 0:
        for assumed in draws(_draws(units)):
            after = changed(priced(units, costs, assumed), edges, effective, assumed)
            after = [crowded(unit, units[place], slots, assumed) for place, unit in enumerate(after)]
            end_ms = delays.end_ms(after, slots_after, scale)
            if is_restarted:
                end_ms += max(0.0, min(assumed.restart_ms, MOST_RESTART * (was_ms - closing_ms - end_ms)))
            shares.append((end_ms + closing_ms) / was_ms)
            noisy.append(shares[-1] * (1 + (assumed.noise - 1) * _new_share(after, units, touched, slots, end_ms / scale)))
    assumptions = list(_assumptions(run, units, changes))
    if target is not None and abs(raw_ms / max(1.0, target) - 1) > WORTH_SAYING:
        assumptions.append(say("spark.whatif.scaled", factor=share(raw_ms / max(1.0, target))))
    return _gain(
        round(was_ms) if before_ms is None else before_ms,
        shares or [1.0],
        noisy or [1.0],
        _method(len(units), slots, len(shares)),
        tuple(assumptions),
    )


def _gain(before_ms: int, shares: Sequence[float], noisy: Sequence[float], method: Statement, assumptions: tuple[Statement, ...]) -> Gain:
    """The gain of these shares of the time before. What the saving itself is unsure by is of those with noise: what a change takes away
    varies from run to run too, and what it leaves alone does not count."""
    low, high = np.percentile(np.array(noisy), LIKELY).tolist()
    middle = float(np.median(shares))
    after_ms = round(before_ms * middle)
    unsure = WITHIN * NOISE * abs(1 - middle)
    low, high = min(low, max(middle - unsure, middle / 2)), max(high, middle + unsure)
    low_ms, high_ms = likely_ms(before_ms, shares) if len(shares) > 1 else (after_ms, after_ms)
    return Gain(
        before_ms=before_ms,
        after_ms=after_ms,
        low_ms=min(after_ms, low_ms),
        high_ms=max(after_ms, high_ms),
        unsure_ms=round(before_ms * (high - low) / 2),
        saved_share=round(1 - after_ms / before_ms, 4) if before_ms else 0.0,
        method=method,
        assumptions=assumptions,
    )


def _method(stages: int, slots: int, drawn: int) -> Statement:
    return say(
        "spark.whatif.method",
        stages=say("artefacts.stages", n=exactly(stages)),
        slots=say("spark.slots", n=exactly(slots)),
        draws=say("spark.draws", n=exactly(drawn)),
    )


def _says_something(change: Change, units: Sequence[Unit]) -> bool:
    if change.stage_ids and not {unit.stage_id for unit in units} & set(change.stage_ids):
        return False
    if change.kind in NEEDS_SHARE and change.kept_share is None:
        return False
    if change.kind is ChangeKind.PARTITIONS and change.partitions is None:
        return False
    return change.kind is not ChangeKind.SLOTS or change.slots is not None


def _restarts(change: Change, units: Sequence[Unit]) -> bool:
    if change.kind is ChangeKind.PARTITIONS:
        tasks = [unit.facts.succeeded_tasks for unit in units if not change.stage_ids or unit.stage_id in change.stage_ids]
        return bool(tasks) and (change.partitions or 0) > min(tasks)
    return change.kind in RESTARTS


def _slots(run: RunFacts) -> int:
    """The run's own; else as many as keep the busiest stage within its time."""
    if run.slots:
        return run.slots
    busy = [stage.task_ms / took for stage in run.stages if (took := duration_ms(stage))]
    return max(1, round(max(busy, default=1.0)))


def _touched(units: Sequence[Unit], edges: Edges, changes: Sequence[Change]) -> set[int]:
    """What has to be replayed task by task: what a change works on, what feeds it or reads it, and what ran at the same time. All the
    rest keeps its duration."""
    if any(not change.stage_ids or change.kind is ChangeKind.SLOTS for change in changes):
        return set(range(len(units)))
    places = {place for change in changes for place in edges.places(change.stage_ids)}
    for _ in range(2):  # a chain of exchanges that go reaches a stage further
        places |= {neighbour for place in places for neighbour in (*edges.parents(place), *edges.children(place))}
    times = [(unit.facts.submitted_at, unit.facts.completed_at) for unit in units]
    spans = sorted((a, b) for place in places if (a := times[place][0]) is not None and (b := times[place][1]) is not None)
    return places | {place for place, (begin, end) in enumerate(times) if begin is None or end is None or _overlaps(begin, end, spans)}


def _overlaps(begin: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first < end and begin < last for first, last in spans)


def _closing_ms(run: RunFacts, units: Sequence[Unit]) -> float:
    """From the last stage's end to the run's."""
    last = max((unit.facts.completed_at for unit in units if unit.facts.completed_at is not None), default=None)
    return float(max(0, run.ended_at - last)) if run.ended_at is not None and last is not None else 0.0


def _scale(units: Sequence[Unit], delays: Delays, slots: int, target_ms: float | None) -> tuple[float, float]:
    """What all task times have to be multiplied by for the replay to end when the run did, and when it ends without. Secant steps."""
    raw = delays.end_ms(units, slots, 1.0)
    if target_ms is None:
        return 1.0, raw
    low, high = WIDEST_SCALE
    before, at_before, scale = 0.0, delays.end_ms(units, slots, 0.0), 1.0
    at = raw
    for _ in range(STEPS):
        if at == at_before or abs(at - target_ms) < 1:
            break
        following = scale + (target_ms - at) * (scale - before) / (at - at_before)
        before, at_before, scale = scale, at, min(high, max(low, following))
        at = delays.end_ms(units, slots, scale)
    return scale, raw


def _draws(units: Sequence[Unit]) -> int:
    tasks = sum(len(unit.times) + 1 for unit in units)
    return min(DRAWS, max(FEWEST_DRAWS, TASKS_REPLAYED // max(1, tasks)))


def _new_share(after: Sequence[Unit], before: Sequence[Unit], touched: Collection[int], slots: int, end_ms: float) -> float:
    """How much of the time after is that of stages that the changes touched: only they are not as measured."""
    pairs = ((after[place], before[place]) for place in sorted(touched))
    new = [
        unit
        for unit, old in pairs
        if len(unit.times) != len(old.times) or len(unit.lost) != len(old.lost) or not np.array_equal(unit.times, old.times)
    ]
    took = sum(max(float(unit.times.max()), float(unit.times.sum()) / slots) for unit in new if len(unit.times))
    return min(1.0, took / end_ms) if end_ms > 0 else 0.0


def _assumptions(run: RunFacts, units: Sequence[Unit], changes: Sequence[Change]) -> Iterator[Statement]:
    for kind in dict.fromkeys(change.kind for change in changes):
        yield say_member("spark.whatif.assumed", kind)
    unknown = sorted({stage for change in changes for stage in change.stage_ids} - {unit.stage_id for unit in units})
    if unknown:
        yield say("spark.whatif.unknown_stages", stages=listing(*map(name, unknown[:STAGES_NAMED]), join=Join.PLAIN))
    if run.wall_ms is None:
        yield say("spark.whatif.no_wall")
    if not run.slots:
        yield say("spark.whatif.no_slots")
