"""An extension for tests: a kind of job whose only role has a model write a text, which is read while it is written."""

from typing import Literal

from contracts.base import Contract
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from tests.support.weather import PROMPT
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.roles.base import StepContext
from workers.roles.registry import register_task

TALE = "Once upon a time a query read a table of a thousand rows, " * 4 + "<img src=x onerror=alert(1)> and that was the end."


class TaleRequest(Contract):
    kind: Literal["tale"] = "tale"
    text: str = "a tale"


class Tale(Contract):
    text: str


def tell(ctx: StepContext) -> Report[Tale]:
    """What the model writes, word by word for those who watch."""
    assert ctx.chat is not None
    made = ctx.chat.ask(Tale, prompt=PROMPT, report="a tale", hints=[], say_field="text")
    return completed(made.value, "written")


register_task(RoleName.DEVELOPER, "tale_tell", tell)
register_playbook(
    Playbook(
        "tale",
        TaleRequest,
        (StageSpec(name="tale", role=RoleName.DEVELOPER, task="tale_tell", needs=(INPUT,)),),
        words="text",
        result="tale",
    )
)
