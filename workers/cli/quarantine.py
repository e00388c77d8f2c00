"""`bullpen quarantine`: what could not be taken, and what was given up; try it again, or let it go."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.table import Table

from contracts.base import Json
from contracts.commands import AdvanceJob, NewerVersion, RunStep, upcast
from contracts.events import SubmissionRefused
from contracts.jobs import StepStatus
from contracts.roles import COORDINATOR, RoleName, queue_name
from contracts.wire import NotJson, read_json
from workers.app.queues import JOBS_QUEUE, JOBS_STREAM
from workers.app.submissions import take_submission
from workers.app.tasks import SUBMIT_TASK
from workers.blackboard.engine import Row
from workers.blackboard.quarantine import get_entry, list_entries, settle
from workers.cli.context import console, database, find_id, print_json, services, set_going
from workers.cli.display import ago, brief, short_id, shown, styled
from workers.coordinator.advance import QueuedStep
from workers.coordinator.intake import read_submission
from workers.coordinator.playbooks import find_playbook
from workers.coordinator.replay import replay_step
from workers.errors import BrokerUnavailable, Conflict, InvalidInput
from workers.reading.steps import read_step

app = typer.Typer(help="Messages that could not be processed, and steps that were given up.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Entry = Annotated[str, typer.Argument(help="The entry: its id, or at least 6 characters of its beginning or end.")]

SUBMISSIONS = frozenset({JOBS_STREAM, JOBS_QUEUE, SUBMIT_TASK})
COMMANDS = frozenset(queue_name(role) for role in (*RoleName, COORDINATOR))
"""Sources whose bodies are the fleet's own messages."""


class State(StrEnum):
    """What became of an entry."""

    NEW = "new"
    REPLAYED = "replayed"
    GIVEN_UP = "given_up"


