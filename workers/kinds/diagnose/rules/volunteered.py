"""What the user reported without being asked, and what they left out, as findings on known phenomena."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from contracts.diagnose.deliverables import ALIKE, DESCRIBED, VOLUNTEERED, EvidenceSource, Finding
from contracts.tickets import PhenomenonCard, TicketEvidence
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.likeness import Wording, normalised, says_in_its_words, wording
from workers.kinds.diagnose.rules.profiles import Profile
from workers.tickets.contradiction import opposed
from workers.tickets.quotations import quote_alike

_SENTENCE = re.compile(r"[。；;！？!?\n]+|\.\s+|\.$")
_COMPARED = 20
"""Sentences, and phenomena near to them, that are compared letter by letter."""
_LIST = 3
"""Phenomena in their known wording from which on an opening is a list of them."""
_METRICS_NORMAL = re.compile(r"\ball other metrics are normal\b|其[他它余]指标[均都]?正常", re.IGNORECASE)
"""The words of a monitoring system that has checked all its metrics."""
_REST_NORMAL = re.compile(
    r"\b(?:every|all)(?:thing)? (?:other|else)\b[^.;!?]{0,40}\bnormal\b|\bnothing else\b[^.;!?]{0,40}\b(?:unusual|abnormal|odd)\b"
    r"|其[他它余][^，。；！？]{0,12}(?:正常|无异常|没有异常)",
    re.IGNORECASE,
)
"""The words of a person who has checked some of them."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One finding, in the form that the posterior uses. `quote`: the user's words that a model took for it."""

    family: Family
    card: PhenomenonCard
    """The wording that the finding is about; of this evidence."""
    finding: Finding
    source: EvidenceSource
    strength: float = 1.0
    """1 for an explicit report; less for an observation that resembles it, or a phenomenon left out of a list."""
    quote: str = ""


def volunteered(
    evidence: TicketEvidence, cards: Mapping[str, tuple[Family, PhenomenonCard]], texts: Sequence[str], profile: Profile
) -> dict[str, Fact]:
    """Reported phenomena as soft confirmations, the strongest for each phenomenon. `cards`: by id, each with its family; `texts`: the
    description and all free text that came later.

    Observations already have their matches. A sentence of the description matches a phenomenon with the same or nearly the same wording, or
    with the same error text. If a text matches several phenomena, its strength is divided among them: it was reported once.
    """
    matches = [(match.text, match.phenomenon_id, match.similarity) for match in evidence.observations]
    matched = {match.phenomenon_id for match in evidence.observations}
    matches += _in_description(evidence, texts, matched, profile)
    later = {*(match.text for match in evidence.observations), *_sentences(texts[1:])}
    by_text: defaultdict[str, dict[str, Fact]] = defaultdict(dict)
    for text, phenomenon_id, similarity in matches:
        strength = (similarity - profile.volunteered_from) / (profile.volunteered_full - profile.volunteered_from)
        if phenomenon_id in cards and strength > 0:
            family, card = cards[phenomenon_id]
            source = _source(text, card, is_later=text in later)
            fact = Fact(family, card, Finding.CONFIRMED, source, min(strength, 1.0))
            before = by_text[text].get(family.key)
            if before is None or fact.strength > before.strength:
                by_text[text][family.key] = fact
    best: dict[str, Fact] = {}
    for facts in by_text.values():
        total = max(sum(fact.strength for fact in facts.values()), 1.0)
        for key, fact in facts.items():
            shared = replace(fact, strength=fact.strength / total)
            if key not in best or _rank(shared) > _rank(best[key]):
                best[key] = shared
    return best


def _source(text: str, card: PhenomenonCard, *, is_later: bool) -> EvidenceSource:
    """What was reported in the very words of a phenomenon was reported; what only resembles it confirms nothing."""
    if not is_later:
        return DESCRIBED
    return VOLUNTEERED if says_in_its_words(text, card.description) else ALIKE


def _rank(fact: Fact) -> tuple[bool, bool, float]:
    """What was reported later is more than a repetition of the description, which was weighed as a whole before."""
    return fact.source == VOLUNTEERED, fact.source == DESCRIBED, fact.strength


def unsaid(groups: Sequence[Family], spoken_of: Collection[str], description: str, profile: Profile) -> Iterator[Fact]:
    """Denials of phenomena that an opening leaves out. They are full if the text says that all other metrics are normal. They are weak if
    a person says that nothing else is unusual, or lists phenomena in their known wording: the more of the sentences are known phenomena,
    the more the text is a list. Prose names only what its author noticed, so nothing follows from what it leaves out. `spoken_of`: keys
    of the families that already have a finding.
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


def _in_description(evidence: TicketEvidence, texts: Sequence[str], matched: set[str], profile: Profile) -> list[tuple[str, str, float]]:
    """Phenomena that a sentence reports nearly word for word, or whose error text it copies, each with the sentence; not those that it
    contradicts."""
    sentences = list(_sentences(texts))
    exact = {normalised(sentence): sentence for sentence in sentences}
    pieces: list[Wording] | None = None
    found: list[tuple[str, str, float]] = []
    compared = 0
    for card in evidence.phenomena:
        if card.phenomenon_id in matched:
            continue
        if (sentence := exact.get(wording(card.description).plain)) is not None:
            found.append((sentence, card.phenomenon_id, profile.volunteered_full))
            continue
        copies = (each for each in sentences if quote_alike(each, card.description) and not opposed(each, card.description))
        if (quoted := next(copies, None)) is not None:  # both copy one error text, and the sentence does not deny it
            found.append((quoted, card.phenomenon_id, profile.volunteered_full))
            continue
        if card.similarity < profile.volunteered_from or compared == _COMPARED:
            continue
        compared += 1
        known = wording(card.description)
        pieces = [Wording(sentence) for sentence in sentences[:_COMPARED]] if pieces is None else pieces
        share, piece = max(((known.share_in(piece), piece) for piece in pieces), key=lambda pair: pair[0], default=(0.0, None))
        if piece is not None and share >= profile.sentence_bar and not piece.contradicts(known):
            found.append((piece.text, card.phenomenon_id, profile.volunteered_full * share))
    return found


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    return (sentence for text in texts for sentence in _SENTENCE.split(text) if sentence.strip())
