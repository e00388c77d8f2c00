"""What a model read in the person's words, as facts of a case: evidence of little weight, and only where nothing else is known."""

from collections import Counter
from collections.abc import Mapping, Sequence

from contracts.diagnose.deliverables import ReadFinding
from contracts.tickets import PhenomenonCard
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.likeness import normalised
from workers.kinds.diagnose.rules.volunteered import Fact

STRENGTH = 0.5
"""Of such a finding, against 1 for an answer: the description was weighed as a whole before."""


def facts_read(
    findings: Sequence[ReadFinding],
    cards: Mapping[str, tuple[Family, PhenomenonCard]],
    known: Sequence[Fact],
    looked_up: Sequence[str] = (),
) -> tuple[Fact, ...]:
    """The findings as facts, without those on phenomena of which something is known. What one quote says of several counts once.
    `looked_up`: what nobody said."""
    unsaid = [plain(text) for text in looked_up]
    quotes = Counter(plain(found.quote) for found in findings)
    taken = {fact.family.key for fact in known if fact.source != "unsaid"}
    made: dict[str, Fact] = {}
    for found in findings:
        if found.phenomenon_id in cards:
            family, card = cards[found.phenomenon_id]
            if family.key not in taken:
                quote = "" if any(plain(found.quote) in text for text in unsaid) else found.quote
                made.setdefault(family.key, Fact(family, card, found.finding, "read", STRENGTH / quotes[plain(found.quote)], quote))
    return tuple(made.values())


def plain(text: str) -> str:
    """A text without white space, in which a quotation is looked for."""
    return "".join(normalised(text).split())
