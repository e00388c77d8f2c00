"""Whether the log tells the whole run."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageStatus
from contracts.spark_time import TimePart
from contracts.statements import Sayable, Statement, as_value, say
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import (
    EVENT_LOG,
    STAGE_EVENTS,
)
from workers.engines.verdicts import figure

NO_END = ("databricks",)
"""Platforms whose logs never have an end event."""


def compacted_log(run: Run) -> Iterator[Verdict]:
    """A note with the share of the run that Spark took out of its log."""
    slices = run.account.slices if run.account else ()
    unlogged = next((part for part in slices if part.part is TimePart.UNLOGGED), None)
    if unlogged is not None:
        opening = statements.milliseconds(unlogged.ms)
        yield Verdict(
            kind=VerdictKind.INCOMPLETE_LOG,
            severity=Severity.NOTE,
            share=unlogged.share,
            summary=say("spark.verdict.compacted", opening=opening, share=statements.share(unlogged.share)),
            figures=(figure(FigureId.SHARE_OF_RUN, unlogged.share, Unit.SHARE, EVENT_LOG),),
        )


def incomplete_log(run: Run) -> Iterator[Verdict]:
    """A note when the log stops before the application does, breaks off, or has lines that are not events."""
    reading = run.facts.reading
    has_no_end = run.facts.end_from != "application_end" and run.facts.platform not in NO_END
    unfinished = [stage.stage_id for stage in run.stages if stage.status is StageStatus.UNFINISHED]
    if not (has_no_end or reading.truncated):
        return
    yield Verdict(
        kind=VerdictKind.INCOMPLETE_LOG,
        severity=Severity.NOTE,
        stage_ids=tuple(dict.fromkeys(unfinished)),
        summary=_summary(len(unfinished), reading.truncated),
        figures=(
            figure(FigureId.UNFINISHED_STAGES, len(unfinished), Unit.COUNT, STAGE_EVENTS),
            figure(FigureId.MALFORMED_LINES, reading.malformed_lines, Unit.COUNT, EVENT_LOG),
        ),
    )


def _summary(unfinished: int, truncated: Sayable | None) -> Statement:
    parts = [say("spark.verdict.incomplete")]
    if unfinished:
        parts.append(say("spark.verdict.incomplete_stages", n=exactly(unfinished)))
    if truncated:
        parts.append(say("spark.verdict.incomplete_part", why=as_value(truncated)))
    return say("verdicts.sentences", parts=statements.sentences(*parts))