@app.command("list")
def list_(
    state: Annotated[State | None, typer.Option(help="Only entries in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most entries to list.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List the entries, the newest first."""
    rows = list_entries(database(), state=state, limit=limit)
    if as_json:
        print_json(rows)
        return
    if not rows:
        console.print("Quarantine is empty." if state is None else f"No entry is {state}.")
        return
    table = Table("entry", "state", "source", "cause", "size", "age", "message", box=None, padding=(0, 2, 0, 0))
    for row in rows:
        facts = [short_id(row["id"]), styled(row["state"]), shown(row["source"]), shown(row["cause"])]
        table.add_row(*facts, f"{row['body_size']:,}", ago(row["created_at"]), brief(row["message"], 90))
    console.print(table)


@app.command()
def show(entry: Entry, as_json: AsJson = False) -> None:
    """Show an entry with the beginning of its body."""
    row = get_entry(database(), find_id(entry, "quarantine entry"))
    if as_json:
        print_json({**row, "body": bytes(row["body"])})
        return
    for name in ("id", "state", "source", "cause", "message", "job_id", "step_id", "body_size", "body_hash", "created_at", "updated_at"):
        if row[name] is not None:
            console.print(f"[bold]{name}[/] {shown(row[name])}", soft_wrap=True)
    console.print("[bold]body[/]")
    console.print(shown(bytes(row["body"]).decode("utf-8", "replace")), soft_wrap=True)


@app.command()
def replay(entry: Entry, as_json: AsJson = False) -> None:
    """Process an entry again: a submission becomes a job, a step is replayed, a message of the fleet is sent again."""
    row = get_entry(services().database, find_id(entry, "quarantine entry"))
    if row["state"] != State.NEW:
        raise Conflict(f"Quarantine entry {row['id']} is already {row['state']}.")
    done = _replay(row)
    settle(database(), row["id"], State.REPLAYED)
    if as_json:
        print_json({"id": row["id"], "state": State.REPLAYED, **done})
    else:
        console.print(shown(done["did"]), soft_wrap=True)


@app.command("give-up")
def give_up(entry: Entry, as_json: AsJson = False) -> None:
    """Mark an entry as settled: it is kept until a purge, but needs no further attention."""
    found = find_id(entry, "quarantine entry")
    settle(database(), found, State.GIVEN_UP)
    if as_json:
        print_json({"id": found, "state": State.GIVEN_UP})
    else:
        console.print(f"Entry {found} is given up.")


def _replay(row: Row) -> Json:
    if row["source"] in SUBMISSIONS:
        return _submit_again(row)
    if row["cause"] == "LeaseExpired" and row["step_id"] is not None:
        done = replay_step(database(), row["step_id"])
        set_going(done.job_id)
        return {"did": f"{done.stage} of job {done.job_id} is done again. Follow it: bullpen watch {done.job_id}", "job_id": done.job_id}
    if row["source"] in COMMANDS:
        return _send_again(row)
    raise Conflict(f"Entry {row['id']} came from {row['source']}; there is nothing to do again. `bullpen quarantine give-up` lets it go.")


def _submit_again(row: Row) -> Json:
    body = bytes(row["body"])
    if row["body_size"] > len(body):
        raise Conflict(f"Only {len(body)} of its {row['body_size']} bytes were kept: the producer must send it again, or you give it up.")
    try:  # first without effect: what is still wrong must not make a second entry
        submission = read_submission(read_json(body))
        find_playbook(submission.job.get("kind")).read_request(submission.job)
    except (NotJson, NewerVersion, InvalidInput, ValidationError) as error:
        reason = " ".join(str(error).split())[:500]
        raise Conflict(f"It still cannot be taken: {reason} The producer must send it right, or you give it up.") from None
    answer = take_submission(services(), body, source=row["source"])
    if isinstance(answer, SubmissionRefused):
        if answer.quarantine_id is not None:
            settle(database(), answer.quarantine_id, State.GIVEN_UP)  # the entry at hand tells the same
        raise Conflict(f"It still cannot be taken: {answer.error}")
    return {"did": f"Job {answer.job_id} is accepted. Follow it: bullpen watch {answer.job_id}", "job_id": answer.job_id}


def _send_again(row: Row) -> Json:
    command = _command_in(bytes(row["body"]), run_step=row["source"] != queue_name(COORDINATOR))
    if command is None:
        raise Conflict(
            f"Entry {row['id']} holds no message with ids that this release can read. The rows make every message again by themselves; "
            f"look at the job (`bullpen why JOB`), and let the entry go: bullpen quarantine give-up {row['id']}"
        )
    if isinstance(command, AdvanceJob):
        sent = services().publisher.advance(command.job_id)
        did = f"The boss was asked to look at job {command.job_id}."
    else:
        step = read_step(database(), command.step_id)
        if step is None or step.status != StepStatus.QUEUED:
            state = "gone" if step is None else step.status
            raise Conflict(
                f"Step {command.step_id} is {state}: its message would change nothing. "
                f"`bullpen replay {command.step_id}` does it again; `bullpen quarantine give-up {row['id']}` lets the entry go."
            )
        message = QueuedStep(step.id, step.job_id, step.stage, step.role, step.priority)
        sent = services().publisher.run_steps([message]) == 1
        did = f"The message of {step.stage} of job {step.job_id} was sent again."
    if not sent:
        raise BrokerUnavailable("The broker does not answer, so the message could not be sent. `bullpen doctor` says more.")
    return {"did": did, "job_id": command.job_id}


def _command_in(body: bytes, *, run_step: bool) -> RunStep | AdvanceJob | None:
    """The message in a body: as it was, wrapped with the arguments it came with, or in Celery's own form."""
    try:
        value: Any = json.loads(body)
    except ValueError:
        return None
    candidates: list[Any] = [value]
    if isinstance(value, dict):
        candidates.append(value.get("message"))  # pyright: ignore[reportUnknownMemberType] JSON has no static type
    if isinstance(value, list) and value and isinstance(value[0], list):
        candidates += value[0]  # pyright: ignore[reportUnknownVariableType] as above
    contract = RunStep if run_step else AdvanceJob
    for candidate in candidates:
        try:
            return contract.model_validate(upcast(candidate))
        except (ValidationError, ValueError):
            continue
    return None
