"""The report of the evaluation of `analyze` as tables."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from workers.kinds.analyze.evaluation.running import AnalyzeReport
from workers.kinds.figures_shown import figures_table, shortest


def show_report(report: AnalyzeReport) -> Iterator[Table]:
    """The figures, and the turns that were not right."""
    yield figures_table(report.figures, shortest, gap=1)
    wrong = Table("dialogue", "the user's words", "calls", "ended with", "wrong", box=None)
    for turn in report.turns:
        if turn.wrong:
            calls = " ".join(call.partition("(")[0] for call in turn.calls)
            wrong.add_row(turn.dialogue, Text(turn.user[:60]), calls, Text(turn.ending[:60]), " ".join(turn.wrong))
    if wrong.row_count:
        yield wrong
