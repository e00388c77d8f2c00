"""The report of `bullpen eval skills` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape

from tests.evals.libraries.skills.running import SkillsReport
from workers.kinds.figures_shown import figures_table

_SHOWN = 20


def show_report(report: SkillsReport) -> Iterator[RenderableType]:
    """The figures, and the first cases that were wrong."""
    yield figures_table(report.figures)
    for place in report.left_out:
        yield escape(f"left out: {place}")
    for case in report.wrong[:_SHOWN]:
        yield escape(f"{case.part}: {case.text} → {case.found or 'no skill'}" + (f" (expected: {case.gold})" if case.gold else ""))
    if len(report.wrong) > _SHOWN:
        yield f"... and {len(report.wrong) - _SHOWN} more wrong cases. --json has all of them."
