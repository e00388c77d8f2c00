"""All rows of a result as a CSV file: the page shows the first of them."""

from uuid import UUID

from fastapi import APIRouter, Response

from workers.console.pages import Reading
from workers.console.routing import PageRoute
from workers.gateway.access.caller import Here
from workers.gateway.routes import rows

router = APIRouter(prefix="/console/jobs/{job_id}", include_in_schema=False, route_class=PageRoute)


@router.get("/rows")
def all_rows(here: Here, look: Reading, job_id: UUID) -> Response:
    """The statement of the result is run again, with the rights and limits of the job's owner."""
    look.who.job(here.db, job_id)
    return rows.rows(here, look.who, job_id)
