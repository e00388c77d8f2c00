"""`bullpen replay` and `bullpen fork`: ask for a new answer."""

import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.progress import track

from contracts.base import Json
from contracts.statements import code, count, passage, say, term
from contracts.statements import name as identifier
from workers.app.fleet_facts import worker_name
from workers.cli.ages import read_time
from workers.cli.changes import print_changes
from workers.cli.context import console, errors, find_id, job_id, print_json, read_object
from workers.cli.display import short_id, shortened, shown
from workers.cli.lines import table
from workers.cli.reach.doing import do
from workers.cli.reach.jobs import job_of
from workers.cli.telling import confirmed, followed, note, reader, tell, words
from workers.cli.voice import age
from workers.cli.watch import wait_job, watch_job
from workers.coordinator.playbooks import find_playbook
from workers.errors import Conflict, InvalidInput, NotFound
from workers.operations import actions, jobs
from workers.saying import message_of

ASK_FROM = 10
"""More steps than this are replayed only after a question, on a terminal."""
SHOWN = 20
_TITLES = (
    term("fleet.show.step"), term("fleet.jobs.job"), term("fleet.jobs.kind"), term("fleet.show.stage"), term("fleet.show.error"),
    term("said.replay.ended"),
)  # fmt: skip

Outcome = dict[str, Any]
Edit = Annotated[
    str | None,
    typer.Option(
        help="A JSON object that overrides parameters of the stage, or what `show --stage --json` prints: a file, - for standard "
        "input, or the object itself in quotation marks."
    ),
]


