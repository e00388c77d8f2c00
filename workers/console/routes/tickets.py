"""The history of solved incidents: search, a ticket, changing it."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Response
from pydantic import ValidationError

from contracts.refusals import at, in_words, place_of
from contracts.statements import say
from contracts.tickets import Ticket
from workers.console.pages import Administering, Reading
from workers.console.routing import PageRoute
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.gateway.routes.knowledge import MOST_WORDS
from workers.tickets import count_history, delete_ticket, edit_ticket, page_of_tickets, search_tickets, show_ticket

router = APIRouter(prefix="/console/tickets", include_in_schema=False, route_class=PageRoute)

SHOWN = 50


@router.get("")
def tickets(here: Here, look: Reading, text: str = "", after: Annotated[str, Query(max_length=300)] = "") -> Response:
    """Search by symptoms; without a search all tickets, page by page."""
    newest = () if text.strip() else page_of_tickets(here.db, after=after, limit=SHOWN)
    hits = search_tickets(here.db, here.services.embedder, text[:MOST_WORDS], 30) if text.strip() else []
    return look.html("tickets.html", text=text, most=MOST_WORDS, hits=hits, counts=count_history(here.db), newest=newest, shown=SHOWN)


@router.get("/show/{ticket_id:path}")
def ticket(here: Here, look: Reading, ticket_id: str) -> Response:
    """A ticket."""
    return look.html("ticket.html", ticket=show_ticket(here.db, ticket_id))


@router.post("/show/{ticket_id:path}")
def change(
    here: Here, look: Administering, ticket_id: str,
    description: Annotated[str, Form(max_length=20_000)] = "",
    root_cause: Annotated[str, Form(max_length=4_000)] = "",
    solution: Annotated[str, Form(max_length=20_000)] = "",
) -> Response:  # fmt: skip
    """Change what a ticket says."""
    known = show_ticket(here.db, ticket_id)
    fields = {"description": description, "root_cause": root_cause, "solution": solution}
    changed = known.model_dump(mode="json")
    changed |= {field: given for field, text in fields.items() if (given := _as_stored(text)) != _as_stored(changed[field])}
    try:
        item = Ticket.model_validate(changed)
    except ValidationError as error:
        fault = error.errors()[0]
        raise InvalidInput.of(say("refused.ticket_not_stored", reason=at(place_of(fault["loc"]), in_words(fault)))) from None
    edit_ticket(here.db, here.services.embedder, known, item)
    return look.html("notice.html", status=200, detail=look("console.tickets.changed"))


def _as_stored(text: str) -> str:
    """A form sends its own ends of lines."""
    return text.replace("\r\n", "\n").strip()


@router.post("/delete/{ticket_id:path}")
def delete(here: Here, look: Administering, ticket_id: str) -> Response:
    """Delete a ticket."""
    delete_ticket(here.db, ticket_id, here.services.embedder)
    return Response(status_code=200, headers={"HX-Redirect": "/console/tickets"})
