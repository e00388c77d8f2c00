"""The question as a query over the tables of a source, and a follow-up as a change of the question before it."""

import re
from collections.abc import Sequence

from contracts.ask.results import Reading, ReadingStatus, Understood
from contracts.ask.steps import Understanding
from contracts.queries import QueryPlan
from contracts.questions import ConfirmedExample, QuestionReading, Verdict
from contracts.questions import Reading as Found
from contracts.statements import Join, Statement, listing, name, names, say
from contracts.tables import TableDetail
from workers.engines.questions import Reader
from workers.engines.questions.understood import understood
from workers.engines.questions.words import key, split_name
from workers.engines.sql.plan_check import plan_problems
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.business_words import business_words
from workers.kinds.ask.rules.composing import compositions, spoken_of
from workers.kinds.ask.rules.desk import Desk
from workers.kinds.ask.rules.formulas import formulas_in
from workers.kinds.ask.rules.plan_groups import with_group
from workers.kinds.ask.rules.plan_values import with_values
from workers.kinds.ask.rules.unused import unused_parts
from workers.kinds.ask.rules.value_names import ValueNames
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.known_words import known_words

STATUS = {Verdict.ANSWERED: ReadingStatus.READ, Verdict.AMBIGUOUS: ReadingStatus.AMBIGUOUS, Verdict.UNPLACED: ReadingStatus.UNPLACED}


def read_question(floor: Floor, step: ToolStep, source: str) -> Reading:
    """The reading over one source: of only the message, or together with the question before it, whichever takes every word."""
    tables = floor.tables(source)
    if not tables:
        return Reading(status=ReadingStatus.NOTHING, question=say("ask.refuse.not_imported", source=name(source)))
    desk = desk_of(floor, step, source)
    texts = compositions(_without_source(step.understanding, source, tables), desk)
    readings = [(composed.text, desk.read(composed.text, composed.edits)) for composed in texts]
    found = next(((text, reading) for text, reading in readings if reading.verdict is Verdict.ANSWERED), None)
    found = found or _with_values(desk, step.understanding, step.understanding.words)
    open_ = [(text, reading) for text, reading in readings if reading.verdict is Verdict.AMBIGUOUS]
    found = found or next((kept for text, reading in open_ if (kept := _as_before(text, reading, step.understanding))), None)
    found = found or _with_values(desk, step.understanding, spoken_of(step.understanding.words))  # `only the accepted ones`
    if found is None and open_:
        found = open_[0]
    if found is not None:
        return _of(found[0], _whole(desk, step.understanding, *found), source)
    ranks = desk.ranks(texts[-1].text)
    return _of(texts[-1].text, ranks, source) if ranks is not None else _of(*min(readings, key=lambda read: len(read[1].unplaced)), source)


def _whole(desk: Desk, understanding: Understanding, text: str, reading: QuestionReading) -> QuestionReading:
    """The reading, if it uses all of the question; else what it does not use is asked about."""
    if reading.verdict is not Verdict.ANSWERED or not reading.readings:
        return reading
    is_ordered = understanding.chart is not None and understanding.chart.order is not None
    left = unused_parts(reading.readings[0].plan, desk.items(desk.spelled(text)), text, desk.tables, is_ordered=is_ordered)
    if not left:
        return reading
    remark = say("ask.question.not_used", words=names(left))
    return reading.model_copy(update={"verdict": Verdict.UNPLACED, "readings": (), "unplaced": tuple(left), "remarks": (remark,)})


def _as_before(text: str, reading: QuestionReading, understanding: Understanding) -> tuple[str, QuestionReading] | None:
    """The only reading whose tables are joined as in the statement that the conversation is about: a follow-up does not ask again what the
    user has chosen."""
    before = understanding.carried.plan if understanding.is_follow_up and understanding.carried else None
    if before is None or not before.joins:
        return None
    kept = tuple(found for found in reading.readings if _joined(found.plan) == _joined(before))
    if len(kept) != 1:
        return None
    return text, reading.model_copy(update={"verdict": Verdict.ANSWERED, "readings": kept, "remarks": ()})


