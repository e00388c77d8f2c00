"""`/v1/purge`: what an operator does now and then. For keys of scope admin."""

from datetime import datetime, timedelta

from fastapi import APIRouter
from pydantic import Field, StrictBool, StrictFloat, StrictInt

from contracts.base import Contract
from workers.blackboard import retention
from workers.bundles import Freed, open_store, purge_store
from workers.gateway.access.caller import Here, MayAdminister
from workers.gateway.bodies import Body, StrictRoute
from workers.reading.values import as_json

router = APIRouter(prefix="/v1", tags=["upkeep"], route_class=StrictRoute)

MOST_AGE_S = 3_155_760_000
"""A hundred years."""


class Purge(Body):
    """What is to be deleted."""

    older_than_s: StrictFloat | StrictInt = Field(ge=0, le=MOST_AGE_S)
    """Seconds since a job ended, or an entry of the quarantine was settled."""
    dry_run: StrictBool = False
    """Only count."""
    keep_files: StrictBool = False
    """Keep the artefact store: jobs of another database use it too."""


class FilesGone(Contract):
    """Files of the artefact store."""

    bundles: int
    files: int
    bytes: int


class Purged(Contract):
    """How many rows and files were deleted, or would be."""

    before: datetime
    jobs: int
    events: int
    decisions: int
    sessions: int
    quarantine: int
    facts: int
    skills: int
    artefacts: FilesGone
    dry_run: bool


@router.post("/purge")
def purge(here: Here, _: MayAdminister, body: Purge) -> Purged:
    """Delete finished jobs with everything that belongs to them, settled entries of the quarantine, and files that no job needs."""
    age = timedelta(seconds=body.older_than_s)
    rows = retention.count_old(here.db, age) if body.dry_run else retention.purge(here.db, age)
    files = Freed() if body.keep_files else purge_store(here.db, open_store(here.settings), age, dry_run=body.dry_run)
    return Purged.model_validate({**as_json(rows), "artefacts": as_json(files), "dry_run": body.dry_run})
