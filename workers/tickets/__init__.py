"""What the fleet knows beyond one job; so far the history of solved incidents."""

from workers.tickets.evidence import EvidenceLimits, gather_evidence
from workers.tickets.reindex import ReindexReport, reindex
from workers.tickets.search import TicketHit, search_tickets
from workers.tickets.tickets import count_history, delete_ticket, import_tickets, read_tickets, show_ticket

__all__ = [
    "EvidenceLimits",
    "ReindexReport",
    "TicketHit",
    "count_history",
    "delete_ticket",
    "gather_evidence",
    "import_tickets",
    "read_tickets",
    "reindex",
    "search_tickets",
    "show_ticket",
]
