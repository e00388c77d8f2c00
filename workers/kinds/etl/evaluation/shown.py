"""The report of the evaluation of `etl` as tables."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from workers.kinds.etl.evaluation.running import EtlReport
from workers.kinds.figures_shown import figures_table, shortest


def show_report(report: EtlReport) -> Iterator[Table]:
    """The figures, and what became of each requirement that was not left open."""
    yield figures_table(report.figures, shortest, gap=1)
    cases = Table("requirement", "status", "right", "reason", box=None)
    for case in report.cases:
        if case.status != "open":
            cases.add_row(case.id, case.status, "yes" if case.is_right else "no", Text(case.reason[:80]))
    if cases.row_count:
        yield cases
