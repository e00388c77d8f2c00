"""`/v1/systems`: systems that incidents are about, and a look at one."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from contracts.base import Contract
from contracts.checks import Gathered, System
from contracts.statements import code, name, say
from workers.checks.gathering import Looking, gather
from workers.checks.systems import add_system, list_systems, remove_system
from workers.errors import NotFound
from workers.gateway.access.caller import Caller, Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.context import Gateway
from workers.logs import list_logs
from workers.prometheus import list_metrics
from workers.sources import list_sources

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
    return answered(open_systems(here, caller))


def open_systems(here: Gateway, caller: Caller) -> list[System]:
    """The systems that a caller may see, each with the sensors that the caller may use."""
    only = caller.only_owner
    found = list_systems(here.db, only)
    if only is None:
        return found
    return [part for system in found if (part := _open_part(here, system, only)) is not None]


def _open_part(here: Gateway, system: System, owner: str) -> System | None:
    """A system with the sensors that an owner may use. None: it has none."""
    source = next((each for each in list_sources(here.db) if each.name == system.source), None)
    logs = next((each for each in list_logs(here.db) if system.logs and each.name == system.logs.name), None)
    metrics = next((each for each in list_metrics(here.db) if system.metrics and each.name == system.metrics.name), None)
    left = {
        "source": system.source if source is None or source.is_open_to(owner) else None,
        "logs": system.logs if logs is None or not logs.owners or owner in logs.owners else None,
        "metrics": system.metrics if metrics is None or metrics.is_open_to(owner) else None,
    }
    return system.model_copy(update={**left, "owners": (owner,) if system.owners else ()}) if any(left.values()) else None


@router.post("", status_code=201)
def add(here: Here, _: MayAdminister, body: System) -> System:
    """Add a system: a source of an engine that has checks, a log, metrics, or several of these."""
    return add_system(here.db, body)


@router.delete("/{name}")
def remove(here: Here, _: MayAdminister, name: str) -> SystemGone:
    """Forget a system."""
    remove_system(here.db, name)
    return SystemGone(removed=name)


@router.post("/{system}/look")
def look(here: Here, caller: MaySubmit, system: str, body: LookAsked) -> Gathered:
    """Run all checks of a system's sensors now, read-only, and say what they found."""
    owner = caller.only_owner or body.owner or caller.owner
    found = next((known for known in list_systems(here.db, caller.only_owner) if known.name == system), None)
    if found is None:
        raise NotFound.of(say("check.refused.no_system", system=name(system[:80]), command=code("GET /v1/systems")))
    return gather(Looking(here.db, here.settings.data_dir, owner), found)
