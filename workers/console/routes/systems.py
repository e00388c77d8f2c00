"""Systems that incidents are about: where each is looked at, and a look now."""

from fastapi import APIRouter, Response

from contracts.statements import code, name, say
from workers.checks.gathering import Looking, gather
from workers.checks.systems import list_systems
from workers.checks.view import gathered_blocks, title_of
from workers.console.pages import Reading, Submitting
from workers.console.routing import PageRoute
from workers.errors import NotFound
from workers.gateway.access.caller import Here
from workers.operations.systems import systems as open_systems
from workers.saying.document import Document

router = APIRouter(prefix="/console/systems", include_in_schema=False, route_class=PageRoute)


@router.get("")
def systems(here: Here, look: Reading) -> Response:
    """The page."""
    return look.html("systems.html", systems=open_systems(here, look.who))


@router.post("/{system}/look")
def look_now(here: Here, look: Submitting, system: str) -> Response:
    """All checks of a system, read-only, with what they found."""
    found = next((known for known in list_systems(here.db, look.who.only_owner) if known.name == system), None)
    if found is None:
        raise NotFound.of(say("check.refused.no_system", system=name(system[:80]), command=code("bullpen system list")))
    seen = gather(Looking(here.db, here.settings.data_dir, look.who.owner), found)
    return look.html("system_look.html", shown=look.document(Document(title=title_of(seen), blocks=tuple(gathered_blocks(seen)))))
