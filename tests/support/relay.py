"""An extension for the acceptance tests: short jobs over two roles whose steps have an effect outside.

`relay` has three stages in a row, `fan` a diamond, `row` five stages of one role. A stage writes one row into
`outside_effects`, keyed by (step, call) as real tools are, and one into `outside_runs` each time it is executed. Its
further behaviour is in the request: `{"plan": {"first": {"deaf_s": 2}}}`.
"""

import ctypes
import os
import time
from typing import Any, Literal

from contracts.base import Contract, Json
from contracts.reports import Question, Report, asks, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.blackboard.engine import Database
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.errors import EngineError, TransientError
from workers.roles.base import StepContext
from workers.roles.registry import register_task


class RelayRequest(Contract):
    """What the stages shall do."""

    kind: Literal["relay", "fan", "row"] = "relay"
    text: str = ""
    plan: dict[str, Json] = {}
    """Stage → `sleep_s` (looks up often), `deaf_s` (does not), `deaf_once_s` (at its first attempt), `fail` (attempts with a transport
    error), `break`, `ask` (questions), `die` (attempts that end the whole process),
    `hold` (attempts that hold the interpreter for good)."""


class Baton(Contract):
    """What a stage yields."""

    stage: str
    given: list[str]


_EFFECTS = "CREATE TABLE IF NOT EXISTS outside_effects (step_id uuid, call int, PRIMARY KEY (step_id, call))"
_RUNS = "CREATE TABLE IF NOT EXISTS outside_runs (step_id uuid, attempt int, pid int, at timestamptz DEFAULT clock_timestamp(), did text)"


def create_outside(db: Database) -> None:
    """The outside world, for the sake of the test in the same database."""
    db.statement(_EFFECTS)
    db.statement(_RUNS)


def run_relay(ctx: StepContext) -> Report[Any]:
    """Do as the request says, and leave a mark outside."""
    orders = ctx.need(RelayRequest, INPUT).plan.get(ctx.stage, {})
    _mark(ctx, "began")
    if ctx.attempt <= orders.get("die", 0):
        os._exit(9)
    if ctx.attempt <= orders.get("hold", 0):
        _hold_the_interpreter()
    if len(ctx.answers()) < orders.get("ask", 0):
        return asks(Question(text=f"{ctx.stage}: which colour?", choices=("red", "blue")))
    end = time.monotonic() + orders.get("sleep_s", 0)
    while time.monotonic() < end:
        ctx.check_stopped()
        time.sleep(0.02)
    time.sleep(orders.get("deaf_s", 0) or (orders.get("deaf_once_s", 0) if ctx.attempt == 1 else 0))
    if ctx.attempt <= orders.get("fail", 0):
        raise TransientError(f"attempt {ctx.attempt} fails as ordered")
    if orders.get("break"):
        raise EngineError("broken as ordered")
    if not orders.get("deaf_s"):
        ctx.check_stopped()
    ctx.services.database.statement(
        "INSERT INTO outside_effects (step_id, call) VALUES (%(step_id)s, 1) ON CONFLICT DO NOTHING", {"step_id": ctx.step_id}
    )
    _mark(ctx, "ended")
    return completed(Baton(stage=ctx.stage, given=sorted(ctx.needs)), f"{ctx.stage} done")


def _hold_the_interpreter() -> None:
    """As a call into C does that does not let go of it: no other thread of the process runs any more."""
    ctypes.PyDLL(None).sleep(86_400)


def _mark(ctx: StepContext, did: str) -> None:
    ctx.services.database.statement(
        "INSERT INTO outside_runs (step_id, attempt, pid, did) VALUES (%(step_id)s, %(attempt)s, %(pid)s, %(did)s)",
        {"step_id": ctx.step_id, "attempt": ctx.attempt, "pid": os.getpid(), "did": did},
    )


ROLES = (RoleName.ANALYST, RoleName.DEVELOPER)
"""The roles whose workers these jobs need."""

for _role in ROLES:
    register_task(_role, "relay", run_relay)


def _stage(name: str, role: RoleName, *needs: str) -> StageSpec:
    return StageSpec(name=name, role=role, task="relay", needs=(INPUT, *needs))


register_playbook(
    Playbook(
        "relay",
        RelayRequest,
        (
            _stage("first", RoleName.ANALYST),
            _stage("second", RoleName.DEVELOPER, "first"),
            _stage("third", RoleName.ANALYST, "second"),
        ),
    )
)
register_playbook(
    Playbook(
        "fan",
        RelayRequest,
        (
            _stage("plan", RoleName.ANALYST),
            _stage("left", RoleName.DEVELOPER, "plan"),
            _stage("right", RoleName.DEVELOPER, "plan"),
            _stage("sum", RoleName.ANALYST, "left", "right"),
        ),
    )
)
_ROW = ("one", "two", "three", "four", "five")
register_playbook(
    Playbook("row", RelayRequest, tuple(_stage(name, RoleName.ANALYST, *_ROW[max(0, n - 1) : n]) for n, name in enumerate(_ROW)))
)
