"""Dates in one form: what each dialect writes in its own way becomes the same few nodes of a tree.

The nodes: `CurrentDate`, `CurrentTimestamp`, `DateAdd(this, expression, unit)` for every addition and subtraction, `TimestampTrunc`,
`Extract` (with `DOW`, Sunday = 0, for days of the week), `DateDiff`, `TimeToStr`, `LastDay`, and `Anonymous("JULIANDAY")`.
"""

import re
from collections.abc import Callable
from functools import partial

from sqlglot import exp

from workers.engines.sql.repair.dialects import printed

UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")

SHORT_UNITS = {
    "YY": "YEAR",
    "YYYY": "YEAR",
    "QQ": "QUARTER",
    "Q": "QUARTER",
    "MM": "MONTH",
    "M": "MONTH",
    "WK": "WEEK",
    "WW": "WEEK",
    "DD": "DAY",
    "D": "DAY",
    "HH": "HOUR",
    "MI": "MINUTE",
    "N": "MINUTE",
    "SS": "SECOND",
    "S": "SECOND",
    "DOY": "DOY",
    "DAYOFYEAR": "DOY",
    "DY": "DOY",
    "MON": "MONTH",
    "MONS": "MONTH",
    "HRS": "HOUR",
    "MINS": "MINUTE",
    "SECS": "SECOND",
    "ISOWEEK": "WEEK",
    "ISO_WEEK": "WEEK",
    "WEEKISO": "WEEK",
    "IW": "WEEK",
    "DDD": "DAY",
    "HH24": "HOUR",
}
"""Abbreviations of units."""

MODIFIER = re.compile(r"^\s*([+-]?)\s*(\d+)\s+(second|minute|hour|day|month|year)s?\s*$", re.IGNORECASE)
"""What SQLite's date functions add: `-30 days`."""

START_OF = re.compile(r"^\s*start of (day|month|year)\s*$", re.IGNORECASE)
ZERO_DATES = ("0000-01-01", "1900-01-01", "1970-01-01", "0001-01-01")
"""Days from which statements count whole units and add them again, to get the beginning of a unit."""
ZERO_MONDAYS = {"0", "1900-01-01", "0001-01-01"}
"""Those that are Mondays; 0000-01-01 is a Sunday for MySQL."""

MONDAYS = "ISOWEEK"
"""The unit of weeks that begin on Monday in every dialect."""
WEEKDAYS = {"WEEKDAY", "DW", "DAYOFWEEK"}
SUNDAY_IS_0 = {"snowflake", "duckdb"}
"""Dialects whose DAYOFWEEK begins with 0, as DOW does; that of the others begins with 1."""
SUNDAY_IS_1 = {"spark", "databricks"}
"""Dialects whose DOW begins with 1."""


def unit_of(node: exp.Expr | None) -> str:
    """A unit's name in the singular, upper case: `DAY`. Empty: none is written."""
    text = (node.name if node is not None else "").upper()
    text = SHORT_UNITS.get(text, text)
    return text[:-1] if text.endswith("S") and text[:-1] in UNITS else text


def unwrapped(node: exp.Expr) -> exp.Expr:
    """The value inside of brackets and of the conversions to dates that the parser puts around arguments of date functions."""
    while isinstance(node, exp.Paren | exp.TsOrDsToDate | exp.TsOrDsToTimestamp | exp.TimeStrToTime):
        node = node.this
    return node


def in_one_form(tree: exp.Expr, read: str) -> exp.Expr:
    """The tree with its dates in one form."""
    for form in (
        _now,
        partial(_parts, read=read),
        partial(_added, read=read),
        _sqlite_functions if read in {"sqlite", ""} else None,
        partial(_counted_units, read=read),
        _weeks,
        _days_of_text,
    ):
        if form is not None:
            tree = from_below(tree, form)
    return tree


def added(this: exp.Expr, count: exp.Expr, unit: str) -> exp.Expr:
    """A date and a number of units, which may be negative."""
    return exp.DateAdd(this=this.copy(), expression=count.copy(), unit=exp.Var(this=unit))


def truncated(this: exp.Expr, unit: str) -> exp.Expr:
    """The beginning of the unit in which a date lies."""
    return exp.TimestampTrunc(this=this.copy(), unit=exp.Var(this=unit))


def part(this: exp.Expr, name: str) -> exp.Expr:
    """A part of a date as a number."""
    return exp.Extract(this=exp.Var(this=name), expression=this.copy())


