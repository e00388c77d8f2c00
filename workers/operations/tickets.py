"""The history of solved incidents."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from contracts.base import Contract
from contracts.statements import name, say
from contracts.tickets import ImportReport, Ticket
from workers import tickets as library
from workers.errors import InvalidInput
from workers.operations.base import Asker, Here, Tell, operation
from workers.tickets.changes import list_changes
from workers.tickets.reindex import ReindexReport
from workers.tickets.search import TicketHit
from workers.tickets.ticket_files import to_solved


class ChangeSeen(Contract):
    """A change of the history."""

    what: str
    """`import`, `edit`, `delete`, `feedback`, `merge` or `undo`."""
    at: datetime
    undone: bool
    added: int
    replaced: int
    example: str


class UndoneSeen(Contract):
    """A change that was undone."""

    what: str
    at: datetime
    removed: int
    restored: int


@operation("knowledge.tickets")
def tickets(here: Here, asker: Asker, words: str, *, limit: int = 10) -> list[TicketHit]:
    """Tickets whose symptoms are nearest to a text. Every owner sees the same history."""
    return library.search_tickets(here.db, here.embedder, words, limit)


@operation("knowledge.ticket")
def ticket(here: Here, asker: Asker, ticket_id: str) -> Ticket:
    """A ticket as it was imported, by its id or by one that is shortened to its end. Raises `NotFound`."""
    return library.show_ticket(here.db, library.full_id(here.db, ticket_id))


@operation("knowledge.import_tickets")
def import_tickets(here: Here, asker: Asker, rows: Sequence[Mapping[str, Any]], *, strict: bool = False) -> ImportReport:
    """Import tickets: new ones are added, changed ones (same ticket_id) replaced. Rows with a problem are reported."""
    items = [(line, to_solved(line, dict(row))) for line, row in enumerate(rows, 1)]
    return library.import_tickets(here.db, here.embedder, items, strict=strict)


@operation("knowledge.edit_ticket")
def edit_ticket(here: Here, asker: Asker, ticket_id: str, ticket: Ticket) -> Ticket:
    """Replace a ticket. Raises `NotFound`, and `InvalidInput` for another id."""
    known = library.show_ticket(here.db, ticket_id)
    if ticket.ticket_id != ticket_id:
        raise InvalidInput.of(say("refused.ticket_id_changed", field=name("ticket_id")))
    library.edit_ticket(here.db, here.embedder, known, ticket)
    return library.show_ticket(here.db, ticket_id)


@operation("knowledge.delete_ticket")
def delete_ticket(here: Here, asker: Asker, ticket_id: str) -> None:
    """Delete a ticket, and the phenomena and cause that no other ticket has. Raises `NotFound`."""
    library.delete_ticket(here.db, library.full_id(here.db, ticket_id), here.embedder)


@operation("knowledge.undo_history")
def undo_history(here: Here, asker: Asker, *, ticket_id: str | None = None) -> UndoneSeen:
    """Undo the last change of the history, or of one ticket. Raises `NotFound`."""
    done = library.undo_change(here.db, here.embedder, ticket_id=ticket_id and library.full_id(here.db, ticket_id))
    return UndoneSeen(what=done.change.what, at=done.change.at, removed=done.removed, restored=done.restored)


@operation("knowledge.history_changes")
def history_changes(here: Here, asker: Asker) -> list[ChangeSeen]:
    """The changes that can be undone, the newest first."""
    return [
        ChangeSeen(what=c.what, at=c.at, undone=c.undone, added=c.added, replaced=c.replaced, example=c.example)
        for c in list_changes(here.db)
    ]


@operation("knowledge.reindex_history", in_background=True)
def reindex_history(here: Here, asker: Asker, *, tell: Tell) -> ReindexReport:
    """Derive everything from the tickets again: phenomena, causes, counts, words, links, vectors."""
    return library.reindex(here.db, here.embedder, progress=tell)


@operation("knowledge.history")
def history(here: Here, asker: Asker) -> dict[str, int]:
    """Numbers of tickets, causes, phenomena and vectors."""
    return library.count_history(here.db)
