"""What a model answers for the analyst and the developer, judged by the same checks as the answers of code and of people.

What is wrong goes back to the model with what shows it: nearest names, missing columns, the rows of a counterexample or of the trial.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from contracts.base import Json
from contracts.etl.answers import AnalysisAnswer, ScriptAnswer
from contracts.pipelines.analysis import (
    CLARIFY_BELOW,
    MOST_QUESTIONS,
    Ambiguity,
    AnalysisResult,
    AnalysisStep,
    EtlTarget,
    HistoryColumns,
    Origin,
    SourceWork,
    TargetColumn,
)
from contracts.pipelines.script import CLARIFY_SCRIPT_BELOW, SqlScript
from contracts.pointers import POINTER_CAP, AnyPointer, TablePointer
from contracts.replies import Reply
from contracts.sql_review import WriteMode
from contracts.statements import Sayable, name, passage, say
from contracts.tables import JoinPath, TableDetail
from workers.catalogue.pointers import in_line
from workers.engines.requirements.naming import free_name, plain_name
from workers.engines.sql.names import KnownTables, resolve
from workers.engines.sql.names.given import given_name
from workers.engines.sql.names.written import written_tables
from workers.engines.sql.plan_check import nearest
from workers.engines.sql.schema_text import beside_keys, joins_text, table_text
from workers.engines.sql.traps import traps_of
from workers.engines.sql.trees import NotParsed, parse_statement
from workers.engines.steps import NotWritable, brought_columns
from workers.errors import ModelAnswerUnusable
from workers.kinds.etl.rules.assignment import JobSpec
from workers.kinds.etl.rules.demands import met_demands, settings_of
from workers.kinds.etl.rules.writing import problem_of, script_of, written_query
from workers.llm.brief import Brief, likely_text, replies_text
from workers.llm.checked import MOST_REPAIRS, ask_checked, asking, repaired
from workers.llm.client import ChatClient, Tools
from workers.llm.quotes import phrases_in
from workers.saying import text_of
from workers.saying.numbers import language_name

MOST_FURTHER = POINTER_CAP
"""Tables that are named although the prompt has no room for their columns."""
MOST_REMARKS = 5
"""Objections that a prompt shows, the latest."""
SHARE_TABLES, SHARE_JOINS, SHARE_DEFINITIONS, SHARE_QUERIES, SHARE_FURTHER = 0.4, 0.05, 0.1, 0.08, 0.05
SHARE_REQUIREMENT, SHARE_REMARKS, SHARE_MEMORY = 0.2, 0.08, 0.06
"""Shares of the model's window."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a model is shown beside the requirement."""

    dialect: str
    tables: Sequence[TableDetail]
    pointers: Sequence[AnyPointer] = ()
    joins: Sequence[JoinPath] = ()
    definitions: Sequence[str] = ()
    queries: Sequence[str] = ()
    """Statements that were run before, over such tables."""
    today: str = ""
    memory: str = ""
    """The session's memory."""

    @property
    def likely(self) -> list[str]:
        """Names of the tables that a search for the requirement found, the best first."""
        return list(dict.fromkeys(_full_name(pointer) for pointer in self.pointers if isinstance(pointer, TablePointer)))

    def shown(self, brief: Brief, tables: Sequence[TableDetail] | None = None) -> dict[str, str]:
        """The parts of a prompt that do not change within a job; what of them does not depend on its requirement comes first. `tables`:
        those that are shown; None: all, of which the best found have room first."""
        ranked = tables if tables is not None else self.ranked()
        names = {table.full_name for table in ranked}
        joins = [path for path in self.joins if {path.left, path.right} <= names]
        return {
            "dialect": self.dialect,
            "traps": traps_of(self.dialect),
            "tables": brief.chosen(
                "tables", [(table.full_name, table_text(table, self.dialect)) for table in ranked], SHARE_TABLES, separator="\n\n"
            ),
            "joins": brief.items("joins", joins_text(beside_keys(joins, ranked), self.dialect), SHARE_JOINS),
            "definitions": brief.items("definitions", list(self.definitions), SHARE_DEFINITIONS, separator="\n\n"),
            "queries": brief.items("queries", list(self.queries), SHARE_QUERIES, separator="\n\n"),
            "today": self.today,
            "memory": brief.text("session", self.memory, SHARE_MEMORY),
        }

    def ranked(self) -> list[TableDetail]:
        """The tables, those that search found first."""
        order = {name_: place for place, name_ in enumerate(self.likely)}
        return sorted(self.tables, key=lambda table: order.get(table.full_name, len(order)))


