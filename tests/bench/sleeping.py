"""A kind of job with one step that waits, as one that calls a model does."""

import time
from typing import Any, Literal

from contracts.base import Contract
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.roles.base import StepContext
from workers.roles.registry import register_task


class SleepRequest(Contract):
    """How long."""

    kind: Literal["sleeping"] = "sleeping"
    seconds: float = 1.0


def sleep(ctx: StepContext) -> Report[Any]:
    """Wait, and say so."""
    request = ctx.need(SleepRequest, INPUT)
    time.sleep(request.seconds)
    return completed(request, "slept")


register_task(RoleName.CLASSIFIER, "sleeping", sleep)
register_playbook(Playbook("sleeping", SleepRequest, (StageSpec(name="sleep", role=RoleName.CLASSIFIER, task="sleeping", needs=(INPUT,)),)))
