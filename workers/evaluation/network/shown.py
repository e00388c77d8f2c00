"""The reports of `bullpen eval network` and `bullpen eval telecom` as a terminal shows them."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from workers.evaluation.network.drive_tests import TelecomReport
from workers.evaluation.network.scenarios import NetworkReport

MOST_WRONG = 20


def show_telecom(report: TelecomReport) -> Iterator[RenderableType]:
    """The figures, and the first tests that were wrong."""
    yield _figures(report.figures)
    for case in report.wrong[:MOST_WRONG]:
        yield escape(f"{case.id}: {case.label}, answered {case.answer or 'nothing'}")


def show_network(report: NetworkReport) -> Iterator[RenderableType]:
    """The figures, and the first scenarios in which something was wrong."""
    yield _figures(report.figures)
    for case in report.wrong[:MOST_WRONG]:
        yield escape(f"{case.scenario}: {case.text}")


def _figures(figures: dict[str, float]) -> Table:
    table = Table("figure", "value", box=None, padding=(0, 2, 0, 0))
    for name, value in figures.items():
        table.add_row(name, f"{value:.0f}" if value == int(value) and value > 1 else f"{value:.3f}")
    return table
