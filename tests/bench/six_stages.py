"""The kind of job that ours is measured with: six stages in a row, each made from the one before. An extension.

`BENCH_LAYOUT`: `two` gives all stages to one role, which two processes serve, as two workers of Celery serve one queue; `roles` gives
each stage a role and a process of its own.
"""

import os
from typing import Any, Literal

from contracts.base import Contract
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from tests.bench.load import document, work
from tests.bench.measure import STAGES
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.roles.base import StepContext
from workers.roles.registry import register_task

LAYOUT = "BENCH_LAYOUT"

CHAIN = (RoleName.CLASSIFIER, RoleName.RETRIEVER, RoleName.ANALYST, RoleName.ARCHITECT, RoleName.DEVELOPER, RoleName.DIAGNOSER)


class SixRequest(Contract):
    """The input of the first stage."""

    kind: Literal["six_stages"] = "six_stages"
    text: str = ""


class Document(Contract):
    """What a stage yields."""

    stage: str
    given: str
    text: str


def roles() -> tuple[RoleName, ...]:
    """The role of each stage."""
    return CHAIN if os.environ.get(LAYOUT) == "roles" else CHAIN[:1] * STAGES


def write_document(ctx: StepContext) -> Report[Any]:
    """Take what the stage before left, and write another document of the same size."""
    given = ctx.needs[next(iter(ctx.needs))].get("stage", INPUT)
    work()
    return completed(Document(stage=ctx.stage, given=given, text=document(ctx.stage)), f"{ctx.stage} done")


for _role in RoleName:
    register_task(_role, "six_stages", write_document)

register_playbook(
    Playbook(
        "six_stages",
        SixRequest,
        tuple(
            StageSpec(name=f"s{n}", role=role, task="six_stages", needs=(f"s{n - 1}" if n > 1 else INPUT,))
            for n, role in enumerate(roles(), 1)
        ),
    )
)
