"""What changes to a SCOPE job would save: its stages replayed along the data flow, by how long each of them took.

The statistics of a SCOPE job tell how long a stage took and who feeds whom, and nothing about its single vertices or how many ran at once.
So a stage is one block of time that begins when the last of its inputs is there, and what a change takes away of it is drawn from ranges.
The interval holds what the ranges allow; no run of a job has been compared with it, since none is public.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contracts.scope import PlanOperatorKind
from contracts.statements import count, say
from contracts.whatif import Change, ChangeKind, Gain
from workers.engines.likely import LIKELY, likely_ms
from workers.engines.scope.flow import exchanges
from workers.engines.scope.job import ScopeJob
from workers.engines.spark.whatif.assumptions import NOISE

DRAWS = 40
ONLY_MOVES = (PlanOperatorKind.EXCHANGE, PlanOperatorKind.OTHER)
"""What a stage does that only redistributes rows."""

SUPPORTED = (ChangeKind.BALANCE, ChangeKind.DROP_EXCHANGE, ChangeKind.BROADCAST, ChangeKind.FEWER_BYTES, ChangeKind.NO_GC)

USUAL_GC = 0.05
"""Share of a vertex's time that garbage collection takes anyway."""


@dataclass(frozen=True, slots=True)
class _Draw:
    """What the statistics do not tell; the values here are the middles of their ranges."""

    waves: float = 2.0
    """How many usual vertices one after the other a balanced stage takes; 1 to 3."""
    kept: float = 0.15
    """The part of a stage that only redistributes which is still to be done; none to 0.3."""
    written: float = 0.15
    """The part of a stage that writes an exchange which goes with it; none to 0.3."""
    joining: float = 0.75
    """The part of a join's stage that remains when it is done where the large side is read; a half to all."""
    carried: float = 0.65
    """The part of a stage that grows with the bytes it moves; 0.3 to 1."""
    noise: float = 1.0
    """To the time of the stages that the change touches."""


