"""`/v1/quarantine`: what could not be processed; one entry or many are processed again, or given up."""

from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field, StrictFloat, StrictInt

from contracts.base import Contract
from workers.app.quarantine import replay_many
from workers.blackboard.quarantine import Selection, count_entries
from workers.gateway.access.caller import Caller, Here, MayOperate
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.languages import language_of
from workers.operations import quarantine as operations
from workers.saying import text_of

router = APIRouter(prefix="/v1", tags=["quarantine"], route_class=StrictRoute)

MOST_REPLAYED_AT_ONCE = 1_000
MOST_AGE_S = 31_622_400.0


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


class Remark(Body):
    """What an operator says of an entry."""

    note: str | None = Field(default=None, min_length=1, max_length=1_000)
    """What helped, or why it is given up."""


Name = Annotated[str | None, Query(min_length=1, max_length=500)]
Age = Annotated[float | None, Query(ge=0, le=MOST_AGE_S, description="Seconds.")]


class Choice(Body):
    """New entries: all that fit every field given."""

    source: str | None = Field(default=None, max_length=500)
    cause: str | None = Field(default=None, max_length=500)
    older_s: StrictFloat | StrictInt | None = Field(default=None, ge=0, le=MOST_AGE_S)
    newer_s: StrictFloat | StrictInt | None = Field(default=None, ge=0, le=MOST_AGE_S)
    limit: StrictInt = Field(default=100, ge=1, le=MOST_REPLAYED_AT_ONCE)
    """Of a replay: most entries, the oldest first."""
    note: str | None = Field(default=None, min_length=1, max_length=1_000)
    """What helped, or why they are given up."""

    def of(self, caller: Caller) -> Selection:
        """As the caller may choose."""
        return Selection(source=self.source, cause=self.cause, older_s=self.older_s, newer_s=self.newer_s, owner=caller.only_owner)


class ManyReplayed(Contract):
    """What a bulk replay did."""

    done: int
    failed: dict[str, int]
    """Reason → entries that could not be replayed. They stay new."""
    left: int
    """Entries that were chosen and not tried, since the limit was reached."""


@router.get("/quarantine", response_model=list[dict[str, Any]])
def quarantine(
    here: Here,
    caller: MayOperate,
    state: EntryState | None = None,
    source: Name = None,
    cause: Name = None,
    older_s: Age = None,
    newer_s: Age = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 50,
) -> Response:
    """What could not be processed, the newest first; the header `X-Total-Count` says how many there are. Entries without a job are seen
    by keys of scope admin only."""
    found = operations.quarantine(
        here, caller, state=state, source=source, cause=cause, older_s=older_s, newer_s=newer_s, limit=limit
    )  # fmt: skip
    which = Selection(state, source, cause, older_s, newer_s, caller.only_owner)
    listed = answered(found)
    listed.headers["X-Total-Count"] = str(len(found) if len(found) < limit else count_entries(here.db, which))
    return listed


@router.get("/quarantine/groups", response_model=list[dict[str, Any]])
def groups(here: Here, caller: MayOperate, state: EntryState = EntryState.NEW, older_s: Age = None, newer_s: Age = None) -> Response:
    """Entries by source and cause, the most frequent first."""
    return answered(operations.quarantine_groups(here, caller, state=state, older_s=older_s, newer_s=newer_s))


@router.post("/quarantine/replay")
def replay_chosen(request: Request, here: Here, caller: MayOperate, body: Choice) -> ManyReplayed:
    """Process many again. One that cannot be processed stays new, and does not stop the others."""
    made = replay_many(here.services, body.of(caller), most=body.limit, note=body.note, language=language_of(request))
    return ManyReplayed(done=made.done, failed=dict(made.failed), left=made.left)


@router.post("/quarantine/give-up")
def give_up_chosen(here: Here, caller: MayOperate, body: Choice) -> operations.ManyGivenUp:
    """Settle all that fit."""
    return operations.give_up_quarantine(
        here, caller, source=body.source, cause=body.cause, older_s=body.older_s, newer_s=body.newer_s, note=body.note
    )  # fmt: skip


@router.get("/quarantine/{entry_id:uuid}", response_model=dict[str, Any])
def quarantined(here: Here, caller: MayOperate, entry_id: UUID) -> Response:
    """An entry with the beginning of its body."""
    return answered(operations.quarantined(here, caller, entry_id))


@router.get("/quarantine/{entry_id:uuid}/advice")
def advice(here: Here, caller: MayOperate, entry_id: UUID) -> operations.EntryAdvice:
    """The fault behind an entry, and what helped with faults like it before: notes of operators, replays that succeeded."""
    return operations.quarantine_advice(here, caller, entry_id)


@router.post("/quarantine/{entry_id:uuid}/replay")
def replay_quarantined(request: Request, here: Here, caller: MayOperate, entry_id: UUID, body: Remark | None = None) -> Settled:
    """Process it again: a submission becomes a job, a step is replayed, a message of the fleet is sent again."""
    done = operations.replay_quarantined(here, caller, entry_id, note=None if body is None else body.note)
    return Settled(id=entry_id, state=EntryState.REPLAYED, did=text_of(done.did, language_of(request)), job_id=done.job_id)


@router.post("/quarantine/{entry_id:uuid}/give-up")
def give_up(here: Here, caller: MayOperate, entry_id: UUID, body: Remark | None = None) -> Settled:
    """Settle it: it is kept until a purge, and needs no further attention."""
    operations.give_up_quarantined(here, caller, entry_id, note=None if body is None else body.note)
    return Settled(id=entry_id, state=EntryState.GIVEN_UP)
