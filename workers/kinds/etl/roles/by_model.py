"""What a model answers for the analyst and the developer, checked by the same rules as the answers of code.

A model's reading is never called done: the package says that a person must check it."""

from collections.abc import Sequence

from contracts.base import Json
from contracts.etl.answers import AnalysisAnswer, ScriptAnswer
from contracts.pipelines.analysis import (
    Ambiguity,
    AnalysisResult,
    AnalysisStep,
    EtlTarget,
    HistoryColumns,
    Origin,
    SourceWork,
    TargetColumn,
)
from contracts.pipelines.script import SqlScript
from contracts.pointers import AnyPointer, TablePointer
from contracts.sql_review import WriteMode
from contracts.statements import name, passage, say
from contracts.tables import TableDetail
from workers.engines.requirements import open_envelope
from workers.engines.requirements.naming import free_name, plain_name
from workers.engines.sql.names import resolve
from workers.engines.sql.trees import NotParsed, parse_statement
from workers.engines.steps import NotWritable, brought_columns
from workers.errors import ModelAnswerUnusable
from workers.kinds.etl.rules.assignment import JobSpec
from workers.kinds.etl.rules.writing import problem_of, script_of, written_query
from workers.llm.client import ChatClient

MOST_TABLES = 30
"""Tables of which a prompt shows the columns, the best found first."""


def analyse_by_model(
    chat: ChatClient, text: str, source: str, tables: Sequence[TableDetail], pointers: Sequence[AnyPointer], language: str
) -> AnalysisResult:
    """A model's steps, in words. Tables that the catalogue does not have are dropped; without any the answer is of no use."""
    shown = _shown(tables, pointers)
    answer = chat.ask(AnalysisAnswer, prompt="analyst/etl", requirement=text, catalogue=_catalogue(shown), language=language).value
    known = {item.lower(): table.full_name for table in tables for item in (table.name, table.full_name)}
    steps: list[AnalysisStep] = []
    taken: set[str] = set()
    used = list(dict.fromkeys(known[item.lower()] for step in answer.steps for item in step.tables if item.lower() in known))
    if not used or not answer.columns:
        raise ModelAnswerUnusable("The model's steps name no table of the catalogue, or no column of the target.")
    for table in used:
        id_ = free_name(plain_name(table.rpartition(".")[2], "table"), taken)
        taken.add(id_)
        text_ = say("etl.step.read", table=name(table))
        steps.append(AnalysisStep(id=id_, name=text_, inputs=(table,), work=SourceWork(table=table)))
    sources = tuple(step.id for step in steps)
    for number, proposed in enumerate(answer.steps, 1):
        id_ = free_name(f"step_{number}", taken)
        taken.add(id_)
        before = (*sources, *(step.id for step in steps if step.work is None))
        steps.append(AnalysisStep(id=id_, name=proposed.name, inputs=before, depends_on=before))
    names = [plain_name(item.name, "value") for item in answer.columns]
    columns = tuple(TargetColumn(name=label, description=item.description) for label, item in zip(names, answer.columns, strict=True))
    envelope = open_envelope(text)
    history = _history(answer)
    mode = envelope.mode or next((mode for mode in WriteMode if mode.value == answer.mode.strip().lower()), WriteMode.OVERWRITE)
    key = tuple(item for item in (plain_name(word, "value") for word in answer.key) if item in names)
    table = envelope.table or plain_name(answer.table, "result")
    partition = tuple(
        item for item in envelope.partition_by or (plain_name(word, "value") for word in answer.partition_by) if item in names
    )
    target = EtlTarget(
        table=table, mode=mode, columns=columns, key=key, partition_by=partition, exists=table.lower() in known,
        history=history if mode is WriteMode.HISTORY else None,
        keeps_all=known.get(answer.keeps_all.lower(), ""),
        only=tuple((known[item.table.lower()], item.condition) for item in answer.only if item.table.lower() in known),
        totals=tuple((label, item.sql) for item in answer.totals if (label := plain_name(item.column, "value")) in names),
    )  # fmt: skip
    return AnalysisResult(
        source=source,
        summary=say("etl.summary_by_model", n=name(len(answer.steps))),
        steps=tuple(steps),
        target=target,
        tables=tuple(used),
        pointers=tuple(pointers)[:10],
        ambiguities=tuple(Ambiguity(question=item.question, choices=item.choices) for item in answer.ambiguities if item.question),
        confidence=answer.confidence,
        read_by=Origin.MODEL,
        schedule=envelope.schedule or "",
        requirement=text,
    )


def _history(answer: AnalysisAnswer) -> HistoryColumns | None:
    """The columns of validity that the model names; None: not all that are needed."""
    start, end, current = (plain_name(word, "") if word else "" for word in (answer.valid_from, answer.valid_to, answer.is_current))
    return HistoryColumns(valid_from=start, valid_to=end, is_current=current) if start and end else None


def write_by_model(chat: ChatClient, spec: JobSpec, tables: Sequence[TableDetail], remarks: Sequence[Json]) -> SqlScript:
    """A model's query as the content of the target. Names that the catalogue does not have, other columns, or anything but a query are
    refused."""
    reads = {step.work.table for step in spec.steps if isinstance(step.work, SourceWork)}
    shown = [table for table in tables if table.full_name in reads]
    columns = brought_columns(spec.target)
    answer = chat.ask(
        ScriptAnswer,
        prompt="developer/etl",
        requirement=spec.requirement,
        steps="\n".join(str(step.name) for step in spec.steps if step.work is None),
        catalogue=_catalogue(shown),
        dialect=spec.dialect,
        columns=", ".join(columns),
        key=", ".join(column for column in spec.target.key if not (spec.target.history and column == spec.target.history.valid_from)),
        valid_from=spec.target.history.valid_from if spec.target.history else "",
        remarks="\n".join(str(remark.get("text", ""))[:500] for remark in remarks[-3:]),
    ).value
    sql = answer.sql.strip().rstrip(";")
    try:
        tree = parse_statement(sql, spec.dialect)
        statements, temporary = written_query(sql, spec, tables)
    except (NotParsed, NotWritable) as error:
        raise ModelAnswerUnusable(f"The model's query cannot be written: {error}") from error
    resolved = resolve(tree, shown, spec.dialect)
    made = [column.lower() for column in getattr(tree, "named_selects", [])]
    problems = [problem.name for problem in resolved.problems]
    if problem_of(statements, spec) is not None or problems or made != [column.lower() for column in columns]:
        raise ModelAnswerUnusable(f"The model's query has unknown names ({', '.join(problems[:5])}), or other columns than the target.")
    script = script_of(spec, statements, tables, temporary=temporary, says=(say("etl.script.by_model"),), written_by=Origin.MODEL)
    return script.model_copy(update={"confidence": answer.confidence, "issues": tuple(passage(item).text for item in answer.issues)})


def _shown(tables: Sequence[TableDetail], pointers: Sequence[AnyPointer]) -> list[TableDetail]:
    order = {pointer.table: place for place, pointer in reversed(list(enumerate(pointers))) if isinstance(pointer, TablePointer)}
    return sorted(tables, key=lambda table: order.get(table.name, len(order) + 1))[:MOST_TABLES]


def _catalogue(tables: Sequence[TableDetail]) -> str:
    return "\n\n".join(
        f"{table.full_name}: {table.description}\n"
        + "\n".join(f"  {column.name} {column.type}: {column.description}".rstrip(": ") for column in table.columns[:60])
        for table in tables
    )
