"""An incident told in the words of an old ticket. That says much, unless tickets of other causes are told in them too."""

from collections import Counter

from contracts.tickets import TicketCard, TicketEvidence
from workers.kinds.diagnose.rules.likeness import Wording, normalised, overlap, wording
from workers.kinds.diagnose.rules.profiles import Profile

_ABOUT = 0.05
"""Tickets whose likeness is less by this at most are told again about as well."""

_LENGTHS = 2.0
"""Times that one text may be longer than the other, to be worth comparing."""


def retold(evidence: TicketEvidence, description: str, profile: Profile) -> dict[str, float]:
    """cause_id → how closely one of its tickets is told again: likeness beyond `retold_from`, times the part that the cause
    has in the tickets that are told again about as well ("the database is slow"). Other causes are absent.

    The likeness is that of all symptoms, or that of a line of the ticket's description, whichever is greater: who tells
    an incident again repeats what was said of it, not what was found in it.
    """
    said = wording(description)
    near = [(ticket, like) for ticket in evidence.tickets if (like := _likeness(ticket, said, profile.retold_from)) > profile.retold_from]
    near.sort(key=lambda pair: -pair[1])
    found: dict[str, float] = {}
    causes: Counter[str] = Counter()
    counted = 0
    for ticket, like in near:
        while counted < len(near) and near[counted][1] >= like - _ABOUT:
            causes[near[counted][0].cause_id] += 1
            counted += 1
        part = causes[ticket.cause_id] / counted
        found[ticket.cause_id] = max((like - profile.retold_from) * part, found.get(ticket.cause_id, 0.0))
    return found


def _likeness(ticket: TicketCard, description: Wording, above: float) -> float:
    """Where it is above `above`; else nothing is said but that. Lines of another length cannot be as like as it takes, and are
    not compared."""
    size = len(description.text)
    lines = {ticket.description, *ticket.description.splitlines()}
    about = [line for line in lines if size <= _LENGTHS * len(line) and len(line) <= _LENGTHS * size]
    return max([ticket.similarity, *[overlap(description, normalised(line), above) for line in about]])
