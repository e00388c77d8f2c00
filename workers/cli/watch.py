"""`bullpen watch`: what happens to a job, as it happens, without a gap; until it ends or waits for a human."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

import psycopg
import typer
from rich.live import Live
from rich.table import Table

from contracts.base import Json
from contracts.events import EventKind
from contracts.jobs import FINISHED, JobStatus
from workers.blackboard.engine import Database, Row
from workers.blackboard.notify import CHANNEL
from workers.cli import job_facts
from workers.cli.context import console, database, errors, job_id, print_json, warn
from workers.cli.display import brief, duration, shown, styled
from workers.cli.jobs import print_questions, print_result
from workers.errors import DatabaseUnavailable

POLL_S = 1.0
"""A notification may be lost; the table is read this often whatever comes."""
PATIENCE_S = 60.0
"""How long a database that went away is waited for."""

SUCCEEDED, FAILED, WAITS = 0, 1, 7
"""Exit codes."""


def watch(
    job: Annotated[str, typer.Argument(help="The job: its id, or 6 characters or more of its beginning or end.")],
    until_question: Annotated[bool, typer.Option("--until-question", help="End at an open question even while other steps run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line: each event, and at last `watch_ended`.")] = False,
) -> None:
    """Follow a job until it ends or waits for an answer. Exit code 0: succeeded; 1: failed or cancelled; 7: waits for you."""
    raise typer.Exit(watch_job(job_id(job), as_json=as_json, until_question=until_question))


@dataclass(frozen=True, slots=True)
class Seen:
    """A look at a job: where it stands, and the events since the last look."""

    job: Row
    events: list[Row]
    waiting: bool
    """A question stands open, whatever else still runs."""

    def ended(self, until_question: bool) -> bool:
        """Nothing more will come without a human."""
        if self.job["status"] in FINISHED:
            return True
        decided = self.job["status"] == JobStatus.WAITING_HUMAN and self.job["rev"] == self.job["decided_rev"]
        return self.waiting and (decided or until_question)


def watch_job(found: UUID, *, as_json: bool = False, until_question: bool = False, after: int = 0) -> int:
    """Follow a job from the event after revision `after`. The exit code."""
    job_facts.read_job(database(), found)
    looks = follow(database(), found, after=after)
    if as_json:
        last = _as_lines_of_json(looks, until_question)
    elif sys.stdout.isatty():
        last = _live(looks, found, until_question)
    else:
        last = _as_text(looks, until_question)
    return _tell_end(last, found, as_json)


def wait_job(found: UUID, *, as_json: bool = False) -> int:
    """Wait until a job ends or asks, with nothing but its present step on standard error; then print the result, or as JSON all
    that `bullpen show` tells. The exit code."""
    job_facts.read_job(database(), found)
    with errors.status("accepted") if errors.is_terminal else nullcontext() as told:
        seen = _until_end(follow(database(), found), lambda event: told.update(brief(tell(event), 100)) if told else None)
    if as_json:
        described = job_facts.describe(database(), found)
        print_json(described)
        return _exit_code(described["status"])
    return _tell_end(seen, found, as_json=False)


def _until_end(looks: Generator[Seen], hear: Callable[[Row], None]) -> Seen:
    for seen in looks:
        if seen.events:
            hear(seen.events[-1])
        if seen.ended(until_question=False):
            looks.close()
            return seen
    raise AssertionError("a watch ends by itself")


def follow(db: Database, found: UUID, *, after: int = 0, poll_s: float = POLL_S) -> Generator[Seen]:
    """Looks at a job, at once and then whenever it changed or `poll_s` passed. Events come in the order of their revisions,
    none is left out. Waits for a database that restarts."""
    lost_at: float | None = None
    while True:
        try:
            with db.session() as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                try:
                    while True:
                        seen = _look(connection, found, after)
                        after = max([after, *(event["rev"] for event in seen.events)])
                        lost_at = None
                        yield seen
                        _wait(connection, found, poll_s)
                finally:
                    if not connection.closed:
                        connection.execute("UNLISTEN *")
        except DatabaseUnavailable as error:
            if lost_at is None:
                warn(f"{error} Waiting up to {PATIENCE_S:.0f} s for it.")
                lost_at = time.monotonic()
            if time.monotonic() - lost_at > PATIENCE_S:
                raise
            db.close()
            time.sleep(0.2)


def _look(connection: psycopg.Connection[Row], found: UUID, after: int) -> Seen:
    job = connection.execute(
        "SELECT id, kind, status, rev, decided_rev, error, admitted, EXISTS (SELECT 1 FROM requests r WHERE r.job_id = j.id "
        "AND r.target = 'human' AND r.response IS NULL AND NOT r.void) AS waiting FROM jobs j WHERE id = %s",
        (found,),
    ).fetchone()
    if job is None:  # deleted while we watched
        gone: Row = {"id": found, "kind": "?", "status": "cancelled", "error": "The job was deleted."}
        return Seen(gone, [], waiting=False)
    events = connection.execute(
        "SELECT job_id, rev, kind, stage, step_id, detail, at FROM events WHERE job_id = %s AND rev > %s ORDER BY rev", (found, after)
    ).fetchall()
    return Seen(job, events, job["waiting"])


def _wait(connection: psycopg.Connection[Row], found: UUID, poll_s: float) -> None:
    until = time.monotonic() + poll_s
    while (left := until - time.monotonic()) > 0:
        for note in connection.notifies(timeout=left, stop_after=1):
            if str(found) in note.payload:
                return


def _as_lines_of_json(looks: Generator[Seen], until_question: bool) -> Seen:
    for seen in looks:
        for event in seen.events:
            print_json(event, one_line=True)
        if seen.ended(until_question):
            looks.close()
            return seen
    raise AssertionError("a watch ends by itself")


def _as_text(looks: Generator[Seen], until_question: bool) -> Seen:
    for seen in looks:
        for event in seen.events:
            console.print(f"{event['at'].astimezone():%H:%M:%S}  {shown(tell(event))}", soft_wrap=True)
        if seen.ended(until_question):
            looks.close()
            return seen
    raise AssertionError("a watch ends by itself")


def _live(looks: Generator[Seen], found: UUID, until_question: bool) -> Seen:
    told: list[str] = []
    with Live(console=console, auto_refresh=False) as live:
        for seen in looks:
            told = [*told, *(tell(event) for event in seen.events)][-5:]
            live.update(_picture(seen, found, told), refresh=True)
            if seen.ended(until_question):
                looks.close()
                return seen
    raise AssertionError("a watch ends by itself")


def _picture(seen: Seen, found: UUID, told: list[str]) -> Table:
    table = Table("stage", "role", "status", "attempt", "took", "", box=None, padding=(0, 2, 0, 0), title_justify="left")
    table.title = f"{shown(seen.job['kind'])} {found}  {styled(seen.job['status'])}"
    for step in job_facts.read_steps(database(), found):
        error: Json = step["error"] or {}
        text = error.get("message") if step["status"] in ("failed", "queued") else step["summary"]
        facts = [shown(step["stage"]), step["role"], styled(step["status"]), str(step["attempt"]), duration(step["duration_s"])]
        table.add_row(*facts, brief(text or "", 60))
    for line in told:
        table.add_row("", "", "", "", "", f"[dim]{brief(line, 60)}[/]")
    return table


def _tell_end(seen: Seen, found: UUID, as_json: bool) -> int:
    status = seen.job["status"]
    questions = [question for question in job_facts.read_questions(database(), found) if question["state"] == "open"]
    code = _exit_code(status)
    if as_json:
        error = seen.job["error"]
        ended = {"kind": "watch_ended", "job_id": found, "status": status, "error": error, "questions": questions, "exit_code": code}
        print_json(ended, one_line=True)
    elif code == WAITS:
        console.print("\nThe job waits for your answer.", style="bold yellow")
        print_questions(found, questions)
    elif code == SUCCEEDED:
        _print_result(found)
    else:
        console.print(f"\n{styled(status)}: {shown(seen.job['error'] or 'no reason given')}", soft_wrap=True)
        if status == JobStatus.FAILED:
            errors.print(f"Do it again: bullpen replay {found} · reasons: bullpen why {found}", style="dim", soft_wrap=True)
    return code


def _exit_code(status: str) -> int:
    return SUCCEEDED if status == JobStatus.SUCCEEDED else FAILED if status in FINISHED else WAITS


def _print_result(found: UUID) -> None:
    described = job_facts.describe(database(), found)
    result = described["result"]
    if result is None:
        return
    console.print(f"\n[bold green]succeeded[/]: {shown(result['stage'])} version {result['version']}")
    print_result(described["kind"], result["content"], found)


def tell(event: Row) -> str:
    """An event in words; text of others in it is not cleaned."""
    kind, stage, detail = event["kind"], event["stage"], event["detail"]
    match kind:
        case EventKind.JOB_DECIDED:
            return _decided(detail)
        case EventKind.STEP_SUCCEEDED | EventKind.STEP_FAILED:
            took = f" ({duration(detail['duration_s'])})" if "duration_s" in detail else ""
            asks = " and asks" if detail.get("outcome") == "needs_clarification" else ""
            text = detail.get("summary") or detail.get("message") or detail.get("error") or ""
            return f"{stage} {'succeeded' if kind == EventKind.STEP_SUCCEEDED else 'failed'}{asks}{took}: {text}".rstrip(": ")
        case EventKind.QUESTION_ANSWERED | EventKind.INSTRUCTION_GIVEN:
            return f"{_plain(kind)}{f' ({stage})' if stage else ''}: {detail.get('text', '')}"
        case _:
            more: list[Any] = [f"{name} {value}" for name, value in detail.items() if value not in (None, [], "")]
            return f"{_plain(kind)}{f' {stage}' if stage else ''}{': ' + ', '.join(more) if more else ''}"


def _decided(detail: Json) -> str:
    parts: list[str] = []
    if detail.get("dispatched"):
        parts.append(f"dispatched {', '.join(detail['dispatched'])}")
    if detail.get("superseded"):
        parts.append(f"superseded {detail['superseded']} steps")
    if detail.get("status"):
        parts.append(f"the job is {detail['status']}")
    if detail.get("error"):
        parts.append(str(detail["error"]))
    return f"decided ({detail.get('rule', '?')}): {'; '.join(parts) or 'nothing to dispatch'}"


def _plain(kind: str) -> str:
    return kind.replace("_", " ")
