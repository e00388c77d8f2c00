"""The report of the evaluation of `ask` as tables."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from workers.kinds.ask.evaluation.running import AskReport
from workers.kinds.figures_shown import figures_table, shortest


def show_report(report: AskReport) -> Iterator[Table]:
    """The figures, and the turns that were not right."""
    yield figures_table(report.figures, shortest, gap=1)
    wrong = Table("dialogue", "the user said", "route", "ended with", "wrong", box=None)
    for turn in report.turns:
        if turn.wrong:
            wrong.add_row(turn.dialogue, Text(turn.user[:60]), " ".join(turn.route), Text(turn.ends_with[:40]), " ".join(turn.wrong))
    if wrong.row_count:
        yield wrong
    asked = Table("question", "database", "asked", "verified", "took ms", box=None)
    for question in report.questions:
        if not question.is_right:
            shown = "yes" if question.is_verified else "shown" if question.sql else "not answered"
            asked.add_row(question.id, question.database, Text(question.question[:60]), shown, str(question.took_ms))
    if asked.row_count:
        asked.title = "Not right"
        yield asked
