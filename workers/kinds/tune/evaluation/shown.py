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
    for one in report.reads:
        never = f", never right in {one.never}" if one.never else ""
        yield (f"Artefacts read until the class is right, {one.name}: {one.mean:.2f} on average{never}.")
    table = Table("case", "label", "found", "named", "advice", "foreign", "fixes", "read", "rounds", "ms", box=None, padding=(0, 2, 0, 0))
    for one in report.played:
        table.add_row(*_cells(one))
    yield table


def _cells(one: TunedCase) -> list[str]:
    right = "" if one.found == one.label else " [red]wrong[/]"
    found = escape(one.error or "-") if one.found is None else f"{one.found}{right}"
    return [
        escape(one.id), one.label, found, escape(" ".join(one.named) or "-"), escape(one.advice_has or "-"),
        escape("; ".join(one.foreign) or "-"), str(one.fixes), str(one.read), str(one.rounds), str(one.took_ms),
    ]  # fmt: skip