def whole(node: exp.Expr | None) -> int | None:
    """The number that is written, with its sign; None where it is no whole number."""
    if isinstance(node, exp.Paren):
        return whole(node.this)
    if isinstance(node, exp.Neg):
        inner = whole(node.this)
        return None if inner is None else -inner
    try:
        return int(node.name) if isinstance(node, exp.Literal) else None
    except ValueError:
        return None


def negative(count: exp.Expr) -> exp.Expr:
    """A number with its sign changed."""
    number = whole(count)
    if number is not None:
        return exp.Literal.number(number) if number < 0 else exp.Neg(this=exp.Literal.number(number))
    return exp.Neg(this=exp.Paren(this=count.copy()) if isinstance(count, exp.Binary) else count.copy())


def from_below(tree: exp.Expr, form: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr:
    """The tree with a form applied to each node after the nodes inside of it."""
    for node in reversed(list(tree.dfs())):
        found = form(node)
        if found is None:
            continue
        if node is tree:
            tree = found
        else:
            node.replace(found)
    return tree


def _function(node: exp.Expr) -> str:
    return node.name.upper() if isinstance(node, exp.Anonymous) else ""


def _now(node: exp.Expr) -> exp.Expr | None:
    name = _function(node)
    if name in {"NOW", "GETDATE", "SYSDATETIME", "GETUTCDATE", "LOCALTIMESTAMP"} or isinstance(
        node, exp.CurrentDatetime | exp.UtcTimestamp
    ):
        return exp.CurrentTimestamp()
    if name in {"CURDATE", "TODAY"}:
        return exp.CurrentDate()
    if isinstance(node, exp.Column) and not node.table and node.name.upper() == "SYSDATE":
        return exp.CurrentTimestamp()
    return None


def _parts(node: exp.Expr, read: str) -> exp.Expr | None:
    if isinstance(node, exp.Year | exp.Month | exp.Quarter | exp.Day | exp.Hour | exp.Minute | exp.Second):
        return part(unwrapped(node.this), type(node).__name__.upper())
    if isinstance(node, exp.WeekOfYear | exp.Week):
        return part(unwrapped(node.this), "WEEK")
    if isinstance(node, exp.DayOfMonth):
        return part(unwrapped(node.this), "DAY")
    if isinstance(node, exp.DayOfYear):
        return part(unwrapped(node.this), "DOY")
    if isinstance(node, exp.DayOfWeek) or (
        isinstance(node, exp.Extract) and node.name.upper() in WEEKDAYS | ({"DOW"} if read in SUNDAY_IS_1 else set())
    ):
        weekday = part(unwrapped(node.this if isinstance(node, exp.DayOfWeek) else node.expression), "DOW")
        return weekday if read in SUNDAY_IS_0 else exp.Paren(this=_sum_of(weekday, 1))
    if _function(node) == "WEEKDAY" and len(node.expressions) == 1:
        if read in SUNDAY_IS_0:
            return part(unwrapped(node.expressions[0]), "DOW")
        monday = exp.Paren(this=_sum_of(part(unwrapped(node.expressions[0]), "DOW"), 6))
        return exp.Mod(this=monday, expression=exp.Literal.number(7))
    if isinstance(node, exp.Extract) and node.name.upper() != unit_of(node.this):
        return part(unwrapped(node.expression), unit_of(node.this))
    if isinstance(node, exp.DateFromParts) and whole(node.args.get("day")) == 1:
        return _first_of_month(node)
    return None


def _first_of_month(node: exp.DateFromParts) -> exp.Expr | None:
    """`DATEFROMPARTS(YEAR(x), MONTH(x), 1)` is the beginning of a month, with 1 as month that of a year."""
    year, month = node.args["year"], node.args["month"]
    if not (isinstance(year, exp.Extract | exp.Year)):
        return None
    value = unwrapped(year.expression if isinstance(year, exp.Extract) else year.this)
    if whole(month) == 1:
        return exp.cast(truncated(value, "YEAR"), "date")
    if isinstance(month, exp.Extract | exp.Month):
        other = unwrapped(month.expression if isinstance(month, exp.Extract) else month.this)
        return exp.cast(truncated(value, "MONTH"), "date") if other == value else None
    return None


def _sum_of(node: exp.Expr, number: int) -> exp.Expr:
    return exp.Add(this=node, expression=exp.Literal.number(number))


def _added(node: exp.Expr, read: str) -> exp.Expr | None:
    if isinstance(node, exp.DateSub | exp.TimestampSub | exp.DatetimeSub | exp.TimeSub):
        return _moved(node.this, node.expression, node.args.get("unit"), is_back=True)
    if isinstance(node, exp.TimestampAdd | exp.DatetimeAdd | exp.TsOrDsAdd | exp.DateAdd | exp.TimeAdd):
        return _moved(node.this, node.expression, node.args.get("unit"), is_back=False)
    if isinstance(node, exp.AddMonths):
        return _moved(node.this, node.expression, exp.Var(this="MONTH"), is_back=False)
    if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
        interval = node.expression
        return _moved(node.this, interval.this, interval.args.get("unit"), is_back=isinstance(node, exp.Sub))
    clock = exp.CurrentDate | exp.CurrentTimestamp if read == "oracle" else exp.CurrentDate
    if isinstance(node, exp.Add | exp.Sub) and isinstance(node.this, clock) and whole(node.expression) is not None:
        return _moved(node.this, node.expression, exp.Var(this="DAY"), is_back=isinstance(node, exp.Sub))
    return None


def _moved(this: exp.Expr, count: exp.Expr | None, unit: exp.Expr | None, *, is_back: bool) -> exp.Expr | None:
    if isinstance(count, exp.Interval):
        count, unit = count.this, count.args.get("unit") or unit
    name = unit_of(unit) or "DAY"
    if count is None or name not in UNITS:
        return None
    number = (
        count if whole(count) is None else exp.Literal.number(whole(count) or 0) if (whole(count) or 0) >= 0 else negative(negative(count))
    )
    number = number.this if isinstance(number, exp.Paren) else number
    return added(unwrapped(this), negative(number) if is_back else number, name)


def _is_now(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and node.name.lower() == "now"


def _sqlite_functions(node: exp.Expr) -> exp.Expr | None:
    """`DATE(x, modifiers...)`, `DATETIME(...)`, and `strftime` of the present."""
    if isinstance(node, exp.TimeToStr) and _is_now(unwrapped(node.this)):
        return exp.TimeToStr(this=exp.CurrentTimestamp(), format=node.args["format"].copy())
    name = _function(node)
    if isinstance(node, exp.Date | exp.Datetime):
        name = type(node).__name__.upper()
        arguments = [item for item in (node.this, *node.expressions, node.args.get("expression")) if isinstance(item, exp.Expr)]
    else:
        arguments = node.expressions if name in {"DATE", "DATETIME", "JULIANDAY"} else []
    if name not in {"DATE", "DATETIME", "JULIANDAY"}:
        return None
    if not arguments:
        return exp.CurrentDate() if name == "DATE" else exp.CurrentTimestamp()
    now = exp.CurrentDate() if name == "DATE" else exp.CurrentTimestamp()
    value = now if _is_now(arguments[0]) else arguments[0]
    if name == "JULIANDAY":
        return exp.Anonymous(this="JULIANDAY", expressions=[value.copy()])
    moved = _modified(value, arguments[1:])
    if moved is None:
        return None
    if len(arguments) == 1 and not _is_now(arguments[0]):
        return exp.cast(value.copy(), "date" if name == "DATE" else "timestamp")
    is_kept = isinstance(moved, exp.CurrentDate | exp.CurrentTimestamp) or name == "DATETIME" or not isinstance(value, exp.CurrentDate)
    return moved if is_kept else exp.cast(moved, "date")


def _modified(value: exp.Expr, modifiers: list[exp.Expr]) -> exp.Expr | None:
    """A date after SQLite's modifiers; None where one of them is not understood."""
    for modifier in modifiers:
        start = START_OF.match(modifier.name) if isinstance(modifier, exp.Literal) else None
        fixed = MODIFIER.match(modifier.name) if isinstance(modifier, exp.Literal) else None
        week = _days_since(modifier, value)
        if start is not None:
            value = truncated(value, start[1].upper())
        elif fixed is not None:
            number = exp.Literal.number(int(fixed[2]))
            value = added(value, negative(number) if fixed[1] == "-" else number, fixed[3].upper())
        elif week is not None:
            value = week
        elif (computed := _computed(modifier)) is not None:
            value = added(value, *computed)
        else:
            return None
    return value


def _pieces(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Paren):
        return _pieces(node.this) if isinstance(node.this, exp.DPipe) else [node]
    return [*_pieces(node.this), *_pieces(node.expression)] if isinstance(node, exp.DPipe) else [node]


def _computed(modifier: exp.Expr) -> tuple[exp.Expr, str] | None:
    """`'-' || (n) || ' days'`: the number and the unit."""
    pieces = _pieces(modifier)
    sign = pieces[0].name.strip() if isinstance(pieces[0], exp.Literal) and pieces[0].is_string else ""
    if sign in {"+", "-"}:
        pieces = pieces[1:]
    if len(pieces) != 2 or not (isinstance(pieces[1], exp.Literal) and (unit := unit_of(exp.Var(this=pieces[1].name.strip()))) in UNITS):
        return None
    number = pieces[0].this if isinstance(pieces[0], exp.Paren) else pieces[0]
    return (negative(number) if sign == "-" else number), unit


def _days_since(modifier: exp.Expr, value: exp.Expr) -> exp.Expr | None:
    """`'-' || ((strftime('%w', x) + 6) % 7) || ' days'` goes back to Monday; without the 6, to Sunday."""
    computed = _computed(modifier)
    if computed is None or computed[1] != "DAY" or not isinstance(computed[0], exp.Neg):
        return None
    text = re.sub(r"[\s()]", "", printed(computed[0].this, "sqlite")).upper()
    if "'%W'" not in text:
        return None
    if text.endswith("+6%7"):
        return truncated(value, "WEEK")
    return None


def _counted_units(node: exp.Expr, read: str) -> exp.Expr | None:
    """A zero date and the whole units since it: `DATEADD(month, DATEDIFF(month, 0, x), 0)` is the beginning of the month of x."""
    if not isinstance(node, exp.DateAdd) or not _is_zero(node.this):
        return None
    unit, count, more = unit_of(node.args.get("unit")), node.expression, 0
    count = count.this if isinstance(count, exp.Paren) else count
    if isinstance(count, exp.Add | exp.Sub) and (number := whole(count.expression)) is not None:
        count, more = count.this, number if isinstance(count, exp.Add) else -number
    if not isinstance(count, exp.DateDiff | exp.TimestampDiff | exp.DatetimeDiff):
        return None
    if not _is_zero(unwrapped(count.expression)) or unit_of(count.args.get("unit")) != unit:
        return None
    if unit == "WEEK" and unwrapped(node.this).name[:10] not in ZERO_MONDAYS:
        return None
    value = unwrapped(count.this)
    if unit == "WEEK" and read == "tsql":  # it counts Sundays, and the zero date is a Monday
        value = added(value, exp.Literal.number(1), "DAY")
    begun = truncated(value, MONDAYS if unit == "WEEK" else unit)
    return added(begun, exp.Literal.number(more) if more > 0 else negative(exp.Literal.number(-more)), unit) if more else begun


def _is_zero(node: exp.Expr) -> bool:
    node = unwrapped(node)
    return isinstance(node, exp.Literal) and (node.name == "0" or (node.is_string and node.name[:10] in ZERO_DATES))


def _weeks(node: exp.Expr) -> exp.Expr | None:
    """A date less the days since Monday is the beginning of its week."""
    if not isinstance(node, exp.DateAdd) or unit_of(node.args.get("unit")) != "DAY" or not isinstance(node.expression, exp.Neg):
        return None
    value, back = unwrapped(node.this), unwrapped(node.expression.this)
    monday = exp.Mod(this=exp.Paren(this=_sum_of(part(value, "DOW"), 6)), expression=exp.Literal.number(7))
    return truncated(value, MONDAYS) if back == monday else None


def _days_of_text(node: exp.Expr) -> exp.Expr | None:
    """What only converts a date to a date, in a function that takes dates, says nothing."""
    if isinstance(node, exp.TimeToStr) and isinstance(node.this, exp.TsOrDsToTimestamp):
        return exp.TimeToStr(this=unwrapped(node.this).copy(), format=node.args["format"].copy())
    if isinstance(node, exp.TsOrDsToDate):
        if isinstance(node.parent, exp.DateDiff) and node.parent.args.get("unit") is not None:
            return None  # of Spark, whose difference in a unit that is named is one of moments
        inner = node.this
        is_date = isinstance(inner, exp.CurrentDate) or (isinstance(inner, exp.TimestampTrunc) and isinstance(inner.this, exp.CurrentDate))
        return inner.copy() if is_date else exp.cast(inner.copy(), "date")
    return None
