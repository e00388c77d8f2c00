"""The question as a query over the tables of a source, by the grammar: a follow-up is a line below the question that it changes."""

import re
from collections.abc import Sequence

from contracts.ask.request import Strategy
from contracts.ask.results import Reading, ReadingStatus, Understood
from contracts.ask.steps import Carried, SettledWord, Understanding
from contracts.queries import QueryPlan
from contracts.questions import ConfirmedExample, QuestionReading, Verdict
from contracts.questions import Reading as QueryReading
from contracts.statements import Join, Statement, listing, name, say
from contracts.tables import TableDetail
from workers.engines.definitions.definition import Definition
from workers.engines.definitions.words import Word
from workers.engines.language import language_of
from workers.engines.plan_changes import NotChanged
from workers.engines.questions import Reader
from workers.engines.questions.lexing import LookUp
from workers.engines.questions.names import phrase_of
from workers.engines.questions.understood import understood
from workers.engines.questions.words import key, split_name
from workers.engines.sql.plan_check import plan_problems
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.following import definitions_in
from workers.kinds.ask.settings import AskSettings
from workers.kinds.ask.work.editing import changes_a_plan, reworded
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.known_words import KnownWords, known_words
from workers.kinds.ask.work.near_values import NearValue, values_near

STATUS = {Verdict.ANSWERED: ReadingStatus.READ, Verdict.AMBIGUOUS: ReadingStatus.AMBIGUOUS, Verdict.UNPLACED: ReadingStatus.UNPLACED}

_STEM = 4
"""Letters by which the forms of a word begin alike."""
MOST_EXAMPLES = 5
"""Confirmed questions that are compared with a question, the most similar first."""


def read_question(floor: Floor, step: ToolStep, source: str) -> Reading:
    """The reading over one source, of the question with what changes it."""
    tables = floor.tables(source)
    if not tables:
        return Reading(status=ReadingStatus.NOTHING, question=say("ask.refuse.not_imported", source=name(source)))
    understanding = step.understanding
    reader = reader_of(floor, source, understanding.definitions, understanding.settled)
    text = _question_in(floor, source, understanding.question, understanding.definitions, looks_up=True)
    found = reader.read(text, examples=_examples(floor, understanding, source))
    carried, line = understanding.carried, text.rpartition("\n")[2]
    if carried is None or carried.plan is None or carried.source != source or not understanding.is_follow_up or understanding.by_model:
        return _of(text, found, source, reader)
    if found.verdict is not Verdict.UNPLACED or not changes_a_plan(reader, carried, carried.question, line):
        return _of(text, found, source, reader)
    return _edited(floor, source, carried.plan, reader, text)


def _edited(floor: Floor, source: str, plan: QueryPlan, reader: Reader, text: str) -> Reading:
    """The reading of a message below an answer that options have changed: its plan with what the words change."""
    try:
        made = reworded(floor, source, plan, reader, text.rpartition("\n")[2])
    except NotChanged as error:
        return Reading(status=ReadingStatus.UNPLACED, text=text, question=error.reason)
    says = tuple(understood(made))
    return Reading(
        status=ReadingStatus.READ, text=text, answerable=1.0,
        candidates=(Understood(source=source, says=says, label=label_of(source, says), plan=made),),
    )  # fmt: skip


def reader_of(
    floor: Floor, source: str, definitions: Sequence[str] = (), settled: Sequence[SettledWord] = (), *, looks_up: bool = True
) -> Reader:
    """The reader of a source's questions. What the user chose in this job counts first, then what the conversation has defined, the last
    line first, then the catalogue."""
    known = _known(floor, source, definitions, settled)
    return _reader(floor, source, known, looks_up=looks_up)


def _known(floor: Floor, source: str, definitions: Sequence[str], settled: Sequence[SettledWord]) -> KnownWords:
    known = known_words(floor, source, floor.tables(source))
    known["definitions"] = [*settled_in(settled, source), *reversed(definitions), *known["definitions"]]
    return known


def _reader(floor: Floor, source: str, known: KnownWords, *, looks_up: bool) -> Reader:
    known["look_up"] = known["look_up"] if looks_up else None
    return Reader(floor.tables(source), floor.now, floor.joins(source), settings=floor.ctx.services.settings.times, **known)


def defined_in(floor: Floor, step: ToolStep, source: str, words: str) -> tuple[Word, ...]:
    """The words of a text that have a formula in a source. The data are only asked whether they have a value where statements run at once:
    else nothing runs before the user has seen it."""
    understanding = step.understanding
    known, text = _known(floor, source, understanding.definitions, understanding.settled), words.casefold()
    if not any(_may_name(text, each) for each in known["definitions"]):  # a reader of a large schema takes seconds
        return ()
    return _reader(floor, source, known, looks_up=runs_at_once(step)).defined_words(words)


