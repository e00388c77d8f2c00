"""`bullpen submit`: a job from words, a file, or fields. It is durable before anything else happens."""

from functools import partial
from typing import Annotated, Any
from uuid import UUID

import typer
from typer.core import TyperGroup
from typer.main import get_command

from contracts.base import Json
from contracts.existing_sql import ExistingSql
from contracts.jobs import EngineChoice
from contracts.statements import name, names, say, sentences
from workers.cli.context import console, print_json
from workers.cli.existing import OF_EXISTING, existing_of, specified
from workers.cli.forms import options_of, with_options
from workers.cli.reach.files import keep_files
from workers.cli.reach.jobs import submit
from workers.cli.requests import build_request
from workers.cli.telling import followed, note, warn
from workers.coordinator.playbooks import Playbook, find_playbook
from workers.kinds.base import Kind, Specification
from workers.kinds.registry import all_kinds, find_kind, load_kind, load_kinds
from workers.settings import load_settings


class KindsOfJobs(TyperGroup):
    """A subcommand for each registered kind, with the options that its request brings."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The kinds, by name."""
        return [kind.name for kind in _kinds()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command that submits jobs of one kind; for an unknown one an error that names the kinds."""
        load_kind(cmd_name, load_settings().extensions)
        kind = find_kind(cmd_name)
        playbook = find_playbook(cmd_name)
        return _command(playbook, kind)


def _kinds() -> list[Kind]:
    load_kinds(load_settings().extensions)
    return all_kinds()


def _command(playbook: Playbook, kind: Kind | None) -> Any:
    about = (kind.files if kind is not None else None) or playbook.words
    summary = f"Submit a job of kind {playbook.kind}." if kind is None else kind.summary
    example = f"\n\nExample: {kind.example}" if kind is not None and kind.example else ""
    text = f"{summary}{example}\n\nThe id of the job goes to standard output; the job is durable then, even while the broker is away."
    options = options_of(playbook.request, leave_out=("kind", *([about] if about else ())), panel=f"Options of {playbook.kind}")
    if kind is not None and kind.specification is not None:
        options |= options_of(ExistingSql, panel=OF_EXISTING)

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
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            help="A JSON object with the request's fields, or a text (.md, .txt) with its words; - reads JSON from standard input.",
        ),
    ] = None,
    fields: Annotated[list[str] | None, typer.Option("--set", help="name=value: a field of the request; a.b=value: one inside it.")] = None,
    owner: Annotated[
        str | None, typer.Option(help="The user whose limit of running jobs applies. Default: `default`; at a gateway, that of the key.")
    ] = None,
    priority: Annotated[int, typer.Option(min=0, max=9, help="9 is the most urgent.")] = 5,
    key: Annotated[str | None, typer.Option(help="Idempotency key: the same key and request give the same job.")] = None,
    reply_to: Annotated[
        str | None, typer.Option(help="Where to send answers: stream:bullpen:replies:NAME, queue:NAME (AMQP) or a URL.")
    ] = None,
    session: Annotated[UUID | None, typer.Option(help="Session that the job belongs to.")] = None,
    engine: Annotated[
        EngineChoice | None,
        typer.Option(help="auto: a model, with the rules as a fallback; rules; llm: the model only. Default: that of the deployment."),
    ] = None,
    wall_time: Annotated[
        float | None, typer.Option(min=0.001, help="Budget: seconds of work, without the time spent waiting for you.")
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Budget: tokens of models, in and out; your answer renews it.")] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0.000001, help="Budget: US dollars of models, by BULLPEN_MODEL_PRICES; your answer renews it."),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the job; see `bullpen watch`.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the end of the job, and print only its result.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; with --watch one line for each event, with --wait the output of `bullpen show`.")
    ] = False,
    *,
    values: Json,
) -> None:
    """Submit a job of this kind."""
    options = {name: getattr(value, "value", value) for name, value in values.items()}
    specification = _specification(kind)
    existing = {name: options.pop(name) for name in ExistingSql.model_fields if specification is not None and name in options}
    request = build_request(kind, about or [], file, fields or [], options, partial(keep_files, owner=owner or "default"))
    own = existing_of(existing) if existing else None
    if specification is not None and own is not None:
        request[specification.field] = specified(specification, own, request.get("source"), request.get("dialect"), owner or "default")
    submitted = submit(
        {
            "job": request,
            "owner": owner,
            "priority": priority,
            "idempotency_key": key,
            "reply_to": reply_to,
            "session_id": None if session is None else str(session),
            "engine": None if engine is None else engine.value,
            "budget": _budget(wall_time, max_tokens, max_cost),
        }
    )
    if not submitted.broker_answers:
        warn(say("said.submit.broker_away"))
    if wait:
        from workers.cli.watch import wait_job  # while the fleet works already

        raise typer.Exit(wait_job(submitted.job_id, as_json=as_json))
    if as_json:
        print_json({"job_id": submitted.job_id, "existing": submitted.existing, "broker_told": submitted.broker_answers}, one_line=watch)
    else:
        console.print(str(submitted.job_id), soft_wrap=True)
    if watch:
        from workers.cli.watch import watch_job

        raise typer.Exit(watch_job(submitted.job_id, as_json=as_json))
    if not as_json:
        follow = followed(submitted.job_id)
        note(sentences(say("said.submit.known"), follow) if submitted.existing else follow)


def _specification(kind: str) -> Specification | None:
    """What a kind does with specifications, if it takes them."""
    known = find_kind(kind)
    return None if known is None else known.specification


def _budget(wall_time_s: float | None, tokens: int | None, cost_usd: float | None) -> Json:
    """The limits that were given. A limit in dollars that nothing counts against is no limit, and the user is warned."""
    known = load_settings()
    unpriced = [] if known.url else [model for model in known.models if model not in known.model_prices]
    if cost_usd is not None and unpriced:
        options = {"option": name("--max-cost"), "setting": name("BULLPEN_MODEL_PRICES"), "other": name("--max-tokens")}
        warn(say("said.submit.unpriced", models=names(unpriced), **options))
    given = {"wall_time_s": wall_time_s, "tokens": tokens, "cost_usd": cost_usd}
    return {name: value for name, value in given.items() if value is not None}


app = typer.Typer(
    cls=KindsOfJobs,
    name="submit",
    add_completion=False,
    no_args_is_help=True,
    help="Submit a job. `bullpen submit KIND --help` shows the options of a kind.",
)


@app.callback()
def group() -> None:
    """Submit a job. `bullpen submit KIND --help` shows the options of a kind."""
