"""The report of `bullpen eval logs` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from workers.evaluation.logs.running import LogsReport


def show_report(report: LogsReport) -> Iterator[RenderableType]:
    """The figures, and the first cases that were wrong."""
    table = Table("figure", "value", box=None, padding=(0, 2, 0, 0))
    for name, value in report.figures.items():
        table.add_row(name, f"{value:.0f}" if value == int(value) and value > 1 else f"{value:.3f}")
    yield table
    for case in report.wrong[:20]:
        yield escape(f"{case.part} {case.id}: {case.text}")
