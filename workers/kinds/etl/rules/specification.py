"""A specification: its text as a value, and the value as an analysis. What is wrong has the line on which it is."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import yaml
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
    key_in,
)
from contracts.refusals import in_words
from contracts.sql_review import WriteMode
from contracts.statements import Statement, as_value, code, lines, listing, name, names, passage, say
from contracts.tables import TableDetail
from workers.engines.procedures.marked_yaml import Fault, Path, read_marked
from workers.engines.requirements.naming import free_name, plain_name
from workers.engines.sql.named_parts import with_parts
from workers.engines.sql.names import KnownTables, NameProblem, resolve
from workers.engines.sql.review.rules.clauses import condition_on
from workers.engines.sql.script import read_script
from workers.engines.sql.trees import NotParsed, parse, parse_statement, table_name
from workers.kinds.base import SpecFault, WrongSpec
from workers.kinds.etl.rules.writing import written_table

TODO = "TODO"
"""What a person has yet to fill in, as a value or as a name in a query. A text in quotation marks may be TODO."""
NOT_READ = f"# {TODO}, not read: "
"""How a line of a draft begins that holds words of the requirement of which the draft has nothing."""
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

    def place_of(self, name: str) -> tuple[int, int]:
        """The line of a query on which a name is, and its column."""
        content = ("script", self.spec.script) if self.spec.script else ("sql", self.spec.sql)
        queries = (((content[0],), content[1]), *((("queries", place, "sql"), query.sql) for place, query in enumerate(self.spec.queries)))
        for path, sql in queries:
            for place, part in enumerate(sql.lower().splitlines(), 1):
                if name.lower() in part:
                    return self.place_in(path, place, name)
        return self.line(content[0]), 0

    def place_in(self, path: Path, number: int, name: str) -> tuple[int, int]:
        """The line of the file that is a line of a text, from 1, and the column of a name on it; 0 where the file writes it otherwise."""
        begins = self.line(*path)
        line = begins + number if _begins_below(self.written, begins) else begins
        written = self.written[line - 1] if line <= len(self.written) else ""
        return line, written.lower().find(name.lower()) + 1 if name else 0


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
    not_read = [
        SpecFault(number, say("etl.spec.not_read", words=passage(line.removeprefix(NOT_READ))))
        for number, line in enumerate(text.splitlines(), 1)
        if line.startswith(NOT_READ)
    ]
    if todos := not_read + _todos(text.splitlines(), cast("object", value), lines):
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
    if path[-1:] in (("sql",), ("script",)):
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
    sql, steps, found = ("", spec.steps, list[str]()) if spec.steps else _content(read, dialect, tables)
    listed = [column.name.lower() for column in spec.columns if not _is_of_history(spec, column.name)]
    if found and listed and listed != [column.lower() for column in found]:
        raise WrongSpec([SpecFault(read.line("columns"), say("etl.spec.other_columns", given=names(found), wanted=names(listed)))])
    yielded = {column.lower() for column in found}
    filled_in = [column for column in _filled_in(spec) if column.lower() not in yielded]
    columns = spec.columns or tuple(SpecColumn(name=column) for column in (*found, *filled_in))
    known = {column.name.lower(): column.name for column in columns} | {column.lower(): column for column in found}
    made = tuple(
        TargetColumn(name=known[column.name.lower()], type=column.type, description=column.meaning, nullable=column.nullable)
        for column in columns
    )
    missing = [column for column in (*_key(spec, known), *spec.partition_by) if column.lower() not in known]
    if missing:
        raise WrongSpec([SpecFault(read.line("grain"), say("etl.spec.no_such_column", columns=names(missing)))])
    return AnalysisResult(
        source=source,
        summary=say("etl.spec.summary", table=name(spec.target)),
        steps=steps,
        target=EtlTarget(
            table=spec.target,
            mode=spec.mode,
            columns=made,
            key=_key(spec, known),
            partition_by=tuple(known[column.lower()] for column in spec.partition_by),
            description=spec.description,
            exists=KnownTables(tables).made_as(spec.target) is not None,
            keeps_all=spec.keeps_all,
            only=_rows_that_count(read, dialect, tables),
            totals=_totals(read, dialect, tables, known),
            late_days=spec.late_days,
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


def _rows_that_count(read: ReadSpec, dialect: str, tables: Sequence[TableDetail]) -> tuple[tuple[str, str], ...]:
    """The clauses `only`, with the full names of their tables. Raises `WrongSpec`."""
    made: list[tuple[str, str]] = []
    for place, rows in enumerate(read.spec.only):
        line = read.line("only", place)
        table = KnownTables(tables).find(rows.table)
        if table is None:
            raise WrongSpec([SpecFault(line, say("etl.spec.no_source_table", table=name(rows.table)))])
        condition = condition_on(rows.condition, table, read.spec.dialect or dialect)
        if condition is None:
            raise WrongSpec([SpecFault(line, say("etl.spec.no_condition", table=name(table.full_name)))])
        _check_clause(line, condition, tables, read.spec.dialect or dialect)
        made.append((table.full_name, rows.condition))
    return tuple(made)


def _totals(read: ReadSpec, dialect: str, tables: Sequence[TableDetail], columns: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The clauses `totals`. Raises `WrongSpec`."""
    written = read.spec.dialect or dialect
    for place, total in enumerate(read.spec.totals):
        line = read.line("totals", place)
        if total.column.lower() not in columns:
            raise WrongSpec([SpecFault(line, say("etl.spec.no_total_column", column=name(total.column)))])
        tree = _parsed(read, total.sql, written, ("totals", place, "sql"))
        if not _is_definition(tree, total.column, _key(read.spec, columns)):
            raise WrongSpec([SpecFault(line, say("etl.spec.no_single_value", column=name(total.column)))])
        _check_clause(line, tree, tables, written)
    return tuple((total.column, total.sql) for total in read.spec.totals)


