"""What the task of a stage yields, and which of its parameters an operator may edit. Kinds of jobs register their tasks here."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from contracts.base import Contract
from contracts.choice import Choice
from contracts.roles import RoleName
from contracts.statements import Statement, say
from workers.errors import InvalidPlan

Load = Callable[[], type[BaseModel]]
"""Loads a contract when it is first needed: an import costs time that most commands do not need to spend."""


class NoParameters(Contract):
    """The form of a task that has no parameter to edit."""


@dataclass(frozen=True, slots=True)
class TaskContract:
    """What is known about one task."""

    yields: Load
    edits: Load = lambda: NoParameters
    """The form of an edit: every field is optional and names a parameter."""
    why_none: Statement | None = None
    """Why the task has no parameter, and what to do in place of an edit; for a task that has none."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters; of one that is an object, those of its fields: `arguments.sql`."""
        return tuple(name for field, info in self.edits().model_fields.items() for name in _names(field, info.annotation))


def _names(field: str, form: object) -> list[str]:
    if isinstance(form, type) and issubclass(form, BaseModel):
        return [f"{field}.{inner}" for inner in form.model_fields]
    return [field]


_contracts: dict[tuple[str, str], TaskContract] = {
    (RoleName.CLASSIFIER, "choose"): TaskContract(lambda: Choice, why_none=say("refused.routes_only"))
}
"""The fleet's own task is registered here."""


def register_contract(role: RoleName, task: str, contract: TaskContract) -> None:
    """Make the contract of a task known. Raises `InvalidPlan` if the task has another contract already."""
    if _contracts.setdefault((role, task), contract) != contract:
        raise InvalidPlan(f"Task {task!r} of role {role} has two contracts. Rename the task of your extension.")


def find_contract(role: str | None, task: str) -> TaskContract | None:
    """The contract of a task. None if its kind declares none: then any JSON object is accepted, as an extension may have it."""
    return None if role is None else _contracts.get((role, task))
