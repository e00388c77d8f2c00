"""`/v1/fleet`, `/v1/usage`, `/v1/quarantine`, `/v1/kinds`: what the fleet does, what it used, and what it could not take."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, LiteralString
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from pydantic import AwareDatetime, TypeAdapter

from contracts.base import Contract, Json
from contracts.roles import COORDINATOR, RoleName
from workers.app.quarantine import GIVEN_UP, replay_entry
from workers.app.role_states import set_role_state
from workers.blackboard.quarantine import Selection, get_entry, list_entries, settle
from workers.errors import NotFound
from workers.gateway.access.caller import Caller, Here, MayOperate, MayRead
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.context import Gateway
from workers.kinds.base import Kind
from workers.kinds.registry import all_kinds
from workers.reading.costs import FleetCost, read_costs
from workers.reading.fleet import FleetFacts, Lease, read_fleet, read_leases

router = APIRouter(prefix="/v1", tags=["fleet"], route_class=StrictRoute)

WORKERS = (COORDINATOR, *(role.value for role in RoleName))
MOST_ENTRIES = 1_000

_OWNER_OF: LiteralString = "SELECT owner FROM jobs WHERE id = %(id)s"


class RoleState(StrEnum):
    """Whether a role's workers take new steps."""

    RUNNING = "running"
    PAUSED = "paused"


class StateWanted(Body):
    """What a role shall do."""

    state: RoleState


class RoleSet(Contract):
    """The state of a role."""

    role: str
    state: RoleState


class EntryState(StrEnum):
    """What became of an entry of the quarantine."""

    NEW = "new"
    REPLAYED = "replayed"
    GIVEN_UP = "given_up"


class Settled(Contract):
    """What became of an entry."""

    id: UUID
    state: EntryState
    did: str = ""
    job_id: UUID | None = None


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
    found = read_leases(here.db)
    if caller.only_owner is not None:
        rows = here.db.statement(
            "SELECT id FROM jobs WHERE id = ANY(%(ids)s) AND owner = %(owner)s",
            {"ids": [lease.job_id for lease in found], "owner": caller.only_owner},
        )
        own = {row["id"] for row in rows}
        found = tuple(lease for lease in found if lease.job_id in own)
    return answered(found[:limit])


@router.put("/fleet/roles/{role}")
def set_role(here: Here, _: MayOperate, role: Annotated[str, Path(max_length=80)], body: StateWanted) -> RoleSet:
    """Pause a role's workers, or let them go on. What runs is finished."""
    if role not in WORKERS:
        raise NotFound(f"No role is called {role!r}. The roles are: {', '.join(WORKERS)}.")
    set_role_state(here.db, role, body.state.value)
    return RoleSet(role=role, state=body.state)


@router.get("/usage", response_model=list[FleetCost])
def usage(
    here: Here,
    caller: MayRead,
    since: Annotated[AwareDatetime | None, Query(description="Default: 30 days ago.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Default: now.")] = None,
    owner: Annotated[str | None, Query(max_length=200, description="For keys of scope admin; others see their own.")] = None,
) -> Response:
    """What steps used of models, by role and model."""
    end = until or datetime.now(UTC) + timedelta(minutes=1)
    begin = since or end - timedelta(days=30)
    return answered(read_costs(here.db, begin, end, owner=caller.only_owner or owner))


@router.get("/quarantine", response_model=list[dict[str, Any]])
def quarantine(
    here: Here, caller: MayOperate, state: EntryState | None = None, limit: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = 50
) -> Response:
    """What could not be processed, the newest first. Entries without a job are seen by keys of scope admin only."""
    return answered(list_entries(here.db, Selection(state=state, owner=caller.only_owner), limit=limit))


@router.get("/quarantine/{entry_id}", response_model=dict[str, Any])
def quarantined(here: Here, caller: MayOperate, entry_id: UUID) -> Response:
    """An entry with the beginning of its body."""
    return answered({**_entry(here, caller, entry_id)})


@router.post("/quarantine/{entry_id}/replay")
def replay_quarantined(here: Here, caller: MayOperate, entry_id: UUID) -> Settled:
    """Process it again: a submission becomes a job, a step is replayed, a message of the fleet is sent again."""
    _entry(here, caller, entry_id)
    done = replay_entry(here.services, entry_id)
    return Settled(id=entry_id, state=EntryState.REPLAYED, did=done.did, job_id=done.job_id)


@router.post("/quarantine/{entry_id}/give-up")
def give_up(here: Here, caller: MayOperate, entry_id: UUID) -> Settled:
    """Settle it: it is kept until a purge, and needs no further attention."""
    _entry(here, caller, entry_id)
    settle(here.db, entry_id, GIVEN_UP)
    return Settled(id=entry_id, state=EntryState.GIVEN_UP)


def _entry(here: Gateway, caller: Caller, entry_id: UUID) -> Json:
    found = get_entry(here.db, entry_id)
    if caller.only_owner is not None:
        job = None if found["job_id"] is None else here.db.row(_OWNER_OF, {"id": found["job_id"]})
        if job is None or job["owner"] != caller.only_owner:
            raise NotFound(f"There is no quarantine entry {entry_id}. GET /v1/quarantine lists yours.")
    return found


@router.get("/kinds", tags=["kinds"])
def kinds(_: MayRead) -> list[KindSeen]:
    """The kinds of jobs that this deployment knows, with the schemas of their requests."""
    return [kind_seen(kind) for kind in all_kinds()]


@router.get("/kinds/{name}", tags=["kinds"])
def kind(_: MayRead, name: str) -> KindSeen:
    """One kind of job."""
    found = next((kind for kind in all_kinds() if kind.name == name), None)
    if found is None:
        raise NotFound(f"No kind of job is called {name[:80]!r}. GET /v1/kinds lists them.")
    return kind_seen(found)


def kind_seen(kind: Kind) -> KindSeen:
    """What a client needs to know of a kind."""
    feedback = None if kind.feedback is None else TypeAdapter(kind.feedback.form.load()).json_schema()
    return KindSeen(
        name=kind.name, summary=kind.summary, example=kind.example, words=kind.playbook.words, files=kind.files, talks=kind.talks,
        request=kind.request.model_json_schema(), feedback=feedback,
    )  # fmt: skip
