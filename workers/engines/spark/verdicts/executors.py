"""Executors that were lost with their work, that came late by dynamic allocation, and copies of tasks that speculation started in vain."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import ExecutorFacts, StageFacts
from contracts.statements import say
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.eventlog.configuration import task_cpus
from workers.engines.spark.verdicts.failures import LOST_SHARE
from workers.engines.spark.verdicts.measures import Run, wall_ms
from workers.engines.spark.verdicts.sources import EXECUTORS, STAGE_ENDS, TASK_ENDS
from workers.engines.verdicts import figure, problem_if

PLANNED = re.compile(r"killed by driver|idle|no longer needed|exited with code 0|decommissioned by|dynamic allocation", re.IGNORECASE)
"""Reasons of executors that were given back."""

CLOSING_MS = 2_000
"""An executor that goes so shortly before the end, or later, goes because the run is over."""

WITH_EXECUTORS = re.compile(r"ExecutorLost|FetchFailed|Resubmitted", re.IGNORECASE)
"""Reasons of attempts that an executor's loss ended."""

REASON_CHARS = 160

LATE_SHARE = 0.05
"""Share of the run that waiting for executors takes at least to be worth a word: adding executors takes some seconds in any cluster."""


def lost_executors(run: Run) -> Iterator[Verdict]:
    """One verdict a run: what was done again, and what their tasks had done in vain."""
    ended = run.facts.ended_at
    lost = [executor for executor in run.facts.executors if _is_lost(executor, ended)]
    repeated = [stage for stage in run.stages if stage.attempt > 0]
    hit = [stage for stage in run.stages if any(WITH_EXECUTORS.search(kind.reason) for kind in stage.failures)]
    if not lost or not (repeated or hit):
        return
    lost_ms = sum(wall_ms(stage) for stage in repeated) + sum(_lost_with_executors(stage) for stage in hit) / run.slots
    share = run.share_of_run(lost_ms)
    there = [executor for executor in run.facts.executors if executor.executor_id != "driver"]
    reason = next((executor.removed_reason for executor in lost if executor.removed_reason), "")
    yield Verdict(
        kind=VerdictKind.LOST_EXECUTORS,
        severity=problem_if(share >= LOST_SHARE),
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in (*repeated, *hit))),
        share=round(share, 4),
        summary=say(
            "spark.verdict.lost_executors",
            lost=exactly(len(lost)),
            executors=say("spark.executors", n=exactly(len(there))),
            time=statements.milliseconds(lost_ms),
            reason=statements.quote(reason[:REASON_CHARS]) if reason else say("spark.no_reason"),
        ),
        figures=(
            figure(FigureId.LOST_EXECUTORS, len(lost), Unit.COUNT, EXECUTORS, 1),
            figure(FigureId.REPEATED_STAGES, len(repeated), Unit.COUNT, STAGE_ENDS),
            figure(FigureId.TIME_LOST, lost_ms, Unit.MS, TASK_ENDS),
            figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, TASK_ENDS, LOST_SHARE),
        ),
        error=reason[:REASON_CHARS],
    )


def superfluous_copies(run: Run) -> Iterator[Verdict]:
    """One verdict a run: copies of slow tasks that were no faster than the tasks themselves. Where a copy was first, it is the task that
    Spark kills, and speculation has helped."""
    hit = [stage for stage in run.stages if stage.copies_in_vain]
    lost = sum(stage.copies_in_vain_ms for stage in hit)
    share = lost / (run.task_ms + sum(stage.lost_task_ms for stage in run.stages))
    if share < LOST_SHARE:
        return
    copies = sum(stage.copies_in_vain for stage in hit)
    yield Verdict(
        kind=VerdictKind.SUPERFLUOUS_COPIES,
        severity=Severity.PROBLEM,
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in hit)),
        share=round(share, 4),
        summary=say(
            "spark.verdict.superfluous_copies",
            copies=exactly(copies),
            lost=statements.milliseconds(lost),
            share=statements.share(share),
        ),
        figures=(
            figure(FigureId.COPIES, copies, Unit.TASKS, TASK_ENDS),
            figure(FigureId.TIME_LOST, lost, Unit.MS, TASK_ENDS),
            figure(FigureId.SHARE_OF_TASK_TIME, share, Unit.SHARE, TASK_ENDS, LOST_SHARE),
        ),
    )


