"""`/v1/purge`: what an operator does now and then. For keys of scope admin."""

from fastapi import APIRouter
from pydantic import Field, StrictBool, StrictFloat, StrictInt

from workers.gateway.access.caller import Here, MayAdminister
from workers.gateway.bodies import Body, StrictRoute
from workers.operations import fleet as operations

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


@router.post("/purge")
def purge(here: Here, caller: MayAdminister, body: Purge) -> operations.Purged:
    """Delete finished jobs with everything that belongs to them, settled entries of the quarantine, and files that no job needs."""
    return operations.purge(here, caller, body.older_than_s, dry_run=body.dry_run, keep_files=body.keep_files)
