"""A specification: its text as a value, and the value as an analysis. What is wrong has its place."""

import re
from collections.abc import Mapping, Sequence
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
from contracts.statements import Sayable, Statement, as_value, lines, name, names, passage, say
from contracts.tables import TableDetail
from workers.engines.procedures.marked_yaml import Fault, Mark, Path, read_marked
from workers.engines.requirements.naming import free_name, plain_name
from workers.engines.sql.named_parts import with_parts
from workers.engines.sql.names import KnownTables, NameProblem, resolve
from workers.engines.sql.script import read_script
from workers.engines.sql.trees import NotParsed, parse, parse_statement, table_name
from workers.kinds.base import SpecFault, WrongSpec
from workers.kinds.etl.rules.writing import written_table

TODO = "TODO"
"""What a person has yet to fill in, as a value or as a name in a query. A text in quotation marks may be TODO."""
_NOT_A_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|[^A-Za-z0-9_'\"]")
READ = "content"
"""The id of the step that stands for the query."""


@dataclass(frozen=True, slots=True)
class ReadSpec:
    """A specification with the places of its parts."""

    spec: EtlSpec
    marks: dict[Path, Mark]
    written: tuple[str, ...]
    """The lines of the file."""

    def mark(self, *path: str | int) -> Mark:
        """The place of a part, or of the nearest part around it that the file has."""
        return _nearest(path, self.marks)

    def fault(self, path: Path, text: Sayable) -> SpecFault:
        """What is wrong in a part."""
        return _fault(self.mark(*path), text)

    def unparsed(self, path: Path, error: NotParsed) -> SpecFault:
        """Where the parser gave up in a query, as far as it says so and the query is a block."""
        mark = self.mark(*path)
        if error.line is not None and _begins_below(self.written, mark.line):
            at = min(mark.line + error.line, len(self.written))
            indented = len(self.written[mark.line]) - len(self.written[mark.line].lstrip()) if mark.line < len(self.written) else 0
            mark = Mark(at, max(1, indented + (error.column or 1) - max(len(error.near) - 1, 0)))
        return _fault(mark, say("etl.spec.not_parsed", reason=passage(error.reason)))

    def mark_of(self, name: str) -> Mark:
        """The place of a query at which a name is."""
        content = ("script", self.spec.script) if self.spec.script else ("sql", self.spec.sql)
        queries = (((content[0],), content[1]), *((("queries", place, "sql"), query.sql) for place, query in enumerate(self.spec.queries)))
        for path, sql in queries:
            mark = self.mark(*path)
            for place, part in enumerate(sql.lower().splitlines(), 1):
                if name.lower() in part:
                    line = mark.line + place if _begins_below(self.written, mark.line) else mark.line
                    return Mark(line, self.written[line - 1].lower().find(name.lower()) + 1 or 1)
        return self.mark(content[0])


def _nearest(path: Path, marks: Mapping[Path, Mark]) -> Mark:
    while path and path not in marks:
        path = path[:-1]
    return marks.get(path, Mark())


def _fault(mark: Mark, text: Sayable) -> SpecFault:
    return SpecFault(mark.line, text, mark.column)


def _begins_below(written: Sequence[str], line: int) -> bool:
    """Whether the text behind a key begins on the next line, as a block."""
    return written[line - 1].rstrip().endswith(("|", "|-", "|+"))


def read_spec(text: str) -> ReadSpec:
    """The specification in a YAML text. Raises `WrongSpec`."""
    try:
        value, marks = read_marked(text)
    except Fault as fault:
        raise WrongSpec([SpecFault(fault.line, fault.message, fault.column)]) from None
    if not isinstance(value, dict):
        raise WrongSpec([SpecFault(1, say("etl.spec.no_mapping"))])
    if todos := _todos(text.splitlines(), cast("object", value), marks):
        raise WrongSpec(todos)
    try:
        return ReadSpec(EtlSpec.model_validate(value), marks, tuple(text.splitlines()))
    except ValidationError as error:
        faults: list[SpecFault] = []
        for fault in error.errors(include_url=False)[:20]:
            path = tuple(part for part in fault["loc"] if not isinstance(part, str) or part.isidentifier())
            where = ".".join(map(str, fault["loc"])) or "-"
            faults.append(_fault(_nearest(path, marks), say("etl.spec.wrong_part", place=name(where), fault=in_words(fault))))
        raise WrongSpec(faults) from None


def _todos(written: Sequence[str], value: object, marks: dict[Path, Mark], path: Path = ()) -> list[SpecFault]:
    """What is still to be done: values that are TODO, and the name TODO in a query."""
    if isinstance(value, dict):
        parts = cast("dict[str, object]", value).items()
        return [fault for key, item in parts for fault in _todos(written, item, marks, (*path, key))]
    if isinstance(value, list):
        items = enumerate(cast("list[object]", value))
        return [fault for place, item in items for fault in _todos(written, item, marks, (*path, place))]
    text, mark = str(value), marks.get(path, Mark())
    if path[-1:] in (("sql",), ("script",)):
        begins = _begins_below(written, mark.line)
        return [
            _todo(written, mark.line + place if begins else mark.line, part.strip())
            for place, part in enumerate(text.splitlines(), 1)
            if TODO in _NOT_A_WORD.sub(" ", part.partition("--")[0]).split()
        ]
    is_open = text == TODO or text.startswith(f"{TODO} ")
    return [_todo(written, mark.line, text)] if is_open else []


def _todo(written: Sequence[str], line: int, text: str) -> SpecFault:
    return SpecFault(line, say("etl.spec.todo", text=passage(text)), written[line - 1].find(TODO) + 1 or 1)


def source_named(text: str) -> str | None:
    """The source that a YAML text names. Raises `WrongSpec`."""
    return read_spec(text).spec.source


def analysis_in(text: str, source: str, dialect: str, tables: Sequence[TableDetail]) -> AnalysisResult:
    """A YAML text as an analysis. Raises `WrongSpec`."""
    return analysis_of(read_spec(text), source, dialect, tables)


def analysis_of(read: ReadSpec, source: str, dialect: str, tables: Sequence[TableDetail]) -> AnalysisResult:
    """The specification as an analysis, its names checked against the catalogue. Raises `WrongSpec`."""
    spec = read.spec
    sql, steps, found = ("", spec.steps, list[str]()) if spec.steps else _content(read, dialect, tables)
    listed = [column.name.lower() for column in spec.columns if not _is_of_history(spec, column.name)]
    if found and listed and listed != [column.lower() for column in found]:
        raise WrongSpec([read.fault(("columns",), say("etl.spec.other_columns", given=names(found), wanted=names(listed)))])
    columns = spec.columns or tuple(SpecColumn(name=column) for column in found)
    made = tuple(
        TargetColumn(name=column.name, type=column.type, description=column.meaning, nullable=column.nullable) for column in columns
    )
    known = {column.name.lower() for column in made}
    missing = [column for column in (*spec.grain, *spec.partition_by) if column.lower() not in known]
    if missing:
        raise WrongSpec([read.fault(("grain",), say("etl.spec.no_such_column", columns=names(missing)))])
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


def _content(read: ReadSpec, dialect: str, tables: Sequence[TableDetail]) -> tuple[str, tuple[AnalysisStep, ...], list[str]]:
    """The query or the script with its named parts, the tables that it reads as steps, and the columns of the target."""
    spec = read.spec
    written = spec.dialect or dialect
    named = {query.name: _parsed(read, query.sql, written, ("queries", place, "sql")) for place, query in enumerate(spec.queries)}
    if spec.script:
        trees, columns = _scripted(read, named, written, tables)
    else:
        trees, columns = _queried(read, named, written, tables)
    known = KnownTables(tables)
    spoken = (table_name(table) for tree in trees for table in tree.find_all(exp.Table))
    own = {cte.alias_or_name.lower() for tree in trees for cte in tree.find_all(exp.CTE)}
    found = (known.find(item) for item in spoken if item.lower() not in own)
    reads = dict.fromkeys(table.full_name for table in found if table is not None)
    taken = {READ}
    steps: list[AnalysisStep] = []
    for table in reads:
        if is_target(spec, table):
            continue
        id_ = free_name(plain_name(table.rpartition(".")[2], "table"), taken)
        taken.add(id_)
        steps.append(AnalysisStep(id=id_, name=say("etl.step.read", table=name(table)), inputs=(table,), work=SourceWork(table=table)))
    before = tuple(step.id for step in steps)
    steps.append(AnalysisStep(id=READ, name=say("etl.step.specified"), inputs=before, depends_on=before))
    return ";\n\n".join(tree.sql(dialect=written, pretty=True) for tree in trees), tuple(steps), columns


def is_target(spec: EtlSpec, table: str) -> bool:
    """Whether a table of the catalogue is the one that is made."""
    return spec.target.lower() in (table.lower(), table.rpartition(".")[2].lower())


def _queried(
    read: ReadSpec, named: Mapping[str, exp.Query], dialect: str, tables: Sequence[TableDetail]
) -> tuple[list[exp.Expr], list[str]]:
    """The query, and its columns."""
    tree = with_parts(_parsed(read, read.spec.sql, dialect, ("sql",)), named)
    _check_names(read, resolve(tree, tables, dialect).problems)
    return [tree], list(cast("exp.Query", tree).named_selects)


def _scripted(
    read: ReadSpec, named: Mapping[str, exp.Query], dialect: str, tables: Sequence[TableDetail]
) -> tuple[list[exp.Expr], list[str]]:
    """The statements of a script, and the columns of the table that they write."""
    target = read.spec.target
    try:
        trees = [with_parts(tree, named) for tree in parse(read.spec.script, dialect)]
        script = read_script([tree.sql(dialect=dialect) for tree in trees], tables, dialect, None)
    except NotParsed as error:
        raise WrongSpec([read.unparsed(("script",), error)]) from None
    if all(written_table(tree) != target.lower() for tree in trees):
        raise WrongSpec([read.fault(("script",), say("etl.spec.not_written", table=name(target)))])
    made = KnownTables(script.tables).find(target)
    if made is None or not made.columns:
        raise WrongSpec([read.fault(("script",), say("etl.spec.no_target", table=name(target)))])
    _check_names(read, [problem for part in script.parts for problem in part.resolved.problems])
    return trees, [column.name for column in made.columns]


def _check_names(read: ReadSpec, problems: Sequence[NameProblem]) -> None:
    """Raises `WrongSpec` where there are any."""
    faults = [
        _fault(read.mark_of(problem.name), say("etl.spec.unknown_name", name=name(problem.name), near=names(problem.nearest or ("-",))))
        for problem in problems[:10]
    ]
    if faults:
        raise WrongSpec(faults)


def _parsed(read: ReadSpec, sql: str, dialect: str, path: Path) -> exp.Query:
    try:
        tree = parse_statement(sql, dialect)
    except NotParsed as error:
        raise WrongSpec([read.unparsed(path, error)]) from None
    if not isinstance(tree, exp.Query):
        raise WrongSpec([read.fault(path, say("etl.spec.no_query"))])
    return tree


def faults_text(faults: Sequence[SpecFault]) -> Statement:
    """All faults as one error."""
    return lines(*(say("etl.spec.fault", line=name(str(fault.line)), text=as_value(fault.text)) for fault in faults))
