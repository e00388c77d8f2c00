"""`bullpen why`: what a job waits for, from the boss's own reasons and from what the queues and workers look like."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from contracts.base import Json
from contracts.jobs import FINISHED
from contracts.roles import COORDINATOR
from workers.app.role_states import role_state
from workers.app.sweep import queue_length
from workers.blackboard.board import Board
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, Row
from workers.cli import job_facts
from workers.cli.context import console, database, job_id, print_json, services
from workers.cli.display import counted, duration, shown, styled
from workers.cli.fleet_facts import live_workers
from workers.coordinator.decide import decide
from workers.errors import NotFound

_LAST = "SELECT rev, rule, status, created_at FROM decisions WHERE job_id = %(id)s ORDER BY rev DESC LIMIT 1"
_BUSY = "SELECT count(*) AS n FROM jobs WHERE owner = %(owner)s AND admitted AND status IN ('accepted', 'running')"

YOUNG_S = 1.0
"""A step queued for less than this is simply on its way."""


def why(
    job: Annotated[str, typer.Argument(help="The job: its id, or 6 characters or more of its beginning or end.")],
    stage: Annotated[str | None, typer.Argument(help="Only this stage.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say why a job, or one of its stages, is not done yet, and what would help."""
    told = explain(database(), job_facts.read_job(database(), job_id(job)), stage)
    if as_json:
        print_json(told)
        return
    console.print(f"{shown(told['kind'])} {told['job_id']}  {styled(told['status'])}")
    if told["error"]:
        console.print(f"[red]error:[/] {shown(told['error'])}", soft_wrap=True)
    for name, reason in told["reasons"].items():
        console.print(f"  [bold]{shown(name)}[/]: {shown(reason)}", soft_wrap=True)
    if not told["reasons"] and told["rule"] != "owner cap":
        console.print("  Every stage is fresh." if stage is None else f"  {shown(stage)} is fresh.")
    last = told["last_decision"]
    if last is not None:
        console.print(f"  last decision: rule [bold]{shown(last['rule'])}[/] at revision {last['rev']}; now it would be {told['rule']}")
    for hint in told["hints"]:
        console.print(f"[yellow]→[/] {shown(hint)}", soft_wrap=True)


def explain(db: Database, job: Row, stage: str | None = None) -> Json:
    """The reasons per stage, the rule that the boss would follow now, and hints for the operator. Raises `NotFound` for a
    stage that the plan does not have."""
    board = read_board(db, job["id"])
    decision = decide(board)
    stages = {item["name"] for item in job_facts.describe(db, job["id"])["stages"]}
    if stage is not None and stage not in stages:
        raise NotFound(f"Job {job['id']} has no stage {stage!r}. It has: {', '.join(sorted(stages))}.")
    return {
        "job_id": job["id"],
        "kind": job["kind"],
        "status": job["status"],
        "error": job["error"],
        "rule": decision.rule,
        "reasons": {name: reason for name, reason in decision.reasons.items() if stage in (None, name)},
        "last_decision": db.row(_LAST, {"id": job["id"]}),
        "hints": _hints(db, job, board, stage),
    }


def _hints(db: Database, job: Row, board: Board, stage: str | None) -> list[str]:
    if job["status"] in FINISHED:
        if job["status"] == "succeeded":
            return []
        return [f"Do it again: bullpen replay {job['id']}"]
    if not board.admitted:
        busy = db.row(_BUSY, {"owner": job["owner"]}) or {"n": 0}
        cap = services().settings.owner_cap
        running = counted(busy["n"], "job")
        return [f"Owner {job['owner']!r} has {running} running of {cap} (BULLPEN_OWNER_CAP); this one starts when one ends."]
    hints: list[str] = []
    open_now = [question for question in job_facts.read_questions(db, job["id"]) if question["state"] == "open"]
    for question in open_now:
        command = job_facts.answer_command(job["id"], question, len(open_now) > 1)
        hints.append(f"{question['asker']} asks: {' '.join(job_facts.question_text(question).split())[:200]} Answer with: {command}")
    live = [step for step in job_facts.read_steps(db, job["id"]) if step["status"] in ("queued", "running")]
    waiting = [step for step in live if stage in (None, step["stage"])]
    undecided = board.rev != board.decided_rev and _age_s(job["updated_at"]) > YOUNG_S
    queued = [step for step in waiting if step["status"] == "queued" and _age_s(step["due_at"]) > YOUNG_S]
    workers = live_workers(services()) if undecided or queued else {}
    if undecided:
        hints.append(_undecided(db, board, workers))
    for step in waiting:
        hints.append(_running(step) if step["status"] == "running" else _queued(db, step, workers))
    return hints


def _age_s(at: datetime) -> float:
    return (datetime.now(UTC) - at).total_seconds()


def _undecided(db: Database, board: Board, workers: dict[str, int] | None) -> str:
    text = f"The boss has not looked at revision {board.rev} yet (it decided {board.decided_rev})."
    if (state := role_state(db, COORDINATOR)) != "running":
        return f"{text} The coordinator is {state}, so that only its sweep decides: bullpen resume {COORDINATOR}"
    if workers is None:
        return f"{text} The broker does not answer; the sweep of a coordinator decides without it."
    if not workers.get(COORDINATOR):
        return f"{text} No coordinator answers. Start one: bullpen worker coordinator"
    return f"{text} A coordinator runs; its sweep comes within seconds."


def _running(step: Row) -> str:
    left_s = -_age_s(step["lease_until"])
    attempt = f"attempt {step['attempt']} of {step['max_attempts']}"
    text = f"{step['stage']} runs on {step['worker']} for {duration(step['duration_s'])}, {attempt}."
    return text if left_s > 0 else f"{text} Its lease ran out {duration(-left_s)} ago; a coordinator's sweep takes it back."


def _queued(db: Database, step: Row, workers: dict[str, int] | None) -> str:
    role, waits_s = step["role"], _age_s(step["due_at"])
    if waits_s < 0:
        error: Json = step["error"] or {}
        return f"{step['stage']} is tried again in {duration(-waits_s)}, after {error.get('type', 'an error')}: {error.get('message', '')}"
    text = f"{step['stage']} waits for a worker of role {role} since {duration(waits_s)}."
    state = role_state(db, role)
    if state != "running":
        return f"{text} The role is {state}: bullpen resume {role}"
    if waits_s <= YOUNG_S:
        return text
    if workers is None:
        return f"{text} The broker does not answer; its message leaves when the broker is back. See bullpen doctor."
    if not workers.get(role):
        return f"{text} None answers. Start one: bullpen worker {role}"
    length = queue_length(services(), role)
    if length:
        return f"{text} {counted(workers[role], 'worker')} busy; {counted(length, 'message')} in the queue. More workers would help."
    return f"{text} Its message is not in the queue: a worker has just taken it, or it was lost and the sweep sends it again."