def _full_name(pointer: TablePointer) -> str:
    return f"{pointer.schema_name}.{pointer.table}" if pointer.schema_name else pointer.table


OpenTables = Callable[[Sequence[TableDetail]], Tools]
"""The tools of a step that holds pointers to these tables as well."""


def analyse_by_model(
    chat: ChatClient,
    requirement: str,
    source: str,
    known: Known,
    *,
    language: str,
    heard: Sequence[Reply] = (),
    remarks: Sequence[Json] = (),
    earlier: AnalysisResult | None = None,
    open_tables: OpenTables | None = None,
) -> AnalysisResult:
    """A model's reading of a requirement: the target with its grain and mode, and business steps in words. `open_tables`: where the prompt
    has no room for all tables, the model is shown the names of the others and opens those that it needs. `earlier`: the analysis that is to
    be changed. Raises `ModelAnswerUnusable`,
    and `Declined` where the tables cannot fulfil the requirement."""
    brief = Brief.of(chat)
    from_user = {  # made first, so that it has room
        "requirement": brief.text("requirement", requirement, SHARE_REQUIREMENT),
        "heard": brief.text("answers", replies_text(heard), SHARE_REMARKS),
        "remarks": brief.text("remarks", objections(remarks), SHARE_REMARKS),
        "earlier": brief.text("earlier analysis", analysis_text(earlier) if earlier is not None else "", SHARE_REMARKS),
    }
    shown = known.shown(brief)
    names = {written: place[1] for written, (place, *_) in written_tables([(source, table.full_name) for table in known.tables]).items()}
    further = _further(brief, known, open_tables is not None)
    answer = ask_checked(
        chat,
        AnalysisAnswer,
        lambda answer: _problem(answer, names),
        calls=open_tables(further) if open_tables is not None and further else None,
        prompt="analyst/etl",
        **shown,
        **from_user,
        likely=likely_text(known.likely, [table.full_name for table in known.tables]),
        further=brief.items("further tables", [_card(table) for table in further], SHARE_FURTHER),
        language=language_name(language),
        asks_below=CLARIFY_BELOW,
        most_questions=MOST_QUESTIONS,
        prompt_cuts=brief.cut_rows(),
    )
    if answer.cannot:
        raise Declined(answer.cannot)
    used = list(dict.fromkeys(names[item.casefold()] for step in answer.steps for item in step.tables))
    steps, taken = list[AnalysisStep](), set[str]()
    for table in used:
        id_ = free_name(plain_name(table.rpartition(".")[2], "table"), taken)
        taken.add(id_)
        steps.append(AnalysisStep(id=id_, name=say("etl.step.read", table=name(table)), inputs=(table,), work=SourceWork(table=table)))
    sources = tuple(step.id for step in steps)
    for number, proposed in enumerate(answer.steps, 1):
        id_ = free_name(f"step_{number}", taken)
        taken.add(id_)
        before = (*sources, *(step.id for step in steps if step.work is None))
        steps.append(AnalysisStep(id=id_, name=proposed.name, inputs=before, depends_on=before))
    return AnalysisResult(
        source=source,
        summary=say("etl.summary_by_model", n=name(len(answer.steps))),
        steps=tuple(steps),
        target=_target(answer, names, known.tables),
        tables=tuple(used),
        pointers=tuple(known.pointers)[:10],
        ambiguities=tuple(
            Ambiguity(question=item.question, choices=item.choices, assumed=item.assumed or None)
            for item in answer.ambiguities
            if item.question
        ),
        confidence=answer.confidence,
        read_by=Origin.MODEL,
        schedule=answer.schedule,
        requirement="\n".join([requirement, *(f"{item.question} {item.reply}" for item in heard)]),
        todos=answer.todos,
        intermediate=answer.intermediate,
        running=answer.running,
    )


