"""Stages: the places in a job's plan. Playbooks, deliverables and delegations all speak of them in this form."""

from typing import Annotated

from pydantic import Field, StringConstraints

from contracts.base import Contract, Json
from contracts.roles import RoleName

StageName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(/[a-z0-9_]+)*$", max_length=80)]
"""`diagnosis`, `plan/2`, `asker/1`: a contributed stage stands under its maker."""

INPUT = "input"
"""The stage that holds the request itself. No role fills it; only a human revises it."""


class StageSpec(Contract):
    """One stage: who fills it, from what."""

    name: StageName
    role: RoleName
    task: str = Field(pattern=r"^[a-z][a-z0-9_.]*$", max_length=80)
    """Which of the role's tasks: `tickets.retrieve`, `diagnosis.conclude`. See workers/roles/registry.py."""
    needs: tuple[StageName, ...] = ()
    """Stages that must be fresh first. Their contents are what the step is given."""
    optional: bool = False
    """The producer may yield `Nothing(reason)`; consumers need the stage like any other."""
    params: Json = {}
    """Settings of this stage; part of what makes its deliverable stale."""


class Nothing(Contract):
    """The deliverable of an optional stage that does not apply."""

    nothing: str = Field(min_length=1)
    """The reason, for the reader of the job."""
