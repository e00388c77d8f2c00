"""Data skew by the job statistics: tasks that the engine calls skewed, weighed by the data and times reported for them.

The engine's word is not enough: a task may be slow on a bad machine with no more data than the others. Where the statistics have
bytes, rows or times, these decide. Where they do not, the engine's reason does, and the share is that of the whole stage."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contracts import statements
from contracts.figures import FigureId
from contracts.scope import ScopeStage, ScopeTask
from contracts.statements import Join, Statement, listing, name, say
from contracts.verdicts import Figure, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.scope.blame import blame_stages
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.values import sizes, times
from workers.engines.verdicts import figure, measured, problem_if
from workers.engines.verdicts.thresholds import (
    DATA_RATIO,
    EVEN_DATA,
    HINT_SHARE,
    MIN_TASKS,
    TIME_RATIO,
)
from workers.engines.verdicts.thresholds import MIN_TASK_BYTES as MIN_BYTES

REASON_CHARS = 120

UPPER_SHARE = 0.1
"""Of the job's time, where only the whole stage's is known: an upper bound of what its skew costs has to be large to be a problem."""

OF_THE_MACHINE = re.compile(r"machine|\bnode\b|\bhost\b|slow disk|network|hardware|preempt|revok|机器|节点|网络|抢占", re.IGNORECASE)
OF_THE_DATA = re.compile(r"\bkeys?\b|\brows?\b|\bdata\b|partition|\bbytes\b|键|行数|数据|分区", re.IGNORECASE)
"""Words by which a reason names data or a machine. A reason that only names the machine is not about data."""


@dataclass(frozen=True)
class Weight:
    """The heaviest skewed task compared with the usual one, as far as both are known."""

    data: float | None
    usual: float | None
    unit: Unit
    ratio: float | None
    task_ms: int | None
    usual_ms: int | None

    @property
    def time_ratio(self) -> float | None:
        """Its time to the usual."""
        return self.task_ms / self.usual_ms if self.task_ms is not None and self.usual_ms else None

    @property
    def excess_ms(self) -> int | None:
        """How much longer it ran than a usual task."""
        return max(0, self.task_ms - self.usual_ms) if self.task_ms is not None and self.usual_ms is not None else None


def data_skew(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict a stage with skewed tasks: data skew, or a straggler where the data is even or the reason lies outside of it."""
    for number, stage in job.stages.items():
        if not stage.skewed_tasks or (stage.tasks is not None and stage.tasks < MIN_TASKS):
            continue
        weight = _weight(stage)
        if weight.data is not None and weight.unit is Unit.BYTES and weight.data < MIN_BYTES:
            continue
        reasons = " ".join(task.reason for task in stage.skewed_tasks)
        is_even = weight.ratio is not None and weight.ratio < EVEN_DATA
        is_machine = weight.ratio is None and OF_THE_MACHINE.search(reasons) is not None and OF_THE_DATA.search(reasons) is None
        yield _verdict(job, number, stage, weight, VerdictKind.STRAGGLER if is_even or is_machine else VerdictKind.DATA_SKEW)


def _verdict(job: ScopeJob, number: int, stage: ScopeStage, weight: Weight, kind: VerdictKind) -> Verdict:
    is_measured = weight.excess_ms is not None
    share = job.share_of_job(weight.excess_ms if weight.excess_ms is not None else stage.duration_ms or 0)
    is_heavy = weight.ratio is None or weight.ratio >= DATA_RATIO or kind is VerdictKind.STRAGGLER
    is_slow = weight.time_ratio is None or weight.time_ratio >= TIME_RATIO
    enough = share >= (HINT_SHARE if is_measured else UPPER_SHARE)
    return Verdict(
        kind=kind,
        severity=problem_if(is_heavy and is_slow and enough),
        stage_ids=(number,),
        share=round(share, 4),
        summary=_summary(job.name(number), stage, weight, kind),
        figures=tuple(_figures(job, number, stage, weight, share)),
        blame=blame_stages(job, [number], with_keys=kind is VerdictKind.DATA_SKEW),
    )


def _weight(stage: ScopeStage) -> Weight:
    """Of the task with the most bytes, else rows, else as the reason tells; times of the longest skewed task."""
    tasks = stage.skewed_tasks
    task_ms = max((task.duration_ms for task in tasks if task.duration_ms is not None), default=None)
    for unit, values, total, usual in (
        (Unit.BYTES, [task.read_bytes for task in tasks], stage.read_bytes, stage.usual_task_bytes),
        (Unit.RECORDS, [task.rows for task in tasks], stage.rows, None),
    ):
        known = [value for value in values if value is not None]
        if not known:
            continue
        others = (stage.tasks or 0) - len(known)
        rest = (total - sum(known)) / others if total is not None and others > 0 and total >= sum(known) else None
        usual_one = usual if usual is not None else rest
        if usual_one:
            return Weight(max(known), usual_one, unit, max(known) / usual_one, task_ms, stage.usual_task_ms)
    return _weight_in_words(tasks, task_ms, stage.usual_task_ms)


