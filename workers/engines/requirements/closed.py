"""The closed form of a requirement: its grammar, and its question as typed steps.

    Build NAME: QUESTION            建立 NAME：QUESTION
    mode: overwrite                 optional, each on a line of its own or behind a semicolon
    partition_by: month
    schedule: 0 6 * * *

QUESTION is read by the reader of questions. A requirement that is not in this form to the last word is not read here.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from contracts.pipelines.analysis import Ambiguity, AnalysisStep, EtlTarget, OpenPart, SourceWork
from contracts.questions import QuestionReading, Verdict
from contracts.sql_review import WriteMode
from contracts.statements import Join, code, listing, name, quote, say
from contracts.tables import JoinPath, TableDetail
from contracts.times import TimeSettings
from workers.engines.definitions.definition import Definition
from workers.engines.questions import Reader
from workers.engines.questions.understood import said_of
from workers.engines.requirements.facts import NotRead, RequirementReading
from workers.engines.requirements.from_query import QuerySteps, with_times
from workers.engines.squeezing import squeezed
from workers.engines.steps.contradictions import contradictions

VERBS = ("build", "create", "make", "建立", "创建", "新建", "生成")
"""The words with which the form begins."""
SURE, UNSURE = 0.95, 0.5
"""Confidence of a requirement that was read word for word, and of one with several readings."""
MOST_CHARACTERS = 4_000
"""Characters of a requirement that may be in the form."""
_MODE, _PARTITION, _SCHEDULE = "mode", "partition_by", "schedule"


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """A requirement in the form."""

    table: str
    question: str
    mode: WriteMode | None = None
    partition_by: tuple[str, ...] = ()
    schedule: str = ""
    """As cron has it."""


def closed_form(text: str) -> ClosedForm | None:
    """The parts of a requirement in the form; None: it is not in the form."""
    if len(text) > MOST_CHARACTERS:
        return None
    head, *fields = [part.strip() for part in text.replace("；", ";").replace("\n", ";").split(";") if part.strip()] or [""]
    form = _head(head)
    for field in fields:
        form = _with_field(form, field.rstrip(".。")) if form is not None else None
    return form


def target_in(text: str) -> str:
    """The name behind the verb with which a text begins, where it can only be a name: a colon follows, or it has an underscore or a dot
    within. Empty: there is none."""
    rest = _behind_verb(text[:MOST_CHARACTERS].lstrip())
    words = rest.split(maxsplit=1)
    if not words:
        return ""
    word, mark, _ = words[0].replace("：", ":").partition(":")
    word = word.strip("`,，.。")
    is_name = bool(mark) or any(letter in word.strip("_") for letter in "_.")
    return word if is_name and is_table_name(word) else ""


def is_table_name(word: str) -> bool:
    """Whether a word is an identifier, with a schema or without."""
    return len(word) <= 200 and word.count(".") <= 1 and all(part.isidentifier() for part in word.split("."))


def _behind_verb(text: str) -> str:
    """The text behind its verb; empty: it begins otherwise."""
    verb = next((verb for verb in VERBS if text[: len(verb)].lower() == verb), "")
    rest = text[len(verb) :]
    return rest if verb and (rest[:1].isspace() or not verb.isascii()) else ""


def _head(text: str) -> ClosedForm | None:
    head, mark, question = text.replace("：", ":", 1).partition(":") if "：" in text.split(":")[0] else text.partition(":")
    table, question = _behind_verb(head).strip().strip("`"), question.strip().rstrip(".。").rstrip()
    return ClosedForm(table.lower(), question) if mark and question and is_table_name(table) else None


def _with_field(form: ClosedForm, text: str) -> ClosedForm | None:
    """The form with a field behind the question; None: it is no field, or not one that the form has."""
    key, _, value = (part.strip() for part in text.replace("：", ":", 1).partition(":"))
    if key == _MODE and value in (WriteMode.OVERWRITE, WriteMode.APPEND, WriteMode.UPSERT):
        return replace(form, mode=WriteMode(value))
    if key == _PARTITION and value:
        return replace(form, partition_by=tuple(item.strip() for item in value.replace("，", ",").split(",")))
    if key == _SCHEDULE and (len(value.split()) == 5 or value.startswith("@")):
        return replace(form, schedule=value)
    return None


def read_closed(
    form: ClosedForm,
    tables: Sequence[TableDetail],
    paths: Sequence[JoinPath],
    now: datetime,
    *,
    chosen: int | None = None,
    definitions: Sequence[Definition | str] = (),
    synonyms: Mapping[str, Sequence[str]] | None = None,
    settings: TimeSettings | None = None,
) -> RequirementReading:
    """The steps and the target, or what is open. `chosen` picks one of several readings, from 0. `settings`: what words about time mean
    in this deployment."""
    known = with_times(tables)
    found = Reader(known, now, paths, definitions=definitions, synonyms=synonyms, settings=settings).read(squeezed(form.question))
    if found.verdict is Verdict.AMBIGUOUS and chosen is None and (len(found.readings) > 1 or found.open_word is not None):
        return _several(form, found)
    if found.verdict is Verdict.UNPLACED or not found.readings:
        return RequirementReading(unread=found.unplaced or (form.question,))
    reading = found.readings[min(chosen or 0, len(found.readings) - 1)]
    plan = QuerySteps(reading.plan, tables)
    try:
        made, target = plan.make(form.table, reading.understood)
    except NotRead:
        return RequirementReading(unread=(form.question,))
    if unused := _unused(form.question, plan.columns(), known):
        return RequirementReading(unread=unused)
    steps = made.made
    if column := next((column for _, column in contradictions(steps)), ""):
        asked = Ambiguity(question=say("requirements.ask.contradiction", column=code(column)), words=form.question[:500])
        return RequirementReading(ambiguities=(asked,), confidence=UNSURE)
    made_of = RequirementReading(
        steps=tuple(steps),
        target=target,
        tables=_sources(steps),
        says=(*reading.understood, *map(said_of, reading.definitions)),
        assumptions=tuple(plan.assumptions),
        confidence=SURE,
    )
    return _framed(made_of, target, form)


def _several(form: ClosedForm, found: QuestionReading) -> RequirementReading:
    texts = (listing(*reading.understood, join=Join.SENTENCES) for reading in found.readings)
    choices = tuple(say("requirements.reading.choice", says=text) for text in texts)
    question = found.remarks[0] if found.open_word is not None else say("requirements.ask.reading")
    asked = Ambiguity(question=question, choices=choices, words=form.question[:500], part=OpenPart.READING)
    return RequirementReading(ambiguities=(asked,), confidence=UNSURE)


def _sources(steps: Sequence[AnalysisStep]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.work.table for step in steps if isinstance(step.work, SourceWork)))


def _unused(question: str, read: Collection[str], tables: Sequence[TableDetail]) -> tuple[str, ...]:
    """Columns that the question names by their identifiers and that the plan does not read: a question may pass over what it shows anyway,
    a target may not."""
    words = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in question).lower().split()
    known = {column.name.lower() for table in tables for column in table.columns}
    used = {column.lower() for column in read}
    return tuple(dict.fromkeys(word for word in words if "_" in word and word in known and word not in used))


def _framed(reading: RequirementReading, target: EtlTarget, form: ClosedForm) -> RequirementReading:
    """The reading with mode and partitions. A partition that the target does not have becomes a question."""
    columns = [column.name for column in target.columns]
    unknown = next((column for column in form.partition_by if column not in columns), "")
    if unknown:
        question = say("requirements.ask.partition", column=name(unknown), quoted=quote(", ".join(columns)))
        choices = tuple(say("requirements.choice.name", name=name(column)) for column in columns)
        asked = Ambiguity(question=question, choices=choices, words=unknown, part=OpenPart.PARTITION)
        return replace(reading, ambiguities=(asked,), confidence=UNSURE)
    assumed = () if form.mode else (say("requirements.assume.overwrite"),)
    framed = target.model_copy(update={"mode": form.mode or WriteMode.OVERWRITE, "partition_by": form.partition_by})
    return replace(reading, target=framed, schedule=form.schedule, assumptions=(*reading.assumptions, *assumed))
