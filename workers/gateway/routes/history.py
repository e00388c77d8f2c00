"""`/v1/history` and changes of `/v1/tickets`: what an operator does with the history of solved incidents."""

import asyncio
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from contracts.base import Json
from contracts.tickets import ImportReport, Ticket
from workers.bundles import open_store
from workers.bundles.store import staging_folder
from workers.gateway.access.caller import Here, MayAdminister, MayRead
from workers.gateway.background import Operation, begin, read_operation
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.languages import language_of
from workers.gateway.uploads import named_as_sent, receive
from workers.kinds.paths import safe_path
from workers.operations import tickets as operations
from workers.operations.base import Tell
from workers.saying.content import in_words
from workers.tickets import count_waiting, import_tickets
from workers.tickets.mapping import read_mapping
from workers.tickets.ticket_files import open_tickets

router = APIRouter(prefix="/v1", tags=["tickets"], route_class=StrictRoute)
uploading = APIRouter(prefix="/v1", tags=["tickets"])
both = APIRouter()

FILE_BODY: Json = {
    "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}


class FileImported(ImportReport):
    """What became of a file of tickets."""

    waiting: int
    """Texts that have no vector yet, and are found by their words."""


class Undo(Body):
    """Which change."""

    ticket_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """The last change of this ticket. Default: the last of all."""


@router.put("/tickets/{ticket_id:path}")
def edit_ticket(here: Here, caller: MayAdminister, ticket_id: str, body: Ticket) -> Ticket:
    """Replace a ticket that there is. It counts at once, and can be undone."""
    return operations.edit_ticket(here, caller, ticket_id, body)


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
            with named_as_sent(file.parent, name):
                opened = open_tickets(file, mapping, encoding)
                report = import_tickets(here.db, embedder, opened.items, strict=strict)
            seen = {"encoding": opened.encoding, "id_column": opened.id_column}
            worded = in_words({**report.to_json(), **seen}, language_of(request))
            return FileImported.model_validate({**worded, "waiting": count_waiting(here.db, embedder) if embedder else 0})

        return await asyncio.to_thread(bring)


@router.get("/history", response_model=dict[str, int])
def history(here: Here, caller: MayRead) -> Any:
    """Tickets, their causes and phenomena, and the vectors of each embedding model."""
    return operations.history(here, caller)


@router.get("/history/changes", response_model=list[operations.ChangeSeen])
def changes(here: Here, caller: MayRead) -> Response:
    """The changes that can be undone, the newest first."""
    return answered([dict(change) for change in operations.history_changes(here, caller)])


@router.post("/history/undo")
def undo(here: Here, caller: MayAdminister, body: Undo) -> operations.UndoneSeen:
    """Undo the last change of the history, or of one ticket. Repeat it to undo the change before."""
    return operations.undo_history(here, caller, ticket_id=body.ticket_id)


@router.post("/history/reindex", status_code=202)
def reindex_history(request: Request, here: Here, caller: MayAdminister) -> Operation:
    """Derive everything from the tickets again: phenomena, causes, counts, words, links, vectors. It begins at once and goes on in the
    background; one that runs already is not begun again."""

    def work(tell: Tell) -> Json:
        return operations.reindex_history(here, caller, tell=tell).to_json()

    return read_operation(here.db, begin(here.db, "reindex-history", work), language_of(request))


both.include_router(uploading)
both.include_router(router)
