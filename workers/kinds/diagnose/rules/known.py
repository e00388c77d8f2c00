"""The information from the dialogue so far: findings by phenomenon, observations, and what was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.diagnose.deliverables import (
    ALIKE,
    AnswerReading,
    Finding,
    HeardTurn,
    Noted,
    PhenomenonItem,
    PhenomenonQuestion,
    ReadFinding,
)
from contracts.tickets import PhenomenonCard, TicketEvidence
from workers.kinds.diagnose.rules.families import Family, cards_by_id
from workers.kinds.diagnose.rules.likeness import Wording, jaccard, says_in_its_words, wording
from workers.kinds.diagnose.rules.profiles import Profile
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.diagnose.rules.volunteered import Fact, unsaid, volunteered

Dialogue = Sequence[tuple[PhenomenonQuestion, str]]
"""The turns so far: each question with the user's answer."""


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

    @property
    def found(self) -> frozenset[str]:
        """Keys of the families of which something was confirmed, denied or reported. What only resembles the user's words is none."""
        return frozenset(fact.family.key for fact in self.facts if fact.source not in ("unsaid", ALIKE))


def _family_of(
    item: PhenomenonItem, cards: Mapping[str, tuple[Family, PhenomenonCard]], groups: Sequence[Family], bar: float
) -> tuple[Family, PhenomenonCard] | None:
    """What this evidence has of a phenomenon that was asked: itself, else its nearest near-equal wording."""
    if item.phenomenon_id in cards:
        return cards[item.phenomenon_id]
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


def heard_so_far(dialogue: Dialogue) -> tuple[HeardTurn, ...]:
    """What a model heard in the answers, as the questions and their readers keep it."""
    found = {(each.turn, each.answer): each for question, _ in dialogue for each in question.heard}
    return tuple(each.model_copy(update={"corrected": ()}) for each in found.values())


def with_heard(dialogue: Dialogue, more: Sequence[HeardTurn] = ()) -> list[tuple[PhenomenonQuestion, str]]:
    """The dialogue with what a model heard beside the answer in which it heard it, and what later answers correct beside the answer that
    they correct: the last one that asked for the item. `more`: what no question of the dialogue keeps yet."""
    heard = {(each.turn, each.answer): each for each in (*heard_so_far(dialogue), *more)}
    corrected: dict[int, list[ReadFinding]] = {}
    for place, (question, answer) in enumerate(dialogue):
        own = heard.get((question.turn, answer))
        for each in own.corrections if own else ():
            earlier = [at for at in range(place) if any(item.phenomenon_id == each.phenomenon_id for item in dialogue[at][0].items)]
            if earlier:
                corrected.setdefault(earlier[-1], []).append(each)
    made: list[tuple[PhenomenonQuestion, str]] = []
    for place, (question, answer) in enumerate(dialogue):
        own = heard.get((question.turn, answer))
        if place in corrected:
            own = (own or HeardTurn(turn=question.turn, answer=answer)).model_copy(update={"corrected": tuple(corrected[place])})
        made.append((question.model_copy(update={"heard": (own,) if own else ()}), answer))
    return made


def unread_words(dialogue: Dialogue) -> tuple[str, ...]:
    """What the person said and nobody could read, each once."""
    return tuple(dict.fromkeys(answer for (_, answer), reading in zip(dialogue, read_all(dialogue), strict=True) if reading.unread))


def changed_by_latest(dialogue: Dialogue) -> list[tuple[PhenomenonItem, Finding]]:
    """Earlier items that the latest answer corrected, with their finding now."""
    question, answer = dialogue[-1]
    own = {(each.turn, each.answer): each for each in question.heard}.get((question.turn, answer))
    changed = {each.phenomenon_id: each.finding for each in own.corrections} if own else {}
    items = {item.phenomenon_id: item for earlier, _ in dialogue[:-1] for item in earlier.items}
    return [(items[key], finding) for key, finding in changed.items() if key in items]