def _further(brief: Brief, known: Known, can_open: bool) -> list[TableDetail]:
    """The tables for whose columns the prompt had no room: their cards are light, and a tool opens them."""
    kept = next((cut.kept for cut in brief.cuts if cut.part == "tables" and cut.of > 1), None)
    return known.ranked()[kept : kept + MOST_FURTHER] if can_open and kept is not None else []


def _card(table: TableDetail) -> str:
    return f"{table.full_name}: {in_line(table.description)}" if table.description else table.full_name


class Declined(Exception):
    """The tables cannot fulfil the requirement; the text says what they lack."""


def _problem(answer: AnalysisAnswer, names: dict[str, str]) -> str | None:
    """What is wrong with an analysis, for the model."""
    if answer.cannot:
        return None
    unknown = [item for step in answer.steps for item in step.tables if item.casefold() not in names]
    if unknown:
        near = _nearest(unknown, names)
        return f"There is no table {', '.join(unknown)}. The nearest: {near or ', '.join(dict.fromkeys(names.values()))}."
    if not any(step.tables for step in answer.steps):
        return "No step names a table that it reads."
    if not answer.columns or not answer.table.strip():
        return "Name the target's table and its columns, or say under `cannot` what the tables lack."
    named = Counter(given_name(item.name, "value") for item in answer.columns)
    if twice := [column for column, times in named.items() if times > 1]:
        return f"Each column of the target has a name of its own, of letters, digits and _: there are several called {', '.join(twice)}."
    columns = {item.name.strip().lower() for item in answer.columns}
    missing = [column for column in (*answer.key, *answer.partition_by) if column.strip().lower() not in columns]
    if missing:
        return f"`key` and `partition_by` are columns of the target: {', '.join(missing)} is not among `columns`."
    if answer.mode.strip().lower() not in {mode.value for mode in WriteMode}:
        return f"`mode` is one of {', '.join(mode.value for mode in WriteMode)}."
    if answer.mode.strip().lower() == WriteMode.HISTORY and not (answer.valid_from and answer.valid_to):
        return "Of mode history, `valid_from` and `valid_to` name the columns that say when a row holds."
    if answer.open_end and not _is_day(answer.open_end):
        return "`open_end` is a day such as 9999-12-31, or empty for null."
    return _clause_problem(answer, names)


def _nearest(unknown: Sequence[str], names: dict[str, str]) -> str:
    return ", ".join(dict.fromkeys(found for item in unknown for found in nearest(item, list(names.values()))))


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _clause_problem(answer: AnalysisAnswer, names: dict[str, str]) -> str | None:
    """What is wrong with the names of a clause: one that is left out in silence is not tried."""
    tables = [item.table for item in answer.only] + ([answer.keeps_all] if answer.keeps_all else [])
    if unknown := [table for table in tables if table.casefold() not in names]:
        near = _nearest(unknown, names)
        return f"`only` and `keeps_all` name tables below, not {', '.join(unknown)}. The nearest: {near or '-'}."
    columns = {given_name(item.name, "value") for item in answer.columns}
    if unknown := [item.column for item in answer.totals if given_name(item.column, "value") not in columns]:
        return f"`totals` are of columns of the target: {', '.join(unknown)} is not among `columns`."
    return None


def _target(answer: AnalysisAnswer, names: dict[str, str], tables: Sequence[TableDetail]) -> EtlTarget:
    written = answer.table.strip()
    there = KnownTables(tables).made_as(names.get(written.casefold(), written) if "." in written else written)
    own = {column.name.casefold(): column.name for column in there.columns} if there is not None else {}

    def called(word: str) -> str:
        """The name of a column: as the table has it that is there already."""
        return own.get(word.strip().casefold()) or given_name(word, "value")

    columns = tuple(TargetColumn(name=called(item.name), type=item.type, description=item.description) for item in answer.columns)
    known = [column.name for column in columns]
    mode = WriteMode(answer.mode.strip().lower())
    table = written if "." in written else there.name if there is not None else given_name(written, "result")
    start, end, current = (called(word) if word else "" for word in (answer.valid_from, answer.valid_to, answer.is_current))
    return EtlTarget(
        table=table,
        mode=mode,
        columns=columns,
        key=tuple(dict.fromkeys(item for item in map(called, answer.key) if item in known)),
        partition_by=tuple(item for item in map(called, answer.partition_by) if item in known),
        exists=there is not None,
        keeps_all=names.get(answer.keeps_all.casefold(), ""),
        only=tuple((names[item.table.casefold()], item.condition) for item in answer.only),
        totals=tuple((called(item.column), item.sql) for item in answer.totals),
        late_days=answer.late_days,
        history=HistoryColumns(
            valid_from=start, valid_to=end, is_current=current, open_end=answer.open_end, closes_missing=answer.closes_missing
        )
        if mode is WriteMode.HISTORY
        else None,
    )


