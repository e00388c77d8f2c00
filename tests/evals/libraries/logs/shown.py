"""The report of `bullpen eval logs` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape

from tests.evals.libraries.logs.running import LogsReport
from workers.kinds.figures_shown import figures_table


def show_report(report: LogsReport) -> Iterator[RenderableType]:
    """The figures, and the first cases that were wrong."""
    yield figures_table(report.figures)
    for case in report.wrong[:20]:
        yield escape(f"{case.part} {case.id}: {case.text}")
