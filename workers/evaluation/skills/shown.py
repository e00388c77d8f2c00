"""The report of `bullpen eval skills` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from workers.evaluation.skills.running import SkillsReport

_SHOWN = 20


def show_report(report: SkillsReport) -> Iterator[RenderableType]:
    """The figures, and the first cases that were wrong."""
    table = Table("figure", "value", box=None, padding=(0, 2, 0, 0))
    for name, value in report.figures.items():
        table.add_row(name, f"{value:.0f}" if value == int(value) and value > 1 else f"{value:.3f}")
    yield table
    for place in report.left_out:
        yield escape(f"left out: {place}")
    for case in report.wrong[:_SHOWN]:
        yield escape(f"{case.part}: {case.text} → {case.found or 'no skill'}" + (f" (expected: {case.gold})" if case.gold else ""))
    if len(report.wrong) > _SHOWN:
        yield f"... and {len(report.wrong) - _SHOWN} more wrong cases. --json has all of them."