def _is_definition(tree: exp.Query, column: str, grain: Sequence[str]) -> bool:
    """Whether a query gives one value, or the value of a column for each key: with all columns of the grain."""
    if tree.is_star or not tree.selects:
        return False
    if len(tree.selects) == 1:
        return tree.args.get("group") is None
    names = [item.lower() for item in tree.named_selects]
    return len(names) == len(tree.selects) and {*names} == {item.lower() for item in (column, *grain)}


def _check_clause(line: int, tree: exp.Expr, tables: Sequence[TableDetail], dialect: str) -> None:
    """Raises `WrongSpec` where a clause has a name that is not there."""
    faults = [SpecFault(line, _unknown(problem)) for problem in resolve(tree, tables, dialect).problems[:10]]
    if faults:
        raise WrongSpec(faults)


def _key(spec: EtlSpec, known: Mapping[str, str]) -> tuple[str, ...]:
    """The grain, by the columns' own names."""
    key = key_in(spec.mode, spec.grain, spec.history.valid_from) if spec.history is not None else spec.grain
    return tuple(dict.fromkeys(known.get(column.lower(), column) for column in key))


def _history(spec: EtlSpec) -> HistoryColumns | None:
    return HistoryColumns.model_validate(spec.history.model_dump()) if spec.history is not None else None


def _filled_in(spec: EtlSpec) -> tuple[str, ...]:
    """The columns of a history that the query does not yield."""
    return tuple(column for column in (spec.history.valid_to, spec.history.is_current) if column) if spec.history is not None else ()


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
    target = known.made_as(spec.target) if spec.mode is not WriteMode.OVERWRITE or spec.script else None
    spoken = (table_name(table) for tree in trees for table in tree.find_all(exp.Table))
    own = {cte.alias_or_name.lower() for tree in trees for cte in tree.find_all(exp.CTE)}
    found = (known.find(item) for item in spoken if item.lower() not in own)
    reads = dict.fromkeys(table.full_name for table in found if table is not None)
    taken = {READ}
    steps: list[AnalysisStep] = []
    for table in reads:
        if target is not None and target.full_name == table:
            continue  # what a run adds to; an overwrite by one query has it among its inputs, where the review of the design sees it
        id_ = free_name(plain_name(table.rpartition(".")[2], "table"), taken)
        taken.add(id_)
        steps.append(AnalysisStep(id=id_, name=say("etl.step.read", table=name(table)), inputs=(table,), work=SourceWork(table=table)))
    before = tuple(step.id for step in steps)
    steps.append(AnalysisStep(id=READ, name=say("etl.step.specified"), inputs=before, depends_on=before))
    return ";\n\n".join(tree.sql(dialect=written, pretty=True) for tree in trees), tuple(steps), columns


