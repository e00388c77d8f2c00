"""`/healthz` and `/readyz`: the only routes that need no key. They say nothing about the fleet but whether this process serves."""

from fastapi import APIRouter, Response

from workers.gateway.access.caller import Here
from workers.gateway.problems import problem

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
def health() -> Response:
    """The process lives."""
    return Response("ok\n", media_type="text/plain")


@router.get("/readyz")
def ready(here: Here) -> Response:
    """The process can serve: it does not end, and the database answers."""
    if here.feed.is_closing:
        return problem(503, "Ending", "This gateway is ending. Ask another.")
    here.db.row("SELECT 1 AS one")
    return Response("ok\n", media_type="text/plain")
