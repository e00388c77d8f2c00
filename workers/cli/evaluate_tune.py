"""`bullpen eval tune`: how good the advice is, on bundles whose problem is known."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from contracts.jobs import EngineChoice
from workers.cli.context import console, errors, print_json
from workers.cli.display import shown
from workers.errors import ConfigurationError, InvalidInput
from workers.evaluation.tune import TunedCase, TuneReport, evaluate_tune, line_of, read_cases
from workers.settings import load_settings


def tune(
    bundles: Annotated[Path, typer.Option("--bundles", help="A folder with a bundle (folder or archive) for each label.")],
    labels: Annotated[Path, typer.Option("--labels", help="JSON lines: id (of the bundle), label, and fix_keywords_any.")],
    details: Annotated[Path | None, typer.Option("--details", help="Write every case's outcome here, as JSON lines.")] = None,
    engine: Annotated[EngineChoice, typer.Option(help="Who reasons; `llm`: the model that is configured.")] = EngineChoice.RULES,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run a whole `tune` job for each bundle, over an embedded Postgres, and compare with the labels.

    A label is no part of a job. `named`: the verdict that the first fix answers says stage, table, column (or function) and line.
    `advice`: the fixes hold one of the label's keywords. `foreign`: fixes that answer no problem of the label's class. `reads`:
    artefacts read until the class is right. docs/evaluation.md explains the figures.
    """
    settings = load_settings()
    if engine is EngineChoice.LLM and not settings.has_model:
        raise ConfigurationError("`--engine llm` needs a model. Set BULLPEN_MODEL (docs/models.md), or leave the option out.")
    cases = read_cases(bundles, labels)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=errors, transient=True, disable=not errors.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task("Jobs", total=len(cases))
        report = evaluate_tune(cases, settings, engine, lambda done: bar.update(task, completed=done))
    if details:
        _write(details, report)
    if as_json:
        print_json(report.to_json())
    else:
        _tell(report)


def _write(path: Path, report: TuneReport) -> None:
    try:
        path.write_text("".join(f"{line_of(one)}\n" for one in report.played), encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from None


def _tell(report: TuneReport) -> None:
    console.print(
        f"{report.cases} jobs: class right in {report.right} ({report.right / report.cases:.3f}; the commonest class alone "
        f"{report.majority:.3f}), {report.p50_ms} ms a job (p50)."
    )
    console.print(
        f"Of {report.problems} with a problem: stage, table, column and line named in {report.fully_named}, the advice complete in "
        f"{report.advice_complete}. Foreign advice in {report.with_foreign_advice} of all."
    )
    for one in report.reads:
        never = f", never right in {one.never}" if one.never else ""
        console.print(f"Artefacts read until the class is right, {one.name}: {one.mean:.2f} on average{never}.")
    table = Table("case", "label", "found", "named", "advice", "foreign", "fixes", "read", "rounds", "ms", box=None, padding=(0, 2, 0, 0))
    for one in report.played:
        table.add_row(*_cells(one))
    console.print(table)


def _cells(one: TunedCase) -> list[str]:
    right = "" if one.found == one.label else " [red]wrong[/]"
    found = shown(one.error or "-") if one.found is None else f"{one.found}{right}"
    return [
        shown(one.id), one.label, found, shown(" ".join(one.named) or "-"), shown(one.advice_has or "-"),
        shown("; ".join(one.foreign) or "-"), str(one.fixes), str(one.read), str(one.rounds), str(one.took_ms),
    ]  # fmt: skip