class ScopeReplay:
    """A job on which changes are tried."""

    def __init__(self, job: ScopeJob) -> None:
        self._job = job

    def gain(self, changes: tuple[Change, ...]) -> Gain | None:
        """What all of them save together; None where the job's statistics or its data flow are not known, or do not show what a change is
        about."""
        before_ms, path_ms = self._job.job_ms, self._path_ms(self._job.stage_ms)
        if not before_ms or not path_ms or any(change.kind not in SUPPORTED for change in changes):
            return None
        outcomes = [self._after(changes, draw) for draw in _draws()]
        if any(after is None for after in outcomes):
            return None
        scale = min(1.0, before_ms / path_ms)
        found = [max(0.0, before_ms - scale * (path_ms - after)) for after in outcomes if after is not None]
        after_ms = float(np.median(found))
        low, high = np.percentile(found, LIKELY).tolist()
        low_ms, high_ms = likely_ms(before_ms, [after / before_ms for after in found])
        return Gain(
            before_ms=before_ms,
            after_ms=round(after_ms),
            low_ms=low_ms,
            high_ms=high_ms,
            unsure_ms=round((high - low) / 2),
            saved_share=round(1 - after_ms / before_ms, 4),
            method=say("scope.replay.method", n=count(len(self._job.stage_ms))),
            assumptions=(say("scope.replay.blocks"), say("scope.replay.unproved")),
        )

    def _after(self, changes: tuple[Change, ...], draw: _Draw) -> float | None:
        """The path with the changes made; None where one of them says nothing about any stage."""
        factors: dict[int, float] = {}
        for change in changes:
            touched = dict(self._factors(change, draw))
            if not touched:
                return None
            for stage, factor in touched.items():
                factors[stage] = min(factors.get(stage, 1.0), factor)
        changed = {
            stage: ms * factors.get(stage, 1.0) * (draw.noise if stage in factors else 1.0) for stage, ms in self._job.stage_ms.items()
        }
        return self._path_ms(changed)

    def _factors(self, change: Change, draw: _Draw) -> Iterator[tuple[int, float]]:
        """What remains of the stages that a change touches."""
        stages = [stage for stage in change.stage_ids or self._job.stage_ms if stage in self._job.stage_ms]
        match change.kind:
            case ChangeKind.BALANCE:
                yield from ((stage, factor) for stage in stages if (factor := self._balanced(stage, draw)) is not None)
            case ChangeKind.DROP_EXCHANGE:
                movers = [reader for stage in stages for reader in self._readers[stage] if self._only_moves(reader)]
                yield from ((mover, draw.kept) for mover in movers)
            case ChangeKind.BROADCAST:
                yield from self._broadcast(stages, draw)
            case ChangeKind.FEWER_BYTES:
                kept = 1.0 if change.kept_share is None else change.kept_share
                yield from ((stage, 1 - (1 - kept) * draw.carried) for stage in stages)
            case ChangeKind.NO_GC:
                for stage in stages:
                    share = self._job.runs[stage][0].gc_share if stage in self._job.runs else None
                    if share is not None:
                        yield stage, 1 - max(0.0, share - USUAL_GC)
            case _:
                pass

    def _balanced(self, stage_id: int, draw: _Draw) -> float | None:
        """The heavy vertex goes, and its data is spread over all."""
        stage, took_ms = self._job.stages.get(stage_id), self._job.stage_ms[stage_id]
        heaviest = max((task.duration_ms or 0 for task in stage.skewed_tasks), default=0) if stage else 0
        if stage is None or not heaviest or not stage.usual_task_ms:
            return None
        heavy_bytes = sum(task.read_bytes or 0 for task in stage.skewed_tasks)
        usual_bytes = (stage.usual_task_bytes or 0) * (stage.tasks or 0)
        spread = 1 + heavy_bytes / usual_bytes if usual_bytes else 1.5
        after_ms = max(took_ms - heaviest, 0) + draw.waves * stage.usual_task_ms * spread
        return min(1.0, after_ms / took_ms)

    def _broadcast(self, stages: list[int], draw: _Draw) -> Iterator[tuple[int, float]]:
        """The side that moves more is joined where it is: what only moved it goes, and of what wrote it the writing."""
        for stage in stages:
            feeders = sorted(self._feeders[stage], key=lambda feeder: -feeder[1])
            if len(feeders) < 2:
                continue
            writer = feeders[0][0]
            yield stage, draw.joining
            if writer in self._job.stage_ms:
                yield writer, draw.kept if self._only_moves(writer) else 1 - draw.written

    def _only_moves(self, stage: int) -> bool:
        """By the operators of the plan; without a plan, by the name that the engine gave it."""
        stage_name = self._job.name(stage)
        for plan in self._job.plans[:1]:
            own = [operator for operator in plan.operators if operator.stage and self._job.number(operator.stage) == stage]
            if own:
                return all(operator.kind in ONLY_MOVES for operator in own)
        words = stage_name.lower()
        return "repartition" in words and not any(word in words for word in ("extract", "combine", "aggregate", "process", "reduce"))

    @cached_property
    def _edges(self) -> list[tuple[int, int, int]]:
        """(from, to, bytes) between stages whose time is known."""
        job, found = self._job, list[tuple[int, int, int]]()
        for edge in exchanges(job.flow) if job.flow else ():
            ends = [self._number(edge.source), self._number(edge.target)]
            if ends[0] in job.stage_ms and ends[1] in job.stage_ms and ends[0] != ends[1]:
                found.append((ends[0], ends[1], edge.size_bytes or 0))
        return found

    def _number(self, vertex_id: str) -> int:
        vertex = self._job.flow_names.get(vertex_id)
        return self._job.number(vertex.name if vertex and vertex.name else vertex_id)

    @cached_property
    def _readers(self) -> Mapping[int, list[int]]:
        found: defaultdict[int, list[int]] = defaultdict(list)
        for source, target, _ in self._edges:
            found[source].append(target)
        return found

    @cached_property
    def _feeders(self) -> Mapping[int, list[tuple[int, int]]]:
        found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for source, target, size in self._edges:
            found[target].append((source, size))
        return found

    def _path_ms(self, took_ms: Mapping[int, float]) -> float:
        """The longest way through the flow; 0 where the flow is not known."""
        if not self._edges:
            return 0.0
        ends: dict[int, float] = {}
        waiting = {stage: {feeder for feeder, _ in self._feeders[stage]} for stage in took_ms}
        while waiting:
            ready = [stage for stage, feeders in waiting.items() if not feeders & waiting.keys()]
            if not ready:
                return 0.0  # a flow that leads back to itself is none
            for stage in ready:
                ends[stage] = took_ms[stage] + max((ends[feeder] for feeder in waiting.pop(stage) if feeder in ends), default=0.0)
        return max(ends.values(), default=0.0)


def _draws() -> Iterator[_Draw]:
    """The middles first, then random draws, which are the same each time."""
    yield _Draw()
    chance = np.random.default_rng(20_240_101)
    for _ in range(DRAWS):
        drawn = chance.random(5)
        yield _Draw(
            waves=1 + 2 * float(drawn[0]),
            kept=0.3 * float(drawn[1]),
            written=0.3 * float(drawn[2]),
            joining=0.5 + 0.5 * float(drawn[3]),
            carried=0.3 + 0.7 * float(drawn[4]),
            noise=float(np.exp(NOISE * chance.standard_normal())),
        )
