"""What a model says of a case, as evidence with a weight: it can move the likeliest cause, and can never conclude.

A model reads the tickets that it is shown, and the author of one of those may have written to the model. So its word counts as much as a
few questions at most, its confidence scales that and no more, it speaks only for causes in the history, and of what it writes nothing is
shown: causes, solutions and questions come from the tickets.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from contracts.diagnose.deliverables import PointedCause
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.rar.case import CANDIDATES, RarCase, read_case

Point = Callable[[RarCase], PointedCause]
"""A model that points to the tickets which an incident is like."""

MOST_NATS = 1.5
"""The most that a model's word counts for a cause: as much as a phenomenon that is confirmed and that one ticket in two lists."""


@dataclass(frozen=True)
class Hint:
    """The cause that a model points to."""

    cause_id: str
    nats: float


def hint_of(point: Point, request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue, *, may_ask: bool) -> Hint | None:
    """What the model says; None if it cites no tickets, or tickets of several causes. Raises what `point` raises."""
    if not evidence.tickets:
        return None
    stated = point(read_case(request, evidence, dialogue, may_ask=may_ask, most=CANDIDATES))
    cause_of = {ticket.ticket_id: ticket.cause_id for ticket in evidence.tickets}
    causes = Counter(cause_of[ticket] for ticket in stated.cited_tickets if ticket in cause_of)
    if len(causes) != 1:
        return None
    return Hint(next(iter(causes)), MOST_NATS * stated.confidence)
