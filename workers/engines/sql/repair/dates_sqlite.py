"""Dates as SQLite computes them: text, modifiers and `strftime`."""

import re

from sqlglot import exp

from workers.engines.sql.repair.dates import negative, part, unit_of, unwrapped, whole

STARTS = {"DAY": (), "MONTH": ("start of month",), "YEAR": ("start of year",), "WEEK": ("weekday 0", "-6 days")}
"""Modifiers that lead to the beginning of a unit. `weekday 0` goes on to Sunday."""

FORMATS = {
    "YEAR": "%Y",
    "MONTH": "%m",
    "DAY": "%d",
    "HOUR": "%H",
    "MINUTE": "%M",
    "SECOND": "%S",
    "DOW": "%w",
    "DOY": "%j",
    "EPOCH": "%s",
}
CLOCK = {"HOUR": "%Y-%m-%d %H:00:00", "MINUTE": "%Y-%m-%d %H:%M:00", "SECOND": "%Y-%m-%d %H:%M:%S"}
LEAST_DAYS = 28
"""Days that each month has."""
OF_A_DAY = {"HOUR": 24, "MINUTE": 1440, "SECOND": 86400}


STRICT = re.compile(r"(%[a-zA-Z])strict")
"""How the parser notes that a part of a format has a fixed number of digits."""


def for_sqlite(tree: exp.Expr) -> exp.Expr:
    """The tree with its dates as SQLite has them. It must have its dates in one form."""
    return tree.transform(_for_sqlite)


def _for_sqlite(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.DateAdd | exp.TimestampTrunc | exp.DateTrunc | exp.LastDay):
        return _call(node)
    if isinstance(node, exp.Extract):
        return _number(node)
    if isinstance(node, exp.TimeToStr) and "strict" in node.args["format"].name:
        plain = STRICT.sub(r"\1", node.args["format"].name)
        return exp.TimeToStr(this=node.this.transform(_for_sqlite), format=exp.Literal.string(plain))
    if isinstance(node, exp.DateDiff | exp.TimestampDiff | exp.DatetimeDiff):
        return _difference(node)
    if isinstance(node, exp.DateFromParts):
        parts = [node.args[name].transform(_for_sqlite) for name in ("year", "month", "day")]
        return _function("PRINTF", exp.Literal.string("%04d-%02d-%02d"), *parts)
    if isinstance(node, exp.StrToDate | exp.StrToTime):
        return _function("DATE" if isinstance(node, exp.StrToDate) else "DATETIME", _base(node.this))
    if isinstance(node, exp.Cast) and node.to.this in {exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP, exp.DataType.Type.DATETIME}:
        return _converted(node)
    return node


def _function(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _converted(node: exp.Cast) -> exp.Expr:
    inner = unwrapped(node.this)
    is_date = node.to.this == exp.DataType.Type.DATE
    if is_date and isinstance(inner, exp.CurrentDate | exp.CurrentTimestamp):
        return exp.CurrentDate()
    if is_date and isinstance(inner, exp.DateAdd | exp.TimestampTrunc):
        value, modifiers = _chain(inner)
        return _function("DATE", _base(value), *modifiers) if not _is_clock_trunc(inner) else _function("DATE", _call(inner))
    return _function("DATE" if is_date else "DATETIME", _base(inner))


def _base(node: exp.Expr) -> exp.Expr:
    return exp.Literal.string("now") if isinstance(node, exp.CurrentDate | exp.CurrentTimestamp) else node.transform(_for_sqlite)


def _is_clock_trunc(node: exp.Expr) -> bool:
    return isinstance(node, exp.TimestampTrunc) and unit_of(node.args.get("unit")) in CLOCK


def _call(node: exp.Expr) -> exp.Expr:
    """One call of DATE or DATETIME with all modifiers, for any number of additions."""
    if _is_clock_trunc(node):
        return _function("STRFTIME", exp.Literal.string(CLOCK[unit_of(node.args.get("unit"))]), _base(unwrapped(node.this)))
    value, modifiers = _chain(node)
    if isinstance(value, exp.Anonymous) and value.name == "MIN" and not modifiers:
        return value
    return _function("DATETIME" if _has_clock(node) else "DATE", _base(value), *modifiers)


def _has_clock(node: exp.Expr) -> bool:
    """Whether the result has a time of day: a unit below a day was added, or the present moment moved and not cut to a day."""
    current: exp.Expr = node
    while True:
        if isinstance(current, exp.TimestampTrunc | exp.DateTrunc | exp.LastDay | exp.CurrentDate):
            return False
        if isinstance(current, exp.DateAdd):
            if unit_of(current.args.get("unit")) in OF_A_DAY:
                return True
            current = unwrapped(current.this)
            continue
        return isinstance(current, exp.CurrentTimestamp) or (isinstance(current, exp.Cast) and current.to.this != exp.DataType.Type.DATE)


def _chain(node: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]]:
    """The innermost date and the modifiers that are applied to it, in order."""
    node = unwrapped(node)
    if (
        isinstance(node, exp.Cast)
        and node.to.this == exp.DataType.Type.DATE
        and isinstance(unwrapped(node.this), exp.DateAdd | exp.TimestampTrunc)
    ):
        return _chain(node.this)
    if isinstance(node, exp.Cast) and isinstance(unwrapped(node.this), exp.CurrentTimestamp | exp.CurrentDate):
        return unwrapped(node.this), []
    if isinstance(node, exp.LastDay):
        value, before = _chain(node.this)
        return value, [*before, *_texts("start of month", "+1 month", "-1 day")]
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc) and not _is_clock_trunc(node):
        value, before = _chain(node.this)
        unit = unit_of(node.args.get("unit"))
        if unit == "QUARTER":
            months = exp.Mod(
                this=exp.Paren(this=exp.Add(this=_number(part(value, "MONTH")), expression=exp.Literal.number(2))),
                expression=exp.Literal.number(3),
            )
            return value, [*before, *_texts("start of month"), _text_of(negative(months), "months")]
        return value, [*before, *_texts(*STARTS[unit])]
    if isinstance(node, exp.DateAdd):
        value, before = _chain(node.this)
        return (value, [*before, _modifier(node)]) if _is_there(node, value, before) else (_at_most_last_day(node, value, before), [])
    return node, []


