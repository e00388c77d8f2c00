"""What comes next: a tool, a question to the user, or the answer.

The rule of the rounds: table details before SQL (S10), SQL before its execution (S11), a result before its chart or
its interpretation (S12), and the user's word before SQL runs, unless the job's strategy is to run on (S22, S23).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.ask.request import Strategy
from contracts.ask.results import (
    LogsFound,
    PassagesFound,
    Queried,
    ReadingStatus,
    Refused,
    Said,
    SqlExplained,
    SqlFixed,
    SqlMade,
    TablesFound,
    ToolResult,
    Understood,
)
from contracts.ask.steps import Ending, Understanding
from contracts.ask.tools import Tool
from contracts.base import Json
from contracts.questions import OpenWord
from contracts.statements import Sayable, lines, passage, quote, say
from contracts.statements import name as identifier
from workers.kinds.ask.rules.by_model import in_its_words
from workers.kinds.ask.rules.intents import Grounds
from workers.kinds.ask.work.choices import meanings_of, question_about, ways_on


@dataclass(frozen=True, slots=True)
class Call:
    """Call a tool."""

    tool: Tool
    arguments: Json = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the user."""

    text: Sayable
    choices: tuple[Sayable, ...] = ()
    candidates: tuple[Understood, ...] = ()
    guidance: Sayable | None = None
    word: OpenWord | None = None
    """The word whose meaning is asked."""
    offers: tuple[str, ...] = ()
    """The choices, where they are other questions."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Answer with these results."""

    ends_with: Ending
    results: tuple[ToolResult, ...]


Move = Call | Ask | Finish


def first_move(understanding: Understanding) -> Move:
    """What to do when nothing was called yet."""
    if understanding.open_word is not None:
        return to_write(understanding.open_word)
    if understanding.is_closing:
        return Finish(Ending.ANSWER, (Said(text=understanding.reason or say("ask.thanks")),))
    match understanding.intent:
        case Tool.REJECT:
            return refuse(understanding.reason or say("ask.refuse.out_of_scope"))
        case Tool.ASK_HUMAN:
            return Ask(understanding.reason or say("ask.understand.what"), understanding.choices)
        case Tool.GENERATE_SQL:
            return Call(Tool.DATA_DISCOVERY)  # no SQL without the details of its tables
        case _:
            return Call(understanding.intent)


def next_move(understanding: Understanding, strategy: Strategy, done: Sequence[ToolResult], *, may_choose: bool = False) -> Move:
    """What to do after these results. `may_choose`: the user was not asked yet in this job, so that under `confirm` they can be asked which
    of the tables are meant (S22)."""
    if not done:
        return first_move(understanding)
    last = done[-1]
    match last:
        case TablesFound():
            return _after_discovery(understanding, strategy, last, may_choose=may_choose)
        case SqlMade():
            return _after_sql(understanding, strategy, last, done)
        case SqlFixed():
            if last.asks:
                return Ask(in_its_words(last.asks), last.choices)
            if last.sql and understanding.final_intent is Tool.EXECUTE:
                return Call(Tool.EXECUTE, {"sql": last.sql, "sql_call": last.call})
            return Finish(Ending.SQL if last.sql else Ending.ANSWER, (last,))
        case LogsFound() if last.asks:
            return Ask(in_its_words(last.asks), last.choices)
        case LogsFound(missing=(one,)):
            return Ask(one)
        case LogsFound(missing=(_, *_)):
            return Ask(lines(*last.missing))
        case SqlExplained() if understanding.by_model and understanding.final_intent is Tool.EXECUTE and not last.problems:
            return Call(Tool.EXECUTE, {"sql": last.sql})
        case PassagesFound() if understanding.by_model and understanding.final_intent in (Tool.EXECUTE, Tool.GENERATE_SQL):
            return Call(Tool.DATA_DISCOVERY)
        case Queried() | LogsFound() | PassagesFound() | SqlExplained():
            return Finish(Ending.ANSWER, tuple(_worth_showing(done)))
        case Refused():
            return Finish(Ending.REFUSAL, (last,))
        case Said():
            return Finish(Ending.ANSWER, (last,))


def _worth_showing(done: Sequence[ToolResult]) -> list[ToolResult]:
    """The last result, after an explanation or passages that were wanted on the way to it."""
    return [*(result for result in done[:-1] if isinstance(result, SqlExplained | PassagesFound)), done[-1]]


