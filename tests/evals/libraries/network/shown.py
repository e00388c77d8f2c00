"""The reports of `bullpen eval network` and `bullpen eval telecom` as a terminal shows them."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape

from tests.evals.libraries.network.drive_tests import TelecomReport
from tests.evals.libraries.network.scenarios import NetworkReport
from workers.kinds.figures_shown import figures_table

MOST_WRONG = 20


def show_telecom(report: TelecomReport) -> Iterator[RenderableType]:
    """The figures, and the first tests that were wrong."""
    yield figures_table(report.figures)
    for case in report.wrong[:MOST_WRONG]:
        yield escape(f"{case.id}: {case.label}, answered {case.answer or 'nothing'}")


def show_network(report: NetworkReport) -> Iterator[RenderableType]:
    """The figures, and the first scenarios in which something was wrong."""
    yield figures_table(report.figures)
    for case in report.wrong[:MOST_WRONG]:
        yield escape(f"{case.scenario}: {case.text}")