def _queried(
    read: ReadSpec, named: Mapping[str, exp.Query], dialect: str, tables: Sequence[TableDetail]
) -> tuple[list[exp.Expr], list[str]]:
    """The query, and its columns."""
    tree = cast("exp.Query", with_parts(_parsed(read, read.spec.sql, dialect, ("sql",)), named))
    resolved = resolve(tree, tables, dialect)
    _check_names(read, resolved.problems)
    outputs = resolved.root.outputs if resolved.root is not None else []
    columns = [output.name for output in outputs]
    seen = Counter(column.lower() for column in columns)
    bare = [output for output in outputs if output.is_star or not output.name or seen[output.name.lower()] > 1]
    bare = bare or [output for output, node in zip(outputs, tree.selects, strict=False) if not (tree.is_star or node.alias_or_name)]
    if bare:
        shown = listing(*(code(output.node.sql(dialect)[:80] if output.node is not None else output.name) for output in bare[:10]))
        raise WrongSpec([SpecFault(read.line("sql"), say("etl.spec.no_names", columns=shown))])
    if filled := [column for column in columns if _is_of_history(read.spec, column)]:
        raise WrongSpec([SpecFault(read.line("sql"), say("etl.spec.filled_in", columns=names(filled)))])
    return [tree], columns


def _scripted(
    read: ReadSpec, named: Mapping[str, exp.Query], dialect: str, tables: Sequence[TableDetail]
) -> tuple[list[exp.Expr], list[str]]:
    """The statements of a script, and the columns of the table that they write."""
    target, line = read.spec.target, read.line("script")
    try:
        trees = [with_parts(tree, named) for tree in parse(read.spec.script, dialect)]
        script = read_script([tree.sql(dialect=dialect) for tree in trees], tables, dialect, None)
    except NotParsed as error:
        raise WrongSpec([_not_parsed(read, ("script",), error)]) from None
    if all(written_table(tree) != target.lower() for tree in trees):
        raise WrongSpec([SpecFault(line, say("etl.spec.not_written", table=name(target)))])
    made = KnownTables(script.tables).find(target)
    if made is None or not made.columns:
        raise WrongSpec([SpecFault(line, say("etl.spec.no_target", table=name(target)))])
    _check_names(read, [problem for part in script.parts for problem in part.resolved.problems])
    return trees, [column.name for column in made.columns]


def _unknown(problem: NameProblem) -> Statement:
    if not problem.nearest:
        return say("etl.spec.unknown_alone", name=name(problem.name))
    return say("etl.spec.unknown_name", name=name(problem.name), near=names(problem.nearest))


def _check_names(read: ReadSpec, problems: Sequence[NameProblem]) -> None:
    """Raises `WrongSpec` where there are any."""
    faults = [SpecFault(line, _unknown(problem), column) for problem in problems[:10] for line, column in (read.place_of(problem.name),)]
    if faults:
        raise WrongSpec(faults)


def _parsed(read: ReadSpec, sql: str, dialect: str, path: Path) -> exp.Query:
    try:
        tree = parse_statement(sql, dialect)
    except NotParsed as error:
        raise WrongSpec([_not_parsed(read, path, error)]) from None
    if not isinstance(tree, exp.Query):
        raise WrongSpec([SpecFault(read.line(*path), say("etl.spec.no_query"))])
    return tree


def _not_parsed(read: ReadSpec, path: Path, error: NotParsed) -> SpecFault:
    """Where the parser gave up, as far as it says so."""
    line, column = read.place_in(path, error.line, error.near) if error.line else (read.line(*path), 0)
    return SpecFault(line, say("etl.spec.not_parsed", reason=passage(error.reason)), column)


def with_statements(text: str, sql: str, dialect: str) -> str:
    """A specification with other SQL in the place of its own: a query, or statements that write the table. Empty where there is no
    specification, or where the SQL is none."""
    try:
        trees = parse(sql, dialect) if text else []
        spec = read_spec(text).spec if trees else None
    except (NotParsed, WrongSpec):
        return ""
    if spec is None or not all(
        isinstance(tree, exp.Query | exp.Create | exp.Drop | exp.Insert | exp.Update | exp.Delete | exp.Merge | exp.TruncateTable)
        for tree in trees
    ):
        return ""
    is_query = len(trees) == 1 and isinstance(trees[0], exp.Query)
    content = {"sql": sql, "script": "", "steps": ()} if is_query else {"sql": "", "script": sql, "steps": ()}
    changed = spec.model_copy(update=content).model_dump(mode="json", exclude_defaults=True)
    return yaml.safe_dump(changed, allow_unicode=True, sort_keys=False)


def faults_text(faults: Sequence[SpecFault]) -> Statement:
    """All faults as one error."""
    return lines(*(say("etl.spec.fault", line=name(fault.place), text=as_value(fault.text)) for fault in faults))
