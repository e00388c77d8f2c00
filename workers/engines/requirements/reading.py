"""A requirement in words as typed steps, without a model: by the forms of a requirement, else as a question about the tables."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from contracts.pipelines.analysis import Ambiguity, AnalysisStep, EtlTarget, SourceWork
from contracts.questions import QuestionReading, Verdict
from contracts.sql_review import WriteMode
from contracts.statements import Join, code, listing, name, quote, say
from contracts.tables import JoinPath, TableDetail
from contracts.times import TimeSettings
from workers.engines.questions import Reader
from workers.engines.requirements.chinese_names import stand_ins
from workers.engines.requirements.envelope import Envelope, open_envelope
from workers.engines.requirements.facts import NotRead, RequirementReading
from workers.engines.requirements.first_things import repeats_things
from workers.engines.requirements.forms import FORMS
from workers.engines.requirements.from_query import QuerySteps
from workers.engines.requirements.naming import plain_name
from workers.engines.requirements.outline import ANSWERS, OutlineReader, open_point
from workers.engines.requirements.prose import read_prose, read_report
from workers.engines.requirements.written_times import converted, with_times
from workers.engines.squeezing import squeezed
from workers.engines.steps.contradictions import contradictions
from workers.engines.times import TimeWords

SURE, UNSURE = 0.95, 0.5
"""Confidence of a requirement that was read word for word, and of one with several readings."""
_MOST_CHARACTERS = 4_000
"""Characters of a requirement that is read without a model; of a thousand published ones the longest has 970."""
_MOST_SHOWN = 500
"""Characters of one that is too long, where it is said that it was not read."""


def read_requirement(
    text: str,
    tables: Sequence[TableDetail],
    paths: Sequence[JoinPath],
    now: datetime,
    *,
    chosen: int | None = None,
    definitions: Sequence[str] = (),
    settings: TimeSettings | None = None,
) -> RequirementReading:
    """The steps and the target, or what is open. `chosen` picks one of several readings, from 0. `settings`: what words about time mean
    in this deployment."""
    text = squeezed(text)
    if len(text) > _MOST_CHARACTERS:
        return RequirementReading(unread=(text[:_MOST_SHOWN],), confidence=0.1)
    latin = stand_ins(tables, text)
    if latin is None:
        read = _read(text, with_times(tables), paths, now, chosen=chosen, definitions=definitions, settings=settings)
        return converted(read, tables)
    read = _read(
        latin.text(text), with_times(latin.known(tables)), latin.paths(paths), now,
        chosen=chosen, definitions=tuple(map(latin.text, definitions)), settings=settings,
    )  # fmt: skip
    return converted(latin.back(read), tables)


def _read(
    text: str,
    tables: Sequence[TableDetail],
    paths: Sequence[JoinPath],
    now: datetime,
    *,
    chosen: int | None,
    definitions: Sequence[str],
    settings: TimeSettings | None,
) -> RequirementReading:
    times = TimeWords(now, settings or TimeSettings())
    envelope = open_envelope(text)
    if ANSWERS in text:
        return _by_parts(text, tables, times, envelope) or RequirementReading(unread=(envelope.content,), confidence=0.1)
    for form in FORMS:
        found = form(text, tables)
        if found is not None:
            return _framed(found, envelope, is_named=True)
    if (found := read_prose(text, tables, times)) is not None:
        return _framed(found, envelope, is_named=True)
    if (found := read_report(text, tables, times)) is not None:
        return _framed(found, envelope)
    reading = _as_question(envelope, tables, Reader(tables, now, paths, definitions=definitions, settings=settings), chosen)
    if reading.target is not None or reading.ambiguities:
        return _framed(reading, envelope)
    by_parts = _by_parts(text, tables, times, envelope)
    return replace(by_parts, unread=reading.unread) if by_parts is not None and by_parts.ambiguities else by_parts or reading


def _by_parts(text: str, tables: Sequence[TableDetail], times: TimeWords, envelope: Envelope) -> RequirementReading | None:
    """The requirement by its parts, or a question about the first that is not read; None where it has no target."""
    reader = OutlineReader(text, tables, times)
    outline = reader.outline()
    is_named = bool(reader.target) and not reader.is_name_made
    if not reader.target and (named := _with_a_name(text)):
        reader = OutlineReader(named, tables, times)
        outline = reader.outline()
    if outline.reading is not None:
        return _framed(outline.reading, envelope, is_named=is_named)
    point = open_point(reader, outline, tables)
    return RequirementReading(ambiguities=(point,), confidence=UNSURE) if point is not None else None


_SAYS_ROWS = re.compile(
    r"\s*(?:please )?(?:(?:for|per) (?:each|every) |(?:one|a) row (?:per|for) "
    r"|(?:the )?(?:top |first )?\w+ \w+ with the (?:highest|lowest|most) )"
    r"|\s*(?:请|统计|列出|汇总|计算)?\s*(?:[^，,：:每]{0,12}?)每",
    re.IGNORECASE,
)


def _with_a_name(text: str) -> str:
    """A requirement that begins with what a row is, with a name for its table; empty: it begins otherwise."""
    if _SAYS_ROWS.match(text) is None:
        return ""
    body = re.sub(r"^\s*(?:please|请|统计|列出|汇总|计算)\s*", "", text, flags=re.IGNORECASE)
    return f"建立 result：{body}" if re.search(r"[\u3400-\u9fff]", text) else f"Build result: {body[0].lower()}{body[1:]}"


def _as_question(envelope: Envelope, tables: Sequence[TableDetail], reader: Reader, chosen: int | None) -> RequirementReading:
    found = reader.read(envelope.content)
    kept = tuple(reading for reading in found.readings if not repeats_things(envelope.content, reading.plan, tables))
    if found.readings and not kept:
        return RequirementReading(unread=(envelope.content,), confidence=0.1)
    found = found.model_copy(update={"readings": kept})
    if found.verdict is Verdict.AMBIGUOUS and chosen is None and len(found.readings) > 1:
        return _ambiguous(envelope, found)
    if found.verdict is Verdict.UNPLACED or not found.readings:
        return RequirementReading(unread=found.unplaced or (envelope.content,), confidence=0.1)
    reading = found.readings[min(chosen or 0, len(found.readings) - 1)]
    try:
        steps, target = QuerySteps(reading.plan, tables).make(_target_name(envelope), reading.understood)
    except NotRead:
        return RequirementReading(unread=(envelope.content,), confidence=0.1)
    if unused := _unused(envelope.content, steps.made, tables):
        return RequirementReading(unread=unused, confidence=0.1)
    return RequirementReading(
        steps=tuple(steps.made), target=target, tables=_tables(steps.made), says=reading.understood, confidence=SURE
    )  # fmt: skip


def _unused(text: str, steps: Sequence[AnalysisStep], tables: Sequence[TableDetail]) -> tuple[str, ...]:
    """Columns that the words name literally in a list and that no step has: a question may pass over what it shows anyway, a target may
    not."""
    read = set(_tables(steps))
    known = {column.name.lower() for table in tables if table.full_name in read for column in table.columns}
    used = {word for step in steps if not isinstance(step.work, SourceWork) for word in re.findall(r"\w+", step.model_dump_json().lower())}
    listed = re.findall(r"(?:(?<=[,，、：:])|\band\b|和|与)\s*`?([A-Za-z_]\w*)`?(?=\s*(?:[,，、.。;；]|\band\b|\bof\b|和|与|的|$))", text)
    return tuple(dict.fromkeys(word for word in listed if word.lower() in known and word.lower() not in used))


def _tables(steps: Sequence[AnalysisStep]) -> tuple[str, ...]:
    found = [step.work.table for step in steps if isinstance(step.work, SourceWork)]
    return tuple(dict.fromkeys(found))


def _ambiguous(envelope: Envelope, found: QuestionReading) -> RequirementReading:
    choices = tuple(listing(*reading.understood, join=Join.SENTENCES) for reading in found.readings)
    labels = tuple(say("requirements.reading.choice", says=choice) for choice in choices)
    question = Ambiguity(question=say("requirements.ask.reading"), choices=labels, words=envelope.content[:500])
    return RequirementReading(ambiguities=(question,), confidence=UNSURE)


def _target_name(envelope: Envelope) -> str:
    return envelope.table or plain_name(re.split(r"[:：]", envelope.content, maxsplit=1)[0], "requirement")


def _framed(reading: RequirementReading, envelope: Envelope, *, is_named: bool = False) -> RequirementReading:
    """The reading with what the frame says of the target; what it says and the target does not have becomes a question."""
    target = reading.target
    if target is None:
        return reading
    if column := next((column for _, column in contradictions(reading.steps)), ""):
        question = Ambiguity(question=say("requirements.ask.contradiction", column=code(column)), words=envelope.content[:500])
        return RequirementReading(ambiguities=(question,), confidence=UNSURE)
    mode = envelope.mode or target.mode
    assumptions = list(reading.assumptions)
    if not envelope.table and not is_named:
        assumptions.append(say("requirements.assume.name", table=name(target.table)))
    if envelope.mode is None and target.mode is WriteMode.OVERWRITE:
        assumptions.append(say("requirements.assume.overwrite"))
    if mode is WriteMode.APPEND:
        mode = WriteMode.UPSERT if target.key else WriteMode.OVERWRITE
        assumptions.append(say("requirements.assume.append"))
    unknown = [column for column in envelope.partition_by if column not in {item.name for item in target.columns}]
    if unknown:
        question = say("requirements.ask.partition", column=name(unknown[0]), quoted=quote(", ".join(item.name for item in target.columns)))
        choices = tuple(say("requirements.choice.name", name=name(item.name)) for item in target.columns)
        return replace(reading, ambiguities=(Ambiguity(question=question, choices=choices, words=unknown[0]),), confidence=UNSURE)
    framed: EtlTarget = target.model_copy(update={"mode": mode, "partition_by": envelope.partition_by})
    return replace(reading, target=framed, assumptions=tuple(assumptions))
