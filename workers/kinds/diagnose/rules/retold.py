"""Incidents described in the words of an old ticket. That is strong evidence, unless tickets of other causes use the same words."""

from collections import Counter

from contracts.tickets import TicketCard, TicketEvidence
from workers.kinds.diagnose.rules.likeness import Wording, normalised, overlap, wording
from workers.kinds.diagnose.rules.profiles import Profile

_ABOUT = 0.05
"""Tickets whose likeness is at most this much smaller count as repeated about as closely."""

_LENGTHS = 2.0
"""The largest ratio of the lengths of two texts that are worth comparing."""


def retold(evidence: TicketEvidence, description: str, profile: Profile) -> dict[str, float]:
    """cause_id → how closely the description repeats one of its tickets: likeness beyond `retold_from`, times the share of the cause in
    all tickets that are repeated about as closely ("the database is slow"). Other causes are absent.

    The likeness is that of all symptoms, or that of a line of the ticket's description, whichever is greater: a
    repetition of an incident repeats its description, not its findings.
    """
    text = wording(description)
    near = [(ticket, like) for ticket in evidence.tickets if (like := _likeness(ticket, text, profile.retold_from)) > profile.retold_from]
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
    """The likeness if it is above `above`; otherwise a value that is not above it. Lines of very different length cannot be similar
    enough, and are not compared."""
    size = len(description.text)
    lines = {ticket.description, *ticket.description.splitlines()}
    about = [line for line in lines if size <= _LENGTHS * len(line) and len(line) <= _LENGTHS * size]
    return max([ticket.similarity, *[overlap(description, normalised(line), above) for line in about]])
