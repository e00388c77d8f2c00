"""The report of `bullpen eval tune` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from workers.kinds.tune.evaluation.running import TunedCase, TuneReport


def show_report(report: TuneReport) -> Iterator[RenderableType]:
    """Lines and the table."""
    yield (
        f"{report.cases} jobs: class right in {report.right} ({report.right / report.cases:.3f}; the commonest class alone "
        f"{report.majority:.3f}), {report.p50_ms} ms a job (p50)."
    )
    yield (
        f"Of {report.problems} with a problem: stage, table, column and line named in {report.fully_named}, the advice complete in "
        f"{report.advice_complete}. Foreign advice in {report.with_foreign_advice} of all."
    )
    for artefact in report.reads:
        never = f", never right in {artefact.never}" if artefact.never else ""
        yield (f"Artefacts read until the class is right, {artefact.name}: {artefact.mean:.2f} on average{never}.")
    table = Table("case", "label", "found", "named", "advice", "foreign", "fixes", "read", "rounds", "ms", box=None, padding=(0, 2, 0, 0))
    for artefact in report.played:
        table.add_row(*_cells(artefact))
    yield table


def _cells(case: TunedCase) -> list[str]:
    right = "" if case.found == case.label else " [red]wrong[/]"
    found = escape(case.error or "-") if case.found is None else f"{case.found}{right}"
    return [
        escape(case.id), case.label, found, escape(" ".join(case.named) or "-"), escape(case.advice_has or "-"),
        escape("; ".join(case.foreign) or "-"), str(case.fixes), str(case.read), str(case.rounds), str(case.took_ms),
    ]  # fmt: skip
