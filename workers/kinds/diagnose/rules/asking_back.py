"""Questions of the user ("why?", "what do you know so far?"), answered from the dialogue before a method decides.

An answer that consists only of such questions is not a turn: the method gets the dialogue without it, and the open question is
repeated unchanged, with the reply in its notes. An answer that also contains findings counts as usual, and the reply goes with the
next move. No other state is kept.

An answer that only corrects earlier ones is no turn either: the open question is repeated with what was corrected, and the correction
goes with the next answer that counts.
"""

from collections.abc import Callable

from contracts.diagnose.deliverables import AnswerProblem, AnswerProblemKind, AnswerReading, Diagnosis, PhenomenonQuestion
from contracts.statements import lines, sayables_in
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.answers import read_answer
from workers.kinds.diagnose.rules.answers.manners import refuses
from workers.kinds.diagnose.rules.differential.naming import number_beyond
from workers.kinds.diagnose.rules.known import Dialogue, changed_by_latest, read_all
from workers.kinds.diagnose.rules.standing import reply
from workers.kinds.diagnose.rules.wording import note, nothing_read, taken_back

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


def only_corrects(question: PhenomenonQuestion, answer: str) -> bool:
    """Whether an answer takes back what was said before, and says nothing of what is asked."""
    reading = read_answer(answer, question)
    answers = reading.findings or reading.observations or reading.queries or reading.wrong_system
    return bool(reading.corrections) and not answers and not question.systems


def counted_turns(dialogue: Dialogue) -> Dialogue:
    """The turns that count: those whose answer is more than a question of the user or a correction, and could be read. A correction goes
    with the next one."""
    counted: list[tuple[PhenomenonQuestion, str]] = []
    waiting: list[str] = []
    for question, answer in dialogue:
        if only_corrects(question, answer):
            waiting += read_answer(answer, question).corrections
        elif not (only_asks_back(read_answer(answer, question)) or is_unread(question, answer)):
            counted.append((question, "\n".join([*waiting, answer])))
            waiting = []
    return counted


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
    latest = read_all(dialogue)[-1]
    if only_corrects(question, answer):
        if not may_ask:
            return decide([*counted, (question, answer)])
        problems = tuple(note(problem) for problem in latest.problems)
        return question.model_copy(update={"notes": (*taken_back(*changed_by_latest(dialogue)), *problems) or (nothing_read(answer),)})
    if is_unread(question, answer) and is_heard:
        return decide([*counted, (question, answer)])
    if may_ask and is_unread(question, answer) and not latest.queries:
        if question.systems:
            beyond = AnswerProblem(kind=AnswerProblemKind.OUT_OF_RANGE, text=number_beyond(question.systems, answer))
            return question.model_copy(update={"notes": (note(beyond),)})
        problems = tuple(note(problem) for problem in latest.problems)
        return question.model_copy(update={"notes": (nothing_read(answer), *problems)})
    if not latest.queries:
        return _with_problems(_once(decide(counted), question, dialogue[:-1]), latest)
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


def _once(move: Diagnosis | PhenomenonQuestion, asked: PhenomenonQuestion, before: Dialogue) -> Diagnosis | PhenomenonQuestion:
    """A question without the notes on a correction that the last one had already."""
    if not (isinstance(move, PhenomenonQuestion) and before and only_corrects(*before[-1])):
        return move
    return move.model_copy(update={"notes": tuple(each for each in move.notes if each not in asked.notes)})


def _with_problems(move: Diagnosis | PhenomenonQuestion, latest: AnswerReading) -> Diagnosis | PhenomenonQuestion:
    """A conclusion that says what of the latest answer was not read; a question says so in its notes."""
    if isinstance(move, PhenomenonQuestion) or not latest.problems:
        return move
    return move.model_copy(update={"explanation": lines(*sayables_in(move.explanation), *map(note, latest.problems))})
