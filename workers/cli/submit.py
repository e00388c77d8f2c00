"""`bullpen submit`: a job from words, a file, or fields. It is durable before anything else happens."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer

from contracts.base import Json
from contracts.diagnose.request import DiagnosisMethod, DiagnosisProfile
from contracts.events import SubmissionAccepted
from contracts.jobs import EngineChoice
from contracts.wire import NotJson, read_json
from workers.app.answers import send_answer
from workers.bundles import BundleLimits, open_store, store_bundle
from workers.cli.context import console, database, errors, print_json, read_object, services, warn
from workers.cli.display import MIB, counted
from workers.cli.watch import wait_job, watch_job
from workers.coordinator.intake import accept, read_submission
from workers.coordinator.playbooks import find_playbook
from workers.errors import InvalidInput
from workers.settings import Settings

TEXT_FIELDS = ("description", "requirement", "question", "text")
"""Fields of a request that TEXT may stand for, in this order."""

BUNDLE = "bundle"
"""The field of a request for the files it is about."""

REFERENCE = re.compile(r"sha256:|[a-z][a-z0-9+.-]*://")
"""What names a bundle that is where the workers can reach it."""


class Language(StrEnum):
    """Languages of a report."""

    EN = "en"
    ZH = "zh"


def submit(
    kind: Annotated[str, typer.Argument(help="The kind of job, e.g. diagnose.")],
    about: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT | PATH...]", help="diagnose: what is wrong, in words. tune: a folder, an archive or files."),
    ] = None,
    file: Annotated[str | None, typer.Option("--file", help="A JSON object with the request's fields; - reads standard input.")] = None,
    fields: Annotated[list[str] | None, typer.Option("--set", help="name=value: a field of the request; a.b=value: one inside it.")] = None,
    owner: Annotated[str, typer.Option(help="Whom the job counts against.")] = "default",
    priority: Annotated[int, typer.Option(min=0, max=9, help="9 is the most urgent.")] = 5,
    key: Annotated[str | None, typer.Option(help="Idempotency key: the same key and request give the same job.")] = None,
    reply_to: Annotated[str | None, typer.Option(help="Where answers go: stream:NAME (Redis), queue:NAME (AMQP) or a URL.")] = None,
    session: Annotated[UUID | None, typer.Option(help="Session that the job belongs to.")] = None,
    description: Annotated[str | None, typer.Option(help="Of tune: what is wrong, in words.")] = None,
    language: Annotated[Language | None, typer.Option(help="Of tune: the report's. Default: the description's.")] = None,
    method: Annotated[DiagnosisMethod | None, typer.Option(help="Of diagnose: how. Default: the deployment's.")] = None,
    profile: Annotated[DiagnosisProfile | None, typer.Option(help="Formulas: of diagnose GAR's, of tune the recommender's.")] = None,
    engine: Annotated[EngineChoice | None, typer.Option(help="Who does the reasoning. Default: the deployment's.")] = None,
    wall_time: Annotated[float | None, typer.Option(min=0.001, help="Budget: seconds of work, waiting for you not counted.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the job; see `bullpen watch`.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the job's end, and print its result alone.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; with --watch one line an event, with --wait what `bullpen show` tells.")
    ] = False,
) -> None:
    """Submit a job. Its id goes to standard output; it is durable then, even while the broker is away."""
    running = services()
    options = {"method": method, "profile": profile, "description": description, "language": language}
    submission = read_submission(
        {
            "job": build_request(kind, about or [], file, fields or [], {name: str(value) for name, value in options.items() if value}),
            "owner": owner,
            "priority": priority,
            "idempotency_key": key,
            "reply_to": reply_to,
            "session_id": None if session is None else str(session),
            "engine": (engine or running.settings.engine).value,
            "budget": {} if wall_time is None else {"wall_time_s": wall_time},
        }
    )
    accepted = accept(database(), submission, owner_cap=running.settings.owner_cap, has_model=running.settings.has_model)
    told = accepted.existing or running.publisher.advance(accepted.job_id, priority)
    running.notifier.changed(accepted.job_id)
    send_answer(running, reply_to, SubmissionAccepted(job_id=accepted.job_id, existing=accepted.existing))
    if not told:
        warn("The broker does not answer. The job is accepted and durable; it starts within seconds of the broker's return.")
    if wait:
        raise typer.Exit(wait_job(accepted.job_id, as_json=as_json))
    if as_json:
        print_json({"job_id": accepted.job_id, "existing": accepted.existing, "broker_told": told}, one_line=watch)
    else:
        console.print(str(accepted.job_id), soft_wrap=True)
    if watch:
        raise typer.Exit(watch_job(accepted.job_id, as_json=as_json))
    if not as_json:
        known = "That key had this job already. " if accepted.existing else ""
        errors.print(f"{known}Follow it: bullpen watch {accepted.job_id}", style="dim", soft_wrap=True)


def build_request(kind: str, about: list[str], file: str | None, fields: list[str], options: dict[str, str]) -> Json:
    """The request from file, fields, options that stand for fields, and words or paths; the later of these win. Files are brought
    into the artefact store. Raises `InvalidInput`."""
    playbook = find_playbook(kind)
    request: Json = {} if file is None else read_object(file)
    if request.get("kind", kind) != kind:
        raise InvalidInput(f"The file is a request of kind {str(request['kind'])[:80]!r}, not {kind!r}.")
    for item in fields:
        _set(request, item)
    if foreign := options.keys() - playbook.request.model_fields.keys():
        raise InvalidInput(f"A request of kind {kind} has no {', '.join(sorted(foreign))}: leave --{min(foreign)} out.")
    request.update(options)
    if about:
        field = next((name for name in TEXT_FIELDS if name in playbook.request.model_fields), None)
        if BUNDLE in playbook.request.model_fields:
            request[BUNDLE] = bring_bundle(about, services().settings)
        elif field is None:
            known = ", ".join(playbook.request.model_fields)
            raise InvalidInput(f"A request of kind {kind} has no field for words. Give its fields by --set or --file: {known}.")
        elif len(about) > 1:
            raise InvalidInput(f"A request of kind {kind} takes one text: put it in quotation marks.")
        else:
            request[field] = about[0]
    return {**request, "kind": kind}


def bring_bundle(about: list[str], settings: Settings) -> str:
    """The reference of the bundle that these are: a reference or URL as it is, files and folders after they were stored."""
    if len(about) == 1 and REFERENCE.match(about[0]):
        return about[0]
    paths, limits = [Path(path) for path in about], BundleLimits.of(settings)
    with errors.status("Taking the files in ...") as status:

        def tell(read: int, kept: int) -> None:
            status.update(f"Taking the files in: {read / MIB:,.0f} MiB read" + (f", {counted(kept, 'file')} kept" if kept else ""))

        return store_bundle(paths, open_store(settings), limits, progress=tell).ref


def _set(request: Json, item: str) -> None:
    path, sign, raw = item.partition("=")
    *folders, name = path.split(".")
    if not sign or not all([*folders, name]):
        raise InvalidInput(f"--set {item[:80]!r}: write name=value, or a.b=value for a field inside a.")
    at: Json = request
    for folder in folders:
        inside: Any = at.setdefault(folder, {})
        if not isinstance(inside, dict):
            raise InvalidInput(f"--set {item[:80]!r}: {folder} is set to a value already, so that nothing can stand inside it.")
        at = inside  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    at[name] = _value(raw)


def _value(raw: str) -> Any:
    """JSON where it is JSON, else the text itself."""
    try:
        return read_json(raw.encode("utf-8", "surrogatepass"))
    except NotJson:
        return raw
