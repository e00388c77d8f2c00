"""What a model read in the person's words, as facts of a case: evidence of little weight, and only where nothing else is known."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from contracts.diagnose.deliverables import ReadFinding
from contracts.tickets import PhenomenonCard
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.likeness import normalised
from workers.kinds.diagnose.rules.volunteered import Fact

_LEAST_QUOTE = 4
"""Letters of a quotation that says something; a Chinese character counts as two."""
_CLAUSES = re.compile(r"[,;.!?](?=\s|$)|[，；。！？\n]|\bbut\b")
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


def clause_of(quote: str, texts: Sequence[str]) -> str | None:
    """The clause that a quotation is of, by which it is held against a phenomenon: words cut out of their own denial say the opposite. The
    quotation itself where it goes beyond a clause; None where nobody wrote it, or it says too little."""
    wanted = plain(quote)
    if len(wanted) + sum(character > "\u2e80" for character in wanted) < _LEAST_QUOTE or not any(wanted in plain(text) for text in texts):
        return None
    clauses = (clause for text in texts for clause in _CLAUSES.split(text))
    return next((clause for clause in clauses if wanted in plain(clause)), quote)


def apart(quotes: set[str]) -> set[str]:
    """Quotations of which none is a part of another."""
    words = {quote: plain(quote) for quote in quotes}
    return {quote for quote in quotes if not any(words[quote] in words[other] and words[quote] != words[other] for other in quotes)}