Judge = Callable[[SqlScript], Sequence[str]]
"""What speaks against a script that can be written, each with the rows that show it: the review and the trial."""


def objections(remarks: Sequence[Json]) -> str:
    """Remarks as a model reads them, each once: all of people, and the latest of reviews, with the rows that show them and the reply of the
    script's author."""
    texts, of_people = list[str](), list[str]()
    for remark in remarks:
        shown = str(remark.get("shown") or f"{remark.get('text', '')} {remark.get('advice', '')}".strip())
        reply = str(remark.get("reply", ""))
        (texts if "advice" in remark else of_people).append(f"{shown}\nThe author of the script says: {reply}" if reply else shown)
    latest = list(dict.fromkeys(reversed(texts)))[:MOST_REMARKS][::-1]
    return "\n\n".join((*dict.fromkeys(of_people), *latest))


def analysis_text(analysis: AnalysisResult) -> str:
    """An analysis as its author reads it again, all that it said of the target and the steps: what is not shown cannot stay."""
    target = analysis.target
    lines = [f"table: {target.table}", "columns:", *map(column_text, target.columns)]
    lines += [f"{name_}: {value}" for name_, value in settings_of(target, analysis.schedule).items() if name_ not in ("only", "totals")]
    if (history := target.history) is not None:
        lines += [f"valid_to: {history.valid_to}", *([f"is_current: {history.is_current}"] if history.is_current else [])]
        lines += [f"open_end: {history.open_end or 'null'}"]
    lines += [f"tables of the steps: {', '.join(analysis.tables)}"]
    lines += ["steps:", *(f"- {step.name}" for step in analysis.steps if step.work is None)]
    lines += [f"only: {table} where {condition}" for table, condition in target.only]
    lines += [f"totals: {column} = {query}" for column, query in target.totals]
    lines += [f"assumed: {shown_text(item.question)} {shown_text(item.assumed)}" for item in analysis.ambiguities if item.assumed]
    lines += [f"intermediate: {item}" for item in analysis.intermediate]
    lines += [f"running: {analysis.running}"] if analysis.running else []
    lines += ["todos:", *(f"- {todo}" for todo in analysis.todos)] if analysis.todos else []
    return "\n".join(lines)