def _may_name(text: str, definition: Definition | str) -> bool:
    """Whether a text, in small letters, has the beginning of every word of a name of the definition: another form of a word begins alike.
    A text in Chinese may have an English name in other words."""
    names = (definition.partition("=")[0],) if isinstance(definition, str) else (definition.name, *definition.others)
    if language_of(text) == "zh" and any(name.isascii() for name in names):
        return True
    return any(all(word.casefold()[:_STEM] in text for word in split_name(name)) for name in names)


def runs_at_once(step: ToolStep) -> bool:
    """Whether a statement may run before the user has seen it."""
    strategy = step.request.strategy or step.ctx.settings(AskSettings).ask_strategy
    return strategy is Strategy.DIRECT


def settled_in(settled: Sequence[SettledWord], source: str) -> list[Definition]:
    """What the user chose that words of a source mean."""
    return [
        Definition(word.name, formula=word.meaning.formula, restriction=word.meaning.restriction, place=word.place, is_settled=True)
        for word in settled
        if word.source == source
    ]


def is_read(floor: Floor, sources: Sequence[str], words: str, carried: Carried | None) -> tuple[bool, bool]:
    """Whether a source reads the words as a question, and as a change of the one before them. A change comes first."""
    definitions = definitions_in(words)
    reads = changes = False
    for source in sources:
        if not floor.tables(source):
            continue
        reader = reader_of(floor, source, definitions)
        plain = _question_in(floor, source, words, definitions)
        before = carried.question if carried is not None and carried.source == source else ""
        is_change = bool(before) and reader.is_change(plain.rpartition("\n")[2])
        changes |= is_change and (
            reader.read(f"{before}\n{plain}").verdict is not Verdict.UNPLACED or changes_a_plan(reader, carried, before, plain)
        )
        reads |= reader.read(plain).verdict is not Verdict.UNPLACED
    return reads and not changes, changes


def is_another_question(floor: Floor, sources: Sequence[str], before: str, reply: str) -> bool:
    """Whether a source reads a reply as a question of its own, and not as a change of the question that it replies to."""
    definitions = definitions_in(reply)
    for source in filter(floor.tables, sources):
        reader = reader_of(floor, source, definitions)
        plain = _question_in(floor, source, reply, definitions)
        if not plain or reader.read(plain).verdict is Verdict.UNPLACED:
            continue
        if not reader.is_change(plain) or reader.read(before).verdict is Verdict.UNPLACED:
            return True
    return False


def without_unread(floor: Floor, sources: Sequence[str], lines: list[str], carried: Carried | None) -> list[str]:
    """A message and its replies, without what was not read and then said again: where no source reads all of the lines, but one reads
    the first and the last of them, with those that define a word, or the last as a change of the question before."""
    if len(lines) == 1 or _reads(floor, sources, lines) or any(is_read(floor, sources, "\n".join(lines), carried)):
        return lines
    definitions = [line for line in lines[1:-1] if definitions_in(line)]
    if is_read(floor, sources, "\n".join([*definitions, lines[-1]]), carried)[1]:
        return [*definitions, lines[-1]]
    last = [lines[0], *definitions, lines[-1]]
    return last if _reads(floor, sources, last) else lines


def _reads(floor: Floor, sources: Sequence[str], lines: Sequence[str]) -> bool:
    words = "\n".join(lines)
    definitions = definitions_in(words)
    return any(
        reader_of(floor, source, definitions).read(_question_in(floor, source, words, definitions)).verdict is not Verdict.UNPLACED
        for source in filter(floor.tables, sources)
    )


def _examples(floor: Floor, understanding: Understanding, source: str) -> tuple[ConfirmedExample, ...]:
    """Similar questions that a user has confirmed, as far as their plans fit the tables of today."""
    known = floor.catalogue.queries(understanding.words, source, owner=floor.owner, limit=MOST_EXAMPLES)
    tables = floor.tables(source)
    return tuple(
        ConfirmedExample(question=query.question, plan=query.plan)
        for query in known
        if query.confirmed and query.question and query.plan is not None and not plan_problems(query.plan, tables)
    )


def source_named(floor: Floor, words: str) -> str | None:
    """The only visible source that the words name behind `in` or 在."""
    found = [source for source in floor.visible if _without_source(words, source, floor.tables(source)) != words]
    return found[0] if len(found) == 1 and floor.tables(found[0]) else None


