"""Limits: metrics that the engine calls exceeded, memory near what a vertex may use, spill, and garbage collection.

What comes to its limits in a stage with skewed tasks does so for the skew, and is only a hint."""

import re
from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.scope import ScopeMetric
from contracts.statements import Statement, name, say
from contracts.verdicts import Figure, Unit, Verdict, VerdictKind
from workers.engines.scope.blame import blame_stages
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.values import duration_ms, number, size_bytes
from workers.engines.scope.verdicts.sources import of_stage, timed
from workers.engines.verdicts import figure, in_artefact, problem_if
from workers.engines.verdicts.thresholds import (
    GC_SHARE,
    SPILL_BYTES,
    SPILL_SHARE,
)
from workers.engines.verdicts.thresholds import MEMORY_PROBLEM_SHARE as PROBLEM_SHARE

MEMORY_SHARE = 0.9
"""Of the memory that a vertex may use: from here on the next larger input ends it."""

STAGE_SHARE = 0.1
"""Of all stages' time, in the stage of an exceeded metric: below it the metric is true and matters little."""

MEASURED_ELSEWHERE = re.compile(r"skew|shuffle|exchange|cross.?stage|倾斜", re.IGNORECASE)
"""Metrics whose subject has verdicts of its own, with data behind them: the metric alone says the same and is only a hint."""


def exceeded_metrics(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict a metric."""
    statistics = job.statistics
    if statistics is None:
        return
    for metric in statistics.metrics:
        if not metric.is_exceeded:
            continue
        numbers = [job.number(metric.stage, metric.stage)] if metric.stage else []
        share = job.share_of_stages(numbers)
        is_problem = share >= STAGE_SHARE and not MEASURED_ELSEWHERE.search(metric.name) and not any(map(job.is_skewed, numbers))
        yield Verdict(
            kind=VerdictKind.EXCEEDED_LIMIT,
            severity=problem_if(is_problem),
            stage_ids=tuple(numbers),
            share=round(share, 4),
            summary=_exceeded(metric, job.name(numbers[0]) if numbers else ""),
            figures=tuple(
                _metric_figures(metric, say("scope.source.metric", artefact=name(statistics.artefact), metric=name(metric.name)))
            ),
            blame=blame_stages(job, numbers),
        )


def memory_limits(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict a vertex whose instance came near its limit."""
    limits = {job.number(vertex): (limit, plan.artefact) for plan in job.plans for vertex, limit in plan.memory_limits.items()}
    for stage, (run, artefact) in job.runs.items():
        limit, source = limits.get(stage, (0, ""))
        if not limit or run.peak_memory_bytes is None or run.peak_memory_bytes < MEMORY_SHARE * limit:
            continue
        share = job.share_of_stages([stage])
        yield Verdict(
            kind=VerdictKind.EXCEEDED_LIMIT,
            severity=problem_if(share >= STAGE_SHARE and not job.is_skewed(stage)),
            stage_ids=(stage,),
            share=round(share, 4),
            summary=_near_limit(run.vertex, run.peak_memory_bytes, limit, is_skewed=job.is_skewed(stage)),
            figures=(
                figure(FigureId.PEAK_MEMORY, run.peak_memory_bytes, Unit.BYTES, of_stage(artefact, run.vertex)),
                figure(FigureId.MEMORY_LIMIT, limit, Unit.BYTES, of_stage(source, run.vertex)),
                figure(FigureId.PEAK_TO_LIMIT, run.peak_memory_bytes / limit, Unit.RATIO, in_artefact(artefact), MEMORY_SHARE),
                figure(FigureId.TIME_OF_STAGE, share, Unit.SHARE, timed(job), STAGE_SHARE),
            ),
            blame=blame_stages(job, [stage]),
        )


def spill(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict a vertex."""
    for stage, (run, artefact) in job.runs.items():
        spilled, read = run.spilled_bytes or 0, run.input_bytes or 0
        if spilled < SPILL_BYTES or spilled < SPILL_SHARE * read:
            continue
        share, source = job.share_of_stages([stage]), of_stage(artefact, run.vertex)
        yield Verdict(
            kind=VerdictKind.SPILL,
            severity=problem_if(share >= PROBLEM_SHARE),
            stage_ids=(stage,),
            share=round(share, 4),
            summary=say("scope.verdict.spill", stage=name(run.vertex), spilled=statements.size(spilled), read=statements.size(read)),
            figures=(
                figure(FigureId.SPILLED, spilled, Unit.BYTES, source, SPILL_BYTES),
                figure(FigureId.SPILLED_TO_READ, spilled / max(1, read), Unit.RATIO, source, SPILL_SHARE),
                figure(FigureId.TIME_OF_STAGE, share, Unit.SHARE, timed(job), PROBLEM_SHARE),
            ),
            blame=blame_stages(job, [stage]),
        )


def gc_pressure(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict a vertex. Only C# collects garbage, so the cause is in user code and its columns of objects."""
    for stage, (run, artefact) in job.runs.items():
        share = job.share_of_stages([stage])
        if run.gc_share is None or run.gc_share < GC_SHARE:
            continue
        yield Verdict(
            kind=VerdictKind.GC_PRESSURE,
            severity=problem_if(share * run.gc_share >= PROBLEM_SHARE),
            stage_ids=(stage,),
            share=round(share * run.gc_share, 4),
            summary=say("scope.verdict.gc", stage=name(run.vertex), share=statements.share(run.gc_share)),
            figures=(
                figure(FigureId.COLLECTION_SHARE, run.gc_share, Unit.SHARE, of_stage(artefact, run.vertex), GC_SHARE),
                figure(
                    FigureId.SHARE_OF_STAGES_TIME,
                    share * run.gc_share,
                    Unit.SHARE,
                    timed(job) if job.timed_by else in_artefact(artefact),
                    PROBLEM_SHARE,
                ),
            ),
            blame=blame_stages(job, [stage]),
        )


def _exceeded(metric: ScopeMetric, stage: str) -> Statement:
    what = name(metric.name)
    values = {
        "metric": say("scope.metric_in", metric=what, stage=name(stage)) if stage else what,
        "value": name(metric.value),
    }
    if metric.threshold:
        return say("scope.verdict.exceeded_limit", **values, limit=name(metric.threshold))
    return say("scope.verdict.exceeded", **values)


def _near_limit(vertex: str, peak: int, limit: int, *, is_skewed: bool) -> Statement:
    values = {"stage": name(vertex), "peak": statements.size(peak), "limit": statements.size(limit)}
    return say("scope.verdict.memory_by_skew", **values) if is_skewed else say("scope.verdict.memory", **values)


def _metric_figures(metric: ScopeMetric, source: Statement) -> Iterator[Figure]:
    """The metric and its limit, in the unit that the text tells."""
    if metric.number is None:
        return
    plain = number(metric.value.rstrip("% x×"))
    is_size = plain is None and size_bytes(metric.value) is not None
    unit = Unit.BYTES if is_size else Unit.MS if plain is None else Unit.RATIO
    limit = metric.threshold.rstrip("% x×")
    bound = number(limit)
    threshold = bound if bound is not None else size_bytes(metric.threshold) if is_size else duration_ms(metric.threshold)
    shown = say("scope.metric", metric=name(metric.name))
    yield figure(FigureId.METRIC, metric.number, unit, source, threshold, name=shown)
