"""What the fleet knows beyond one job; so far the history of solved incidents."""

from workers.knowledge.evidence import EvidenceLimits, gather_evidence
from workers.knowledge.reindex import ReindexReport, reindex
from workers.knowledge.search import TicketHit, search_tickets
from workers.knowledge.tickets import count_history, delete_ticket, import_tickets, read_tickets, show_ticket

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
