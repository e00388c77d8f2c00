"""Stages: the places in a job's plan. Playbooks, deliverables and delegations all use this form."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from contracts.base import Contract, Json
from contracts.roles import RoleName
from contracts.statements import Statement

StageName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(/[a-z0-9_]+)*$", max_length=80)]
"""`diagnosis`, `plan/2`, `asker/1`. The name of a contributed stage begins with the name of the stage that added it."""

NeedName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(/[a-z0-9_]+)*(/\*)?$", max_length=80)]
"""The name of a need: a stage, or a family such as `plan/*`, which is every stage named `plan/` and one further part."""

INPUT = "input"
"""The stage that holds the request itself. No role fills it; only a human can revise it."""

MAX_STAGES = 40
"""Stages of one job, the input and those that its deliverables add included: a plan that grows without an end stops here."""

_ANY = "/*"


def is_family(name: str) -> bool:
    """Whether the name of a need or of a playbook's result is a family, not a stage."""
    return name.endswith(_ANY)


def is_member(stage: str, family: str) -> bool:
    """Whether a stage belongs to a family: `plan/2` belongs to `plan/*`, but `plan` and `plan/2/1` do not."""
    return is_family(family) and "/" in stage and stage.rpartition("/")[0] == family.removesuffix(_ANY)


def member_order(stage: str) -> int:
    """The sort key of a family's members: their number. Members without a number come first, in the order in which they were added."""
    last = stage.rpartition("/")[2]
    return int(last) if last.isdecimal() else -1


class StageSpec(Contract):
    """One stage: the role that fills it, and the stages that it needs."""

    name: StageName
    role: RoleName
    task: str = Field(pattern=r"^[a-z][a-z0-9_.]*$", max_length=80)
    """The role's task, such as `tickets.retrieve` or `diagnosis.conclude`. See workers/roles/registry.py."""
    needs: tuple[NeedName, ...] = ()
    """Stages and families that must be fresh first. The step is given their contents."""
    optional: bool = False
    """Whether the task may yield `Nothing(reason)`. Other stages can need this stage as usual."""
    params: Json = {}
    """Parameters of this stage. A change makes its deliverable stale."""


class Nothing(Contract):
    """The deliverable of an optional stage that does not apply."""

    nothing: str = Field(min_length=1)
    """The reason, in words for the user."""
    says: Statement | None = Field(default=None, exclude_if=lambda says: says is None)
    """The same as a statement, by whose code a reader may tell reasons apart."""


def read_nothing(content: Any) -> Nothing | None:
    """The content as `Nothing`. None if the content is an ordinary deliverable."""
    if isinstance(content, dict) and "nothing" in content and set(content) <= {"nothing", "says"}:  # pyright: ignore[reportUnknownArgumentType] JSON from outside has no static type
        return Nothing.model_validate(content)
    return None
