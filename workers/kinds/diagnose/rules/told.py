"""What the user told of their own accord, and what they left out, as findings on known phenomena."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from contracts.diagnose.deliverables import Finding
from contracts.tickets import PhenomenonCard, TicketEvidence
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.likeness import Wording, normalised, wording
from workers.kinds.diagnose.rules.profiles import Profile

_SENTENCE = re.compile(r"[。；;！？!?\n]+|\.\s+|\.$")
_COMPARED = 20
"""Sentences, and phenomena near to them, that are compared letter by letter."""
_LIST = 3
"""Phenomena in their known wording from which on an opening is a list of them."""
_METRICS_NORMAL = re.compile(r"\ball other metrics are normal\b|其[他它余]指标[均都]?正常", re.IGNORECASE)
"""What a monitoring says that has looked at everything it knows."""
_REST_NORMAL = re.compile(
    r"\b(?:every|all)(?:thing)? (?:other|else)\b[^.;!?]{0,40}\bnormal\b|\bnothing else\b[^.;!?]{0,40}\b(?:unusual|abnormal|odd)\b"
    r"|其[他它余][^，。；！？]{0,12}(?:正常|无异常|没有异常)",
    re.IGNORECASE,
)
"""What a person says who has looked at some of it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One finding as the posterior takes it."""

    family: Family
    card: PhenomenonCard
    """The wording that the finding is about; of this evidence."""
    finding: Finding
    source: Literal["asked", "told", "unsaid"]
    strength: float = 1.0
    """1: said in so many words. Less: an observation that resembles it, or a phenomenon left out of a list."""


def told(
    evidence: TicketEvidence, cards: Mapping[str, tuple[Family, PhenomenonCard]], said: Sequence[str], profile: Profile
) -> dict[str, Fact]:
    """What was told as soft confirmations, the strongest per phenomenon. `cards`: by id, each with its family; `said`: the
    description and all free text.

    Observations come matched. A sentence of the description is a match of the phenomenon that is worded like it, or
    nearly so. A text that may be several phenomena is shared out among them, for it was said once.
    """
    matches = [(match.text, match.phenomenon_id, match.similarity) for match in evidence.observations]
    matched = {match.phenomenon_id for match in evidence.observations}
    matches += _in_description(evidence, said, matched, profile)
    by_text: defaultdict[str, dict[str, Fact]] = defaultdict(dict)
    for text, phenomenon_id, similarity in matches:
        strength = (similarity - profile.told_from) / (profile.told_full - profile.told_from)
        if phenomenon_id in cards and strength > 0:
            family, card = cards[phenomenon_id]
            fact = Fact(family, card, Finding.CONFIRMED, "told", min(strength, 1.0))
            before = by_text[text].get(family.key)
            if before is None or fact.strength > before.strength:
                by_text[text][family.key] = fact
    best: dict[str, Fact] = {}
    for facts in by_text.values():
        total = max(sum(fact.strength for fact in facts.values()), 1.0)
        for key, fact in facts.items():
            shared = replace(fact, strength=fact.strength / total)
            if key not in best or shared.strength > best[key].strength:
                best[key] = shared
    return best


def unsaid(groups: Sequence[Family], spoken_of: Collection[str], description: str, profile: Profile) -> Iterator[Fact]:
    """Denials of what is left out of an opening: full ones when all other metrics are said to be normal, weak ones when a
    person says that nothing else is odd, or lists phenomena in their known wording one by one: the more of the sentences
    are known phenomena, the more it is a list. Prose names what its author noticed, and its silence says nothing.
    `spoken_of`: keys of the families on which there is a finding.
    """
    strength = 1.0 if _METRICS_NORMAL.search(description) else profile.silence
    if not (_METRICS_NORMAL.search(description) or _REST_NORMAL.search(description)):
        sentences = {normalised(sentence) for sentence in _sentences([description])}
        named = sentences & {known.plain for family in groups for known in family.wordings}
        strength *= len(named) / len(sentences) if len(named) >= _LIST else 0.0
    if not strength:
        return
    for family in groups:
        if family.key not in spoken_of:
            yield Fact(family, family.cards[0], Finding.DENIED, "unsaid", strength)


def _in_description(evidence: TicketEvidence, said: Sequence[str], matched: set[str], profile: Profile) -> list[tuple[str, str, float]]:
    """Phenomena that a sentence says nearly word for word, with the sentence; not those that it contradicts."""
    sentences = list(_sentences(said))
    exact = {normalised(sentence): sentence for sentence in sentences}
    pieces: list[Wording] | None = None
    found: list[tuple[str, str, float]] = []
    compared = 0
    for card in evidence.phenomena:
        if card.phenomenon_id in matched:
            continue
        if (sentence := exact.get(wording(card.description).plain)) is not None:
            found.append((sentence, card.phenomenon_id, profile.told_full))
            continue
        if card.similarity < profile.told_from or compared == _COMPARED:
            continue
        compared += 1
        known = wording(card.description)
        pieces = [Wording(sentence) for sentence in sentences[:_COMPARED]] if pieces is None else pieces
        share, piece = max(((known.share_in(piece), piece) for piece in pieces), key=lambda pair: pair[0], default=(0.0, None))
        if piece is not None and share >= profile.said_bar and not piece.contradicts(known):
            found.append((piece.text, card.phenomenon_id, profile.told_full * share))
    return found


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    return (sentence for text in texts for sentence in _SENTENCE.split(text) if sentence.strip())
