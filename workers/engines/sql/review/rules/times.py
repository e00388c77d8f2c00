"""Times: the last day that BETWEEN loses, the instant that it counts twice, time zones, windows over days, and as-of joins."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import Value, code, name, number
from workers.engines.sql.conditions import has_spine
from workers.engines.sql.facts import TypeKind
from workers.engines.sql.names import Scope
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.suspicion import Edit, Meant, Suspicion
from workers.engines.sql.sandbox import Row, Table
from workers.engines.sql.script import Part, Script

PERIOD_BOUNDS = (exp.Between, exp.LTE, exp.LT)
MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[ T]00:00(?::00(?:\.0+)?)?)?")


def day_of(node: exp.Expr) -> date | None:
    """The day whose first instant a literal is."""
    while isinstance(node, exp.Cast | exp.TsOrDsToDate | exp.Date | exp.Timestamp | exp.Paren) and isinstance(node.this, exp.Expr):
        node = node.this
    if isinstance(node, exp.Literal) and node.is_string and (found := MIDNIGHT.fullmatch(node.name)):
        try:
            return date.fromisoformat(found[1])
        except ValueError:
            return None
    return None


def last_day_lost(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """`ts <= '2024-01-31'` ends at the first instant of that day; `ts <= '2024-02-01'` counts the first instant of February."""
    for part in script.parts:
        for node in part.tree.find_all(*PERIOD_BOUNDS):
            high = node.args["high"] if isinstance(node, exp.Between) else node.expression
            low = node.args["low"] if isinstance(node, exp.Between) else _lower_bound(node)
            day = day_of(high)
            if day is None or not _may_lose(node, script.kind(part, node.this), day, low):
                continue
            starts = day_of(low) if low is not None else None
            next_period = day.day == 1 and (starts is None or starts.day == 1)
            base = script.base_column(part, node.this)
            yield Suspicion(
                Defect.BOUND_COUNTED_TWICE if next_period else Defect.LAST_DAY_LOST,
                part,
                node,
                {"column": name(node.this.name), "bound": code(high.sql(script.dialect)), "day": name(day.isoformat())},
                meant=[Meant(part, ((node, _half_open(next_period)),))],
                blocks=not (base and _only_midnights(script, base)),
            )


def _may_lose(node: exp.Expr, kind: TypeKind, day: date, low: exp.Expr | None) -> bool:
    """`<=` a day loses its hours where the column has any; `<` the last day of a month, from the first day of one, loses that day."""
    if isinstance(node, exp.LT):
        start = day_of(low) if low is not None else None
        is_last = (day + timedelta(days=1)).day == 1
        return kind in (TypeKind.TIMESTAMP, TypeKind.DATE) and is_last and start is not None and start.day == 1
    return kind is TypeKind.TIMESTAMP


def _lower_bound(node: exp.Expr) -> exp.Expr | None:
    """What the same column is at least, by another part of the same AND."""
    whole = node
    while isinstance(whole.parent, exp.And | exp.Paren):
        whole = whole.parent
    return next((other.expression for other in whole.find_all(exp.GTE) if other.this == node.this), None)


def _only_midnights(script: Script, base: tuple[object, str]) -> bool:
    """The known values of the column have no time of day."""
    table, column = base
    found = script.facts.of(table).columns.get(column)  # type: ignore[arg-type]
    known = [text for text in (found.minimum, found.maximum, *found.values) if text] if found else []
    return bool(known) and all(MIDNIGHT.fullmatch(text) for text in known)


def _half_open(next_period: bool) -> Edit:
    def change(node: exp.Expr) -> exp.Expr:
        high = node.args["high"] if isinstance(node, exp.Between) else node.expression
        bound: exp.Expr = exp.cast(high.copy(), "timestamp")
        if not next_period:
            bound = exp.Add(this=bound, expression=exp.Interval(this=exp.Literal.string("1"), unit=exp.var("DAY")))
        below = exp.LT(this=node.this.copy(), expression=bound)
        if isinstance(node, exp.Between):
            return exp.paren(exp.and_(exp.GTE(this=node.this.copy(), expression=node.args["low"].copy()), below))
        return below

    return change


DAY_FUNCTIONS = (
    exp.DateTrunc,
    exp.TimestampTrunc,
    exp.Extract,
    exp.TsOrDsToDate,
    exp.Date,
    exp.Year,
    exp.Month,
    exp.Day,
    exp.TimeToStr,
    exp.ToChar,
)
COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def time_zone(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A time zone is asked for, and a day, month or bound is taken from the time as it is stored, or in another zone. Where nothing says
    that it is stored in UTC, it may be a local time already."""
    offsets = _offsets_of(wanted)
    if not any(offsets):
        return
    for part in script.parts:
        if wanted.zone and wanted.offset_minutes is None and _names_zone(part.tree, wanted.zone):
            continue
        unshifted = [
            column
            for column in part.tree.find_all(exp.Column)
            if _is_stored_time(script, part, column) and not any(_is_right(column, offset, wanted.zone) for offset in offsets)
        ]
        if not unshifted:
            continue
        first = unshifted[0]
        use = _use(first)
        values: dict[str, Value] = {
            "column": name(first.name),
            "hours": number(offsets[0] / 60),
            "expression": code((use if use is not None else first).sql(script.dialect)),
        }
        instants = [column for column in unshifted if _is_instant(script, part, column)]
        if wanted.offset_minutes is None:
            edits = tuple((_zoned(column), _in_zone(wanted.zone, column in instants)) for column in unshifted)
        else:
            edits = tuple((column, _shifted(wanted.offset_minutes - _moved(column))) for column in unshifted)
        yield Suspicion(
            Defect.TIME_ZONE,
            part,
            use if use is not None else first,
            values,
            meant=[Meant(part, edits)],
            blocks=wanted.is_stored_in_utc or len(instants) == len(unshifted),
        )


