"""Functions of ClickHouse that the parser keeps by their names, as the trees that every printer knows."""

from collections.abc import Sequence

from sqlglot import exp, parse_one

from contracts.tables import TableDetail

_CASTS = {"todate": "DATE", "todatetime": "TIMESTAMP", "tostring": "TEXT", "tofloat64": "DOUBLE", "toint64": "BIGINT", "toint32": "INT"}
_UNSIGNED = {"touint8": "INT", "touint16": "INT", "touint32": "BIGINT", "touint64": "BIGINT"}
_PARTS = {"toyear": "YEAR", "toquarter": "QUARTER", "tomonth": "MONTH", "todayofmonth": "DAY", "tohour": "HOUR", "tominute": "MINUTE"}
_IF = "if"
_WHOLE = ("BIGINT", "INT")
_ROUNDING = {"postgres", "redshift", "duckdb", "snowflake", "bigquery", "oracle", "mysql"}
"""Dialects in which a number that becomes a whole one is rounded; ClickHouse cuts it."""


def of_clickhouse(node: exp.Expr, write: str, tables: Sequence[TableDetail]) -> exp.Expr:
    """A node in words that the dialect has too, where it has such."""
    if isinstance(node, exp.Count) and node.this is None:
        return exp.Count(this=exp.Star())
    if isinstance(node, exp.AnonymousAggFunc | exp.CombinedAggFunc):
        return _aggregate(str(node.this).lower(), node.expressions) or node
    if isinstance(node, exp.Anonymous) and node.name.lower() == "today" and not node.expressions:
        return exp.CurrentDate()
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        name, value = node.name.lower(), node.expressions[0].copy()
        if kind := _CASTS.get(name) or _UNSIGNED.get(name):
            is_cut = kind in _WHOLE and write in _ROUNDING and not _needs_no_cut(value, tables)
            return exp.cast(exp.Trunc(this=value) if is_cut else value, kind)
        if part := _PARTS.get(name):
            return exp.Extract(this=exp.var(part), expression=value)
    return node


def _needs_no_cut(value: exp.Expr, tables: Sequence[TableDetail]) -> bool:
    """Whether a value is a text, which no engine cuts, or a whole number."""
    if isinstance(value, exp.Column):
        kinds = [column.type for table in tables for column in table.columns if column.name.lower() == value.name.lower() and column.type]
        wholes = (*exp.DataType.TEXT_TYPES, *exp.DataType.INTEGER_TYPES)
        return bool(kinds) and all(exp.DataType.build(kind, udt=True).is_type(*wholes) for kind in kinds)
    return isinstance(value, exp.Count | exp.Extract) or (isinstance(value, exp.Literal) and (value.is_string or value.name.isdigit()))


def _aggregate(name: str, arguments: list[exp.Expr]) -> exp.Expr | None:
    """`sumIf(a, b)` is `sum(a)` over the rows with b, `uniqExact(a)` a count of different values. None: no other dialect has it."""
    if name.endswith(_IF) and len(arguments) > 1:
        inner = _aggregate(name.removesuffix(_IF), arguments[:-1])
        if inner is None:
            return None
        chosen = exp.Filter(this=inner, expression=exp.Where(this=arguments[-1].copy()))
        return exp.Coalesce(this=chosen, expressions=[exp.Literal.number(0)]) if isinstance(inner, exp.Sum) else chosen
    values = [argument.copy() for argument in arguments]
    if name == "uniqexact":
        return exp.Count(this=exp.Distinct(expressions=values))
    known = parse_one(f"{name}(x)", read="clickhouse")
    if isinstance(known, exp.AggFunc) and not isinstance(known, exp.AnonymousAggFunc | exp.CombinedAggFunc) and len(values) == 1:
        known.set("this", values[0])
        return known
    return None
