"""An extension for tests and benches: kinds of jobs whose roles do nothing, or fail, wait and ask as the request says.

Load it with BULLPEN_EXTENSIONS=tests.support.noop. `noop` has six stages in a row over six roles; `noop_graph` has a
diamond with a review at its end. A stage's behaviour is in the request: `{"plan": {"s3": {"fail": 2}}}`.
"""

import time
from typing import Any, Literal

from contracts.base import Contract, Json
from contracts.reports import Question, Remark, Report, asks, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from contracts.statements import code, name, say
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.errors import EngineError, NotFound, TransientError
from workers.roles.base import StepContext
from workers.roles.registry import register_task


class NoopRequest(Contract):
    """What the stages shall do."""

    kind: Literal["noop", "noop_graph"] = "noop"
    text: str = ""
    plan: dict[str, Json] = {}
    """Stage → `sleep_s`, `fail` (attempts that fail with a transport error), `break` (a business error), `refuse` (an error that
    is a statement), `ask` (questions),
    `also` (who hears the answers), `remark` (rounds of objections) and `on` (against whom)."""


class NoopDone(Contract):
    """What a no-op stage yields: its name and what it was given."""

    stage: str
    given: dict[str, Any]


CHAIN = (RoleName.CLASSIFIER, RoleName.RETRIEVER, RoleName.ANALYST, RoleName.ARCHITECT, RoleName.DEVELOPER, RoleName.DIAGNOSER)


def run_noop(ctx: StepContext) -> Report[Any]:
    """Do as the request says."""
    orders = ctx.need(NoopRequest, INPUT).plan.get(ctx.stage, {}) if INPUT in ctx.needs else {}
    if orders.get("sleep_s"):
        end = time.monotonic() + orders["sleep_s"]
        while time.monotonic() < end:
            ctx.check_stopped()
            time.sleep(0.02)
    if ctx.attempt <= orders.get("fail", 0):
        raise TransientError(f"attempt {ctx.attempt} fails as ordered")
    if orders.get("refuse"):
        raise NotFound.of(say("refused.no_source_listed", source=name("warehouse"), command=code("bullpen source list")))
    if orders.get("break") and not ctx.edit().get("mended"):
        raise EngineError("broken as ordered")
    if len(ctx.answers()) < orders.get("ask", 0):
        return asks(Question(text=f"{ctx.stage}: question {len(ctx.answers()) + 1}?", also=tuple(orders.get("also", ()))))
    made = NoopDone(stage=ctx.stage, given={name: need.get("stage", "input") for name, need in ctx.needs.items()})
    objections = orders.get("remark", 0)
    mine = sum(1 for r in ctx.requests if r.kind == "remark" and r.asker == ctx.stage)
    if mine < objections:
        return completed(made, "objects", remarks=(Remark(text=f"remark {mine + 1}", stage=orders["on"]),))
    return completed(made, f"{ctx.stage} done")


for _role in RoleName:
    register_task(_role, "noop", run_noop)

register_playbook(
    Playbook(
        "noop",
        NoopRequest,
        tuple(
            StageSpec(name=f"s{n}", role=role, task="noop", needs=(INPUT, f"s{n - 1}") if n > 1 else (INPUT,))
            for n, role in enumerate(CHAIN, 1)
        ),
    )
)
register_playbook(
    Playbook(
        "noop_graph",
        NoopRequest,
        (
            StageSpec(name="plan", role=RoleName.ANALYST, task="noop", needs=(INPUT,)),
            StageSpec(name="left", role=RoleName.DEVELOPER, task="noop", needs=(INPUT, "plan")),
            StageSpec(name="right", role=RoleName.ARCHITECT, task="noop", needs=(INPUT, "plan")),
            StageSpec(name="review", role=RoleName.REVIEWER, task="noop", needs=(INPUT, "left", "right")),
        ),
    )
)