def replay(
    target: Annotated[str | None, typer.Argument(help="A step or a job: its id, or at least 6 characters of its beginning or end.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Every failed step of failed jobs, filtered by the options below.")] = False,
    role: Annotated[str | None, typer.Option(help="With --failed: only steps of this role.")] = None,
    kind: Annotated[str | None, typer.Option(help="With --failed: only jobs of this kind.")] = None,
    error: Annotated[str | None, typer.Option(help="With --failed: only steps with this error class, e.g. TransientError.")] = None,
    since: Annotated[str | None, typer.Option(help="With --failed: only steps that failed since an age (2h) or a time.")] = None,
    rate: Annotated[float, typer.Option(min=0.01, max=1000, help="With --failed: at most this number of jobs per second.")] = 20.0,
    edit: Edit = None,
    from_call: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Of a step: go on from this model call; the calls before it get their recorded answers. --edit is then the call's prompt, "
            "as `show JOB --calls --json` prints it, with other texts; its result is marked as edited.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run a step again (failed or succeeded), or the failed steps of a job, or everything that failed. Finished jobs are reopened."""
    _check_target(target, from_call, failed=failed, is_filtered=bool(role or kind or error or since))
    edits = None if edit is None else read_object(edit)
    if target is not None:
        plans = _plan_one(find_id(target, "step", "job"), edits, from_call)
    else:
        plans = _plan_failed(role, kind, error, since, edits)
    if edits is not None and from_call is None:
        for row, _ in plans:  # a wrong edit is refused before any step is replayed
            planned = do(actions.replay, row["job_id"], stage=row["stage"], edit=edits, dry_run=True)
            _show_edit(planned.stages[0].changes, quiet=as_json or target is None)
    if dry_run:
        _tell_plan([row for row, _ in plans], as_json)
        return
    if len(plans) > ASK_FROM and not yes and sys.stdin.isatty() and not confirmed(say("said.replay.sure", n=count(len(plans), exact=True))):
        raise typer.Abort
    outcomes = _replay_all(plans, rate, quiet=as_json)
    _tell_outcomes(outcomes, as_json, single=target is not None)
    if any(outcome["problem"] for outcome in outcomes):
        raise typer.Exit(1)


def _check_target(target: str | None, from_call: int | None, *, failed: bool, is_filtered: bool) -> None:
    """Either one step or job, or what failed and its filters. Raises `InvalidInput`."""
    if failed == (target is not None):
        raise InvalidInput.of(say("refused.cli.replay_what"))
    if from_call is not None and target is None:
        raise InvalidInput.of(say("refused.call.step"))
    if target is not None and is_filtered:
        raise InvalidInput.of(say("refused.cli.with_failed"))


def _plan_failed(role: str | None, kind: str | None, error: str | None, since: str | None, edits: Json | None) -> "list[Plan]":
    """Every failed step of failed jobs that the options choose."""
    if kind is not None:
        find_playbook(kind)
    found = do(
        jobs.failed_steps, role=None if role is None else worker_name(role), kind=kind, error=error,
        since=None if since is None else read_time(since),
    )  # fmt: skip
    rows = [asdict(step) for step in found]
    return [_plan(row, lambda row=row: do(actions.replay, row["job_id"], stage=row["stage"], edit=edits)) for row in rows]


def _show_edit(changes: tuple[actions.Changed, ...], *, quiet: bool) -> None:
    if not quiet:
        print_changes(changes)


Plan = tuple[Json, Callable[[], actions.Replayed]]


def _plan(row: Json, run: Callable[[], actions.Replayed]) -> Plan:
    return row, run


def _plan_one(found: UUID, edits: Json | None, from_call: int | None = None) -> list[Plan]:
    with suppress(NotFound):
        step = do(jobs.step, found)
        job, error = job_of(step.job_id), None if step.error is None else step.error.type
        row: Json = {"id": found, "job_id": job.id, "stage": step.stage, "role": step.role, "kind": job.kind, "error": error}
        ended: Json = {**row, "finished_at": step.finished_at}
        return [_plan(ended, lambda: do(actions.replay, job.id, step_id=found, edit=edits, from_call=from_call))]
    if from_call is not None:
        raise InvalidInput.of(say("refused.call.step"))
    try:
        job = job_of(found)
    except NotFound:
        raise NotFound.of(
            say("refused.cli.no_step_nor_job", id=identifier(found), jobs=code("bullpen jobs"), steps=code("bullpen show JOB"))
        ) from None
    if edits is not None:
        raise InvalidInput.of(say("refused.cli.edit_of_job", job=identifier(found), command=code(f"bullpen show {short_id(found)}")))
    row = {"id": None, "job_id": job.id, "stage": None, "role": None, "kind": job.kind, "error": None, "finished_at": job.finished_at}
    return [_plan(row, lambda: do(actions.replay, found))]


def _replay_all(plans: list[Plan], rate: float, *, quiet: bool) -> list[Outcome]:
    many = len(plans) > 1
    is_shown = many and not quiet and errors.is_terminal
    shown_plans: Iterable[Plan] = track(plans, words(term("said.replay.replaying")), console=errors) if is_shown else plans
    outcomes: list[Outcome] = []
    next_at = time.monotonic()
    for row, run in shown_plans:
        time.sleep(max(0.0, next_at - time.monotonic()))
        next_at = max(next_at + 1 / rate, time.monotonic())
        try:
            made = run()
            for done in made.stages:
                outcomes.append({"job_id": made.job_id, "stage": done.stage, "request_id": done.request_id, "problem": None})
                outcomes[-1]["changes"] = [change.to_json() for change in done.changes]
        except (Conflict, NotFound) as error:
            if not many:
                raise
            outcomes.append(
                {"job_id": row["job_id"], "stage": row["stage"], "request_id": None, "problem": message_of(error, reader().language)}
            )
            continue
    return outcomes


def _tell_plan(rows: list[Json], as_json: bool) -> None:
    if as_json:
        print_json([{name: row[name] for name in ("id", "job_id", "stage", "role", "kind", "error", "finished_at")} for row in rows])
        return
    tell(say("said.replay.would", n=count(len(rows), exact=True)))
    if not rows:
        return
    listed = table(*map(words, _TITLES))
    for row in rows[:SHOWN]:
        ids = [short_id(row["id"]) if row["id"] else "-", short_id(row["job_id"])]
        stage = shown(row["stage"]) if row["stage"] else words(term("said.replay.what_failed"))
        ended = "-" if row["finished_at"] is None else words(age(row["finished_at"]))
        listed.add_row(*ids, shown(row["kind"]), stage, shown(row["error"] or "-"), ended)
    console.print(listed)
    if len(rows) > SHOWN:
        tell(say("said.replay.more", n=count(len(rows) - SHOWN, exact=True), option=identifier("--json")))


def _tell_outcomes(outcomes: list[Outcome], as_json: bool, *, single: bool) -> None:
    problems = [outcome for outcome in outcomes if outcome["problem"]]
    if as_json:
        print_json({"replayed": len(outcomes) - len(problems), "problems": len(problems), "steps": outcomes})
        return
    if single:
        for outcome in outcomes:
            tell(say("said.done_again", stage=identifier(outcome["stage"]), follow=followed(outcome["job_id"])))
        return
    done = count(len(outcomes) - len(problems), exact=True)
    tell(say("said.replay.replayed", n=done) if outcomes else say("said.replay.no_match"))
    for outcome in problems[:SHOWN]:
        tell(say("said.replay.not", problem=passage(shortened(outcome["problem"], 200))))


def fork(
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")],
    stage: Annotated[str, typer.Option("--from", help="The first stage that the copy does again; the stages above it are copied.")],
    edit: Edit = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what the edit would change.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the copy; see `bullpen watch`.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the end of the copy, and print only its result.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Copy a job, and do one stage of the copy and all stages below it again. The original job does not change."""
    found = job_id(job)
    edits = None if edit is None else read_object(edit)
    plan = do(actions.fork, found, stage, edit=edits, dry_run=True).changes
    _show_edit(plan, quiet=as_json)
    changes = [change.to_json() for change in plan]
    if dry_run:
        if as_json:
            print_json({"forked_from": found, "stage": stage, "changes": changes})
        return
    copy = do(actions.fork, found, stage, edit=edits).job_id
    if wait and copy is not None:
        raise typer.Exit(wait_job(copy, as_json=as_json))
    if as_json:
        print_json({"job_id": copy, "forked_from": found, "stage": stage, "changes": changes}, one_line=watch)
    else:
        console.print(str(copy), soft_wrap=True)
    if watch and copy is not None:
        raise typer.Exit(watch_job(copy, as_json=as_json))
    if not as_json:
        note(followed(copy))
