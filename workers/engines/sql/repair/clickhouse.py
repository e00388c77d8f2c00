"""Functions of ClickHouse that the parser keeps by their names, as the trees that every printer knows."""

from sqlglot import exp, parse_one

_CASTS = {"todate": "DATE", "todatetime": "TIMESTAMP", "tostring": "TEXT", "tofloat64": "DOUBLE", "toint64": "BIGINT", "toint32": "INT"}
_UNSIGNED = {"touint8": "INT", "touint16": "INT", "touint32": "BIGINT", "touint64": "BIGINT"}
_PARTS = {"toyear": "YEAR", "toquarter": "QUARTER", "tomonth": "MONTH", "todayofmonth": "DAY", "tohour": "HOUR", "tominute": "MINUTE"}
_IF = "if"


def of_clickhouse(node: exp.Expr) -> exp.Expr:
    """A node in the words of all dialects, where it has such."""
    if isinstance(node, exp.Count) and node.this is None:
        return exp.Count(this=exp.Star())
    if isinstance(node, exp.AnonymousAggFunc | exp.CombinedAggFunc):
        return _aggregate(str(node.this).lower(), node.expressions) or node
    if isinstance(node, exp.Anonymous) and node.name.lower() == "today" and not node.expressions:
        return exp.CurrentDate()
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        name, value = node.name.lower(), node.expressions[0].copy()
        if kind := _CASTS.get(name) or _UNSIGNED.get(name):
            return exp.cast(value, kind)
        if part := _PARTS.get(name):
            return exp.Extract(this=exp.var(part), expression=value)
    return node


def _aggregate(name: str, arguments: list[exp.Expr]) -> exp.Expr | None:
    """`sumIf(a, b)` is `sum(a)` over the rows with b, `uniqExact(a)` a count of different values. None: no other dialect has it."""
    if name.endswith(_IF) and len(arguments) > 1:
        inner = _aggregate(name.removesuffix(_IF), arguments[:-1])
        return exp.Filter(this=inner, expression=exp.Where(this=arguments[-1].copy())) if inner is not None else None
    values = [argument.copy() for argument in arguments]
    if name == "uniqexact":
        return exp.Count(this=exp.Distinct(expressions=values))
    known = parse_one(f"{name}(x)", read="clickhouse")
    if isinstance(known, exp.AggFunc) and not isinstance(known, exp.AnonymousAggFunc | exp.CombinedAggFunc) and len(values) == 1:
        known.set("this", values[0])
        return known
    return None
