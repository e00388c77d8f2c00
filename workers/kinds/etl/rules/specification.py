"""A specification: its text as a value, and the value as an analysis. What is wrong has the line on which it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import ValidationError
from sqlglot import exp

from contracts.etl.spec import EtlSpec, SpecColumn
from contracts.pipelines.analysis import (
    AnalysisResult,
    AnalysisStep,
    EtlTarget,
    HistoryColumns,
    Origin,
    SourceWork,
    TargetColumn,
)
from contracts.refusals import in_words
from contracts.statements import Statement, as_value, lines, name, names, passage, say
from contracts.tables import TableDetail
from workers.engines.procedures.marked_yaml import Fault, Path, read_marked
from workers.engines.requirements.naming import free_name, plain_name
from workers.engines.sql.names import resolve
from workers.engines.sql.trees import NotParsed, parse_statement
from workers.kinds.base import SpecFault, WrongSpec

TODO = "TODO"
"""What a person has yet to fill in, as a value or as a name in a query. A text in quotation marks may be TODO."""
_NOT_A_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|[^A-Za-z0-9_'\"]")
READ = "content"
"""The id of the step that stands for the query."""


@dataclass(frozen=True, slots=True)
class ReadSpec:
    """A specification with the lines of its parts."""

    spec: EtlSpec
    lines: dict[Path, int]
    written: tuple[str, ...]
    """The lines of the file."""

    def line(self, *path: str | int) -> int:
        """The line of a part, or of the nearest part around it that the file has."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def line_of(self, name: str) -> int:
        """The line of a query on which a name is."""
        queries = ((("sql",), self.spec.sql), *((("queries", place, "sql"), query.sql) for place, query in enumerate(self.spec.queries)))
        for path, sql in queries:
            line = self.line(*path)
            for place, part in enumerate(sql.lower().splitlines(), 1):
                if name.lower() in part:
                    return line + place if _begins_below(self.written, line) else line
        return self.line("sql")


def _begins_below(written: Sequence[str], line: int) -> bool:
    """Whether the text behind a key begins on the next line, as a block."""
    return written[line - 1].rstrip().endswith(("|", "|-", "|+"))


def read_spec(text: str) -> ReadSpec:
    """The specification in a YAML text. Raises `WrongSpec`."""
    try:
        value, lines = read_marked(text)
    except Fault as fault:
        raise WrongSpec([SpecFault(fault.line, fault.message)]) from None
    if not isinstance(value, dict):
        raise WrongSpec([SpecFault(1, say("etl.spec.no_mapping"))])
    if todos := _todos(text.splitlines(), cast("object", value), lines):
        raise WrongSpec(todos)
    try:
        return ReadSpec(EtlSpec.model_validate(value), lines, tuple(text.splitlines()))
    except ValidationError as error:
        faults: list[SpecFault] = []
        for fault in error.errors(include_url=False)[:20]:
            path = tuple(part for part in fault["loc"] if not isinstance(part, str) or part.isidentifier())
            while path and path not in lines:
                path = path[:-1]
            where = ".".join(map(str, fault["loc"])) or "-"
            faults.append(SpecFault(lines.get(path, 1), say("etl.spec.wrong_part", place=name(where), fault=in_words(fault))))
        raise WrongSpec(faults) from None


def _todos(written: Sequence[str], value: object, lines: dict[Path, int], path: Path = ()) -> list[SpecFault]:
    """What is still to be done: values that are TODO, and the name TODO in a query."""
    if isinstance(value, dict):
        parts = cast("dict[str, object]", value).items()
        return [fault for key, item in parts for fault in _todos(written, item, lines, (*path, key))]
    if isinstance(value, list):
        items = enumerate(cast("list[object]", value))
        return [fault for place, item in items for fault in _todos(written, item, lines, (*path, place))]
    text, line = str(value), lines.get(path, 1)
    if path[-1:] == ("sql",):
        begins = _begins_below(written, line)
        return [
            SpecFault(line + place if begins else line, say("etl.spec.todo", text=passage(part.strip())))
            for place, part in enumerate(text.splitlines(), 1)
            if TODO in _NOT_A_WORD.sub(" ", part.partition("--")[0]).split()
        ]
    is_open = text == TODO or text.startswith(f"{TODO} ")
    return [SpecFault(line, say("etl.spec.todo", text=passage(text)))] if is_open else []


def source_named(text: str) -> str | None:
    """The source that a YAML text names. Raises `WrongSpec`."""
    return read_spec(text).spec.source


def analysis_in(text: str, source: str, dialect: str, tables: Sequence[TableDetail]) -> AnalysisResult:
    """A YAML text as an analysis. Raises `WrongSpec`."""
    return analysis_of(read_spec(text), source, dialect, tables)


