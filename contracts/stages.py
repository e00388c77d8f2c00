"""Stages: the places in a job's plan. Playbooks, deliverables and delegations all speak of them in this form."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from contracts.base import Contract, Json
from contracts.roles import RoleName

StageName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(/[a-z0-9_]+)*$", max_length=80)]
"""`diagnosis`, `plan/2`, `asker/1`: a contributed stage stands under its maker."""

NeedName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(/[a-z0-9_]+)*(/\*)?$", max_length=80)]
"""What a stage may need: a stage, or a family such as `plan/*`, which is every stage called `plan/` and one more part."""

INPUT = "input"
"""The stage that holds the request itself. No role fills it; only a human revises it."""

_ANY = "/*"


def is_family(name: str) -> bool:
    """Whether a need, or a playbook's result, names a family and not a stage."""
    return name.endswith(_ANY)


def is_member(stage: str, family: str) -> bool:
    """Whether a stage belongs to a family: `plan/2` to `plan/*`, and neither `plan` nor `plan/2/1`. A stage is not a family."""
    return is_family(family) and "/" in stage and stage.rpartition("/")[0] == family.removesuffix(_ANY)


def member_order(stage: str) -> int:
    """What the members of a family are sorted by: their number. Those without one come first, as they were added."""
    last = stage.rpartition("/")[2]
    return int(last) if last.isdecimal() else -1


class StageSpec(Contract):
    """One stage: who fills it, from what."""

    name: StageName
    role: RoleName
    task: str = Field(pattern=r"^[a-z][a-z0-9_.]*$", max_length=80)
    """Which of the role's tasks: `tickets.retrieve`, `diagnosis.conclude`. See workers/roles/registry.py."""
    needs: tuple[NeedName, ...] = ()
    """Stages and families that must be fresh first. Their contents are what the step is given."""
    optional: bool = False
    """The task may yield `Nothing(reason)`; consumers need the stage like any other."""
    params: Json = {}
    """Settings of this stage; part of what makes its deliverable stale."""


class Nothing(Contract):
    """The deliverable of an optional stage that does not apply."""

    nothing: str = Field(min_length=1)
    """The reason, for the reader of the job."""


def read_nothing(content: Any) -> Nothing | None:
    """The `Nothing` that a deliverable's content is; None: it is something."""
    if isinstance(content, dict) and set(content) == {"nothing"}:  # pyright: ignore[reportUnknownArgumentType] JSON from outside has no static type
        return Nothing.model_validate(content)
    return None