def _offsets_of(wanted: Wanted) -> tuple[int, ...]:
    """Local time minus UTC in minutes, in winter and in summer."""
    if wanted.offset_minutes is not None or not wanted.zone:
        return (wanted.offset_minutes or 0,)
    zone = ZoneInfo(wanted.zone)
    found = [datetime(2024, month, 15, tzinfo=zone).utcoffset() or timedelta() for month in (1, 7)]
    return tuple(dict.fromkeys(int(offset.total_seconds() // 60) for offset in found))


def _names_zone(tree: exp.Expr, zone: str) -> bool:
    return any(literal.is_string and literal.name == zone for literal in tree.find_all(exp.Literal))


def _is_instant(script: Script, part: Part, column: exp.Column) -> bool:
    """Its type says that it is a moment, regardless of the zone in which it is shown."""
    base = script.base_column(part, column)
    found = script.facts.of(base[0]).columns.get(base[1]) if base is not None else None
    return found is not None and any(word in found.type.lower() for word in ("timestamptz", "with time zone", "timestamp_tz"))


def _zoned(column: exp.Column) -> exp.Expr:
    """The column with the zones in which the script already takes it."""
    node: exp.Expr = column
    while isinstance(node.parent, exp.AtTimeZone | exp.Paren) and node.arg_key == "this":
        node = node.parent
    return node


def _in_zone(zone: str, is_instant: bool) -> Edit:
    def change(node: exp.Expr) -> exp.Expr:
        column = node.find(exp.Column)
        instant: exp.Expr = (column if column is not None else node).copy()
        if not is_instant:
            instant = exp.AtTimeZone(this=instant, zone=exp.Literal.string("UTC"))
        return exp.paren(exp.AtTimeZone(this=exp.paren(instant), zone=exp.Literal.string(zone)))

    return change


def _is_stored_time(script: Script, part: Part, column: exp.Column) -> bool:
    """A time as a table has it; one that the script computes may be moved already."""
    base = script.base_column(part, column)
    return base is not None and script.facts.of(base[0]).kind(base[1]) is TypeKind.TIMESTAMP and _use(column) is not None


def _use(column: exp.Expr) -> exp.Expr | None:
    """Where a column's day matters: a truncation, a cast to date, or a comparison with a literal."""
    node = column
    while isinstance(node.parent, exp.Expr) and not isinstance(node.parent, exp.Query):
        node = node.parent
        if isinstance(node, DAY_FUNCTIONS) or (isinstance(node, exp.Cast) and node.to.is_type("date")):
            return node
        if isinstance(node, COMPARED):
            others = [side for side in node.iter_expressions() if side.find(exp.Column) is None]
            return node if others and any(day_of(inner) or _literal_time(inner) for side in others for inner in side.walk()) else None
        if isinstance(node, exp.AggFunc | exp.Window):
            return None
    return None


def _literal_time(node: exp.Expr) -> re.Match[str] | None:
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}[ T](\d{2}):(\d{2}).*", node.name) if isinstance(node, exp.Literal) and node.is_string else None


MOVING = (exp.Add, exp.Sub, exp.DateAdd, exp.DateSub, exp.TimestampAdd, exp.TimestampSub, exp.DatetimeAdd, exp.DatetimeSub)


def _moved(column: exp.Expr) -> int:
    """The minutes that the statement adds to a time."""
    use, node, moved = _use(column), column, 0
    while node is not use and isinstance(node.parent, exp.Expr):
        if isinstance(node.parent, MOVING):
            moved += _minutes(node.parent)
        node = node.parent
    return moved


def _is_right(column: exp.Column, offset: int, zone: str) -> bool:
    """The column, or what it is compared with, is moved to the zone that is asked for. `zone`: its name, where it has one."""
    use, moved = _use(column), _moved(column)
    zoned = _zoned(column)
    if zone and isinstance(zoned, exp.AtTimeZone) and zoned.args["zone"].name.upper() == "UTC":
        return moved == offset
    if column.find_ancestor(exp.AtTimeZone, exp.ConvertTimezone, exp.FromTimeZone) is not None:
        return True
    if moved:
        return moved == offset
    if isinstance(use, COMPARED):
        others = [side for side in use.iter_expressions() if column not in list(side.walk())]
        return all(_is_shifted_bound(side, offset) for side in others)
    return False


def _minutes(node: exp.Expr) -> int:
    interval = node.find(exp.Interval)
    if interval is None and not isinstance(node, exp.Add | exp.Sub):
        amount, unit = node.args.get("expression"), str(node.args.get("unit") or "")
    elif interval is not None:
        amount, unit = interval.this, str(interval.args.get("unit") or "")
    else:
        return 0
    found = re.search(r"-?\d+", amount.name if isinstance(amount, exp.Expr) else "")
    text = f"{amount.name if isinstance(amount, exp.Expr) else ''} {unit}".lower()
    scale = next((minutes for word, minutes in (("hour", 60), ("minute", 1), ("day", 1440)) if word in text), 0)
    sign = -1 if isinstance(node, exp.Sub | exp.DateSub | exp.TimestampSub | exp.DatetimeSub) else 1
    return sign * scale * int(found[0]) if found else 0


def _is_shifted_bound(side: exp.Expr, offset: int) -> bool:
    if side.find(exp.AtTimeZone, exp.ConvertTimezone) is not None:
        return True
    moved = sum(_minutes(node) for node in side.find_all(exp.Add, exp.Sub, exp.DateAdd, exp.DateSub))
    for node in side.walk():
        if found := _literal_time(node):
            clock = int(found[1]) * 60 + int(found[2])
            moved += clock - (1440 if clock * 2 > 1440 else 0)
    return moved == -offset


def _shifted(offset: int) -> Edit:
    def change(node: exp.Expr) -> exp.Expr:
        interval = exp.Interval(this=exp.Literal.string(str(abs(offset))), unit=exp.var("MINUTE"))
        kind = exp.Add if offset > 0 else exp.Sub
        return exp.paren(kind(this=node.copy(), expression=interval))

    return change


def rows_not_days(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A row for each calendar day is asked for, and days come only from rows that exist."""
    if not wanted.calendar_days or any(has_spine(part.tree) for part in script.parts):
        return
    for part in script.parts:
        window = next((node for node in part.tree.find_all(exp.Window) if _rows_before(node) and _is_by_day(script, part, node)), None)
        if window is not None:
            spec = window.args["spec"]
            yield Suspicion(
                Defect.ROWS_NOT_DAYS,
                part,
                window,
                {
                    "window": code(window.sql(script.dialect)),
                },
                meant=[Meant(part, ((spec, _by_range),))],
            )
        elif part is script.parts[-1] and part.resolved.root is not None:
            day = _day_column(script, part, part.resolved.root)
            if day is not None:
                node = part.resolved.root.node  # which days a row is wanted for is read in words, so it is shown and does not block
                yield Suspicion(Defect.ROWS_NOT_DAYS, part, node, {"window": code(day)}, wrong=_has_gap(day), blocks=False)


def _rows_before(node: exp.Window) -> int:
    spec = node.args.get("spec")
    if not isinstance(spec, exp.WindowSpec) or str(spec.args.get("kind")).upper() != "ROWS":
        return 0
    start = spec.args.get("start")
    return int(start.name) if isinstance(start, exp.Literal) and start.name.isdigit() else 0


def _is_by_day(script: Script, part: Part, node: exp.Window) -> bool:
    order = node.args.get("order")
    first = order.expressions[0].this if isinstance(order, exp.Order) and order.expressions else None
    return first is not None and script.kind(part, first) in (TypeKind.DATE, TypeKind.TIMESTAMP)


def frame_length(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """`ROWS BETWEEN 7 PRECEDING` covers eight days, where seven are asked for."""
    if not wanted.days_before:
        return
    for part in script.parts:
        for node in part.tree.find_all(exp.Window):
            before = _frame(node)
            if before is None or before in wanted.days_before or not _is_by_day(script, part, node):
                continue
            values: dict[str, Value] = {
                "window": code(node.sql(script.dialect)),
                "given": number(before + 1, digits=0),
                "wanted": number(wanted.days_before[0] + 1, digits=0),
            }
            yield Suspicion(
                Defect.FRAME_LENGTH, part, node, values, meant=[Meant(part, ((node.args["spec"], _starting(wanted.days_before[0])),))]
            )


def _frame(node: exp.Window) -> int | None:
    """How many rows or days before the current one the frame starts."""
    spec = node.args.get("spec")
    start = spec.args.get("start") if isinstance(spec, exp.WindowSpec) else None
    if isinstance(start, exp.Interval):
        start = start.this
    found = re.match(r"\d+", start.name) if isinstance(start, exp.Literal) else None
    return int(found[0]) if found else None


def _starting(before: int) -> Edit:
    def change(node: exp.Expr) -> None:
        start = node.args["start"]
        if isinstance(start, exp.Interval):
            node.set("start", exp.Interval(this=exp.Literal.string(str(before)), unit=exp.var("DAY")))
        else:
            node.set("start", exp.Literal.number(before))

    return change


def _by_range(node: exp.Expr) -> None:
    node.set("kind", "RANGE")
    for side in ("start", "end"):
        value = node.args.get(side)
        if isinstance(value, exp.Literal):
            node.set(side, exp.Interval(this=exp.Literal.string(value.name), unit=exp.var("DAY")))


def _day_column(script: Script, part: Part, scope: Scope) -> str | None:
    for output in scope.outputs:
        if output.node is not None and script.kind(part, output.node.unalias()) in (TypeKind.DATE,):
            return output.name
    return None


def _has_gap(day: str) -> Callable[[Table], list[Row]]:
    def wrong(table: Table) -> list[Row]:
        place = next((number for number, column in enumerate(table.columns) if column.lower() == day.lower()), None)
        days = sorted({row[place] for row in table.rows if isinstance(row[place], date)}) if place is not None else []
        return list(table.rows) if any((after - before).days > 1 for before, after in pairwise(days)) else []

    return wrong
