"""Sums and differences of dates, which some dialects count in days and others take for numbers."""

from collections.abc import Sequence
from functools import partial

from sqlglot import exp

from contracts.tables import TableDetail
from workers.engines.sql.facts import TypeKind, type_kind
from workers.engines.sql.repair.dates import added, from_below, negative, truncated, unwrapped

IN_DAYS = {"oracle", "postgres", "redshift", "duckdb", "snowflake"}
"""Dialects in which a number beside a date is one of days."""
DATES = (
    *(exp.CurrentDate, exp.CurrentTimestamp, exp.DateAdd, exp.TimestampTrunc, exp.DateTrunc, exp.LastDay),
    *(exp.StrToDate, exp.StrToTime, exp.DateFromParts),
)
TIMES = {TypeKind.DATE, TypeKind.TIMESTAMP}
NUMBERS = {TypeKind.INTEGER, TypeKind.DECIMAL}


def with_days(tree: exp.Expr, read: str, write: str, tables: Sequence[TableDetail]) -> tuple[exp.Expr, bool]:
    """The tree with additions and differences by their units, and whether all are understood. It must have its dates in one form."""
    if read != "oracle" and write in IN_DAYS:
        return tree, True
    kinds: dict[str, set[TypeKind]] = {}
    for column in (column for table in tables for column in table.columns):
        kinds.setdefault(column.name.lower(), set()).add(type_kind(column.type))
    tree = from_below(tree, partial(_counted, read=read, kinds=kinds))
    left = (node for node in tree.find_all(exp.Add, exp.Sub) if node.find(exp.Interval) is None)
    return tree, not any(_is_time(side, kinds) for node in left for side in (node.this, node.expression))


def _values(node: exp.Expr) -> list[exp.Expr]:
    """A value, or those of which it is the first, the least or the greatest."""
    node = unwrapped(node)
    is_one_of = isinstance(node, exp.Min | exp.Max | exp.Coalesce)
    return [value for inner in (node.this, *node.expressions) for value in _values(inner)] if is_one_of else [node]


def _kind(node: exp.Expr, kinds: dict[str, set[TypeKind]]) -> set[TypeKind]:
    """Of a column: the kinds of those that have its name."""
    if isinstance(node, exp.Cast):
        return {type_kind(node.to.sql())}
    if isinstance(node, exp.CurrentDate | exp.StrToDate | exp.DateFromParts):
        return {TypeKind.DATE}
    return kinds.get(node.name.lower(), {TypeKind.OTHER}) if isinstance(node, exp.Column) else set()


def _is_time(node: exp.Expr, kinds: dict[str, set[TypeKind]]) -> bool:
    return any(isinstance(value, DATES) or set() < _kind(value, kinds) <= TIMES for value in _values(node))


def _is_number(node: exp.Expr, kinds: dict[str, set[TypeKind]]) -> bool:
    columns = list(node.find_all(exp.Column))
    if columns:
        return all(_kind(column, kinds) <= NUMBERS for column in columns)
    return all(isinstance(inner, exp.Literal | exp.Paren | exp.Neg | exp.Binary) and not inner.is_string for inner in node.dfs())


def _counted(node: exp.Expr, read: str, kinds: dict[str, set[TypeKind]]) -> exp.Expr | None:
    if read == "oracle" and isinstance(node, exp.Anonymous) and node.name.upper() == "TRUNC" and len(node.expressions) == 1:
        return truncated(node.expressions[0], "DAY") if _is_time(node.expressions[0], kinds) else None
    if not isinstance(node, exp.Add | exp.Sub) or read not in IN_DAYS or not _is_time(node.this, kinds):
        return None
    if not _is_time(node.expression, kinds):
        days = node.expression if isinstance(node, exp.Add) else negative(node.expression)
        return added(unwrapped(node.this), days, "DAY") if _is_number(node.expression, kinds) else None
    if isinstance(node, exp.Add):
        return None
    if read == "oracle":
        sides = (exp.Anonymous(this="JULIANDAY", expressions=[unwrapped(side).copy()]) for side in (node.this, node.expression))
        return exp.Paren(this=exp.Sub(this=next(sides), expression=next(sides)))
    is_of_days = all(_kind(value, kinds) == {TypeKind.DATE} for side in (node.this, node.expression) for value in _values(side))
    difference = exp.DateDiff(this=node.this.copy(), expression=node.expression.copy(), unit=exp.Var(this="DAY"), date_part_boundary=True)
    return difference if is_of_days else None
