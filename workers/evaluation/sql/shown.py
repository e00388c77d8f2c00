"""The report of `bullpen eval sql` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from workers.evaluation.sql.report import SqlReport


def show_report(report: SqlReport) -> Iterator[RenderableType]:
    """What each measurement says, and the figures."""
    for measured in report.measured:
        yield f"[bold]{escape(measured.name)}[/]: {measured.cases} cases"
        yield from (escape(line) for line in measured.lines)
    table = Table("figure", "value", box=None, padding=(0, 2, 0, 0))
    for name, value in report.figures.items():
        table.add_row(name, f"{value:.4g}")
    yield table
