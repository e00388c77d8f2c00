"""`bullpen try`: run a kind of job of your own in one process, without a fleet."""

import importlib.util
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any
from uuid import UUID

import typer

from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus
from contracts.statements import name as identifier
from contracts.statements import names, passage, say, term
from workers.cli.context import console, errors, print_json
from workers.cli.display import shown
from workers.cli.job_view import print_result
from workers.cli.lines import print_line, table, wide
from workers.cli.reach.files import keep_files_in
from workers.cli.requests import build_request
from workers.cli.telling import warn
from workers.cli.voice import Voice
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.job_language import job_language
from workers.coordinator.playbooks import kinds
from workers.errors import BullpenError, InvalidInput
from workers.evaluation.bench import EmbeddedBench, embedded_bench
from workers.kinds.base import FinishedJob
from workers.kinds.registry import load_kinds
from workers.reading.facts import read_job_facts
from workers.reading.words import OUTCOMES, STATES
from workers.saying.content import in_words
from workers.settings import load_settings


def try_kind(
    module: Annotated[str, typer.Argument(help="The module that registers your kind: a file (my_kind.py), or a name to import.")],
    about: Annotated[list[str] | None, typer.Argument(metavar="[TEXT | PATH...]", help="What the job is about.")] = None,
    kind: Annotated[str | None, typer.Option(help="The kind, where the module registers several.")] = None,
    file: Annotated[str | None, typer.Option("--file", help="A JSON object with the request's fields; - reads standard input.")] = None,
    fields: Annotated[list[str] | None, typer.Option("--set", help="name=value: a field of the request; a.b=value: one inside it.")] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option("--answer", help="The answer to the first question, the second, and so on. Without it you are asked."),
    ] = None,
    engine: Annotated[EngineChoice, typer.Option(help="Who does the reasoning.")] = EngineChoice.AUTO,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: status, error, result.")] = False,
) -> None:
    """Run a job of your own kind to its end in this process, with an embedded Postgres and the real coordinator. Nothing is kept.

    An error of a task is shown with its traceback.
    """
    settings = load_settings()
    load_kinds()
    name = _kind_of(module, kind, settings.extensions)
    with embedded_bench(settings, lambda what, total: None, warn) as bench:
        request = build_request(name, about or [], file, fields or [], {}, keep=partial(keep_files_in, bench.database, bench.settings))
        job = bench.run_job(request, engine)
        waiting = list(answers or [])
        voice = Voice(job_language(name, None, request))
        while job.status is JobStatus.WAITING_HUMAN:
            for question in open_questions(bench.database, job.job_id):
                _answer(bench, job.job_id, question, waiting, voice)
            job = bench.go_on(job.job_id)
        if as_json:
            print_json({"job_id": job.job_id, "status": job.status, "error": job.error, "result": job.result})
        else:
            _show(bench, job, voice)
    if job.status is not JobStatus.SUCCEEDED:
        raise typer.Exit(1)


def _kind_of(module: str, wanted: str | None, extensions: Sequence[str]) -> str:
    """The kind that the module registers, which may be one of the extensions too. Raises `InvalidInput`."""
    before = set(kinds())
    _import(module)
    added = sorted(set(kinds()) - before)
    load_kinds(name for name in extensions if not _is_imported(name, module))
    if wanted is not None and wanted in kinds():
        return wanted
    if len(added) == 1 and wanted is None:
        return added[0]
    if not added:
        raise InvalidInput.of(say("refused.cli.no_kind_in", module=identifier(module)))
    raise InvalidInput.of(say("refused.cli.kinds_in", module=identifier(module), kinds=names(added)))


def _is_imported(extension: str, module: str) -> bool:
    """Whether an extension is the module that was imported, perhaps by its file."""
    found = importlib.util.find_spec(extension)
    file = None if found is None else found.origin
    return extension == module or (file is not None and Path(file).resolve() == Path(module).resolve())


def _import(module: str) -> ModuleType:
    """The module of a name, or in a file. Raises `InvalidInput` with what is wrong."""
    path = Path(module)
    try:
        if path.suffix != ".py":
            sys.path.insert(0, str(Path.cwd()))
            return import_module(module)
        if not path.is_file():
            raise InvalidInput.of(say("refused.tickets.no_file", file=identifier(module)))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None  # noqa: S101  a file that ends in .py has one
        assert spec.loader is not None  # noqa: S101  as above
        made = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = made
        spec.loader.exec_module(made)
        return made
    except BullpenError:
        raise
    except Exception as error:
        raise InvalidInput.of(
            say("refused.cli.not_imported", module=identifier(module), reason=passage(f"{type(error).__name__}: {error}"))
        ) from error


def _answer(bench: EmbeddedBench, job_id: UUID, question: Json, waiting: list[str], voice: Voice) -> None:
    asked = in_words(question["payload"]["text"], voice.language)
    head = voice.head(say("fleet.demo.asks", stage=identifier(question["asker"])))
    print_line(f"[bold]{head}[/]{shown(asked)}", to=errors)
    text: Any = waiting.pop(0) if waiting else typer.prompt(voice.plain(term("said.your_answer")), err=True)
    answer(bench.database, job_id, str(text), request_id=question["id"])


_TITLES = (term("fleet.show.stage"), term("fleet.show.role"), term("said.attempts"), term("fleet.show.outcome"))
_ENDS = {**STATES, **OUTCOMES}


def _show(bench: EmbeddedBench, job: FinishedJob, voice: Voice) -> None:
    listed = table(*map(voice, _TITLES), wide(voice(term("fleet.demo.summary"))))
    for step in bench.steps(job.job_id):
        end = step["outcome"] or step["status"]
        listed.add_row(
            shown(step["stage"]), step["role"], str(step["attempt"]), voice(_ENDS.get(end, identifier(end))), shown(step["summary"] or "")
        )
    console.print(listed)
    if job.result is not None:
        console.print("")
        print_result(read_job_facts(bench.database, job.job_id), voice)
    else:
        reason = passage(job.error) if job.error else term("fleet.watch.no_reason")
        errors.print()
        print_line(voice(say("saying.labelled", label=STATES[job.status], value=reason)), style="red", to=errors)
