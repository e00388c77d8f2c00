"""What a model hears in an answer beyond the grammar: items that the person settles in words which no rule understands.

The grammar comes first, and a plain answer ("1 yes 2 no") is never shown to a model. Of what the model says only that counts which the
answer bears: the quote is in it word for word, it does not say the opposite of the item, and a figure in it is on that side of the item's
threshold. Where the grammar read nothing of an item it is evidence of little weight that makes no diagnosis by itself, as what is read in
a description (stated.py). Where the grammar read the opposite, the person is asked once which of both they meant.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from contracts.diagnose.deliverables import Finding, HeardAnswer, HeardItem, PhenomenonItem, PhenomenonQuestion, ReadFinding
from contracts.statements import Statement, member_term, name, quote, say
from workers.kinds.diagnose.rules.answers import is_plain, read_answer
from workers.kinds.diagnose.rules.answers.figures import against, figures_in, in_unit_of
from workers.kinds.diagnose.rules.answers.items import Item, items_of
from workers.kinds.diagnose.rules.answers.manners import refuses
from workers.kinds.diagnose.rules.differential.stated import plain
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.wording import brief, quoted
from workers.tickets.contradiction import opposed

Hear = Callable[[PhenomenonQuestion, str], HeardAnswer]
"""A model that reads one answer. Raises what `ChatClient.ask` raises."""

_ANSWER_CHARACTERS = 4_000
"""Of an answer that are shown: as many as the grammar reads."""
_ITEM_CHARACTERS = 300
_QUOTED = 80
_FIRM = (Finding.CONFIRMED, Finding.DENIED)


@dataclass(frozen=True)
class Heard:
    """What a model heard in the latest answer, as far as the answer bears it."""

    found: tuple[ReadFinding, ...] = ()
    """Items of which the grammar read nothing."""
    disputed: tuple[ReadFinding, ...] = ()
    """Items of which the grammar read the opposite, as the model reads them."""

    def __bool__(self) -> bool:
        return bool(self.found or self.disputed)


NOTHING_HEARD = Heard()


def answer_prompt(question: PhenomenonQuestion, answer: str) -> dict[str, Any]:
    """The data of `diagnoser/answer`."""
    return {
        "items": "\n".join(f"{item.number}. {brief(item.description, 300)}" for item in question.items),
        "answer": answer[:_ANSWER_CHARACTERS],
    }


def hear_latest(dialogue: Dialogue, hear: Hear) -> Heard:
    """What the model hears in the latest answer, where that says more than numbers and verdicts."""
    if not dialogue:
        return NOTHING_HEARD
    question, answer = dialogue[-1]
    if not question.items or is_plain(answer, question) or refuses(answer):
        return NOTHING_HEARD
    reading = read_answer(answer, question)
    if reading.queries and not reading.findings:
        return NOTHING_HEARD  # the person asks us something
    before = {item.phenomenon_id for earlier, _ in dialogue[:-1] for item in earlier.items}
    return checked_answer(hear(question, answer), question, answer, before)


def checked_answer(heard: HeardAnswer, question: PhenomenonQuestion, answer: str, before: set[str] | frozenset[str] = frozenset()) -> Heard:
    """What of it the answer bears, each item once. `before`: items that were asked earlier; these are not asked a third time."""
    reading = read_answer(answer, question)
    if reading.corrections or reading.wrong_system:
        return NOTHING_HEARD  # of other items than these, or of none
    details = items_of(tuple(item.description for item in question.items)).each
    items = {item.number: (item, detail) for item, detail in zip(question.items, details, strict=True)}
    found: dict[str, ReadFinding] = {}
    disputed: dict[str, ReadFinding] = {}
    for claim in heard.items:
        if claim.number not in items:
            continue
        item, detail = items[claim.number]
        if not _is_borne(claim, item, detail, answer):
            continue
        made = ReadFinding(phenomenon_id=item.phenomenon_id, finding=claim.finding, quote=claim.quote.strip())
        by_grammar = reading.findings.get(item.phenomenon_id)
        if by_grammar is None:
            found.setdefault(item.phenomenon_id, made)
        elif by_grammar in _FIRM and by_grammar is not claim.finding and item.phenomenon_id not in before:
            disputed.setdefault(item.phenomenon_id, made)
    return Heard(tuple(found.values()), tuple(disputed.values()))


def _is_borne(claim: HeardItem, item: PhenomenonItem, detail: Item, answer: str) -> bool:
    """Whether the words that are quoted are the person's, are more than a number, and do not say the opposite, by figure or by word."""
    words = plain(claim.quote)
    if claim.finding not in _FIRM or words not in plain(answer) or not any(character.isalpha() for character in words):
        return False
    figures = in_unit_of(figures_in(claim.quote), detail.threshold)
    by_figure = against(figures, detail.threshold) if detail.threshold is not None and figures else None
    if by_figure is not None:
        return by_figure is claim.finding
    return claim.finding is Finding.DENIED or not opposed(claim.quote, item.description)


def heard_notes(heard: Heard, question: PhenomenonQuestion) -> list[Statement]:
    """What the person reads of it: how their words were understood, which they may take back."""
    texts = {item.phenomenon_id: item.description for item in question.items}
    return [
        say(
            "diagnose.note.heard",
            item=quoted(texts[each.phenomenon_id]),
            finding=member_term("diagnose.finding", each.finding),
            words=quote(brief(each.quote, _QUOTED)),
        )
        for each in heard.found
    ]


def asked_which(question: PhenomenonQuestion, heard: Heard) -> PhenomenonQuestion:
    """The disputed items again, numbered from 1, with the words that are read in two ways."""
    words = {each.phenomenon_id: each.quote for each in heard.disputed}
    items = [item for item in question.items if item.phenomenon_id in words]
    again = tuple(item.model_copy(update={"number": number}) for number, item in enumerate(items, start=1))
    notes = [
        say("diagnose.note.two_readings", item=name(item.number), words=quote(brief(words[item.phenomenon_id], _QUOTED))) for item in again
    ]
    changed = {
        "turn": question.turn + 1,
        "items": again,
        "notes": (*heard_notes(heard, question), *notes),
        "read": (*question.read, *heard.found),
    }
    return question.model_copy(update=changed)
