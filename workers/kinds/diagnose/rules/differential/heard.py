"""What a model hears in an answer that is no closed form: findings on the items asked, corrections of earlier ones, remarks, the system.

The grammar comes first, and a closed answer ("1 yes 2 no") is never shown to a model. Of what the model says only that counts which the
answer bears: the quote is in it word for word, it does not say the opposite of the item, and a figure in it is on that side of the item's
threshold. Each finding is said back with its quote, and can be taken back. Where a clause of the answer is a closed form and says the
opposite of the model, the person is asked once which of both they meant.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.diagnose.deliverables import Finding, HeardAnswer, HeardItem, HeardTurn, PhenomenonItem, PhenomenonQuestion, ReadFinding
from contracts.statements import name, quote, say
from workers.kinds.diagnose.rules.closed import READ_CHARACTERS, read_parts
from workers.kinds.diagnose.rules.differential.stated import clause_of
from workers.kinds.diagnose.rules.figures import against, figures_in, in_unit_of, threshold_of
from workers.kinds.diagnose.rules.known import Dialogue, latest_findings, read_all
from workers.kinds.diagnose.rules.likeness import normalised
from workers.kinds.diagnose.rules.replies import is_closed
from workers.kinds.diagnose.rules.wording import brief
from workers.llm.brief import cut_rows
from workers.tickets.contradiction import opposed, states

Hear = Callable[[PhenomenonQuestion, str, Sequence[tuple[PhenomenonItem, Finding]]], HeardAnswer]
"""A model that reads one answer, given what was answered earlier. Raises what `ChatClient.ask` raises."""

_EARLIER = 10
"""Earlier answers that are shown, the latest."""
_ITEM_CHARACTERS = 300
_QUOTED = 80
_FIRM = (Finding.CONFIRMED, Finding.DENIED)


@dataclass(frozen=True)
class Heard:
    """What a model heard in the latest answer, as far as the answer bears it."""

    turn: HeardTurn | None = None
    """None: no model was asked, or its words were of no use."""
    disputed: tuple[ReadFinding, ...] = ()
    """Items of which a clause of the answer says the opposite, as the model reads them."""


NOTHING_HEARD = Heard()


def answer_prompt(question: PhenomenonQuestion, answer: str, earlier: Sequence[tuple[PhenomenonItem, Finding]]) -> dict[str, Any]:
    """The data of `diagnoser/answer`."""
    items = "\n".join(f"{item.number}. {brief(item.description, _ITEM_CHARACTERS)}" for item in question.items)
    systems = "\n".join(question.systems)
    return {
        "items": items or "(none: the person was asked for the system)",
        "systems": systems,
        "earlier": "\n".join(
            f"{at}. {brief(item.description, _ITEM_CHARACTERS)}: {finding.value}" for at, (item, finding) in enumerate(earlier, 1)
        ),
        "answer": answer[:READ_CHARACTERS],
        "prompt_cuts": cut_rows(("answer", min(len(answer), READ_CHARACTERS), len(answer))),
    }


def hear_latest(dialogue: Dialogue, hear: Hear) -> Heard:
    """What the model hears in the latest answer, where that is no closed form."""
    if not dialogue:
        return NOTHING_HEARD
    question, answer = dialogue[-1]
    if is_closed(answer, question) or not answer.strip():
        return NOTHING_HEARD
    now = {item.phenomenon_id for item in question.items}
    answered = [pair for key, pair in latest_findings(dialogue[:-1], read_all(dialogue[:-1])).items() if key not in now]
    earlier = answered[-_EARLIER:]
    before = {item.phenomenon_id for asked, _ in dialogue[:-1] for item in asked.items}
    return checked_answer(hear(question, answer, earlier), question, answer, earlier, before)


def checked_answer(
    heard: HeardAnswer,
    question: PhenomenonQuestion,
    answer: str,
    earlier: Sequence[tuple[PhenomenonItem, Finding]] = (),
    before: set[str] | frozenset[str] = frozenset(),
) -> Heard:
    """What of it the answer bears, each item once. `before`: items that were asked earlier; these are not asked a third time."""
    closed = read_parts(answer, [item.description for item in question.items])
    found: dict[str, ReadFinding] = {}
    disputed: dict[str, ReadFinding] = {}
    for item, claim in _claims(heard.items, {item.number: item for item in question.items}):
        if not _is_borne(claim, item, answer):
            continue
        made = ReadFinding(phenomenon_id=item.phenomenon_id, finding=claim.finding, quote=claim.quote.strip())
        if closed.get(item.number, claim.finding) is claim.finding:
            found.setdefault(item.phenomenon_id, made)
        elif item.phenomenon_id not in before:
            disputed.setdefault(item.phenomenon_id, made)
    corrections = {
        item.phenomenon_id: ReadFinding(phenomenon_id=item.phenomenon_id, finding=claim.finding, quote=claim.quote.strip())
        for item, claim in _claims(heard.earlier, {at: item for at, (item, _) in enumerate(earlier, 1)})
        if _is_quoted(claim.quote, answer) and (claim.finding is Finding.UNKNOWN or _is_borne(claim, item, answer))
    }
    remarks = tuple(dict.fromkeys(each.strip() for each in heard.remarks if _is_quoted(each, answer)))
    system = heard.system.strip() if _is_quoted(heard.system, answer) else ""
    if not (found or corrections or remarks or system):
        return Heard(None, tuple(disputed.values()))
    turn = HeardTurn(
        turn=question.turn,
        answer=answer,
        findings=tuple(found.values()),
        corrections=tuple(corrections.values()),
        remarks=remarks,
        system=system,
    )
    return Heard(turn, tuple(disputed.values()))


def _claims(claims: Sequence[HeardItem], items: dict[int, PhenomenonItem]) -> list[tuple[PhenomenonItem, HeardItem]]:
    return [(items[claim.number], claim) for claim in claims if claim.number in items]


def _is_quoted(quoted: str, answer: str) -> bool:
    words = _plain(quoted)
    return any(character.isalpha() for character in words) and words in _plain(answer)


def _is_borne(claim: HeardItem, item: PhenomenonItem, answer: str) -> bool:
    """Whether the words that are quoted are the person's, are more than a number, and do not say the opposite, by figure or by word."""
    if not _is_quoted(claim.quote, answer):
        return False
    if claim.finding not in _FIRM:
        return True
    threshold = threshold_of(item.description)
    by_figure = against(in_unit_of(figures_in(claim.quote), threshold), threshold) if threshold is not None else None
    if by_figure is not None:
        return by_figure is claim.finding
    if item.is_question:
        return True
    if claim.finding is Finding.DENIED:
        return not states(clause_of(claim.quote, [answer]) or claim.quote, item.description)
    return not opposed(claim.quote, item.description)


def _plain(text: str) -> str:
    return "".join(normalised(text).split())


def asked_which(question: PhenomenonQuestion, heard: Heard) -> PhenomenonQuestion:
    """The disputed items again, numbered from 1, with the words that are read in two ways."""
    words = {each.phenomenon_id: each.quote for each in heard.disputed}
    items = [item for item in question.items if item.phenomenon_id in words]
    again = tuple(item.model_copy(update={"number": number}) for number, item in enumerate(items, start=1))
    notes = [
        say("diagnose.note.two_readings", item=name(item.number), words=quote(brief(words[item.phenomenon_id], _QUOTED))) for item in again
    ]
    return question.model_copy(update={"turn": question.turn + 1, "items": again, "notes": tuple(notes)})