def latest_findings(dialogue: Dialogue, readings: Sequence[AnswerReading]) -> dict[str, tuple[PhenomenonItem, Finding]]:
    """phenomenon_id → the item that asked for it, and the finding. A later answer replaces an earlier one, but "don't know" takes none
    back. Items that were asked and not answered are unknown."""
    latest: dict[str, tuple[PhenomenonItem, Finding]] = {}
    for (question, _), reading in zip(dialogue, readings, strict=True):
        for item in question.items:
            finding = reading.findings.get(item.phenomenon_id, Finding.UNKNOWN)
            if finding is not Finding.UNKNOWN or item.phenomenon_id not in latest:
                latest[item.phenomenon_id] = item, finding
    return latest


def observed_unasked(readings: Sequence[AnswerReading], evidence: TicketEvidence) -> tuple[str, ...]:
    """What the user said beside the answers to what was asked, and what was looked up, each once."""
    unasked = (text for reading in readings for text in reading.observations)
    return tuple(dict.fromkeys((*unasked, *evidence.reported, *evidence.looked_up)))


def noted(readings: Sequence[AnswerReading], evidence: TicketEvidence) -> tuple[Noted, ...]:
    """What the user said beside the answers, each with the phenomenon that it was taken for."""
    cards = {card.phenomenon_id: card.description for card in evidence.phenomena}
    remarks = (*(text for reading in readings for text in reading.observations), *evidence.reported)
    best = {match.text: match for match in sorted(evidence.observations, key=lambda match: match.similarity)}
    found: list[Noted] = []
    for text in dict.fromkeys(remarks):
        like = cards.get(best[text].phenomenon_id, "") if text in best else ""
        found.append(Noted(text=text, like=like, is_seen=bool(like) and says_in_its_words(text, like)))
    return tuple(found)


def only_denials(dialogue: Dialogue, readings: Sequence[AnswerReading], turns: int) -> bool:
    """Whether there are this many turns, and the latest of them contain only denials and no observation."""
    latest = list(zip(dialogue, readings, strict=True))[-turns:]
    return len(latest) == turns and all(
        question.items
        and not reading.observations
        and all(reading.findings.get(item.phenomenon_id) is Finding.DENIED for item in question.items)
        for (question, _), reading in latest
    )


def _left_open(question: PhenomenonQuestion, reading: AnswerReading) -> bool:
    """Whether an answer names the system, and says nothing of the items beside it. A system is asked once, so these come once more only."""
    return bool(question.systems and reading.system and not reading.findings)


def gather(
    evidence: TicketEvidence,
    groups: Sequence[Family],
    dialogue: Dialogue,
    readings: Sequence[AnswerReading],
    texts: Sequence[str],
    profile: Profile,
) -> Known:
    """Map the dialogue to the phenomena of the present evidence. `texts`: the description and all free text.

    A finding on a phenomenon that retrieval no longer brings is kept on a wording that says the same, if there is one;
    it is never asked again in any case. Of two findings on one phenomenon the later holds. What data has confirmed or denied in the words
    of a phenomenon, or nearly so, is not asked of a person; a denial counts as one of theirs. Items beside which only the system was
    answered stay open.
    """
    asking = [question for (question, _), reading in zip(dialogue, readings, strict=True) if not _left_open(question, reading)]
    items = [item for question in asking for item in question.items]
    by_data = [match.phenomenon_id for match in evidence.observations if match.text in evidence.looked_up]
    absent = [wording(text) for text in evidence.absent]
    asked = Asked(
        ids=frozenset((*(item.phenomenon_id for item in items), *by_data)),
        wordings=(*(wording(item.description) for item in items), *absent),
    )
    cards = cards_by_id(groups)
    facts: dict[str, Fact] = {}
    for family in groups:
        if any(own.is_same(other, profile.same_bar) for own in family.wordings for other in absent):
            facts[family.key] = Fact(family, family.cards[0], Finding.DENIED, "asked")
    for (question, _), reading in zip(dialogue, readings, strict=True):
        for item in question.items:
            finding = reading.findings.get(item.phenomenon_id, Finding.UNKNOWN)
            if finding is not Finding.UNKNOWN and (found := _family_of(item, cards, groups, profile.same_bar)):
                family, card = found
                facts[family.key] = Fact(family, card, finding, "asked", quote=reading.quotes.get(item.phenomenon_id, ""))
    for key, fact in volunteered(evidence, cards, texts, profile).items():
        facts.setdefault(key, fact)
    for fact in unsaid(groups, facts.keys(), texts[0], profile):
        facts[fact.family.key] = fact
    return Known(tuple(facts.values()), asked)
