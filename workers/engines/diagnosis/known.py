"""What the user has said so far, gathered over the turns: findings by phenomenon, told observations, what was asked."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from contracts.diagnosis import AnswerReading, Finding, PhenomenonCard, PhenomenonItem, PhenomenonQuestion, TicketEvidence
from workers.engines.diagnosis.answers import read_answer
from workers.engines.diagnosis.families import Family
from workers.engines.diagnosis.likeness import Wording, jaccard, wording
from workers.engines.diagnosis.profiles import Profile

Dialogue = Sequence[tuple[PhenomenonQuestion, str]]
"""The turns so far: each question with the user's answer."""

_SENTENCE = re.compile(r"[。；;！？!?\n]+|\.\s+")
_MOST_SAID = 20


@dataclass(frozen=True)
class Fact:
    """One finding as the posterior takes it."""

    family: Family
    card: PhenomenonCard
    """The wording that the finding is about; of this evidence."""
    finding: Finding
    source: Literal["asked", "told"]
    strength: float = 1.0
    """1: said in so many words. Less: an observation that resembles it."""


@dataclass(frozen=True)
class Asked:
    """Everything that was asked, in the forms that the guard against repetition compares."""

    ids: frozenset[str] = frozenset()
    wordings: tuple[Wording, ...] = ()

    def covers(self, family: Family, bar: float) -> bool:
        """Whether a phenomenon was asked before in any of its wordings: by id, by text, or nearly so."""
        return not self.ids.isdisjoint(family.ids) or any(
            mine.asks_the_same(asked, bar) for mine in family.wordings for asked in self.wordings
        )


@dataclass(frozen=True)
class Known:
    """The state of a dialogue, read against one evidence."""

    facts: tuple[Fact, ...] = ()
    asked: Asked = Asked()


def _family_of(item: PhenomenonItem, groups: Sequence[Family], bar: float) -> tuple[Family, PhenomenonCard] | None:
    """What this evidence has of a phenomenon that was asked: itself, else its nearest near-equal wording."""
    for family in groups:
        for card in family.cards:
            if card.phenomenon_id == item.phenomenon_id:
                return family, card
    asked = wording(item.description)
    found = (
        (jaccard(asked.grams, other.grams), -place, family, card)
        for place, family in enumerate(groups)
        for card, other in zip(family.cards, family.wordings, strict=True)
        if asked.is_same(other, bar)
    )
    best = max(found, key=lambda entry: entry[:2], default=None)
    return best and best[2:]


def read_all(dialogue: Dialogue) -> tuple[AnswerReading, ...]:
    """Every answer, read against its question."""
    return tuple(read_answer(answer, question) for question, answer in dialogue)


def gather(
    evidence: TicketEvidence,
    groups: Sequence[Family],
    dialogue: Dialogue,
    readings: Sequence[AnswerReading],
    said: Sequence[str],
    profile: Profile,
) -> Known:
    """Put what was said on the phenomena of the present evidence. `said`: the description and all free text.

    A finding on a phenomenon that retrieval no longer brings is kept on a wording that says the same, if there is one;
    it is never asked again in any case. Of two findings on one phenomenon the later holds.
    """
    items = [item for question, _ in dialogue for item in question.items]
    asked = Asked(
        ids=frozenset(item.phenomenon_id for item in items),
        wordings=tuple(wording(item.description) for item in items),
    )
    facts: dict[str, Fact] = {}
    for (question, _), reading in zip(dialogue, readings, strict=True):
        for item in question.items:
            finding = reading.findings.get(item.phenomenon_id, Finding.UNKNOWN)
            if finding is not Finding.UNKNOWN and (found := _family_of(item, groups, profile.same_bar)):
                family, card = found
                facts[family.key] = Fact(family, card, finding, "asked")
    for key, fact in _told(evidence, groups, said, profile).items():
        facts.setdefault(key, fact)
    return Known(tuple(facts.values()), asked)


def _told(evidence: TicketEvidence, groups: Sequence[Family], said: Sequence[str], profile: Profile) -> dict[str, Fact]:
    """What was told as soft confirmations, the strongest per phenomenon.

    Observations come matched. A sentence of the description is a match of the phenomenon that is nearly worded like it.
    A text that may be several phenomena is shared out among them, for it was said once.
    """
    members = {card.phenomenon_id: (family, card) for family in groups for card in family.cards}
    matches = [(match.text, match.phenomenon_id, match.similarity) for match in evidence.observations]
    matched = {match.phenomenon_id for match in evidence.observations}
    matches += _in_description(evidence, said, matched, profile)
    by_text: defaultdict[str, dict[str, Fact]] = defaultdict(dict)
    for text, phenomenon_id, similarity in matches:
        strength = (similarity - profile.told_from) / (profile.told_full - profile.told_from)
        if phenomenon_id in members and strength > 0:
            family, card = members[phenomenon_id]
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


def _in_description(evidence: TicketEvidence, said: Sequence[str], matched: set[str], profile: Profile) -> list[tuple[str, str, float]]:
    """Phenomena that a sentence says nearly word for word, with the sentence; not those that it contradicts."""
    near = [card for card in evidence.phenomena if card.similarity >= profile.told_from and card.phenomenon_id not in matched]
    pieces = [Wording(piece) for text in said for piece in _SENTENCE.split(text) if piece.strip()] if near else []
    found: list[tuple[str, str, float]] = []
    for card in near[:_MOST_SAID] if pieces else ():
        known = wording(card.description)
        share, piece = max(((known.share_in(piece), piece) for piece in pieces[:_MOST_SAID]), key=lambda pair: pair[0])
        if share >= profile.said_bar and not piece.contradicts(known):
            found.append((piece.text, card.phenomenon_id, profile.told_full * share))
    return found
