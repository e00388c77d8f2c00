"""The stages of a run side by side: when their tasks ran, and how the times of the tasks are spread."""

from collections.abc import Callable, Sequence

from contracts.spark import RunFacts, StageFacts, StageStatus
from contracts.spark_time import StageRun, TaskTimes
from contracts.verdicts import ScriptSpot

MOST_RUNS = 20
"""Stage attempts of a report: as many rows as a reader compares at a glance."""


def repeats(stages: Sequence[StageFacts]) -> frozenset[tuple[int, int]]:
    """(stage, attempt) of those that did a part of their stage again: fewer tasks than the stage has."""
    whole: dict[int, int] = {}
    for stage in stages:
        whole[stage.stage_id] = max(whole.get(stage.stage_id, 0), stage.planned_tasks or stage.succeeded_tasks)
    return frozenset(
        (stage.stage_id, stage.attempt)
        for stage in stages
        if stage.attempt and (stage.planned_tasks or stage.succeeded_tasks) < whole[stage.stage_id]
    )


def stage_runs(facts: RunFacts, start: int, end: int, spot_of: Callable[[int], ScriptSpot | None]) -> tuple[tuple[StageRun, ...], int]:
    """(the longest stage attempts in the order in which they began, how many others there are). `start`, `end`: of the run, Unix ms."""
    spans = [(stage, *span) for stage in facts.stages if (span := _span(stage, start, end)) is not None]
    longest = sorted(spans, key=lambda found: (found[1] - found[2], found[0].stage_id, found[0].attempt))[:MOST_RUNS]
    in_order = sorted(longest, key=lambda found: (found[1], found[0].stage_id, found[0].attempt))
    runs = tuple(_run(stage, begin - start, finish - start, spot_of(stage.stage_id)) for stage, begin, finish in in_order)
    return runs, len(spans) - len(runs)


def _span(stage: StageFacts, start: int, end: int) -> tuple[int, int] | None:
    """From the first launch to the last finish of its successful tasks; of a stage without any, from its submission to its end."""
    begin = stage.first_launch_at if stage.first_launch_at is not None else stage.submitted_at
    finish = stage.last_finish_at if stage.last_finish_at is not None else stage.completed_at
    if begin is None or finish is None:
        return None
    begin, finish = max(start, begin), min(end, finish)
    return (begin, finish) if finish > begin else None


def _run(stage: StageFacts, begin_ms: int, end_ms: int, spot: ScriptSpot | None) -> StageRun:
    spread = stage.distributions.get("task_ms")
    tasks = None
    if spread is not None and spread.min >= 0:
        tasks = TaskTimes(count=spread.count, min=spread.min, p25=spread.p25, median=spread.median, p75=spread.p75, max=spread.max)
    failed = stage.status is StageStatus.FAILED
    return StageRun(
        stage_id=stage.stage_id, attempt=stage.attempt, begin_ms=begin_ms, end_ms=end_ms, tasks=tasks, has_failed=failed, spot=spot
    )
