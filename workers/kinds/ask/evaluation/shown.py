"""The report of the evaluation of `ask` as tables."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from workers.kinds.ask.evaluation.running import AskReport


def show_report(report: AskReport) -> Iterator[Table]:
    """The figures, and the turns that were not right."""
    figures = Table("figure", "value", box=None)
    for name, value in report.figures.items():
        figures.add_row(name, f"{value:g}")
    yield figures
    wrong = Table("dialogue", "the user said", "route", "ended with", "wrong", box=None)
    for turn in report.turns:
        if turn.wrong:
            wrong.add_row(turn.dialogue, Text(turn.user[:60]), " ".join(turn.route), Text(turn.ends_with[:40]), " ".join(turn.wrong))
    if wrong.row_count:
        yield wrong
