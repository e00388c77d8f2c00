"""An incident told in the words of an old ticket. That says much, unless tickets of other causes are told in them too."""

from collections import Counter, defaultdict

from contracts.diagnosis import TicketEvidence
from workers.engines.diagnosis.likeness import normalised
from workers.engines.diagnosis.profiles import Profile


def retold(evidence: TicketEvidence, profile: Profile) -> dict[str, float]:
    """cause_id → how closely one of its tickets is told again: cosine beyond `retold_from`, times the part that the cause has
    in the tickets of this description ("the database is slow"). Causes of which no ticket is told again are absent."""
    near = [ticket for ticket in evidence.tickets if ticket.similarity > profile.retold_from]
    if not near:
        return {}
    told: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ticket in evidence.tickets:
        told[normalised(ticket.description)][ticket.cause_id] += 1
    found: dict[str, float] = {}
    for ticket in near:
        causes = told[normalised(ticket.description)]
        beyond = (ticket.similarity - profile.retold_from) * causes[ticket.cause_id] / causes.total()
        found[ticket.cause_id] = max(beyond, found.get(ticket.cause_id, 0.0))
    return found
