"""The run as drawings: the parts of its time, the stages side by side, and how the times of their tasks are spread."""

from collections.abc import Iterator

from contracts.drawings import Range, Ranges
from contracts.spark_time import StageRun, TaskTimes, TimeAccount
from contracts.statements import Value, count, listing, member_term, milliseconds, name, say, share, term
from contracts.tune.plan import TuningReport
from contracts.verdicts import Severity
from workers.kinds.tune.rules.saying import line_name
from workers.saying.document import Block, Heading, Paragraph, Tone

MOST_SPREADS = 8
"""Stages whose task times are drawn: those with the longest task."""

FEWEST_TASKS = 2
"""A stage of one task has no spread."""


def parts_shown(account: TimeAccount) -> Iterator[Block]:
    """The parts of the wall time as bars."""
    shown = [found for found in account.slices if found.share > 0]
    if len(shown) > 1:
        yield Ranges(
            title=term("tune.report.chart.parts"),
            label=term("tune.report.column.part"),
            axis=term("tune.report.column.time"),
            rows=tuple(
                Range(
                    name=member_term("tune.time", found.part),
                    low=0.0,
                    high=found.ms / 1000,
                    note=say("tune.report.chart.part", time=milliseconds(found.ms), share=share(found.share)),
                )
                for found in shown
            ),
        )


def timeline_shown(report: TuningReport) -> Iterator[Block]:
    """When each stage ran. Stages with a problem are in another colour."""
    account = report.time
    if account is None or not account.runs:
        return
    yield Heading(text=term("tune.report.timeline"))
    blamed = _blamed(report)
    yield Ranges(
        title=term("tune.report.chart.timeline"),
        label=term("tune.report.chart.stage"),
        axis=term("tune.report.chart.since_start"),
        rows=tuple(
            Range(
                name=_named(run, is_marked=run.stage_id in blamed),
                low=run.begin_ms / 1000,
                high=run.end_ms / 1000,
                note=_took(run),
                is_marked=run.stage_id in blamed or run.has_failed,
            )
            for run in account.runs
        ),
    )
    if blamed & {run.stage_id for run in account.runs}:
        yield Paragraph(text=term("tune.report.chart.marked"), tone=Tone.DIM)
    if account.runs_left_out:
        yield Paragraph(text=say("tune.report.chart.left_out", n=count(account.runs_left_out)), tone=Tone.DIM)


def spreads_shown(report: TuningReport) -> Iterator[Block]:
    """How the times of the tasks are spread within a stage: a long line to the right is a task that all others waited for."""
    account = report.time
    runs = [] if account is None else [run for run in account.runs if run.tasks is not None and run.tasks.count >= FEWEST_TASKS]
    if not runs:
        return
    longest = sorted(runs, key=lambda run: run.tasks.max if run.tasks else 0, reverse=True)[:MOST_SPREADS]
    blamed = _blamed(report)
    yield Heading(text=term("tune.report.spread"))
    yield Ranges(
        title=term("tune.report.chart.spread"),
        label=term("tune.report.chart.stage"),
        axis=term("tune.report.chart.task_time"),
        rows=tuple(_spread(run, run.tasks, is_marked=run.stage_id in blamed) for run in longest if run.tasks is not None),
    )
    yield Paragraph(text=term("tune.report.chart.spread_how"), tone=Tone.DIM)


def _spread(run: StageRun, tasks: TaskTimes, *, is_marked: bool) -> Range:
    note = say("tune.report.chart.median_max", median=milliseconds(tasks.median), max=milliseconds(tasks.max))
    return Range(
        name=_named(run, is_marked=is_marked),
        least=tasks.min / 1000,
        low=tasks.p25 / 1000,
        middle=tasks.median / 1000,
        high=tasks.p75 / 1000,
        greatest=tasks.max / 1000,
        note=note,
        is_marked=is_marked,
    )


def _named(run: StageRun, *, is_marked: bool) -> Value:
    """`stage 4 (line 12)`; an attempt after the first is named. A stage with a problem has a mark, as some see no colour."""
    parts: list[Value] = [say("tune.report.time_stage", stage=name(run.stage_id))]
    if run.spot is not None:
        parts = [say("tune.report.time_stage_line", stage=name(run.stage_id), line=line_name(run.spot))]
    if run.attempt:
        parts.append(say("tune.report.chart.attempt", n=name(run.attempt + 1)))
    named = listing(*parts)
    return say("tune.report.chart.blamed", stage=named) if is_marked else named


def _took(run: StageRun) -> Value:
    took = milliseconds(run.end_ms - run.begin_ms)
    if run.has_failed:
        return say("tune.report.chart.failed", time=took)
    return took if run.tasks is None else say("tune.report.chart.took", time=took, n=count(run.tasks.count))


def _blamed(report: TuningReport) -> frozenset[int]:
    """Stages of problems."""
    return frozenset(stage for verdict in report.verdicts if verdict.severity is Severity.PROBLEM for stage in verdict.stage_ids)
