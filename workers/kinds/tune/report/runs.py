"""Several runs at a glance: the worst first, and which jobs have become slower. The rest of a report is about one of them."""

from collections.abc import Iterator
from datetime import UTC, datetime

from contracts.statements import Shown, Value, code, count, member_term, milliseconds, moment, name, say, term
from contracts.tune.plan import TuningReport
from contracts.tune.runs import RunEnd, RunLine, SlowerJob
from workers.kinds.tune.rules.saying import kind_term, shown_name, value_of
from workers.saying.document import Align, Block, Column, Heading, Item, Items, Paragraph, Table, Tone, bullets

MOST_RUNS = 10
"""Rows of a brief report."""


def runs_shown(report: TuningReport, *, details: bool) -> Iterator[Block]:
    """The overview; nothing for a bundle with one run."""
    runs = report.runs
    if len(runs.runs) < 2 and not runs.unread:
        return
    yield Heading(text=say("tune.report.runs", n=count(len(runs.runs))))
    shown = runs.runs if details else runs.runs[:MOST_RUNS]
    yield Table(
        columns=(
            Column(title=term("tune.report.column.run")),
            Column(title=term("tune.report.column.started"), wraps=False),
            Column(title=term("tune.report.column.took"), align=Align.RIGHT, wraps=False),
            Column(title=term("tune.report.column.affected"), align=Align.RIGHT, wraps=False),
            Column(title=term("tune.report.column.problem")),
        ),
        rows=tuple(map(_row, shown)),
    )
    if len(shown) < len(runs.runs):
        yield Paragraph(text=say("tune.report.more_runs", n=count(len(runs.runs) - len(shown))), tone=Tone.DIM)
    if runs.slower:
        yield Heading(text=term("tune.report.slower"))
        yield Items(items=tuple(map(_slower, runs.slower)))
    if runs.unread:
        yield Paragraph(text=say("tune.report.unread_runs", n=count(len(runs.unread))), tone=Tone.DIM)
        if details:
            yield bullets(say("tune.labelled", label=shown_name(run.artefact), value=value_of(run.problem)) for run in runs.unread)
    chosen = next((run for run in runs.runs if run.artefact == runs.chosen), None)
    if chosen is not None:
        yield Heading(text=say("tune.report.chosen_run", run=_name(chosen)))
        yield Paragraph(text=say("tune.report.other_run", option=code("--run")), tone=Tone.DIM)


def _row(run: RunLine) -> tuple[Shown, ...]:
    problem = kind_term(run.kind) if run.kind is not None else term("tune.report.no_problem")
    end = problem if run.end is RunEnd.SUCCEEDED else say("tune.report.run_end", end=member_term("tune.run_end", run.end), problem=problem)
    return (
        _name(run),
        moment(datetime.fromtimestamp(run.started_at / 1000, UTC)) if run.started_at else "",
        milliseconds(run.wall_ms) if run.wall_ms is not None else "",
        milliseconds(run.lost_ms) if run.lost_ms else "",
        end,
    )


def _name(run: RunLine) -> Value:
    if not run.app_id:
        return shown_name(run.artefact)
    return say("tune.report.run_name", name=shown_name(run.app_name or run.artefact), id=name(run.app_id))


def _slower(job: SlowerJob) -> Item:
    text = say(
        "tune.report.slower_job",
        job=shown_name(job.app_name),
        before=milliseconds(job.before_ms),
        after=milliseconds(job.after_ms),
        n=count(job.earlier_runs),
    )
    return Item(text=text, tone=Tone.BAD, blocks=(bullets(job.reasons),) if job.reasons else ())
