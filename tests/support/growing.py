"""An extension for tests: a plan that grows while it is worked on, a stage behind all of it, and a stage that may not apply.

`plan/k` adds `tool/k` and `plan/k+1`, which needs both, until the number of rounds that was asked for. `answer` needs the whole
family. The result of `growing` is the last plan, of `growing_answer` the answer.
"""

from typing import Any, Literal

from contracts.base import Contract
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, Nothing, StageSpec
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.roles.base import StepContext
from workers.roles.registry import register_task


class GrowingRequest(Contract):
    kind: Literal["growing", "growing_answer", "growing_strict"] = "growing"
    rounds: int = 3
    cache: str | None = None
    """What the optional stage yields; None: it does not apply."""
    nothing_from: str = "cache"
    """The stage that yields nothing where there is no cache."""


class Planned(Contract):
    round: int


class Answered(Contract):
    plans: dict[str, int]
    cache: str


def plan(ctx: StepContext) -> Report[Any]:
    number = int(ctx.stage.rpartition("/")[2])
    more: tuple[StageSpec, ...] = ()
    if number < ctx.need(GrowingRequest, INPUT).rounds:
        tool = StageSpec(name=f"tool/{number}", role=RoleName.DEVELOPER, task="growing.plan", needs=(INPUT, ctx.stage))
        following = f"plan/{number + 1}"
        more = (tool, StageSpec(name=following, role=RoleName.CLASSIFIER, task="growing.plan", needs=(INPUT, ctx.stage, tool.name)))
    return completed(Planned(round=number), stages=more if ctx.stage.startswith("plan/") else ())


def cache(ctx: StepContext) -> Report[Any]:
    request = ctx.need(GrowingRequest, INPUT)
    if ctx.stage == request.nothing_from and request.cache is None:
        return completed(Nothing(nothing="no cache is configured."))
    return completed(Planned(round=0))


def answer(ctx: StepContext) -> Report[Any]:
    plans = {name: made.round for name, made in ctx.family(Planned, "plan/*").items()}
    found = ctx.need_or_nothing(Planned, "cache")
    return completed(Answered(plans=plans, cache=found.nothing if isinstance(found, Nothing) else "there"))


def strict_answer(ctx: StepContext) -> Report[Any]:
    return completed(Answered(plans={}, cache=str(ctx.need(Planned, "cache").round)))


for _role, _task, _run in (
    (RoleName.CLASSIFIER, "growing.plan", plan),
    (RoleName.DEVELOPER, "growing.plan", plan),
    (RoleName.RETRIEVER, "growing.cache", cache),
    (RoleName.ANALYST, "growing.answer", answer),
    (RoleName.ANALYST, "growing.strict", strict_answer),
):
    register_task(_role, _task, _run)

_STAGES = (
    StageSpec(name="plan/1", role=RoleName.CLASSIFIER, task="growing.plan", needs=(INPUT,)),
    StageSpec(name="cache", role=RoleName.RETRIEVER, task="growing.cache", needs=(INPUT,), optional=True),
    StageSpec(name="answer", role=RoleName.ANALYST, task="growing.answer", needs=(INPUT, "plan/*", "cache")),
)
_PROBE = StageSpec(name="probe", role=RoleName.RETRIEVER, task="growing.cache", needs=(INPUT,))
_STRICT = StageSpec(name="strict", role=RoleName.ANALYST, task="growing.strict", needs=(INPUT, "cache"))

register_playbook(Playbook("growing", GrowingRequest, _STAGES, result="plan/*"))
register_playbook(Playbook("growing_answer", GrowingRequest, (*_STAGES, _PROBE), result="answer"))
register_playbook(Playbook("growing_strict", GrowingRequest, (_STAGES[1], _STRICT)))
