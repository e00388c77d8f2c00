"""What an answer to a question says: by the closed grammar, else as a model heard it, else nothing."""

from contracts.diagnose.deliverables import AnswerProblem, AnswerProblemKind, AnswerReading, Finding, HeardTurn, PhenomenonQuestion
from workers.kinds.diagnose.rules.closed import Closed, read_choice, read_closed
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
    if question.systems and not question.items:
        return _of_system(answer, question, heard)
    texts = [item.description for item in question.items]
    closed = read_closed(answer, texts)
    if closed is not None:
        return _as_reading(closed, question)
    if question.systems and not answer.strip()[:1].isdigit() and not (named := _of_system(answer, question, heard)).unread:
        return named  # the name alone, beside which the items stay open
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
