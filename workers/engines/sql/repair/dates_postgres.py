"""Dates as Postgres computes them: intervals, EXTRACT and differences of dates."""

from sqlglot import exp

from workers.engines.sql.repair.dates import part, truncated, unit_of, unwrapped, whole

OF_A_DAY = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}
TEXT_PARTS = {"%w": "DOW", "%j": "DOY", "%s": "EPOCH"}
"""Formats that TO_CHAR does not have, and the parts that give them."""


def for_postgres(tree: exp.Expr) -> exp.Expr:
    """The tree with its dates as Postgres has them. It must have its dates in one form."""
    return tree.transform(_for_postgres)


def with_intervals(tree: exp.Expr) -> exp.Expr:
    """The tree with additions to dates as intervals, and differences of days with their fractions."""

    def changed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Sub) and _is_julian(node.this) and _is_julian(node.expression):
            return exp.Sub(this=_julian(node.this), expression=_julian(node.expression))
        return _added(node) if isinstance(node, exp.DateAdd) else node

    return tree.transform(changed)


def _for_postgres(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.DateAdd):
        return _added(node)
    if isinstance(node, exp.DateDiff | exp.TimestampDiff | exp.DatetimeDiff):
        return _difference(node)
    if isinstance(node, exp.TimeToStr) and (found := TEXT_PARTS.get(node.args["format"].name)):
        return exp.cast(part(_value(node.this).transform(_for_postgres), found), "text")
    if isinstance(node, exp.TimestampTrunc):
        return exp.TimestampTrunc(this=_value(node.this).transform(_for_postgres), unit=exp.Var(this=unit_of(node.args.get("unit"))))
    if isinstance(node, exp.Sub) and _is_julian(node.this) and _is_julian(node.expression):
        return exp.Sub(this=_julian(node.this), expression=_julian(node.expression))
    if isinstance(node, exp.DateFromParts):
        return exp.Anonymous(this="MAKE_DATE", expressions=[node.args[name].transform(_for_postgres) for name in ("year", "month", "day")])
    return node


def _value(node: exp.Expr) -> exp.Expr:
    """A value that a date function takes; text needs a type."""
    value = unwrapped(node)
    if isinstance(value, exp.Literal) and value.is_string:
        return exp.cast(value.copy(), "timestamp" if len(value.name) > 10 else "date")
    return value.copy()


def _added(node: exp.DateAdd) -> exp.Expr:
    unit, count, value = unit_of(node.args.get("unit")), node.expression, _value(node.this).transform(_for_postgres)
    times, unit = (3, "MONTH") if unit == "QUARTER" else (1, unit)
    number = whole(count)
    value = exp.Paren(this=value) if isinstance(value, exp.Case) else value
    if number is not None:
        interval = exp.Interval(this=exp.Literal.string(str(abs(number) * times)), unit=exp.Var(this=unit))
        return (exp.Sub if number < 0 else exp.Add)(this=value, expression=interval)
    is_back = isinstance(count, exp.Neg)
    computed = (count.this if is_back else count).transform(_for_postgres)
    computed = exp.Paren(this=computed) if isinstance(computed, exp.Binary) else computed
    product = exp.Mul(this=computed, expression=exp.Interval(this=exp.Literal.string(str(times)), unit=exp.Var(this=unit)))
    return (exp.Sub if is_back else exp.Add)(this=value, expression=product)


def _is_julian(node: exp.Expr) -> bool:
    return any(
        isinstance(inner, exp.Anonymous) and inner.name.upper() == "JULIANDAY" for inner in (node, node.this) if isinstance(inner, exp.Expr)
    )


def _julian(node: exp.Expr) -> exp.Expr:
    """The day's number in the Julian count; half a day more than SQLite's, which a difference takes away again."""

    def changed(inner: exp.Expr) -> exp.Expr:
        if isinstance(inner, exp.Anonymous) and inner.name.upper() == "JULIANDAY":
            return part(_value(inner.expressions[0]).transform(_for_postgres), "JULIAN")
        return inner

    return node.transform(changed)


def _difference(node: exp.Expr) -> exp.Expr:
    if not isinstance(node.args.get("expression"), exp.Expr):
        return node
    unit = unit_of(node.args.get("unit")) or "DAY"
    later, earlier = (_value(side).transform(_for_postgres) for side in (node.this, node.expression))
    if unit in {"MONTH", "QUARTER", "YEAR"}:
        years = exp.Sub(this=part(later, "YEAR"), expression=part(earlier, "YEAR"))
        if unit == "YEAR":
            return exp.Paren(this=years)
        parts = exp.Sub(this=part(later, unit), expression=part(earlier, unit))
        in_a_year = exp.Literal.number(12 if unit == "MONTH" else 4)
        return exp.Paren(this=exp.Add(this=exp.Mul(this=exp.Paren(this=years), expression=in_a_year), expression=exp.Paren(this=parts)))
    if unit in OF_A_DAY:
        begun = [truncated(exp.cast(side, "timestamp"), unit) for side in (later, earlier)]
        seconds = exp.cast(part(exp.Paren(this=exp.Sub(this=begun[0], expression=begun[1])), "EPOCH"), "bigint")
        return _quotient(seconds, OF_A_DAY[unit]) if unit != "SECOND" else seconds
    if unit == "WEEK":
        later, earlier = truncated(later, unit), truncated(earlier, unit)
    days = exp.Paren(this=exp.Sub(this=_day(later), expression=_day(earlier)))
    return _quotient(days, 7) if unit == "WEEK" else days


def _quotient(value: exp.Expr, by: int) -> exp.Expr:
    """A whole number over another, without its fraction."""
    return exp.Paren(this=exp.Div(this=value, expression=exp.Literal.number(by), typed=True))


def _day(value: exp.Expr) -> exp.Expr:
    return value if isinstance(value, exp.CurrentDate) else exp.cast(value, "date")
