"""`bullpen submit`: a job from words, a file, or fields. It is durable before anything else happens."""

import re
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from pydantic import BaseModel
from typer.core import TyperGroup
from typer.main import get_command

from contracts.base import Json
from contracts.events import SubmissionAccepted
from contracts.jobs import EngineChoice
from contracts.wire import NotJson, read_json
from workers.app.answers import send_answer
from workers.bundles import BundleLimits, open_store, store_bundle
from workers.cli.context import console, database, errors, print_json, read_object, services, warn
from workers.cli.display import MIB, counted
from workers.cli.forms import options_of, with_options
from workers.cli.watch import wait_job, watch_job
from workers.coordinator.intake import accept, read_submission
from workers.coordinator.playbooks import Playbook, find_playbook
from workers.errors import InvalidInput
from workers.kinds.base import Kind
from workers.kinds.registry import all_kinds, find_kind, load_kinds
from workers.settings import Settings, load_settings

TEXT_FIELDS = ("description", "requirement", "question", "text")
"""Fields of a request that TEXT stands for, in this order, where its kind registers none."""

REFERENCE = re.compile(r"sha256:|[a-z][a-z0-9+.-]*://")
"""What names a bundle that is where the workers can reach it."""


class KindsOfJobs(TyperGroup):
    """A subcommand for each registered kind, with the options that its request brings."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The kinds, by name."""
        return [kind.name for kind in _kinds()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command that submits jobs of one kind; for an unknown one an error that names the kinds."""
        _kinds()
        kind = find_kind(cmd_name)
        playbook = find_playbook(cmd_name)
        return _command(playbook, kind)


def _kinds() -> list[Kind]:
    load_kinds(load_settings().extensions)
    return all_kinds()


def _command(playbook: Playbook, kind: Kind | None) -> Any:
    about = None if kind is None else kind.files or kind.text
    summary = f"Submit a job of kind {playbook.kind}." if kind is None else kind.summary
    example = f"\n\nExample: {kind.example}" if kind is not None and kind.example else ""
    text = f"{summary}{example}\n\nThe id of the job goes to standard output; the job is durable then, even while the broker is away."
    options = options_of(playbook.request, leave_out=("kind", *([about] if about else ())), panel=f"Options of {playbook.kind}")

    holder = typer.Typer(add_completion=False, rich_markup_mode="rich")
    holder.command(playbook.kind)(with_options(submit_job, options, text, fixed={"kind": playbook.kind}))
    command = get_command(holder)
    command.name = playbook.kind
    command.short_help = summary
    return command


def submit_job(
    kind: str,
    about: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT | PATH...]", help="What the job is about, in words; for kinds that read files: a folder, an archive or files."
        ),
    ] = None,
    file: Annotated[str | None, typer.Option("--file", help="A JSON object with the request's fields; - reads standard input.")] = None,
    fields: Annotated[list[str] | None, typer.Option("--set", help="name=value: a field of the request; a.b=value: one inside it.")] = None,
    owner: Annotated[str, typer.Option(help="Whom the job counts against.")] = "default",
    priority: Annotated[int, typer.Option(min=0, max=9, help="9 is the most urgent.")] = 5,
    key: Annotated[str | None, typer.Option(help="Idempotency key: the same key and request give the same job.")] = None,
    reply_to: Annotated[str | None, typer.Option(help="Where answers go: stream:NAME (Redis), queue:NAME (AMQP) or a URL.")] = None,
    session: Annotated[UUID | None, typer.Option(help="Session that the job belongs to.")] = None,
    engine: Annotated[EngineChoice | None, typer.Option(help="Who does the reasoning. Default: the deployment's.")] = None,
    wall_time: Annotated[float | None, typer.Option(min=0.001, help="Budget: seconds of work, waiting for you not counted.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the job; see `bullpen watch`.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the job's end, and print its result alone.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; with --watch one line an event, with --wait the whole of `bullpen show`.")
    ] = False,
    *,
    values: Json,
) -> None:
    """Submit a job of this kind."""
    running = services()
    options = {name: getattr(value, "value", value) for name, value in values.items()}
    submission = read_submission(
        {
            "job": build_request(kind, about or [], file, fields or [], options),
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


def build_request(kind: str, about: list[str], file: str | None, fields: list[str], options: Json) -> Json:
    """The request from file, fields, options that stand for fields, and words or paths; the later of these win. Files are brought
    into the artefact store. Raises `InvalidInput`."""
    playbook = find_playbook(kind)
    request: Json = {} if file is None else read_object(file)
    if request.get("kind", kind) != kind:
        raise InvalidInput(f"The file is a request of kind {str(request['kind'])[:80]!r}, not {kind!r}.")
    for item in fields:
        _set(request, item)
    request.update(options)
    if about:
        known = find_kind(kind)
        text = known.text if known is not None else _text_field(playbook.request)
        if known is not None and known.files is not None:
            request[known.files] = bring_bundle(about, services().settings)
        elif text is None:
            fields_known = ", ".join(playbook.request.model_fields)
            raise InvalidInput(f"A request of kind {kind} has no field for words. Give its fields by --set or --file: {fields_known}.")
        elif len(about) > 1:
            raise InvalidInput(f"A request of kind {kind} takes one text: put it in quotation marks.")
        else:
            request[text] = about[0]
    return {**request, "kind": kind}


def _text_field(request: type[BaseModel]) -> str | None:
    return next((name for name in TEXT_FIELDS if name in request.model_fields), None)


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


app = typer.Typer(
    cls=KindsOfJobs, name="submit", no_args_is_help=True, help="Submit a job. `bullpen submit KIND --help` shows the options of a kind."
)


@app.callback()
def group() -> None:
    """Submit a job. `bullpen submit KIND --help` shows the options of a kind."""
