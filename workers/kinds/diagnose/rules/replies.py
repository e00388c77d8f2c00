"""What an answer to a question says: by the closed grammar, else as a model heard it, else nothing."""

import re
from collections.abc import Sequence

from contracts.diagnose.deliverables import AnswerProblem, AnswerProblemKind, AnswerReading, Finding, HeardTurn, PhenomenonQuestion
from workers.kinds.diagnose.rules.closed import Closed, read_choice, read_closed
from workers.kinds.diagnose.rules.products import is_product

_MOST_MARKS = 20
"""Places at which an answer is tried as findings and what follows them."""
_ANY_ITEM = ("",) * 99
"""An end that names an item, also one that is not there, is a slip and no observation."""


def read_answer(answer: str, question: PhenomenonQuestion) -> AnswerReading:
    """One answer. `question.heard` has what a model heard in it, and what later answers say of its items (`known.with_heard`)."""
    heard = next((each for each in question.heard if (each.turn, each.answer) == (question.turn, answer)), None)
    reading = _read(answer, question, heard)
    if heard is None or not heard.corrected:
        return reading
    changed = {each.phenomenon_id: each.finding for each in heard.corrected}
    return reading.model_copy(update={"findings": {**reading.findings, **changed}})


def is_closed(answer: str, question: PhenomenonQuestion) -> bool:
    """Whether the grammar reads an answer, so that no model is asked."""
    return not _read(answer, question, None).unread


def lacks_also(answer: str, items: Sequence[str]) -> str:
    """The end of an unread answer before which only the word "also" is missing: what is before it is findings. Else an empty text. It
    decides nothing, since such an end may take the findings back."""
    marks = list(re.finditer(r"[,，.。;；!！\n]", answer))[:_MOST_MARKS]
    for mark in reversed(marks):
        head, rest = answer[: mark.start()], answer[mark.end() :].strip()
        if not rest or not (read_closed(head, items) or Closed()).findings:
            continue
        read = (read_closed(f"{head}, also {rest}", items), read_closed(f"1 yes, also {rest}", _ANY_ITEM))
        if all(each is not None and each.remark == rest for each in read):
            return rest
    return ""


def _read(answer: str, question: PhenomenonQuestion, heard: HeardTurn | None) -> AnswerReading:
    if question.systems:
        return _of_system(answer, question, heard)
    texts = [item.description for item in question.items]
    closed = read_closed(answer, texts)
    if closed is not None:
        return _as_reading(closed, question)
    if not question.items:
        return _unread(answer) if answer.rstrip().endswith(("?", "？")) else AnswerReading(observations=_observations(answer))
    return _unread(answer) if heard is None else _as_heard(heard)


def _of_system(answer: str, question: PhenomenonQuestion, heard: HeardTurn | None) -> AnswerReading:
    """The answer to "which system?": a choice with what follows it."""
    chosen = read_choice(answer, question.systems, question.system_names)
    if chosen is not None:
        return AnswerReading(system=chosen[0], observations=_observations(chosen[1]))
    closed = read_closed(answer, ())
    if closed is not None:
        return _as_reading(closed, question)
    if is_product(answer.strip(" .!。！")):
        return AnswerReading(system=answer.strip(" .!。！"))
    return _unread(answer) if heard is None else _as_heard(heard)


def _as_reading(closed: Closed, question: PhenomenonQuestion) -> AnswerReading:
    ids = {item.number: item.phenomenon_id for item in question.items}
    found = {**closed.findings, **dict.fromkeys(closed.contradicted, Finding.UNKNOWN)}
    return AnswerReading(
        findings={ids[number]: finding for number, finding in found.items() if number in ids},
        observations=_observations(closed.remark),
        problems=tuple(AnswerProblem(kind=AnswerProblemKind.CONTRADICTION, text=str(number)) for number in closed.contradicted),
        queries=closed.queries,
        asked_items=closed.asked_items,
        system=closed.system,
        stops=closed.stops,
    )


def _as_heard(heard: HeardTurn) -> AnswerReading:
    return AnswerReading(
        findings={each.phenomenon_id: each.finding for each in heard.findings},
        observations=heard.remarks,
        system=heard.system,
        corrects=bool(heard.corrections),
        quotes={each.phenomenon_id: each.quote for each in heard.findings},
    )


def _unread(answer: str) -> AnswerReading:
    return AnswerReading(problems=(AnswerProblem(kind=AnswerProblemKind.NOT_READ, text=answer),))


def _observations(text: str) -> tuple[str, ...]:
    """A text as an observation; a mere yes or no, or nothing, is none."""
    plain = text.strip()
    closed = read_closed(plain, ("",)) if plain else None
    return (plain,) if plain and (closed is None or closed.remark) and any(character.isalnum() for character in plain) else ()
