"""The columns that the steps of a procedure name, beside those that its statements select: a column that is misspelt judges nothing."""

from collections.abc import Collection, Iterator, Mapping

from sqlglot import exp

from contracts.procedures import CallStep, ChartStep, CompareStep, FindStep, Procedure, Step
from contracts.statements import Statement
from workers.engines.procedures.computing import tables_read
from workers.engines.procedures.expressions import BadExpression, constant, names_in, search
from workers.engines.procedures.reading import ProcedureRead
from workers.engines.sql import bounded
from workers.engines.sql.trees import PARSER_FAULTS
from workers.kinds.analyze.rules.findings import say_no_column

DIALECTS = ("duckdb", "postgres", "mysql", "sqlite")
"""The first that reads a statement is taken: which source the statement runs on is known to a deployment only."""

Named = Iterator[tuple[tuple[str | int, ...], str, str]]
"""Place in the step, the column there, and the expression whose rows have it."""


def column_faults(read: ProcedureRead, procedure: Procedure) -> Iterator[tuple[int, Statement]]:
    """Line and fault for each column that the statement of its rows does not select."""
    selected = {step.id: columns for step in procedure.steps if isinstance(step, CallStep) and (columns := _selected(step, procedure.let))}
    for place, step in enumerate(procedure.steps):
        for path, column, rows in _named(step):
            there = selected.get(step.id) if isinstance(step, CallStep) else _columns_of(rows, procedure, selected)
            if there is not None and column.casefold() not in {name.casefold() for name in there}:
                yield read.line("steps", place, *path), say_no_column(column, there)


def _columns_of(rows: str, procedure: Procedure, selected: Mapping[str, Collection[str]]) -> Collection[str] | None:
    """The columns of the rows that an expression names as they are."""
    (step, *others) = {*tables_read(rows, procedure.let)} or ("",)
    as_they_are = rows.strip() in (f"results.{step}.rows", f"results.{step}.objects") or rows.strip() in procedure.let
    return selected.get(step) if not others and as_they_are else None


def _named(step: Step) -> Named:
    match step:
        case CallStep() if step.table is not None and step.table.rows is not None:
            yield ("table", "key"), step.table.key, ""
        case FindStep():
            spec = step.find
            names = {"key": spec.key, "column": spec.column, "by": spec.by}
            yield from ((("find", part), column, spec.rows) for part, column in names.items() if column)
            yield from ((("find", "any", n, "column"), condition.column, spec.rows) for n, condition in enumerate(spec.any))
        case CompareStep():
            spec = step.compare
            for side, suffix in ((spec.before, ""), (spec.after, spec.after_suffix)):
                yield ("compare", "key"), spec.key, side
                yield from ((("compare", "also", n), column + suffix, side) for n, column in enumerate(spec.also))
                is_fixed, column = constant(spec.column)
                if is_fixed and isinstance(column, str):
                    yield ("compare", "column"), column + suffix, side
        case ChartStep():
            spec = step.chart
            for side, suffix in ((spec.before, ""), (spec.after or "", spec.after_suffix)):
                yield ("chart", "key"), spec.key, side
                is_fixed, column = constant(spec.column)
                if is_fixed and isinstance(column, str):
                    yield ("chart", "column"), column + suffix, side
        case _:
            return


def _selected(step: CallStep, let: Mapping[str, str]) -> tuple[str, ...] | None:
    """The columns that the statement of a call selects. None: it is put together in a job, or its columns are those of a table."""
    statement = fixed(step.arguments["sql"], let) if "sql" in step.arguments else None
    if not isinstance(statement, str):
        return None
    for dialect in DIALECTS:
        try:
            read = bounded.parse_one(statement, dialect)
        except PARSER_FAULTS:
            continue
        if not isinstance(read, exp.Query) or read.is_star or not all(read.named_selects):
            return None
        return tuple(read.named_selects)
    return None


def fixed(expression: str, let: Mapping[str, str], seen: frozenset[str] = frozenset()) -> object:
    """The value of an expression over constants and names of `let` that are so too. None: it depends on a job."""
    try:
        heads = {head[0] for head in names_in(expression)}
    except BadExpression:
        return None
    if not heads <= let.keys() or heads & seen:
        return None
    scope = {name: fixed(let[name], let, seen | {name}) for name in heads}
    return None if None in scope.values() else search(expression, scope)
