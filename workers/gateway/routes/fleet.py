"""`/v1/fleet`, `/v1/usage`, `/v1/kinds`: what the fleet does, what it used, and what it can do."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import TypeAdapter

from contracts.base import Contract
from contracts.statements import name as identifier
from contracts.statements import quote, say
from workers.errors import NotFound
from workers.gateway.access.caller import Here, MayAdminister, MayOperate, MayRead
from workers.gateway.bodies import Body, Moment, StrictRoute, answered
from workers.kinds.base import Kind
from workers.kinds.registry import all_kinds
from workers.operations import fleet as operations
from workers.reading.costs import FleetCost, read_costs
from workers.reading.fleet import FleetFacts, Lease, read_fleet, read_leases

router = APIRouter(prefix="/v1", tags=["fleet"], route_class=StrictRoute)

_FIRST = datetime(1, 1, 31, tzinfo=UTC)
"""The first moment with 30 days before it."""

RoleCalled = Annotated[str, Path(max_length=80)]


class StateWanted(Body):
    """What a role shall do."""

    state: operations.RoleState


class KindSeen(Contract):
    """A kind of job."""

    name: str
    summary: str
    example: str
    words: str
    """The field of the request with the user's words; empty: it has none."""
    files: str | None
    """The field that names a bundle (POST /v1/bundles)."""
    talks: bool
    """Whether users hold conversations with it."""
    request: dict[str, Any]
    """The JSON schema of its request."""
    feedback: dict[str, Any] | None
    """That of the feedback it learns from."""


@router.get("/fleet", response_model=FleetFacts)
def fleet(here: Here, _: MayRead) -> Response:
    """The work of each role, live jobs by status, and how much waits in quarantine. Counts only: whose jobs they are is not shown."""
    return answered(read_fleet(here.db))


@router.get("/fleet/leases", response_model=list[Lease])
def leases(here: Here, caller: MayOperate, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> Response:
    """Steps that workers hold now; the caller's own, unless the key is of scope admin."""
    return answered(read_leases(here.db, owner=caller.only_owner, limit=limit))


@router.put("/fleet/roles/{role}")
def set_role(here: Here, caller: MayAdminister, role: RoleCalled, body: StateWanted) -> operations.RoleSet:
    """Pause a role's workers, for every owner's jobs, or let them go on. What runs is finished."""
    return operations.set_role(here, caller, role, body.state)


@router.get("/fleet/roles/{role}")
def role(here: Here, caller: MayRead, role: RoleCalled) -> operations.RoleSet:
    """The state of a role, and how many of its steps run."""
    return operations.role(here, caller, role)


@router.get("/usage", response_model=list[FleetCost])
def usage(
    here: Here,
    caller: MayRead,
    since: Annotated[Moment | None, Query(description="Default: 30 days ago.")] = None,
    until: Annotated[Moment | None, Query(description="Default: now.")] = None,
    owner: Annotated[str | None, Query(max_length=200, description="For keys of scope admin; others see their own.")] = None,
) -> Response:
    """What steps used of models, by role and model."""
    end = until or datetime.now(UTC) + timedelta(minutes=1)
    begin = since or max(end, _FIRST) - timedelta(days=30)
    return answered(read_costs(here.db, begin, end, owner=caller.only_owner or owner))


@router.get("/kinds", tags=["kinds"])
def kinds(_: MayRead) -> list[KindSeen]:
    """The kinds of jobs that this deployment knows, with the schemas of their requests."""
    return [kind_seen(kind) for kind in all_kinds()]


@router.get("/kinds/{name}", tags=["kinds"])
def kind(_: MayRead, name: str) -> KindSeen:
    """One kind of job."""
    found = next((kind for kind in all_kinds() if kind.name == name), None)
    if found is None:
        raise NotFound.of(say("refused.no_kind_listed", kind=quote(name[:80]), command=identifier("GET /v1/kinds")))
    return kind_seen(found)


def kind_seen(kind: Kind) -> KindSeen:
    """What a client needs to know of a kind."""
    feedback = None if kind.feedback is None else TypeAdapter(kind.feedback.form.load()).json_schema()
    return KindSeen(
        name=kind.name, summary=kind.summary, example=kind.example, words=kind.playbook.words, files=kind.files, talks=kind.talks,
        request=kind.request.model_json_schema(), feedback=feedback,
    )  # fmt: skip
