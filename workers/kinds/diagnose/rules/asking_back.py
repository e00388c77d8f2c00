"""Questions of the user ("why?", "what do you know so far?"), answered from the dialogue before a method decides.

An answer that consists only of such questions is not a turn: the method gets the dialogue without it, and the open question is
repeated unchanged, with the reply in its notes. An answer that also contains findings counts as usual, and the reply goes with the
next move. No other state is kept.
"""

from collections.abc import Callable

from contracts.diagnose.deliverables import AnswerProblem, AnswerProblemKind, AnswerReading, Diagnosis, PhenomenonQuestion
from contracts.statements import lines, sayables_in
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.answers import read_answer
from workers.kinds.diagnose.rules.answers.manners import refuses
from workers.kinds.diagnose.rules.differential.naming import number_beyond
from workers.kinds.diagnose.rules.known import Dialogue, read_all
from workers.kinds.diagnose.rules.standing import reply
from workers.kinds.diagnose.rules.wording import note, nothing_read

Decide = Callable[[Dialogue], Diagnosis | PhenomenonQuestion]
"""A method: what it does after the turns that count."""


def only_asks_back(reading: AnswerReading) -> bool:
    """Whether an answer asks us something and says nothing itself."""
    return bool(reading.queries) and _says_nothing(reading)


def is_unread(question: PhenomenonQuestion, answer: str) -> bool:
    """Whether nothing in an answer to numbered items could be read, and it is no refusal: then the question is put again."""
    if question.systems:
        return bool(number_beyond(question.systems, answer))
    return bool(question.items) and _says_nothing(read_answer(answer, question)) and not refuses(answer)


def _says_nothing(reading: AnswerReading) -> bool:
    return not (reading.findings or reading.observations or reading.corrections or reading.wrong_system)


def counted_turns(dialogue: Dialogue) -> Dialogue:
    """The turns that count: those whose answer is more than a question of the user, and could be read."""
    return [
        (question, answer)
        for question, answer in dialogue
        if not (only_asks_back(read_answer(answer, question)) or is_unread(question, answer))
    ]


def answering_queries(
    evidence: TicketEvidence, dialogue: Dialogue, decide: Decide, *, may_ask: bool = True, is_heard: bool = False
) -> Diagnosis | PhenomenonQuestion:
    """The next move: what `decide` makes of the turns that count, or the open question again, each with the reply to what
    the latest answer asked back. With `may_ask=False` no question is put again. `is_heard`: a model read something in the latest
    answer, which counts then though no rule can read it."""
    counted = counted_turns(dialogue)
    if not dialogue:
        return decide(counted)
    question, answer = dialogue[-1]
    latest = read_answer(answer, question)
    if is_unread(question, answer) and is_heard:
        return decide([*counted, (question, answer)])
    if may_ask and is_unread(question, answer) and not latest.queries:
        if question.systems:
            beyond = AnswerProblem(kind=AnswerProblemKind.OUT_OF_RANGE, text=number_beyond(question.systems, answer))
            return question.model_copy(update={"notes": (note(beyond),)})
        problems = tuple(note(problem) for problem in latest.problems)
        return question.model_copy(update={"notes": (nothing_read(answer), *problems)})
    if not latest.queries:
        return _with_problems(decide(counted), latest)
    readings = read_all(counted)
    if may_ask and only_asks_back(latest):
        replied = reply(latest, question, question.hypotheses, counted, readings, evidence)
        problems = tuple(note(problem) for problem in latest.problems)
        return question.model_copy(update={"notes": problems + replied})
    move = decide(counted)
    standing = move.hypotheses if isinstance(move, PhenomenonQuestion) else move.alternatives
    replied = reply(latest, question, standing, counted, readings, evidence, concluded=isinstance(move, Diagnosis))
    if isinstance(move, PhenomenonQuestion):
        return move.model_copy(update={"notes": move.notes + replied})
    return _with_problems(move.model_copy(update={"explanation": lines(*sayables_in(move.explanation), *replied)}), latest)


def _with_problems(move: Diagnosis | PhenomenonQuestion, latest: AnswerReading) -> Diagnosis | PhenomenonQuestion:
    """A conclusion that says what of the latest answer was not read; a question says so in its notes."""
    if isinstance(move, PhenomenonQuestion) or not latest.problems:
        return move
    return move.model_copy(update={"explanation": lines(*sayables_in(move.explanation), *map(note, latest.problems))})
