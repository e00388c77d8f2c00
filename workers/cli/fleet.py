"""`bullpen worker`, `pause`, `resume`, `drain`: who works, and who shall rest."""

import time
from enum import StrEnum
from typing import Annotated

import typer

from contracts.statements import Statement, code, count, names, say
from contracts.statements import name as identifier
from workers.app.fleet_facts import WORKERS, worker_name
from workers.app.role_states import POLL_S
from workers.app.worker import run_worker
from workers.cli.context import errors, print_json, settings
from workers.cli.reach.doing import do
from workers.cli.telling import note, tell, words
from workers.errors import InvalidInput
from workers.kinds.registry import load_kinds
from workers.local.fleet import worker_commands
from workers.local.group import ProcessGroup
from workers.operations import fleet as operations

FOLLOW_S = POLL_S * 1.5
"""After this, every worker has heard of a role's new state."""
LOOK_S = 0.1

Role = Annotated[str, typer.Argument(help=f"One of {', '.join(WORKERS)}.", metavar="ROLE")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Pool(StrEnum):
    """How a worker process runs several steps at once."""

    THREADS = "threads"
    PREFORK = "prefork"
    SOLO = "solo"


def worker(
    roles: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(WORKERS)}.", metavar="[ROLE]...")] = None,
    all_roles: Annotated[
        bool, typer.Option("--all", help="A single process for all roles and the coordinator, for a small machine.")
    ] = False,
    processes: Annotated[
        bool, typer.Option("--processes", help="With --all: a process for each role and one for the coordinator.")
    ] = False,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Steps that the process runs at the same time. Default: that of the role.")
    ] = None,
    pool: Annotated[
        Pool, typer.Option(help="threads: several steps in one process. prefork: several processes. solo: one step at a time.")
    ] = Pool.THREADS,
) -> None:
    """Run the worker of a role, or of several, until SIGTERM or Ctrl-C; running steps are finished first. You can start any number of
    workers."""
    if all_roles == bool(roles):
        raise InvalidInput.of(say("refused.cli.name_role", roles=names(WORKERS)))
    if processes and all_roles:
        raise typer.Exit(_run_each(concurrency, pool))
    served = WORKERS if all_roles else tuple(dict.fromkeys(worker_name(role) for role in roles or ()))
    raise typer.Exit(run_worker(settings(), *served, concurrency=concurrency, pool=pool.value))


def _run_each(concurrency: int | None, pool: Pool) -> int:
    known = settings()
    load_kinds(known.extensions)
    options = ["--pool", pool.value, *(["--concurrency", str(concurrency)] if concurrency else [])]
    commands = {name: [*command, *options] for name, command in worker_commands(processes=True).items()}
    servers = {"BULLPEN_DATABASE_URL": known.database_url or "", "BULLPEN_BROKER_URL": known.broker_url or ""}
    logs = known.data_dir / "logs"
    note(say("said.workers.starting", n=count(len(commands)), logs=identifier(logs)), style=None)
    return ProcessGroup(commands, servers, logs, grace_s=known.shutdown_grace_s, hung_after_s=known.hung_after_s).run()


def pause(role: Role, as_json: AsJson = False) -> None:
    """Stop a role's workers from taking new steps. What runs goes on; what is queued waits."""
    found = worker_name(role)
    _set(found, "paused", say("said.role.paused", role=identifier(found), command=code(f"bullpen resume {found}")), as_json)


def resume(role: Role, as_json: AsJson = False) -> None:
    """Let a role's workers take steps again."""
    found = worker_name(role)
    _set(found, "running", say("said.role.resumed", role=identifier(found)), as_json)


def _set(role: str, state: str, message: Statement, as_json: bool) -> None:
    before = do(operations.set_role, role, state).before.value
    if as_json:
        print_json({"role": role, "state": state, "before": before})
    else:
        tell(message)


def drain(
    role: Role,
    timeout: Annotated[float, typer.Option(min=0, help="Seconds to wait for running steps.")] = 600.0,
    as_json: AsJson = False,
) -> None:
    """Pause a role, and wait until none of its steps runs. Its workers can then be stopped without losing work."""
    name = worker_name(role)
    before = do(operations.set_role, name, "draining").before.value
    began = time.monotonic()
    quiet_from = began + FOLLOW_S  # a worker that has not heard yet may still take a step
    with errors.status("") as status:
        while True:
            running = do(operations.role, name).running_steps
            status.update(words(say("said.role.steps_run", role=identifier(name), n=count(running))))
            now = time.monotonic()
            if running == 0 and now >= quiet_from:
                break
            if now - began > max(timeout, FOLLOW_S):
                _tell_drained(name, "draining", before, running, as_json)
                raise typer.Exit(1)
            time.sleep(LOOK_S)
    do(operations.set_role, name, "paused")
    _tell_drained(name, "paused", before, 0, as_json)


def _tell_drained(role: str, state: str, before: str, running: int, as_json: bool) -> None:
    if as_json:
        print_json({"role": role, "state": state, "before": before, "running_steps": running})
        return
    about = {"role": identifier(role), "command": code(f"bullpen resume {role}")}
    if running:
        note(say("said.role.still_runs", n=count(running), **about), style=None)
    else:
        tell(say("said.role.drained", **about))
