"""Dates and times of a plan as nodes of a syntax tree. SQLite keeps them as text, so it has nodes of its own."""

import re
from datetime import date, datetime

from sqlglot import exp

from contracts.queries import DatePart, TimeUnit

_SQLITE_PARTS = {DatePart.YEAR: "%Y", DatePart.MONTH: "%m", DatePart.DAY: "%d", DatePart.HOUR: "%H"}
_DAYS_BEFORE_MONDAY = {TimeUnit.WEEK_FROM_SUNDAY: 1, TimeUnit.WEEK_FROM_SATURDAY: 2}
_WITH_TIME = re.compile(r"time", re.IGNORECASE)


def moment(value: date | datetime, type_: str, dialect: str) -> exp.Expr:
    """A bound of a period as the column compares it: a literal of its type, or text where the type is text."""
    text = value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    if dialect == "sqlite" or not re.search(r"date|time", type_, re.IGNORECASE):
        return exp.Literal.string(text)
    if _WITH_TIME.search(type_):
        full = text if isinstance(value, datetime) else f"{text} 00:00:00"
        return exp.Cast(this=exp.Literal.string(full), to=exp.DataType.build("timestamp"))
    return exp.Cast(this=exp.Literal.string(text), to=exp.DataType.build("date"))


def cut(value: exp.Expr, unit: TimeUnit, dialect: str) -> exp.Expr:
    """The first day of the unit in which the moment lies."""
    if dialect != "sqlite":
        if unit == TimeUnit.DAY:
            return exp.Cast(this=value, to=exp.DataType.build("date"))
        if unit in _DAYS_BEFORE_MONDAY:
            days = exp.Interval(this=exp.Literal.string(str(_DAYS_BEFORE_MONDAY[unit])), unit=exp.var("DAY"))
            later = exp.Paren(this=exp.Add(this=value, expression=days))
            monday = exp.TimestampTrunc(this=later, unit=exp.var("WEEK"))
            return exp.Cast(this=exp.Paren(this=exp.Sub(this=monday, expression=days.copy())), to=exp.DataType.build("date"))
        cut_ = exp.TimestampTrunc(this=value, unit=exp.var(unit.value.upper()))
        return exp.Cast(this=cut_, to=exp.DataType.build("date"))
    if unit == TimeUnit.DAY:
        return _call("DATE", value)
    if unit == TimeUnit.WEEK:
        return _call("DATE", value, "weekday 0", "-6 days")
    if unit == TimeUnit.WEEK_FROM_SUNDAY:
        return _call("DATE", value, "-6 days", "weekday 0")
    if unit == TimeUnit.WEEK_FROM_SATURDAY:
        return _call("DATE", value, "-6 days", "weekday 6")
    if unit == TimeUnit.MONTH:
        return _call("DATE", value, "start of month")
    if unit == TimeUnit.YEAR:
        return _call("DATE", value, "start of year")
    months = exp.Mod(
        this=exp.Paren(this=exp.Sub(this=_sqlite_part(value, "%m"), expression=exp.Literal.number(1))), expression=exp.Literal.number(3)
    )
    back = exp.DPipe(
        this=exp.DPipe(this=exp.Literal.string("-"), expression=exp.Paren(this=months)), expression=exp.Literal.string(" months")
    )
    return exp.Anonymous(this="DATE", expressions=[value.copy(), exp.Literal.string("start of month"), back])


def part_of(value: exp.Expr, part: DatePart, dialect: str) -> exp.Expr:
    """A part of the moment, as a number."""
    if part == DatePart.WEEKDAY:
        if dialect == "sqlite":
            # 0 is Sunday in SQLite
            number = exp.Add(this=_sqlite_part(value, "%w"), expression=exp.Literal.number(6))
            return exp.Paren(
                this=exp.Add(this=exp.Mod(this=exp.Paren(this=number), expression=exp.Literal.number(7)), expression=exp.Literal.number(1))
            )
        if dialect in ("mysql", "doris", "starrocks"):
            return exp.Paren(this=exp.Add(this=exp.Anonymous(this="WEEKDAY", expressions=[value]), expression=exp.Literal.number(1)))
        if dialect == "postgres":
            return exp.Extract(this=exp.Var(this="ISODOW"), expression=value)
        return exp.DayOfWeekIso(this=value)
    if dialect != "sqlite":
        return exp.Extract(this=exp.var(part.value.upper()), expression=value)
    if part == DatePart.QUARTER:
        number = exp.Add(this=_sqlite_part(value, "%m"), expression=exp.Literal.number(2))
        return exp.Paren(this=exp.Div(this=exp.Paren(this=number), expression=exp.Literal.number(3), typed=True))
    return _sqlite_part(value, _SQLITE_PARTS[part])


def days_between(later: exp.Expr, earlier: exp.Expr, dialect: str) -> exp.Expr:
    """Days from the earlier moment to the later, with a fraction where the database keeps times as text."""
    if dialect == "sqlite":
        return exp.Paren(this=exp.Sub(this=_call("JULIANDAY", later), expression=_call("JULIANDAY", earlier)))
    day = exp.DataType.build("date")
    if dialect == "postgres":
        return exp.Paren(this=exp.Sub(this=exp.Cast(this=later, to=day), expression=exp.Cast(this=earlier, to=day.copy())))
    return exp.DateDiff(this=exp.Cast(this=later, to=day), expression=exp.Cast(this=earlier, to=day.copy()), unit=exp.var("DAY"))


def whole_days_between(later: exp.Expr, earlier: exp.Expr, dialect: str) -> exp.Expr:
    """Midnights between the two moments, on every engine."""
    if dialect != "sqlite":
        return days_between(later, earlier, dialect)
    days = exp.Sub(this=_call("JULIANDAY", _call("DATE", later)), expression=_call("JULIANDAY", _call("DATE", earlier)))
    return exp.Cast(this=days, to=exp.DataType.build("int"))


def seconds_between(later: exp.Expr, earlier: exp.Expr, dialect: str) -> exp.Expr:
    """Seconds from the earlier moment to the later."""
    if dialect == "sqlite":  # a difference of Julian days is a little less than the seconds
        return exp.Paren(this=exp.Sub(this=_call("UNIXEPOCH", later), expression=_call("UNIXEPOCH", earlier)))
    kind = exp.TimestampDiff if dialect == "mysql" else exp.DateDiff  # DATEDIFF of MySQL counts days
    return kind(this=later, expression=earlier, unit=exp.var("SECOND"))


def _sqlite_part(value: exp.Expr, form: str) -> exp.Expr:
    text = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(form), value.copy()])
    return exp.Cast(this=text, to=exp.DataType.build("int"))


def _call(name: str, value: exp.Expr, *texts: str) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[value.copy(), *(exp.Literal.string(text) for text in texts)])
