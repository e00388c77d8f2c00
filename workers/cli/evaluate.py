"""`bullpen eval NAME`: how good the answers of a kind of job are, on cases with known ones."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from contracts.base import Json
from contracts.statements import count, passage, say
from contracts.statements import name as identifier
from workers.cli.context import console, errors, print_json
from workers.cli.forms import options_of, read_form, with_options
from workers.cli.model_probe import HELP, measure_model
from workers.cli.telling import note, warn
from workers.errors import InvalidInput
from workers.evaluation.bench import embedded_bench
from workers.kinds.base import Evaluation
from workers.kinds.registry import all_kinds, load_kinds
from workers.llm.recording import open_tape
from workers.settings import Settings, load_settings


def evaluate(
    measured: Evaluation,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: `figures` by name, and what they were computed from.")] = False,
    record: Annotated[Path | None, typer.Option("--record", help="Add each answer of the model to this file.")] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", help="Play the answers of such a file, not a model's, and say how many prompts changed."),
    ] = None,
    *,
    values: Json,
) -> None:
    """Measure a kind of job."""
    form = read_form(measured.form.load(), values)
    settings = _with_tape(load_settings(), record, replay)
    with embedded_bench(settings, _progress, warn) as bench, _missing_data(form):
        report = measured.run.load()(bench, form)
    if replay is not None:
        played = open_tape(replay, True).played
        note(say("said.tape.played", calls=count(played.calls, exact=True), stale=count(played.stale, exact=True)))
    if as_json:
        print_json(report.to_json())
        return
    for part in measured.show.load()(report):
        console.print(part)


def _with_tape(settings: Settings, record: Path | None, replay: Path | None) -> Settings:
    """The settings with a recording to write or to play. A play needs no model."""
    if record is not None and replay is not None:
        raise InvalidInput.of(say("refused.cli.record_or_replay"))
    if record is None and replay is None:
        return settings
    model = settings.model if replay is None else open_tape(replay, True).model
    return settings.model_copy(update={"model_record": record, "model_replay": replay, "model": model})


@contextmanager
def _missing_data(form: BaseModel) -> Generator[None]:
    """Answer a file that is not there with the option that names it or its folder. Raises `InvalidInput`; a file that no option names
    is an error of ours and stays one."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        missing = Path(str(error.filename))
        for option, field in type(form).model_fields.items():
            given = getattr(form, option)
            if isinstance(given, Path) and (given == missing or given in missing.parents):
                flag = f"--{option.replace('_', '-')}"
                raise InvalidInput.of(
                    say(
                        "refused.cli.missing", path=identifier(str(missing)), option=identifier(flag), what=passage(field.description or "")
                    )
                ) from None
        raise


def _evaluations() -> dict[str, Evaluation]:
    """Name → evaluation, of the registered kinds."""
    return {kind.name: kind.evaluation for kind in all_kinds() if kind.evaluation is not None}


@contextmanager
def _progress(what: str, total: int) -> Generator[Callable[[int], None]]:
    """A bar on stderr, where it does not get into what is piped; none without a terminal."""
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=errors, transient=True, disable=not errors.is_terminal,
    ) as bar:  # fmt: skip
        task: Any = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def evaluation_command(more: Mapping[str, Evaluation] | None = None) -> typer.Typer:
    """The group: a command for each kind that can be measured, and for what a developer measures beside them."""
    load_kinds(load_settings().extensions)
    app = typer.Typer(add_completion=False, help="Measure the answers on cases whose answers are known.", no_args_is_help=True)
    for name, measured in (_evaluations() | dict(more or {})).items():
        options = options_of(measured.form.load(), panel=f"Options of {name}")
        app.command(name)(with_options(evaluate, options, measured.help, fixed={"measured": measured}))

    app.command("model", help=HELP)(measure_model)

    @app.callback()
    def group() -> None:  # pyright: ignore[reportUnusedFunction] typer calls it
        """Measure the answers on cases whose answers are known."""

    return app
