"""The information from the dialogue so far: findings by phenomenon, observations, and what was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.diagnose.deliverables import (
    AnswerProblem,
    AnswerProblemKind,
    AnswerReading,
    Finding,
    PhenomenonItem,
    PhenomenonQuestion,
)
from contracts.tickets import PhenomenonCard, TicketEvidence
from workers.kinds.diagnose.rules.answers import corrected, named_in_words, read_answer, withdrawn, wrong_numbers
from workers.kinds.diagnose.rules.answers.words import OPPOSITE
from workers.kinds.diagnose.rules.families import Family, cards_by_id
from workers.kinds.diagnose.rules.likeness import Wording, jaccard, wording
from workers.kinds.diagnose.rules.profiles import Profile
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
        """Keys of the families of which something was confirmed, denied or reported."""
        return frozenset(fact.family.key for fact in self.facts if fact.source != "unsaid")


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
    """Every answer, read against its question, with what later answers take back."""
    return _with_corrections(dialogue, [read_answer(answer, question) for question, answer in dialogue])


def _with_corrections(dialogue: Dialogue, readings: Sequence[AnswerReading]) -> tuple[AnswerReading, ...]:
    """The readings, with what later answers take back applied to the answers that they speak of: the last one that asked for the item.
    A correction that names nothing said earlier is a problem of its answer."""
    found = [dict(reading.findings) for reading in readings]
    given = [reading.observations for reading in readings]
    problems = [list(reading.problems) for reading in readings]
    for turn, reading in enumerate(readings):
        for text in reading.corrections:
            gone = withdrawn(text, [observation for earlier in given[:turn] for observation in earlier])
            given[:turn] = [tuple(each for each in earlier if each not in gone) for earlier in given[:turn]]
            asked = [(earlier, item) for earlier in reversed(range(turn)) for item in dialogue[earlier][0].items]
            meant, missing = _taken_back(text, asked, found)
            for (earlier, item), finding in meant:
                old = found[earlier].get(item.phenomenon_id, Finding.UNKNOWN)
                found[earlier][item.phenomenon_id] = finding or OPPOSITE.get(old, Finding.UNKNOWN)
            problems[turn] += [AnswerProblem(kind=AnswerProblemKind.NO_SUCH_ANSWER, text=str(number)) for number in missing]
            if not (meant or missing or gone):
                problems[turn].append(AnswerProblem(kind=AnswerProblemKind.NOT_TAKEN_BACK, text=text))
    return tuple(
        reading.model_copy(update={"findings": findings, "observations": observations, "problems": tuple(noted)})
        for reading, findings, observations, noted in zip(readings, found, given, problems, strict=True)
    )


_Answered = tuple[int, PhenomenonItem]
"""An item, and the turn that asked for it."""


def _taken_back(
    text: str, asked: Sequence[_Answered], found: Sequence[Mapping[str, Finding]]
) -> tuple[list[tuple[_Answered, Finding | None]], list[int]]:
    """What a correcting sentence says of items asked earlier (`asked`, the latest first), and the numbers in it that no item has which was
    answered. Words say better than a number which item is meant; a mere number means the latest question that has it."""
    numbers = wrong_numbers(text)
    if not numbers:
        return [(asked[place], finding) for place, finding in corrected(text, [item.description for _, item in asked]).items()], []
    answered = [(turn, item) for turn, item in asked if item.phenomenon_id in found[turn]]
    place = named_in_words(text, [item.description for _, item in answered])
    if place is not None and len(numbers) == 1:
        return [(answered[place], None)], []
    by_number = {number: next((each for each in answered if each[1].number == number), None) for number in numbers}
    return [(each, None) for each in by_number.values() if each], [number for number, each in by_number.items() if each is None]


def changed_by_latest(dialogue: Dialogue) -> tuple[list[tuple[PhenomenonItem, Finding]], list[str]]:
    """What the latest answer corrected: earlier items with their finding now, and observations that it took back."""
    before, now = read_all(dialogue[:-1]), read_all(dialogue)
    old, new = latest_findings(dialogue[:-1], before), latest_findings(dialogue[:-1], now[:-1])
    changed = [(item, finding) for key, (item, finding) in new.items() if old[key][1] is not finding]
    kept = {text for reading in now for text in reading.observations}
    return changed, [text for reading in before for text in reading.observations if text not in kept]


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
    """What the user said beside the answers to what was asked, each once."""
    return tuple(dict.fromkeys((*(text for reading in readings for text in reading.observations), *evidence.reported)))


def only_denials(dialogue: Dialogue, readings: Sequence[AnswerReading], turns: int) -> bool:
    """Whether there are this many turns, and the latest of them contain only denials and no observation."""
    latest = list(zip(dialogue, readings, strict=True))[-turns:]
    return len(latest) == turns and all(
        question.items
        and not reading.observations
        and all(reading.findings.get(item.phenomenon_id) is Finding.DENIED for item in question.items)
        for (question, _), reading in latest
    )


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
    it is never asked again in any case. Of two findings on one phenomenon the later holds.
    """
    items = [item for question, _ in dialogue for item in question.items]
    asked = Asked(
        ids=frozenset(item.phenomenon_id for item in items),
        wordings=tuple(wording(item.description) for item in items),
    )
    cards = cards_by_id(groups)
    facts: dict[str, Fact] = {}
    for (question, _), reading in zip(dialogue, readings, strict=True):
        for item in question.items:
            finding = reading.findings.get(item.phenomenon_id, Finding.UNKNOWN)
            if finding is not Finding.UNKNOWN and (found := _family_of(item, cards, groups, profile.same_bar)):
                family, card = found
                facts[family.key] = Fact(family, card, finding, "asked")
    for key, fact in volunteered(evidence, cards, texts, profile).items():
        facts.setdefault(key, fact)
    for fact in unsaid(groups, facts.keys(), texts[0], profile):
        facts[fact.family.key] = fact
    return Known(tuple(facts.values()), asked)
