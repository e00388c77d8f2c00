"""What an answer to a question says: by the closed grammar, else as a model heard it, else nothing."""

import re
from collections.abc import Sequence
from dataclasses import replace

from contracts.diagnose.deliverables import AnswerProblem, AnswerProblemKind, AnswerReading, Finding, HeardTurn, PhenomenonQuestion
from workers.kinds.diagnose.rules.closed import CLAIMS, READ_CHARACTERS, Closed, exact_names, read_choice, read_closed
from workers.kinds.diagnose.rules.closed_tokens import plain_text, tokens_of
from workers.kinds.diagnose.rules.products import is_product


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


def _read(answer: str, question: PhenomenonQuestion, heard: HeardTurn | None) -> AnswerReading:
    texts = [item.description for item in question.items]
    if not texts and question.systems and (chosen := read_choice(answer, question.systems, question.system_names)) is not None:
        return AnswerReading(system=chosen[0], observations=_observations(chosen[1]))
    closed = read_closed(answer, texts) or _system_first(answer, question, texts)
    if closed is not None:
        return _as_reading(closed, question)
    if not texts and not question.systems:
        return _unread(answer) if answer.rstrip().endswith(("?", "？")) else AnswerReading(observations=_observations(answer))
    if heard is None:
        return _unread(answer)
    return AnswerReading(
        findings={each.phenomenon_id: each.finding for each in heard.findings},
        observations=heard.remarks,
        system=heard.system,
        corrects=bool(heard.corrections),
        quotes={each.phenomenon_id: each.quote for each in heard.findings},
    )


def _system_first(answer: str, question: PhenomenonQuestion, items: Sequence[str]) -> Closed | None:
    """ "MySQL, 3 yes": a system's name, alone or with what is said of the items, or with a remark without a claim and another system."""
    names, plain = exact_names(question.systems, question.system_names), plain_text(answer)[:READ_CHARACTERS]
    for mark in reversed([*re.finditer(r"[,;:!。\n]|\.(?!\d)|$", plain)] if names else []):
        head, rest = answer[: mark.start()].strip(), answer[mark.end() :].strip()
        name = names.get(plain_text(head)) or (head if is_product(head) else "")
        if name and (items or not rest):
            is_claim = any(CLAIMS & token.kinds.keys() for token in tokens_of(rest))
            closed = read_closed(rest, items) or (None if is_claim else read_closed(f"also {rest}", items)) if rest else Closed()
            also_named = closed and any(other in plain_text(closed.remark) for other, meant in names.items() if meant != name)
            return replace(closed, system=name) if closed and not (closed.system or also_named) else None
    return None


def _as_reading(closed: Closed, question: PhenomenonQuestion) -> AnswerReading:
    ids = {item.number: item.phenomenon_id for item in question.items}
    # a bare name beside the console's buttons, or behind a yes
    named = "" if closed.system else exact_names(question.systems, question.system_names).get(plain_text(closed.remark).strip(" .!。"), "")
    found = {**closed.findings, **dict.fromkeys(closed.contradicted, Finding.UNKNOWN)}
    return AnswerReading(
        findings={ids[number]: finding for number, finding in found.items() if number in ids},
        observations=() if named else _observations(closed.remark),
        problems=tuple(AnswerProblem(kind=AnswerProblemKind.CONTRADICTION, text=str(number)) for number in closed.contradicted),
        queries=closed.queries,
        asked_items=closed.asked_items,
        system=closed.system or named,
        stops=closed.stops,
    )


def _unread(answer: str) -> AnswerReading:
    return AnswerReading(problems=(AnswerProblem(kind=AnswerProblemKind.NOT_READ, text=answer),))


def _observations(text: str) -> tuple[str, ...]:
    """A text as an observation; a mere yes or no, or nothing, is none."""
    plain = text.strip()
    closed = read_closed(plain, ("",)) if plain else None
    return (plain,) if plain and (closed is None or closed.remark) and any(character.isalnum() for character in plain) else ()
