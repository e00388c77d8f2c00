"""The result on a terminal."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from tests.evals.libraries.catalogue.running import CatalogueResult

_SHOWN = 20


def show_report(report: CatalogueResult) -> Iterator[RenderableType]:
    """The figures, and the questions of which a table was not found."""
    table = Table(
        "figure", "value", title=f"{report.questions} questions, {report.translated} of them in Chinese", title_justify="left", box=None
    )
    for name, value in report.figures.items():
        table.add_row(name, f"{value:g}")
    yield table
    for line in report.missed[:_SHOWN]:
        yield escape(f"not found: {line}")
    if len(report.missed) > _SHOWN:
        yield f"... and {len(report.missed) - _SHOWN} more; --json lists them."