def _is_there(node: exp.DateAdd, value: exp.Expr, before: list[exp.Expr]) -> bool:
    """Whether the month to which a date is moved surely has its day: SQLite goes on into the next month, others stop at the last day."""
    if unit_of(node.args.get("unit")) not in {"MONTH", "QUARTER", "YEAR"}:
        return True
    starts = [item for item in before if item.name.startswith("start of")]
    is_early = isinstance(value, exp.Literal) and value.name[8:10].isdigit() and int(value.name[8:10]) <= LEAST_DAYS
    return (bool(starts) and not any("day" in item.name for item in before)) or (is_early and not before)


def _at_most_last_day(node: exp.DateAdd, value: exp.Expr, before: list[exp.Expr]) -> exp.Expr:
    """A date that is moved by months, at most the last day of the month to which it is moved."""
    base, kind = _base(value), "DATETIME" if _has_clock(node) else "DATE"
    last = _function("DATE", base.copy(), *before, *_texts("start of month"), _modifier(node), *_texts("+1 month", "-1 day"))
    if kind == "DATETIME":
        time = _function("TIME", base.copy(), *before)
        last = exp.DPipe(this=exp.DPipe(this=last, expression=exp.Literal.string(" ")), expression=time)
    return _function("MIN", _function(kind, base, *before, _modifier(node)), last)


def _texts(*texts: str) -> list[exp.Expr]:
    return [exp.Literal.string(text) for text in texts]


def _modifier(node: exp.DateAdd) -> exp.Expr:
    unit, count = unit_of(node.args.get("unit")), node.expression
    times, unit = (7, "DAY") if unit == "WEEK" else (3, "MONTH") if unit == "QUARTER" else (1, unit)
    number = whole(count)
    word = unit.lower()
    if number is not None:
        number *= times
        return exp.Literal.string(f"{number:+d} {word}" + ("s" if abs(number) != 1 else ""))
    if times > 1:
        count = exp.Mul(this=exp.Paren(this=count.copy()), expression=exp.Literal.number(times))
    return _text_of(count, f"{word}s")


def _text_of(count: exp.Expr, unit: str) -> exp.Expr:
    computed = count.transform(_for_sqlite)
    return exp.DPipe(this=exp.Paren(this=computed), expression=exp.Literal.string(f" {unit}"))


def _number(node: exp.Expr) -> exp.Expr:
    name, value = unit_of(node.this), unwrapped(node.expression)
    if name == "QUARTER":
        month = exp.Add(this=_number(part(value, "MONTH")), expression=exp.Literal.number(2))
        return _quotient(month, 3)
    if name == "WEEK":  # the week of the year in which its Thursday lies
        day = _function("STRFTIME", exp.Literal.string("%j"), _base(value), *_texts("-3 days", "weekday 4"))
        return _quotient(exp.Add(this=exp.cast(day, "int"), expression=exp.Literal.number(6)), 7)
    if name not in FORMATS:
        return node
    text = _function("STRFTIME", exp.Literal.string(FORMATS[name]), _base(value))
    return exp.cast(text, "int")


def _quotient(value: exp.Expr, by: int) -> exp.Expr:
    """A whole number over another, without its fraction."""
    return exp.Paren(this=exp.Div(this=exp.Paren(this=value), expression=exp.Literal.number(by), typed=True))


def _difference(node: exp.Expr) -> exp.Expr:
    """The boundaries between units that lie between two moments."""
    if not isinstance(node.args.get("expression"), exp.Expr):
        return node
    unit = unit_of(node.args.get("unit")) or "DAY"
    later, earlier = (_base(unwrapped(side)) for side in (node.this, node.expression))
    if unit in {"MONTH", "QUARTER", "YEAR"}:
        years = exp.Sub(this=_number(part(later, "YEAR")), expression=_number(part(earlier, "YEAR")))
        if unit == "YEAR":
            return exp.Paren(this=years)
        parts = exp.Sub(this=_number(part(later, unit)), expression=_number(part(earlier, unit)))
        in_a_year = exp.Literal.number(12 if unit == "MONTH" else 4)
        return exp.Paren(this=exp.Add(this=exp.Mul(this=exp.Paren(this=years), expression=in_a_year), expression=exp.Paren(this=parts)))
    days = exp.Paren(this=exp.Sub(this=_day_number(later, unit), expression=_day_number(earlier, unit)))
    if unit in OF_A_DAY:
        return exp.cast(_function("ROUND", exp.Mul(this=days, expression=exp.Literal.number(OF_A_DAY[unit]))), "int")
    return _quotient(exp.cast(days.this, "int"), 7) if unit == "WEEK" else exp.cast(days.this, "int")


def _day_number(value: exp.Expr, unit: str) -> exp.Expr:
    if unit in CLOCK:
        return _function("JULIANDAY", _function("STRFTIME", exp.Literal.string(CLOCK[unit]), value))
    return _function("JULIANDAY", _function("DATE", value, *_texts(*(STARTS["WEEK"] if unit == "WEEK" else ()))))
