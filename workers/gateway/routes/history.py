"""`/v1/history` and changes of `/v1/tickets`: what an operator does with the history of solved incidents."""

import asyncio
from datetime import datetime
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from contracts.base import Contract, Json
from contracts.statements import name, say
from contracts.tickets import ImportReport, Ticket
from workers.bundles import open_store
from workers.bundles.store import staging_folder
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here, MayAdminister, MayRead
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.languages import language_of
from workers.gateway.operations import Operation, begin, read_operation
from workers.gateway.operations.running import Tell
from workers.gateway.uploads import receive
from workers.kinds.paths import safe_path
from workers.saying.content import in_words
from workers.tickets import count_history, count_waiting, import_tickets, reindex, show_ticket, store_ticket, undo_change
from workers.tickets.changes import list_changes
from workers.tickets.columns import read_mapping
from workers.tickets.ticket_files import open_tickets

router = APIRouter(prefix="/v1", tags=["tickets"], route_class=StrictRoute)
uploading = APIRouter(prefix="/v1", tags=["tickets"])
both = APIRouter()

FILE_BODY: Json = {
    "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}


class ChangeSeen(Contract):
    """A change of the history."""

    what: str
    """`import`, `edit`, `delete`, `feedback`, `merge` or `undo`."""
    at: datetime
    undone: bool
    added: int
    replaced: int
    example: str


class FileImported(ImportReport):
    """What became of a file of tickets."""

    waiting: int
    """Texts that have no vector yet, and are found by their words."""


class Undo(Body):
    """Which change."""

    ticket_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """The last change of this ticket. Default: the last of all."""


class UndoneSeen(Contract):
    """A change that was undone."""

    what: str
    at: datetime
    removed: int
    restored: int


@router.put("/tickets/{ticket_id:path}")
def edit_ticket(here: Here, _: MayAdminister, ticket_id: str, body: Ticket) -> Ticket:
    """Replace a ticket that there is. It counts at once, and can be undone."""
    show_ticket(here.db, ticket_id)
    if body.ticket_id != ticket_id:
        raise InvalidInput.of(say("refused.ticket_id_changed", field=name("ticket_id")))
    store_ticket(here.db, here.services.embedder, body, what="edit")
    return show_ticket(here.db, ticket_id)


@uploading.post("/history/import", openapi_extra=FILE_BODY)
async def import_file(
    request: Request,
    here: Here,
    _: MayAdminister,
    name: Annotated[str, Query(min_length=1, max_length=200, description="Its ending says what it is: .json, .jsonl or .csv.")],
    map: Annotated[list[str] | None, Query(description="COLUMN=FIELD: what a column holds.")] = None,
    encoding: Annotated[str, Query(max_length=40, description="Of a text that does not say so itself. Default: recognised from it.")] = "",
    strict: Annotated[bool, Query(description="Import nothing if any row has a problem.")] = False,
) -> FileImported:
    """Import a file of tickets as one change: new ones are added, changed ones (same ticket_id) replaced. CSV exports of Jira and
    ServiceNow are read by their usual headers. Rows with a problem are reported."""
    mapping = read_mapping(map or [])
    with staging_folder(open_store(here.settings)) as staging:
        file = staging / uuid4().hex / safe_path(name).name
        file.parent.mkdir(mode=0o700)
        await receive(request, file, room=here.room, most=here.settings.bundle_bytes)

        def bring() -> FileImported:
            embedder = here.services.embedder
            opened = open_tickets(file, mapping, encoding)
            report = import_tickets(here.db, embedder, opened.items, strict=strict)
            worded = in_words({**report.to_json(), "encoding": opened.encoding}, language_of(request))
            return FileImported.model_validate({**worded, "waiting": count_waiting(here.db, embedder) if embedder else 0})

        return await asyncio.to_thread(bring)


@router.get("/history", response_model=dict[str, int])
def history(here: Here, _: MayRead) -> Any:
    """Tickets, their causes and phenomena, and the vectors of each embedding model."""
    return count_history(here.db)


@router.get("/history/changes", response_model=list[ChangeSeen])
def changes(here: Here, _: MayRead) -> Response:
    """The changes that can be undone, the newest first."""
    return answered(
        [
            {"what": c.what, "at": c.at, "undone": c.undone, "added": c.added, "replaced": c.replaced, "example": c.example}
            for c in list_changes(here.db)
        ]
    )


@router.post("/history/undo")
def undo(here: Here, _: MayAdminister, body: Undo) -> UndoneSeen:
    """Undo the last change of the history, or of one ticket. Repeat it to undo the change before."""
    done = undo_change(here.db, here.services.embedder, ticket_id=body.ticket_id)
    return UndoneSeen(what=done.change.what, at=done.change.at, removed=done.removed, restored=done.restored)


@router.post("/history/reindex", status_code=202)
def reindex_history(request: Request, here: Here, _: MayAdminister) -> Operation:
    """Derive everything from the tickets again: phenomena, causes, counts, words, links, vectors. It begins at once and goes on in the
    background; one that runs already is not begun again."""

    def work(tell: Tell) -> Json:
        return reindex(here.db, here.services.embedder, progress=tell).to_json()

    return read_operation(here.db, begin(here.db, "reindex-history", work), language_of(request))


both.include_router(uploading)
both.include_router(router)
