"""Questions of the user ("why?", "what do you know so far?"), answered from the dialogue before a method decides.

An answer that consists only of such questions is not a turn: the method gets the dialogue without it, and the open question is
repeated unchanged, with the reply in its notes. An answer that also contains findings counts as usual, and the reply goes with the
next move; where that would end the dialogue without a diagnosis, the items that it leaves open are asked first, with the reply. No other
state is kept.

An answer that nobody could read is no turn either, and one that only corrects earlier ones is none: the open question is repeated and says
so. Once: who knows how to answer and writes something else again cannot answer it, so that the second such answer leaves the question
open, as "don't know" does, and the dialogue goes on.
"""

from collections.abc import Callable

from contracts.diagnose.deliverables import AnswerReading, Diagnosis, PhenomenonItem, PhenomenonQuestion, Verdict
from contracts.statements import Statement, lines, sayables_in
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.known import Dialogue, changed_by_latest, read_all, unread_words
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.diagnose.rules.standing import reply
from workers.kinds.diagnose.rules.wording import corrected, left_open, not_read, note, words_only

Decide = Callable[[Dialogue], Diagnosis | PhenomenonQuestion]
"""A method: what it does after the turns that count."""


def _counts(reading: AnswerReading) -> bool:
    """Whether an answer is a turn: it says something, or is "don't know" or a refusal, and no mere question, correction or unread text."""
    return not (reading.unread or (reading.says_nothing and (reading.queries or reading.corrects)))


def counted_turns(dialogue: Dialogue) -> Dialogue:
    """The turns that count."""
    found: Dialogue = []
    repeated: PhenomenonQuestion | None = None
    for question, answer in dialogue:
        reading = read_answer(answer, question)
        is_again = reading.unread and repeated is not None and question.turn == repeated.turn
        if is_again or _counts(reading):
            found.append((question, answer))
            repeated = None
        elif reading.unread:
            repeated = question
    return found


def answering_queries(
    evidence: TicketEvidence, dialogue: Dialogue, decide: Decide, *, may_ask: bool = True
) -> Diagnosis | PhenomenonQuestion:
    """The next move: what `decide` makes of the turns that count, or the open question again, each with the reply to what
    the latest answer asked back. With `may_ask=False` no question is put again."""
    counted = counted_turns(dialogue)
    partial = [words_only()] if evidence.words_only else []
    if not dialogue:
        return _with_notes(decide(counted), partial, ())
    question, answer = dialogue[-1]
    latest = read_answer(answer, question)
    is_counted = bool(counted) and counted[-1] == dialogue[-1]
    if may_ask and not is_counted:
        notes = [not_read(answer, question)] if latest.unread else [*corrected(changed_by_latest(dialogue)), *map(note, latest.problems)]
        if latest.queries:
            notes += reply(latest, question, question.hypotheses, counted, read_all(counted), evidence)
        return question.model_copy(update={"notes": tuple(notes)})
    move = decide(counted)
    if may_ask and latest.queries and _is_open(move) and (left := _unanswered(question, latest)):
        reply_first = reply(latest, question, question.hypotheses, counted, read_all(counted), evidence)
        return question.model_copy(update={"items": left, "notes": reply_first})
    notes = list(map(note, latest.problems)) if isinstance(move, Diagnosis) else []
    if latest.queries:
        standing = move.hypotheses if isinstance(move, PhenomenonQuestion) else move.alternatives
        notes = [*reply(latest, question, standing, counted, read_all(counted), evidence, concluded=isinstance(move, Diagnosis)), *notes]
    if latest.unread and isinstance(move, PhenomenonQuestion):
        notes = [left_open(answer), *notes]
    return _with_notes(move, [*notes, *(partial if isinstance(move, Diagnosis) else ())], unread_words(dialogue))


def _is_open(move: Diagnosis | PhenomenonQuestion) -> bool:
    """Whether the dialogue would end without a diagnosis, as it does after the last turn."""
    return isinstance(move, Diagnosis) and move.verdict is not Verdict.DIAGNOSED


def _unanswered(question: PhenomenonQuestion, reading: AnswerReading) -> tuple[PhenomenonItem, ...]:
    """The items that an answer leaves open, numbered again: who asks about one of them wants to answer it."""
    left = [item for item in question.items if item.phenomenon_id not in reading.findings]
    return tuple(item.model_copy(update={"number": number}) for number, item in enumerate(left, start=1))


def _with_notes(move: Diagnosis | PhenomenonQuestion, notes: list[Statement], unread: tuple[str, ...]) -> Diagnosis | PhenomenonQuestion:
    """The move with notes; a conclusion also with the words that nobody could read."""
    if isinstance(move, PhenomenonQuestion):
        return move.model_copy(update={"notes": (*move.notes, *notes)}) if notes else move
    explanation = lines(*sayables_in(move.explanation), *notes) if notes else move.explanation
    return move.model_copy(update={"explanation": explanation, "unread": unread})
