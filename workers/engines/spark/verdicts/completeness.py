"""Whether the log tells the whole run."""

from collections.abc import Iterator

from contracts.spark import StageStatus
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.spark.verdicts.measures import Run, figure

NO_END = ("databricks",)
"""Platforms whose logs never have an end event."""


def incomplete_log(run: Run) -> Iterator[Verdict]:
    """A note when the log stops before the application does, breaks off, or has lines that are no events."""
    reading = run.facts.reading
    has_no_end = run.facts.end_from != "application_end" and run.facts.platform not in NO_END
    unfinished = [stage.stage_id for stage in run.stages if stage.status is StageStatus.UNFINISHED]
    if not (has_no_end or reading.truncated):
        return
    yield Verdict(
        kind=VerdictKind.INCOMPLETE_LOG,
        severity=Severity.NOTE,
        stage_ids=tuple(dict.fromkeys(unfinished)),
        summary="The log ends before the application does"
        + (f", with {human.counted(len(unfinished), 'stage')} unfinished" if unfinished else "")
        + (f" ({reading.truncated})" if reading.truncated else "")
        + ": its sums are lower bounds.",
        figures=(
            figure("unfinished stages", len(unfinished), Unit.COUNT, "event log, stage events"),
            figure("malformed lines", reading.malformed_lines, Unit.COUNT, "event log"),
        ),
    )