def _with_values(desk: Desk, understanding: Understanding, words: str) -> tuple[str, QuestionReading] | None:
    """The plan before, with the values or the group that are all the words name. `words`: the message, or its core."""
    before = understanding.carried if understanding.is_follow_up else None
    if before is None or before.plan is None:
        return None
    plan = with_values(before.plan, desk.items(desk.spelled(words)), understanding.words)
    plan = plan or with_group(before.plan, desk.items(spoken_of(understanding.words)), desk.tables, desk.paths)
    if plan is None or plan_problems(plan, desk.tables):
        return None
    reading = Found(plan=plan, understood=understood(plan))
    question = understanding.question if words == understanding.words else f"{before.question} {words}"
    return question, QuestionReading(verdict=Verdict.ANSWERED, readings=(reading,), answerable=1.0)


def _joined(plan: QueryPlan) -> set[tuple[frozenset[str], frozenset[str]]]:
    """The pairs of tables with the columns on which they are joined."""
    tables = {source.alias: source.table for source in plan.sources}
    return {
        (frozenset({tables[join.left], tables[join.right]}), frozenset({*join.left_columns, *join.right_columns})) for join in plan.joins
    }


def desk_of(floor: Floor, step: ToolStep, source: str) -> Desk:
    """The reader of a source's questions, with what the conversation has defined."""
    tables, paths = floor.tables(source), floor.joins(source)
    definitions = step.understanding.definitions
    formulas = formulas_in(definitions)
    given = "\n".join(text for text in definitions if not formulas_in([text]))
    known = known_words(floor, source, tables)
    known["synonyms"] = {**business_words(tables), **(known.get("synonyms") or {})}
    reader = Reader(tables, floor.now, paths, settings=floor.ctx.services.settings.times, **known)
    return Desk(reader, ValueNames(tables), tables, paths, given, tuple(formulas), _examples(floor, step, source))


MOST_EXAMPLES = 5
"""Confirmed questions that are compared with a question, the most similar first."""


def _examples(floor: Floor, step: ToolStep, source: str) -> tuple[ConfirmedExample, ...]:
    """Similar questions that a user has confirmed, as far as their plans fit the tables of today."""
    known = floor.catalogue.queries(step.understanding.words, source, owner=floor.owner, limit=MOST_EXAMPLES)
    tables = floor.tables(source)
    return tuple(
        ConfirmedExample(question=query.question, plan=query.plan)
        for query in known
        if query.confirmed and query.question and query.plan is not None and not plan_problems(query.plan, tables)
    )


def _without_source(understanding: Understanding, source: str, tables: Sequence[TableDetail]) -> Understanding:
    """The words without the name of the source: it says where, and that is known by now. A table may have the same name."""
    escaped = re.escape(source)
    places = (
        rf"\b(?:in|from|on|of) (?:the )?{escaped}\s+(?:database|db|source)(?!\w)",
        rf"(?<!\w){escaped}\s+(?:database|db|source)\b",
        rf"(?<!\w)在?{escaped}\s*(?:数据库|库)(?:里面?|中)?的?",
    )
    if not any(key(word) == key(source) for table in tables for word in split_name(table.name)):
        places += (rf"\b(?:in|from|on|of) (?:the )?{escaped}(?!\w)", rf"(?<!\w)在?{escaped}\s*(?:里面?|中)的?")
    pattern = "|".join(places)
    spoken = re.sub(pattern, " ", understanding.words, flags=re.IGNORECASE)
    return understanding.model_copy(update={"words": spoken}) if spoken.strip() else understanding


def _of(text: str, reading: QuestionReading, source: str) -> Reading:
    candidates = tuple(
        Understood(source=source, says=found.understood, plan=found.plan, label=_label(source, found.understood))
        for found in reading.readings
    )
    question = _asked(reading)
    return Reading(
        status=STATUS[reading.verdict],
        text=text,
        candidates=candidates,
        unplaced=reading.unplaced,
        question=question,
        answerable=reading.answerable,
    )


def _asked(reading: QuestionReading) -> Statement | None:
    """What to ask: about the words that mean nothing here (those that are known and only have no place beside them are not named), or what
    the reader remarks: a measure without a definition, a value that the data do not have."""
    if not reading.remarks:
        return None
    first = reading.remarks[0]
    return say("ask.question.unplaced", words=first.values["words"]) if first.code == "questions.remark.unplaced" else first


def _label(source: str, understood: Sequence[Statement]) -> Statement:
    return say("ask.reading", source=name(source), says=listing(*understood, join=Join.SENTENCES))
