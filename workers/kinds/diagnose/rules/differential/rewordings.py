"""Phenomena that tickets of one cause tell in other words are one phenomenon: asked once, and shown by all of these tickets.

What is near enough is found with the history (workers/tickets/alike.py). Here it is joined, the nearest first; never two phenomena of one
ticket, for nobody writes the same thing twice.
"""

from collections import defaultdict
from collections.abc import Sequence

from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.families import Family


def join_rewordings(groups: Sequence[Family], evidence: TicketEvidence) -> tuple[Family, ...]:
    """The families with rewordings as one, in their order."""
    families = dict(enumerate(groups))
    place = {found: at for at, family in families.items() for found in family.ids}
    holders = holders_of(groups, evidence)
    pairs = {
        (-like, *sorted((card.phenomenon_id, other)))
        for family in groups
        for card in family.cards
        for other, like in card.reworded.items()
        if other in place
    }
    for _, left, right in sorted(pairs):
        kept, gone = sorted((place[left], place[right]))
        if kept == gone or not holders[kept].isdisjoint(holders[gone]):
            continue
        families[kept] = _joined(families[kept], families.pop(gone))
        holders[kept] |= holders.pop(gone)
        place |= dict.fromkeys(families[kept].ids, kept)
    return tuple(families.values())


def holders_of(groups: Sequence[Family], evidence: TicketEvidence) -> defaultdict[int, set[str]]:
    """The place of each family → ids of the tickets that tell it."""
    place = {found: at for at, family in enumerate(groups) for found in family.ids}
    found: defaultdict[int, set[str]] = defaultdict(set)
    for ticket in evidence.tickets:
        for phenomenon in ticket.phenomenon_ids:
            if phenomenon in place:
                found[place[phenomenon]].add(ticket.ticket_id)
    return found


def _joined(family: Family, other: Family) -> Family:
    """Both as one, the wordings nearest to the report first."""
    both = sorted(
        zip((*family.cards, *other.cards), (*family.wordings, *other.wordings), strict=True),
        key=lambda pair: (-pair[0].similarity, pair[0].phenomenon_id),
    )
    shown = dict(family.shown)
    for cause, count in other.shown.items():
        shown[cause] = shown.get(cause, 0) + count
    return Family(tuple(card for card, _ in both), tuple(text for _, text in both), shown, family.ids | other.ids)