def _after_discovery(understanding: Understanding, strategy: Strategy, found: TablesFound, *, may_choose: bool) -> Move:
    if understanding.final_intent is Tool.DATA_DISCOVERY:
        return Finish(Ending.TABLES, (found,))
    reading = found.reading
    if reading.open_word is not None:
        return which_meaning(reading.open_word)
    if reading.status is ReadingStatus.OPEN:
        several = len({(table.source, table.name) for table in found.tables}) > 1
        if strategy is Strategy.CONFIRM and several and not understanding.tables and may_choose:
            return Ask(say("ask.question.which_tables"), tuple(f"{table.source}.{table.name}" for table in found.tables))
        return Call(Tool.GENERATE_SQL)
    if found.documents and not reading.candidates and reading.status in (ReadingStatus.UNPLACED, ReadingStatus.NOTHING):
        cites = tuple(passage.place for passage in found.documents)
        return Finish(Ending.ANSWER, (PassagesFound(passages=found.documents, cites=cites),))  # it was no question about data
    return _about(found)


def _about(found: TablesFound) -> Move:
    """What to do with the reading of the rules."""
    reading = found.reading
    if reading.open_word is not None:
        return which_meaning(reading.open_word)
    match reading.status:
        case ReadingStatus.READ | ReadingStatus.OPEN:
            return Call(Tool.GENERATE_SQL)
        case ReadingStatus.AMBIGUOUS | ReadingStatus.UNPLACED if reading.candidates:
            labels = tuple(candidate.label for candidate in reading.candidates)
            return Ask(reading.question or say("ask.question.which_reading"), labels, reading.candidates)
        case ReadingStatus.AMBIGUOUS | ReadingStatus.UNPLACED:
            asked = reading.question or say("ask.question.unplaced_words")
            return Ask(asked, reading.offers, guidance=ways_on(found.pointers, reading), offers=reading.offers)
        case ReadingStatus.NOTHING:
            return refuse(reading.question or say("ask.refuse.no_data"))


def _after_sql(understanding: Understanding, strategy: Strategy, made: SqlMade, done: Sequence[ToolResult]) -> Move:
    if made.asks:
        return Ask(in_its_words(made.asks), made.choices)
    if made.declines:
        return refuse(say("ask.refuse.of_model", reason=passage(made.declines)))
    if not made.sql and understanding.by_model:
        return Finish(Ending.ANSWER, (made,))
    if not made.sql:
        found = next((result for result in reversed(done) if isinstance(result, TablesFound)), None)
        is_open = found is not None and found.reading.status is not ReadingStatus.READ
        return _about(found) if found is not None and is_open else Finish(Ending.ANSWER, (made,))
    if understanding.final_intent is Tool.EXECUTE and strategy is Strategy.DIRECT and made.is_verified:
        return Call(Tool.EXECUTE, {"sql": made.runs, "sql_call": made.call})
    return Finish(Ending.SQL_FOR_CONFIRMATION, (made,))


def which_meaning(word: OpenWord) -> Ask:
    """What a word means: one of its definitions, or something else."""
    return Ask(question_about(word), meanings_of(word), word=word)


def to_write(word: OpenWord) -> Ask:
    """What a word means, in the user's formula."""
    return Ask(say("ask.define.write", name=quote(word.name)), guidance=say("ask.define.example", name=identifier(word.name)), word=word)


def refuse(reason: Sayable) -> Finish:
    """A refusal that says why."""
    return Finish(Ending.REFUSAL, (Refused(reason=reason),))


def allowed_tools(understanding: Understanding, strategy: Strategy, done: Sequence[ToolResult], grounds: Grounds) -> frozenset[Tool]:
    """The tools that a model may call now. It may always ask or refuse; SQL needs tables, and an execution needs SQL. Nothing is offered
    that the deployment does not have, and the expert only answers those who chose it (S2)."""
    has_tables = any(isinstance(result, TablesFound) and result.tables for result in done)
    has_sql = understanding.statement is not None or any(isinstance(result, SqlMade | SqlFixed) and result.sql for result in done)
    may_run = strategy is Strategy.DIRECT or understanding.intent is Tool.EXECUTE
    found = {Tool.ASK_HUMAN, Tool.REJECT}
    found |= {Tool.DATA_DISCOVERY} if grounds.has_sources else set()
    found |= {Tool.DATASUITE_FAQ} if grounds.has_documents else set()
    found |= {Tool.SEARCH_LOG} if grounds.has_logs else set()
    if has_tables:
        found.add(Tool.GENERATE_SQL)
    if has_sql:
        found |= {Tool.EXPLAIN_SQL, Tool.FIX_SQL} | ({Tool.EXECUTE} if may_run else set())
    return frozenset(found)
