"""The report of `bullpen eval questions` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape

from tests.evals.libraries.questions.running import QuestionsReport
from workers.kinds.figures_shown import figures_table, shortest


def show_report(report: QuestionsReport) -> Iterator[RenderableType]:
    """The figures, and the wrong answers."""
    yield figures_table(report.figures, shortest)
    for outcome in report.outcomes:
        if outcome.get("right") is False:
            yield escape(f"Wrong: {outcome['id']} ({outcome['language']}) {outcome['question']}")
            yield escape(f"  {outcome['sql']}")
