"""`/v1/systems`: systems that incidents are about, and a look at one."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from contracts.base import Contract
from contracts.checks import Gathered, System
from workers.gateway.access.caller import Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.operations import systems as operations

router = APIRouter(prefix="/v1/systems", tags=["systems"], route_class=StrictRoute)


class LookAsked(Body):
    """A look at a system."""

    owner: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    """For whom; for keys of scope admin. Default: the caller."""


class SystemGone(Contract):
    """A system that was forgotten."""

    removed: str


@router.get("", response_model=list[System])
def systems(here: Here, caller: MayRead) -> Response:
    """The systems that are looked at for the caller's incidents."""
    return answered(operations.systems(here, caller))


@router.post("", status_code=201)
def add(here: Here, caller: MayAdminister, body: System) -> System:
    """Add a system: a source of an engine that has checks, a log, metrics, or several of these."""
    return operations.add_system(here, caller, body)


@router.delete("/{name}")
def remove(here: Here, caller: MayAdminister, name: str) -> SystemGone:
    """Forget a system."""
    operations.remove_system(here, caller, name)
    return SystemGone(removed=name)


@router.post("/{system}/look")
def look(here: Here, caller: MaySubmit, system: str, body: LookAsked) -> Gathered:
    """Run all checks of a system's sensors now, read-only, and say what they found."""
    return operations.look_at_system(here, caller, system, owner=body.owner)
