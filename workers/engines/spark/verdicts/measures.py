"""What every verdict starts from: a run with its stages by id, and the times that shares are taken of."""

from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property

from contracts.figures import FigureId
from contracts.spark import RunFacts, StageFacts, TaskDistribution
from contracts.spark_time import TimeAccount
from contracts.statements import Statement, member_term, say
from workers.engines.spark.plan import Plan
from workers.engines.spark.stage_runs import repeats
from workers.engines.spark.time_account import time_account, walls_of
from workers.engines.verdicts import label


class TaskMeasure(StrEnum):
    """How much data a task has, by the names of the distributions."""

    SHUFFLE_READ_BYTES = "shuffle_read_bytes"
    SHUFFLE_READ_RECORDS = "shuffle_read_records"
    INPUT_BYTES = "input_bytes"
    INPUT_RECORDS = "input_records"


def of_measure(id: FigureId, measure: TaskMeasure) -> Statement:
    """The name of a figure that is about one of these measures."""
    return say("spark.figure_of", figure=label(id), measure=member_term("spark.measure", measure))


class Run:
    """The facts of a run, ready to be asked."""

    def __init__(self, facts: RunFacts) -> None:
        self.facts = facts
        self.stages = facts.stages
        self.plans = tuple(Plan(execution) for execution in facts.executions if execution.nodes)

    @cached_property
    def by_id(self) -> dict[int, StageFacts]:
        """The last attempt of each stage."""
        return {stage.stage_id: stage for stage in self.stages}

    @cached_property
    def whole(self) -> tuple[StageFacts, ...]:
        """Without the attempts that did a part of their stage again."""
        again = repeats(self.stages)
        return tuple(stage for stage in self.stages if (stage.stage_id, stage.attempt) not in again)

    @cached_property
    def active_ms(self) -> int:
        """Wall clock in which some stage was running; what tasks took in all where the log does not tell it."""
        wall_ms = (self.facts.wall_ms or 0) - self.facts.idle_ms
        return max(1, wall_ms if wall_ms > 0 else self.task_ms)

    @cached_property
    def account(self) -> TimeAccount | None:
        """Where the wall clock went."""
        return time_account(self.facts)

    @cached_property
    def gaps(self) -> tuple[tuple[int, int], ...]:
        """Times in which the driver worked alone: (begin, end), Unix ms; none where the log does not tell when the run began and ended."""
        start, end = self.facts.started_at, self.facts.ended_at
        return walls_of(self.facts, start, end).gaps if start is not None and end is not None and end > start else ()

    def share_of_run(self, ms: float) -> float:
        """Of the run's wall clock; of the stages' where that is not known."""
        wall_ms = self.facts.wall_ms or 0
        return min(1.0, max(0.0, ms) / wall_ms) if wall_ms > 0 else self.share_of_wall(ms)

    def span_ms(self, stage_ids: Iterable[int]) -> int:
        """Wall clock in which any of these stages had tasks."""
        wanted, took, until = set(stage_ids), 0, 0
        spans = sorted(
            (stage.first_launch_at, stage.last_finish_at)
            for stage in self.stages
            if stage.stage_id in wanted and stage.first_launch_at is not None and stage.last_finish_at is not None
        )
        for begin, end in spans:
            took += max(0, end - max(begin, until))
            until = max(until, end)
        return took

    @cached_property
    def task_ms(self) -> int:
        """The time of all successful tasks."""
        return max(1, sum(stage.task_ms for stage in self.stages))

    @cached_property
    def _task_ms_by_id(self) -> dict[int, int]:
        """The time of each stage, all its attempts together."""
        found: dict[int, int] = {}
        for stage in self.stages:
            found[stage.stage_id] = found.get(stage.stage_id, 0) + stage.task_ms
        return found

    @property
    def slots(self) -> int:
        """Tasks that could run at the same time; one where it is not known."""
        return self.facts.slots or 1

    def share_of_stages(self, stage_ids: Iterable[int]) -> float:
        """Of the tasks' time, in all attempts of these stages."""
        return min(1.0, sum(self._task_ms_by_id.get(stage_id, 0) for stage_id in set(stage_ids)) / self.task_ms)

    def share_of_wall(self, ms: float) -> float:
        """Of the time in which stages were running."""
        return min(1.0, max(0.0, ms) / self.active_ms)


def wall_ms(stage: StageFacts) -> int:
    """From the first start of its tasks to the last end; at least its longest task."""
    longest = spread(stage, "task_ms")
    took_ms = (stage.last_finish_at or 0) - (stage.first_launch_at or 0)
    return max(1, took_ms, longest.max if longest else 0)


def spread(stage: StageFacts, name: str) -> TaskDistribution | None:
    """How a number of the stage is spread over its tasks; none when it is zero for all."""
    return stage.distributions.get(name)


def usual(distribution: TaskDistribution) -> float:
    """What a task usually has: the median, or the mean where most have nothing."""
    return distribution.median or distribution.sum / distribution.count


def value_of(distribution: TaskDistribution, task_id: int) -> int | None:
    """What one of the heaviest tasks has; none when it is not among them."""
    return next((heavy.value for heavy in distribution.heaviest if heavy.task_id == task_id), None)