def write_by_model(
    chat: ChatClient,
    spec: JobSpec,
    known: Known,
    remarks: Sequence[Json],
    *,
    judge: Judge = lambda _: (),
    tools: Tools | None = None,
    before: Sequence[str] = (),
) -> SqlScript:
    """A model's query as the content of the target; code writes it in the target's mode. Names, columns and keys are checked, then `judge`
    tries it. Raises `ModelAnswerUnusable` when a query cannot be written after the repairs. One that can be written and that is still
    objected to is returned: the reviewer decides. A model that gives the same query again after an objection is not asked any further;
    `before`: the statements that were objected to in an earlier attempt."""
    reads = reads_of(spec)
    brief = Brief.of(chat)
    from_user = {  # made first, so that it has room
        "requirement": brief.text("requirement", spec.requirement, SHARE_REQUIREMENT),
        "remarks": brief.text("remarks", objections(remarks), SHARE_REMARKS),
    }
    columns = brought_columns(spec.target)
    history = spec.target.history
    data: dict[str, Any] = {
        **known.shown(brief, [table for table in known.tables if table.full_name in reads]),
        **from_user,
        "dialect": spec.dialect,
        "traps": traps_of(spec.dialect),
        "steps": "\n".join(str(step.name) for step in spec.steps if step.work is None and step.id not in spec.made),
        "part": spec.target.table if spec.is_part else "",
        "columns": "\n".join(column_text(column) for column in spec.target.columns if column.name in columns),
        "key": ", ".join(spec.target.key),
        "valid_from": history.valid_from if history else "",
        "closes_missing": history is not None and history.closes_missing,
        "keeps_all": spec.target.keeps_all,
        "demands": "\n".join(f"{number}. {todo}" for number, todo in enumerate(spec.todos, 1)),
        "asks_below": CLARIFY_SCRIPT_BELOW,
        "settings": "\n".join(f"{name_}: {value}" for name_, value in settings_of(spec.target, spec.schedule).items()),
        "prompt_cuts": brief.cut_rows(),
    }
    script: SqlScript | None = None
    given = dict[str, str]()
    """Queries, with what speaks against each."""

    def judged(answer: ScriptAnswer) -> SqlScript | str:
        nonlocal script
        if (query := " ".join(answer.sql.split())) in given:
            raise _SameAgain(given[query])
        made = _script(spec, answer, known.tables)
        if isinstance(made, str):
            given[query] = made
            return made
        script = made
        given[query] = "\n\n".join(judge(made)[:3])
        if given[query] and made.statements == tuple(before):
            raise _SameAgain(given[query])
        return given[query] or made

    try:
        made = repaired(asking(chat, ScriptAnswer, "developer/etl", data, calls=tools), judged)
    except _SameAgain as same:
        if script is not None:
            return script.model_copy(update={"same_again": True})
        raise ModelAnswerUnusable(f"Model {chat.model} gave the same query again. What speaks against it: {same}") from None
    if script is not None:
        return script
    raise ModelAnswerUnusable(f"No query of model {chat.model} can be written after {MOST_REPAIRS} repairs. The last objection: {made}")


def reads_of(spec: JobSpec) -> set[str]:
    """Full names of the tables that a job reads."""
    return {step.work.table for step in spec.steps if isinstance(step.work, SourceWork)} | {table.full_name for table in spec.left}


class _SameAgain(Exception):
    """A model gave a query again that was shown to be wrong; the text says why."""


def column_text(column: TargetColumn) -> str:
    """A column of the target as a prompt shows it."""
    described = shown_text(column.description)
    return f"- {column.name}{' ' + column.type if column.type else ''}{': ' + described if described else ''}"


def _script(spec: JobSpec, answer: ScriptAnswer, tables: Sequence[TableDetail]) -> SqlScript | str:
    """The script of an answer, or what is wrong with it."""
    sql = answer.sql.strip().rstrip(";")
    reads = reads_of(spec)
    try:
        tree = parse_statement(sql, spec.dialect)
        statements, temporary = written_query(sql, spec, tables)
    except (NotParsed, NotWritable) as error:
        return f"The query cannot be written: {error}"
    resolved = resolve(tree, [table for table in tables if table.full_name in reads], spec.dialect)
    if resolved.problems:
        lines = [f"{problem.name} is unknown. The nearest: {', '.join(problem.nearest) or 'none'}." for problem in resolved.problems[:5]]
        return " ".join(lines)
    made = [(node.alias_or_name or node.sql(spec.dialect)).lower() for node in getattr(tree, "selects", [])]
    wanted = [column.lower() for column in brought_columns(spec.target)]
    if made != wanted:
        return f"The result has the columns {', '.join(made)}; it must have exactly {', '.join(wanted)}, in this order."
    refused = problem_of(statements, spec)
    if refused is not None:
        return shown_text(refused)
    uses, not_used = phrases_in(answer.uses, spec.requirement)
    script = script_of(spec, statements, tables, temporary=temporary, says=(say("etl.script.by_model"),), written_by=Origin.MODEL)
    return script.model_copy(
        update={
            "confidence": answer.confidence,
            "issues": tuple(passage(item).text for item in answer.issues),
            "uses": uses,
            "not_used": not_used,
            "meets": met_demands(answer.meets, spec.todos, answer.sql, spec.target, spec.schedule),
        }
    )


def shown_text(text: Sayable) -> str:
    """A text as a prompt shows it."""
    return text if isinstance(text, str) else text_of(text, "en")
