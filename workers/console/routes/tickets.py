"""The history of solved incidents: search, a ticket, changing it."""

from typing import Annotated

from fastapi import APIRouter, Form, Response

from contracts.tickets import Ticket
from workers.console.pages import Operating, Reading
from workers.console.routing import PageRoute
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.tickets import count_history, delete_ticket, import_tickets, search_tickets, show_ticket

router = APIRouter(prefix="/console/tickets", include_in_schema=False, route_class=PageRoute)


@router.get("")
def tickets(here: Here, look: Reading, text: str = "") -> Response:
    """Search by symptoms."""
    hits = search_tickets(here.db, here.services.embedder, text[:20_000], 30) if text.strip() else []
    return look.html("tickets.html", text=text, hits=hits, counts=count_history(here.db))


@router.get("/show/{ticket_id:path}")
def ticket(here: Here, look: Reading, ticket_id: str) -> Response:
    """A ticket."""
    return look.html("ticket.html", ticket=show_ticket(here.db, ticket_id))


@router.post("/show/{ticket_id:path}")
def change(
    here: Here, look: Operating, ticket_id: str,
    description: Annotated[str, Form(max_length=20_000)] = "",
    root_cause: Annotated[str, Form(max_length=4_000)] = "",
    solution: Annotated[str, Form(max_length=20_000)] = "",
) -> Response:  # fmt: skip
    """Change what a ticket says."""
    known = show_ticket(here.db, ticket_id)
    changed = known.model_dump(mode="json") | {"description": description, "root_cause": root_cause, "solution": solution}
    try:
        item = Ticket.model_validate(changed)
    except ValueError as error:
        raise InvalidInput(str(error).splitlines()[1] if "\n" in str(error) else str(error)) from None
    report = import_tickets(here.db, here.services.embedder, [(1, item)], strict=True)
    if report.problems:
        raise InvalidInput(report.problems[0].reason)
    return look.html("notice.html", status=200, detail=look("console.tickets.changed"))


@router.post("/delete/{ticket_id:path}")
def delete(here: Here, look: Operating, ticket_id: str) -> Response:
    """Delete a ticket."""
    delete_ticket(here.db, ticket_id, here.services.embedder)
    return Response(status_code=200, headers={"HX-Redirect": "/console/tickets"})
