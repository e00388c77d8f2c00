"""The report of `bullpen eval questions` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from workers.evaluation.questions.running import QuestionsReport


def show_report(report: QuestionsReport) -> Iterator[RenderableType]:
    """The figures, and the wrong answers."""
    figures = Table("figure", "value", box=None, padding=(0, 2, 0, 0))
    for name, value in report.figures.items():
        figures.add_row(name, f"{value:g}")
    yield figures
    for outcome in report.outcomes:
        if outcome.get("right") is False:
            yield escape(f"Wrong: {outcome['id']} ({outcome['language']}) {outcome['question']}")
            yield escape(f"  {outcome['sql']}")
