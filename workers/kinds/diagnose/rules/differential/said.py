"""What the opening has said, in any words: phenomena that are not asked any more."""

import math
import re
from collections.abc import Sequence

from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.differential.concepts import Concepts
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.posterior import priors_of
from workers.kinds.diagnose.rules.profiles import Profile

_EXCEPTION = re.compile(r"\b[\w.$]+(?:Exception|Error):\s*")
"""The name of an exception, which says less than its message."""
_SAID = 0.40
"""Likeness of a phenomenon to the opening from which the opening has said it."""
_SAID_BY_TICKET = 0.33
"""The same for the phenomenon of a ticket that is nearest to the opening: it is what makes the ticket near, and was counted with it. Of
phenomena as near as that two in five were said, and of what was said two thirds are."""
_HELD = 0.5
"""Share of what a phenomenon says, by concepts, from which the opening has said it. Of 377 phenomena asked in four histories 7 of the
32 that the opening had said have it, and 3 of 345 that it had not."""
_RAISED = 2.0
"""Nats by which the opening raises the odds of a cause from which it says something of each of the cause's tickets with several phenomena:
the nearest of them. With it 73 of 90 phenomena are known as said that the openings of two histories say, and 51 without it; of 423 others
92 and 43 are passed over."""


def raised_causes(evidence: TicketEvidence, begun: Sequence[float], profile: Profile) -> frozenset[str]:
    """The causes that the opening made much likelier than they are without it: it says something that their tickets say."""
    if not begun:
        return frozenset()
    high = max(begun)
    parts = [math.exp(score - high) for score in begun]
    total = math.fsum(parts)
    usual = priors_of(evidence.causes, profile)
    odds = ((part / max(total - part, 1e-12), prior / max(1 - prior, 1e-12)) for part, prior in zip(parts, usual, strict=True))
    raised = [now >= usual * math.exp(_RAISED) for now, usual in odds]
    return frozenset(cause.cause_id for cause, is_raised in zip(evidence.causes, raised, strict=False) if is_raised)


def said_phenomena(evidence: TicketEvidence, groups: Sequence[Family], description: str, raised: frozenset[str]) -> frozenset[str]:
    """Ids of the phenomena that the opening has said, in any words. `raised`: the causes that it made likely."""
    cards = evidence.phenomena
    held = Concepts([_EXCEPTION.sub("", card.description) for card in cards]).held_by(description)
    near = {card.phenomenon_id for card, share in zip(cards, held, strict=True) if card.similarity >= _SAID or share >= _HELD}
    near |= _near(evidence, description, raised)
    return frozenset(near).union(*(family.ids for family in groups if not near.isdisjoint(family.ids)))


def _near(evidence: TicketEvidence, description: str, raised: frozenset[str]) -> set[str]:
    """Ids of the phenomena that are nearest to the opening in one of their tickets: if they are near enough, or, in a ticket with
    several whose cause the opening made likely, by likeness or by concepts at all."""
    cards = evidence.phenomena
    near = {card.phenomenon_id: card.similarity for card in cards}
    alike = dict(zip(near, Concepts([card.description for card in cards]).to(description), strict=True))
    known: set[str] = set()
    for ticket in evidence.tickets:
        own = [found for found in ticket.phenomenon_ids if found in near]
        if own:
            nearest = max(own, key=lambda found: (near[found], found))
            if near[nearest] >= (_SAID_BY_TICKET if len(own) > 1 else _SAID):  # an only phenomenon is all that could refute the ticket
                known.add(nearest)
            if len(own) > 1 and ticket.cause_id in raised:
                known.add(nearest)
                by_concepts = max(own, key=lambda found: (alike[found], found))
                if alike[by_concepts] and len(own) > len({nearest, by_concepts}):  # what is left could refute the ticket
                    known.add(by_concepts)
    return known