def _weight_in_words(tasks: tuple[ScopeTask, ...], task_ms: int | None, usual_ms: int | None) -> Weight:
    """`38.2 GB against an average of 1.1 GB`, `12x the average`."""
    for task in tasks:
        written = sizes(task.reason)
        if len(written) > 1 and min(written[:2]) > 0:
            return Weight(max(written[:2]), min(written[:2]), Unit.BYTES, max(written[:2]) / min(written[:2]), task_ms, usual_ms)
        factor = times(task.reason)
        if factor is not None:
            return Weight(None, None, Unit.RATIO, factor, task_ms, usual_ms)
    return Weight(None, None, Unit.RATIO, None, task_ms, usual_ms)


def _summary(stage_name: str, stage: ScopeStage, weight: Weight, kind: VerdictKind) -> Statement:
    parts = (_called_skewed(len(stage.skewed_tasks), stage.tasks), *_weighed(weight), *_why(stage, weight, kind))
    return say("scope.verdict.skew", stage=name(stage_name), parts=listing(*parts, join=Join.CLAUSES))


def _called_skewed(skewed: int, tasks: int | None) -> Statement:
    if tasks:
        return say("scope.skew.tasks_of", n=exactly(skewed), all=say("verdicts.tasks", n=exactly(tasks)))
    return say("scope.skew.tasks", n=exactly(skewed))


def _weighed(weight: Weight) -> Iterator[Statement]:
    """What the heaviest task got, and how long it ran."""
    if weight.data is not None and weight.usual:
        yield say("scope.skew.got", heaviest=measured(weight.data, weight.unit), usual=measured(weight.usual, weight.unit))
    elif weight.ratio is not None:
        yield say("scope.skew.ratio", times=statements.ratio(weight.ratio))
    if weight.task_ms is not None and weight.usual_ms:
        yield say("scope.skew.ran", took=statements.milliseconds(weight.task_ms), usual=statements.milliseconds(weight.usual_ms))


def _why(stage: ScopeStage, weight: Weight, kind: VerdictKind) -> Iterator[Statement]:
    reason = stage.skewed_tasks[0].reason[:REASON_CHARS]
    if kind is VerdictKind.STRAGGLER:
        yield say("scope.skew.even_data") if weight.ratio is not None else say("scope.skew.other_reason")
    elif weight.ratio is None:
        yield say("scope.skew.reason", reason=statements.quote(reason)) if reason else say("scope.skew.no_reason")


def _figures(job: ScopeJob, number: int, stage: ScopeStage, weight: Weight, share: float) -> Iterator[Figure]:
    artefact = job.statistics.artefact if job.statistics else ""
    source = say(
        "scope.source.skewed_task",
        artefact=name(artefact),
        stage=name(job.name(number)),
        task=name(stage.skewed_tasks[0].task_id),
    )
    yield figure(
        FigureId.SKEWED_TASKS,
        len(stage.skewed_tasks),
        Unit.TASKS,
        say("scope.source.of_stage", artefact=name(artefact), stage=name(job.name(number))),
        1,
    )
    if weight.data is not None and weight.usual is not None:
        yield figure(FigureId.HEAVIEST_TASK, weight.data, weight.unit, source, MIN_BYTES if weight.unit is Unit.BYTES else None)
        yield figure(FigureId.USUAL_TASK, weight.usual, weight.unit, source)
    if weight.ratio is not None:
        yield figure(FigureId.HEAVIEST_TO_USUAL, weight.ratio, Unit.RATIO, source, DATA_RATIO)
    if weight.time_ratio is not None and weight.excess_ms is not None:
        yield figure(FigureId.TIME_TO_USUAL, weight.time_ratio, Unit.RATIO, source, TIME_RATIO)
        yield figure(FigureId.TIME_BEYOND_USUAL, weight.excess_ms, Unit.MS, source)
    if stage.duration_ms is not None:
        yield figure(
            FigureId.TIME_OF_STAGE,
            stage.duration_ms,
            Unit.MS,
            say("scope.source.of_stage", artefact=name(artefact), stage=name(job.name(number))),
        )
    if job.job_ms:
        limit = HINT_SHARE if weight.excess_ms is not None else UPPER_SHARE
        yield figure(FigureId.SHARE_OF_JOB, share, Unit.SHARE, say("scope.source.overall", artefact=name(artefact)), limit)
