"""The report of the evaluation of `etl` as tables."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from workers.kinds.etl.evaluation.running import EtlReport


def show_report(report: EtlReport) -> Iterator[Table]:
    """The figures, and what became of each requirement that was not left open."""
    figures = Table("figure", "value", box=None)
    for name, value in report.figures.items():
        figures.add_row(name, f"{value:g}")
    yield figures
    cases = Table("requirement", "status", "right", "reason", box=None)
    for case in report.cases:
        if case.status != "open":
            cases.add_row(case.id, case.status, "yes" if case.is_right else "no", Text(case.reason[:80]))
    if cases.row_count:
        yield cases
