"""What the task of a stage yields, and which of its parameters an operator may edit. Kinds of jobs register their tasks here."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from contracts.base import Contract
from contracts.choice import Choice
from contracts.roles import RoleName
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


_contracts: dict[tuple[str, str], TaskContract] = {(RoleName.CLASSIFIER, "choose"): TaskContract(lambda: Choice)}
"""The fleet's own task is registered here."""


def register_contract(role: RoleName, task: str, contract: TaskContract) -> None:
    """Make the contract of a task known. Raises `InvalidPlan` if the task has another contract already."""
    if _contracts.setdefault((role, task), contract) != contract:
        raise InvalidPlan(f"Task {task!r} of role {role} has two contracts. Rename the task of your extension.")


def find_contract(role: str | None, task: str) -> TaskContract | None:
    """The contract of a task. None if its kind declares none: then any JSON object is accepted, as an extension may have it."""
    return None if role is None else _contracts.get((role, task))