def analysis_of(read: ReadSpec, source: str, dialect: str, tables: Sequence[TableDetail]) -> AnalysisResult:
    """The specification as an analysis, its names checked against the catalogue. Raises `WrongSpec`."""
    spec = read.spec
    sql, steps, found = ("", spec.steps, list[str]()) if spec.steps else _queried(read, dialect, tables)
    listed = [column.name.lower() for column in spec.columns if not _is_of_history(spec, column.name)]
    if found and listed and listed != [column.lower() for column in found]:
        raise WrongSpec([SpecFault(read.line("columns"), say("etl.spec.other_columns", given=names(found), wanted=names(listed)))])
    columns = spec.columns or tuple(SpecColumn(name=column) for column in found)
    made = tuple(
        TargetColumn(name=column.name, type=column.type, description=column.meaning, nullable=column.nullable) for column in columns
    )
    known = {column.name.lower() for column in made}
    missing = [column for column in (*spec.grain, *spec.partition_by) if column.lower() not in known]
    if missing:
        raise WrongSpec([SpecFault(read.line("grain"), say("etl.spec.no_such_column", columns=names(missing)))])
    exists = any(spec.target.lower() in (table.name.lower(), table.full_name.lower()) for table in tables)
    return AnalysisResult(
        source=source,
        summary=say("etl.spec.summary", table=name(spec.target)),
        steps=steps,
        target=EtlTarget(
            table=spec.target,
            mode=spec.mode,
            columns=made,
            key=spec.grain,
            partition_by=spec.partition_by,
            description=spec.description,
            exists=exists,
            keeps_all=spec.keeps_all,
            history=_history(spec),
        ),
        tables=tuple(step.work.table for step in steps if isinstance(step.work, SourceWork)),
        confidence=1.0,
        read_by=Origin.HUMAN,
        schedule=spec.schedule,
        requirement=spec.description,
        sql=sql,
        dialect=spec.dialect or dialect,
    )


def _history(spec: EtlSpec) -> HistoryColumns | None:
    given = spec.history
    return HistoryColumns(valid_from=given.valid_from, valid_to=given.valid_to, is_current=given.is_current) if given else None


def _is_of_history(spec: EtlSpec, column: str) -> bool:
    """Columns that code fills in: until when a row holds, and whether it does now."""
    return spec.history is not None and column in (spec.history.valid_to, spec.history.is_current)


def _queried(read: ReadSpec, dialect: str, tables: Sequence[TableDetail]) -> tuple[str, tuple[AnalysisStep, ...], list[str]]:
    """The query with its named parts, the tables that it reads as steps, and its columns."""
    spec = read.spec
    written = spec.dialect or dialect
    tree = _parsed(spec.sql, written, read.line("sql"))
    for number, query in enumerate(spec.queries):
        part = _parsed(query.sql, written, read.line("queries", number, "sql"))
        tree = tree.with_(query.name, as_=part, copy=False)
    resolved = resolve(tree, tables, written)
    if resolved.problems:
        faults = [
            SpecFault(
                read.line_of(problem.name), say("etl.spec.unknown_name", name=name(problem.name), near=names(problem.nearest or ("-",)))
            )
            for problem in resolved.problems[:10]
        ]
        raise WrongSpec(faults)
    own = {cte.alias_or_name.lower() for cte in tree.find_all(exp.CTE)}
    by_name = {item.lower(): table.full_name for table in tables for item in (table.name, table.full_name)}
    spoken = [".".join(part.name for part in table.parts) for table in tree.find_all(exp.Table)]
    reads = list(dict.fromkeys(by_name[item.lower()] for item in spoken if item.lower() in by_name and item.lower() not in own))
    taken = {READ}
    steps: list[AnalysisStep] = []
    for table in reads:
        id_ = free_name(plain_name(table.rpartition(".")[2], "table"), taken)
        taken.add(id_)
        steps.append(AnalysisStep(id=id_, name=say("etl.step.read", table=name(table)), inputs=(table,), work=SourceWork(table=table)))
    before = tuple(step.id for step in steps)
    steps.append(AnalysisStep(id=READ, name=say("etl.step.specified"), inputs=before, depends_on=before))
    return tree.sql(dialect=written, pretty=True), tuple(steps), list(tree.named_selects)


def _parsed(sql: str, dialect: str, line: int) -> exp.Query:
    try:
        tree = parse_statement(sql, dialect)
    except NotParsed as error:
        raise WrongSpec([SpecFault(line, say("etl.spec.not_parsed", reason=passage(error.reason)))]) from None
    if not isinstance(tree, exp.Query):
        raise WrongSpec([SpecFault(line, say("etl.spec.no_query"))])
    return tree


def faults_text(faults: Sequence[SpecFault]) -> Statement:
    """All faults as one error."""
    return lines(*(say("etl.spec.fault", line=name(str(fault.line)), text=as_value(fault.text)) for fault in faults))
