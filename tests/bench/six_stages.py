"""The kind of job that ours is measured with: six stages in a row, each of another role and made from the one before. An extension."""

from typing import Any, Literal

from contracts.base import Contract
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from tests.bench.load import document, work
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.roles.base import StepContext
from workers.roles.registry import register_task

ROLES = (RoleName.CLASSIFIER, RoleName.RETRIEVER, RoleName.ANALYST, RoleName.ARCHITECT, RoleName.DEVELOPER, RoleName.DIAGNOSER)


class SixRequest(Contract):
    """The input of the first stage."""

    kind: Literal["six_stages"] = "six_stages"
    text: str = ""


class Document(Contract):
    """What a stage yields."""

    stage: str
    given: str
    text: str


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
            for n, role in enumerate(ROLES, 1)
        ),
    )
)
