"""The history of solved incidents: importing it, searching it, and what of it bears on a new incident."""

from workers.tickets.embedding import await_vectors, count_waiting, embed_history
from workers.tickets.evidence import EvidenceLimits, gather_evidence
from workers.tickets.reindex import ReindexReport, reindex
from workers.tickets.search import TicketHit, search_tickets
from workers.tickets.tickets import (
    count_history,
    delete_ticket,
    edit_ticket,
    full_id,
    import_tickets,
    page_of_tickets,
    read_tickets,
    show_ticket,
    store_ticket,
    undo_change,
)

__all__ = [
    "EvidenceLimits",
    "ReindexReport",
    "TicketHit",
    "await_vectors",
    "count_history",
    "count_waiting",
    "delete_ticket",
    "edit_ticket",
    "embed_history",
    "full_id",
    "gather_evidence",
    "import_tickets",
    "page_of_tickets",
    "read_tickets",
    "reindex",
    "search_tickets",
    "show_ticket",
    "store_ticket",
    "undo_change",
]