def late_executors(run: Run) -> Iterator[Verdict]:
    """One verdict a run with dynamic allocation: time in which stages had more tasks than the executors that were there could run."""
    facts = run.facts
    start, end = facts.started_at, facts.ended_at
    if facts.configuration.get("spark.dynamicAllocation.enabled", "").lower() != "true" or start is None or end is None or end <= start:
        return
    cores = task_cpus(facts.configuration)
    steps = [step for executor in facts.executors for step in _slots_of(executor, cores, end)]
    peak = run.slots
    waited, stages = _waited_ms(run.stages, steps, peak)
    share = run.share_of_run(waited)
    if share < LATE_SHARE or not stages:
        return
    at_first = sum(change for at, change in steps if change > 0 and at <= min(stage.first_launch_at or end for stage in stages))
    yield Verdict(
        kind=VerdictKind.LATE_EXECUTORS,
        severity=Severity.PROBLEM,
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in stages)),
        share=round(share, 4),
        summary=say(
            "spark.verdict.late_executors",
            first=exactly(at_first),
            peak=say("spark.verdict.at_a_time", n=exactly(peak)),
            time=statements.milliseconds(waited),
        ),
        figures=(
            figure(FigureId.SLOTS_AT_FIRST, at_first, Unit.TASKS, EXECUTORS),
            figure(FigureId.SLOTS, peak, Unit.TASKS, EXECUTORS),
            figure(FigureId.TIME_LOST, waited, Unit.MS, EXECUTORS),
            figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, EXECUTORS, LATE_SHARE),
        ),
    )


def _is_lost(executor: ExecutorFacts, ended: int | None) -> bool:
    if executor.removed_at is None or PLANNED.search(executor.removed_reason):
        return False
    return ended is None or executor.removed_at < ended - CLOSING_MS


def _lost_with_executors(stage: StageFacts) -> float:
    """Task time of the attempts that ended so: their part of all that did not succeed."""
    ended = sum(kind.count for kind in stage.failures if WITH_EXECUTORS.search(f"{kind.reason} {kind.error} {kind.message}"))
    return stage.lost_task_ms * min(1.0, ended / stage.failed_tasks) if stage.failed_tasks else 0.0


def _slots_of(executor: ExecutorFacts, cores_of_task: int, end: int) -> Iterator[tuple[int, int]]:
    """(instant, slots that come or go)."""
    if executor.executor_id != "driver" and executor.added_at is not None and executor.cores:
        slots = executor.cores // cores_of_task
        yield executor.added_at, slots
        yield executor.removed_at or end, -slots


def _waited_ms(stages: Sequence[StageFacts], steps: Sequence[tuple[int, int]], peak: int) -> tuple[float, list[StageFacts]]:
    """(wall clock that was lost in proportion to the slots that were not there yet, the stages that waited for them)."""
    spans = [
        (stage.first_launch_at, stage.last_finish_at, min(peak, stage.planned_tasks or stage.succeeded_tasks), stage)
        for stage in stages
        if stage.first_launch_at is not None and stage.last_finish_at is not None
    ]
    instants = sorted({at for at, _ in steps} | {at for begin, finish, *_ in spans for at in (begin, finish)})
    waited: float = 0
    found: dict[tuple[int, int], StageFacts] = {}
    for at, until in pairwise(instants):
        there = sum(change for step, change in steps if step <= at)
        running = [(tasks, stage) for begin, finish, tasks, stage in spans if begin <= at < finish]
        wanted = min(peak, sum(tasks for tasks, _ in running))
        if there < wanted:
            waited += (until - at) * (1 - max(0, there) / wanted)
            found.update({(stage.stage_id, stage.attempt): stage for _, stage in running})
    return waited, list(found.values())
