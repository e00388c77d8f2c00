"""A ticket as RAR reads it: what happened, what was observed, what it was and what helped, joined from the evidence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from contracts.tickets import PhenomenonCard, TicketEvidence

SHOWN_WEIGHT = 0.1
"""What one confirmed phenomenon adds to the likeness of a ticket that shows it: retrieval asks for the problem and for
what was confirmed."""


@dataclass(frozen=True)
class TicketView:
    """One candidate ticket."""

    ticket_id: str
    description: str
    phenomena: tuple[str, ...]
    """In the words of the history, each with how it is checked, if a ticket says so."""
    phenomenon_ids: frozenset[str]
    cause_id: str
    root_cause: str
    solution: str
    similarity: float
    """Similarity to what the user reported."""


_METHOD = 200
"""Characters of how a phenomenon is checked."""


def _with_method(card: PhenomenonCard) -> str:
    method = " ".join(card.observation_method.split())[:_METHOD]
    return f"{card.description} (checked by: {method})" if method else card.description


def candidates(evidence: TicketEvidence, confirmed: Sequence[Collection[str]], most: int) -> tuple[TicketView, ...]:
    """The tickets nearest to the incident, best first, at most `most`. `confirmed`: the ids of each confirmed phenomenon.

    A ticket whose cause the evidence does not hold is left out: it could support nothing.
    """
    causes = {cause.cause_id: cause for cause in evidence.causes}
    wordings = {card.phenomenon_id: _with_method(card) for card in evidence.phenomena}
    views = [
        TicketView(
            ticket_id=ticket.ticket_id,
            description=ticket.description,
            phenomena=tuple(wordings[found] for found in ticket.phenomenon_ids if found in wordings),
            phenomenon_ids=frozenset(ticket.phenomenon_ids),
            cause_id=ticket.cause_id,
            root_cause=causes[ticket.cause_id].description,
            solution=causes[ticket.cause_id].solution,
            similarity=ticket.similarity,
        )
        for ticket in evidence.tickets
        if ticket.cause_id in causes and ticket.ticket_id.strip()
    ]

    def rank(view: TicketView) -> tuple[float, str]:
        shown = sum(not view.phenomenon_ids.isdisjoint(ids) for ids in confirmed)
        return (-(view.similarity + SHOWN_WEIGHT * shown), view.ticket_id)

    return tuple(sorted(views, key=rank)[:most])
