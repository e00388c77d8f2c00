"""Importing tickets: a file is looked at first, its columns can be chosen, and the last change can be taken back."""

import asyncio

from fastapi import APIRouter, Response

from workers.console.filled import Filled, texts_of
from workers.console.pages import Administering, Look
from workers.console.routing import PageRoute
from workers.console.ticket_import import MEANINGS, brought
from workers.engines.encodings import CODECS
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.kinds.registry import sample_history
from workers.tickets import import_tickets, read_tickets, undo_change
from workers.tickets.table_files import Item

router = APIRouter(prefix="/console/tickets", include_in_schema=False, route_class=PageRoute)


@router.get("/import")
def import_page(look: Administering) -> Response:
    """Choose a file."""
    return look.html("tickets_import.html", has_sample=sample_history() is not None, encodings=tuple(CODECS))


@router.post("/import/preview")
async def preview(look: Administering, form: Filled) -> Response:
    """What the file holds, and what each of its columns is taken for."""
    file = await brought(form, texts_of(form))
    found = await asyncio.to_thread(file.look)
    return look.html("tickets_preview.html", name=file.name, found=found, meanings=MEANINGS)


@router.post("/import")
async def take(here: Here, look: Administering, form: Filled) -> Response:
    """Import the file with these columns."""
    file = await brought(form, texts_of(form))
    return await asyncio.to_thread(lambda: _taken(here, look, file.items()))


@router.post("/import/sample")
def take_sample(here: Here, look: Administering) -> Response:
    """Import the tickets that ship, to try it."""
    shipped = sample_history()
    if shipped is None:
        raise InvalidInput(look("console.tickets.no_sample"))
    return _taken(here, look, list(read_tickets(shipped)))


@router.post("/undo")
def undo(here: Here, look: Administering) -> Response:
    """Take the last change of the history back."""
    undone = undo_change(here.db, here.services.embedder)
    return look.html("tickets_undone.html", removed=undone.removed, restored=undone.restored)


def _taken(here: Gateway, look: Look, items: list[Item]) -> Response:
    report = import_tickets(here.db, here.services.embedder, items)
    return look.html("tickets_imported.html", report=report)
