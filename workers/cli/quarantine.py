"""`bullpen quarantine`: what could not be taken, and what was given up; try it again, or let it go."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table

from workers.app.quarantined import replay_entry
from workers.blackboard.quarantine import get_entry, list_entries, settle
from workers.cli.context import console, database, find_id, print_json, services, warn
from workers.cli.display import ago, brief, short_id, shown, styled

app = typer.Typer(help="Messages that could not be processed, and steps that were given up.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Entry = Annotated[str, typer.Argument(help="The entry: its id, or at least 6 characters of its beginning or end.")]


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
    found = find_id(entry, "quarantine entry")
    running = services()
    lost = running.publisher.lost
    done = replay_entry(running, found)
    if running.publisher.lost != lost:
        warn("The broker does not answer. What you did is kept; the job goes on within seconds of its return.")
    if as_json:
        print_json({"id": found, "state": State.REPLAYED, "did": done.did, "job_id": done.job_id})
    else:
        console.print(shown(done.did), soft_wrap=True)


@app.command("give-up")
def give_up(entry: Entry, as_json: AsJson = False) -> None:
    """Mark an entry as settled: it is kept until a purge, but needs no further attention."""
    found = find_id(entry, "quarantine entry")
    settle(database(), found, State.GIVEN_UP)
    if as_json:
        print_json({"id": found, "state": State.GIVEN_UP})
    else:
        console.print(f"Entry {found} is given up.")
