"""An address of the console that leads nowhere: a page with the way back, in place of the gateway's JSON."""

from fastapi import APIRouter, Response

from workers.console.pages import Reading
from workers.console.routing import PageRoute

router = APIRouter(prefix="/console", include_in_schema=False, route_class=PageRoute)


@router.get("/{rest:path}")
def missing(look: Reading, rest: str) -> Response:
    """The last of all routes: it takes any address that no other takes."""
    return look.html("error.html", 404, detail=look("console.refused.no_page"))