def _question_in(floor: Floor, source: str, words: str, definitions: Sequence[str], *, looks_up: bool = False) -> str:
    """The words as they are read over a source: without its name, and without the lines that define a word there. A line that defines
    nothing, such as `status = paid`, is a part of the question."""
    lines = [line for line in words.splitlines() if line.strip() and not _defines(floor, source, line, definitions)]
    look_up = _known(floor, source, (), ())["look_up"] if looks_up else None
    return _without_source("\n".join(lines), source, floor.tables(source), look_up)


def _defines(floor: Floor, source: str, line: str, definitions: Sequence[str]) -> bool:
    """Whether a line gives a word a formula that can be read."""
    if not definitions_in(line):
        return False
    name, known = line.partition("=")[0], _known(floor, source, definitions, ())
    others = [each for each in known["definitions"] if not _is_of(each, name)]
    known["definitions"] = [line.strip(), *others]
    return _reader(floor, source, known, looks_up=False).has_term(name)


def _is_of(definition: Definition | str, name: str) -> bool:
    names = (definition.partition("=")[0],) if isinstance(definition, str) else (definition.name, *definition.others)
    return phrase_of(name) in map(phrase_of, names)


def _without_source(text: str, source: str, tables: Sequence[TableDetail], look_up: LookUp | None = None) -> str:
    """The text without the name of the source behind `in` or 在: it says where, and that is known by now. A table or a value may have the
    same name; then the word is a part of the question, unless it is said to be a source."""
    if any(key(word) == key(source) for table in tables for word in split_name(table.name)):
        return text
    named = rf"\b(?:in|from|of) (?:the )?{re.escape(source)} (?:database|source)(?!\w)|在?{re.escape(source)}(?:数据库|库)[里中]的?"
    text = re.sub(named, " ", text, flags=re.IGNORECASE) or text
    phrase = rf"\b(?:in|from|of) (?:the )?{re.escape(source)}(?!\w)|在?{re.escape(source)}[里中]的?"
    spoken = re.sub(phrase, " ", text, flags=re.IGNORECASE)
    if not spoken.strip() or spoken == text:
        return text
    is_value = any(value.casefold() == source.casefold() for table in tables for column in table.columns for value in column.values)
    return text if is_value or (look_up is not None and look_up(source)) else spoken


def _of(text: str, reading: QuestionReading, source: str, reader: Reader) -> Reading:
    candidates = tuple(_candidate(source, found, label_of(source, found.understood)) for found in reading.readings)
    is_unplaced = bool(reading.remarks) and reading.remarks[0].code == "questions.remark.unplaced"
    near = values_near(reading.unplaced, reader.tables) if is_unplaced else []
    if near:
        candidates = tuple(_candidate(source, found, each.says) for each in near if (found := _with_value(text, each, reader)) is not None)
    return Reading(
        status=STATUS[reading.verdict],
        text=text,
        candidates=candidates,
        unplaced=reading.unplaced,
        open_word=None if reading.open_word is None else reading.open_word.model_copy(update={"source": source}),
        question=_asked(reading, near, may_choose=bool(candidates)),
        answerable=reading.answerable,
    )


def _candidate(source: str, found: QueryReading, label: Statement) -> Understood:
    return Understood(source=source, says=found.understood, plan=found.plan, label=label, definitions=found.definitions)


def _with_value(text: str, near: NearValue, reader: Reader) -> QueryReading | None:
    """The reading of a question with a value in the place of the word that is a part of it; None: there is not one."""
    quoted = f"“{near.meaning}”"
    found = reader.read(re.sub(rf"(?<![A-Za-z0-9_]){re.escape(near.word)}(?![A-Za-z0-9_])", lambda _: quoted, text))
    return found.readings[0] if found.verdict is Verdict.ANSWERED and found.open_word is None else None


def _asked(reading: QuestionReading, near: Sequence[NearValue], *, may_choose: bool) -> Statement | None:
    """What to ask: about the words that mean nothing here, or what the reader remarks: a measure without a formula, a value that the data
    do not have."""
    if not reading.remarks:
        return None
    first = reading.remarks[0]
    if first.code != "questions.remark.unplaced":
        return first
    if may_choose:
        return say("ask.question.near_value", words=first.values["words"])
    if near:
        values = listing(*(each.says for each in near), join=Join.OR)
        return say("ask.question.part_of_value", words=first.values["words"], values=values)
    return say("ask.question.unplaced", words=first.values["words"])


def label_of(source: str, understood: Sequence[Statement]) -> Statement:
    """A reading in one line, with its source."""
    return say("ask.reading", source=name(source), says=listing(*understood, join=Join.SENTENCES))
