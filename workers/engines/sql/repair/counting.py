"""What dialects count differently: weeks from Sunday or Monday, differences by whole units or by the boundaries between units, numbers of
weeks, quotients of integers. What has no counterpart is named, never dropped."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from sqlglot import exp

from contracts.tables import TableDetail
from workers.engines.sql.conditions import conjuncts, is_not_null
from workers.engines.sql.facts import TypeKind
from workers.engines.sql.repair.dates import MONDAYS, added, from_below, truncated, unit_of, unwrapped
from workers.engines.sql.repair.dates_postgres import TEXT_PARTS
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.review.duckdb import INTEGER_DIVISION, is_integer
from workers.engines.sql.script import Part, Script, read_script
from workers.engines.sql.trees import NotParsed

DIFFERENCES = (exp.DateDiff, exp.TimestampDiff, exp.DatetimeDiff, exp.TsOrDsDiff)
BEGINNINGS = (exp.TimestampTrunc, exp.DateTrunc, exp.DatetimeTrunc)
WHOLE_UNITS = {"trino", "presto", "athena", "spark", "databricks"}
"""Dialects whose difference in a unit that is named counts whole units."""
COUNTS_IN_FORM = {"duckdb", "sqlite", "postgres"}
"""Dialects for which differences are written here: by the boundaries between units, weeks from Monday."""
FROM_SUNDAY = {"tsql", "bigquery", "mysql"}
"""Dialects whose week, where no day is named, begins on Sunday."""
WEEKS = {"tsql": "ISO_WEEK", "bigquery": MONDAYS}
"""The unit of weeks from Monday, where it is not WEEK."""
OTHER_WEEKS = FROM_SUNDAY | {"oracle", "sqlite"}
"""Dialects whose WEEK of a date is not the number of the ISO week."""
OF_ORACLE = {"IW", "Q", "MM", "MON", "MONTH", "YY", "YYYY", "YEAR", "DD", "DDD", "HH", "HH24", "MI"}
"""Units in which Oracle truncates alike everywhere; others begin a week by the country, or on the weekday of the first of January."""
BEGIN_IN_A_ZONE = {"postgres", "bigquery"}
"""Dialects that begin a unit of a moment in a zone, by an argument."""
AT_A_ZONE = {"postgres", "duckdb"}
"""Dialects whose AT TIME ZONE makes a time without zone of a moment, and a moment of a time without zone."""
SIBLINGS = ({"postgres", "redshift"}, {"trino", "presto", "athena"}, {"spark", "databricks"})
"""Dialects of one meaning for a time in a zone that both write alike."""
SKIPS_NULLS = {"spark", "databricks", "hive", "snowflake"}
"""Dialects whose arrays of values have no nulls."""
FROM_MONDAY = {"MONDAY": 0, "TUESDAY": 1, "WEDNESDAY": 2, "THURSDAY": 3, "FRIDAY": 4, "SATURDAY": 5, "SUNDAY": 6}
OF_A_FORM = re.compile(r"%-?[a-zA-Z]")
SAME_CODES = {"%Y", "%m", "%d", "%H", "%M", "%S", "%j"}
NAMES_AND_SHORT = {"%y", "%I", "%p", "%B", "%b", "%A", "%a", "%-m", "%-d", "%-H", "%-I"}
ISO_WEEKS = {"%G", "%V"}
LETTERS = {"postgres", "redshift", "oracle", "snowflake", "spark", "databricks", "tsql"}
"""Dialects in whose forms letters are elements: one that is left over was not understood. Chinese ones are none; Oracle refuses them."""
SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3_600, "DAY": 86_400, "WEEK": 604_800}
REST_OF = {"MONTH": "%d %H:%M:%S", "YEAR": "%m-%d %H:%M:%S"}
"""What of a moment says whether a whole unit has passed."""


def counted(tree: exp.Expr, read: str, write: str) -> exp.Expr:
    """The tree with weeks from Monday and with differences as `write` counts them. It must have its dates in one form."""
    return from_below(tree, partial(_counted, read=read, write=write))


def without_counterpart(tree: exp.Expr, read: str, write: str) -> Iterator[exp.Expr]:
    """Nodes of a statement, as it was read, that cannot be written in the other dialect with the same meaning."""
    for node in tree.find_all(exp.TimeToStr, exp.StrToTime, exp.StrToDate):
        form = node.args.get("format")
        if isinstance(form, exp.Literal) and not _is_same_form(form.name.replace("strict", ""), node, read, write):
            yield node
    for node in tree.find_all(*BEGINNINGS, exp.Week, exp.Extract):
        unit = (node.this if isinstance(node, exp.Extract) else node.args.get("unit")) or exp.Var(this="")
        if isinstance(node, exp.Week | exp.Extract):
            is_week = isinstance(node, exp.Week) or unit.name.upper() in {"WEEK", "WK", "WW"}
            is_iso = read not in OTHER_WEEKS or (isinstance(node, exp.Week) and node.args.get("mode") == exp.Literal.number(3))
            if is_week and not is_iso:
                yield node
        elif read == "oracle" and unit.name and unit.name.upper() not in OF_ORACLE:
            yield node
    yield from _in_a_zone(tree, read, write)
    for node in tree.find_all(exp.ArrayAgg):
        if write in SKIPS_NULLS and not _is_without_nulls(node):
            yield node


def _is_without_nulls(node: exp.ArrayAgg) -> bool:
    """Whether an array of values has no nulls, by itself or by the condition of its rows."""
    if node.args.get("nulls_excluded") or isinstance(node.parent, exp.IgnoreNulls):
        return True
    value = node.this.this if isinstance(node.this, exp.Order) else node.this
    value = value.expressions[0] if isinstance(value, exp.Distinct) and len(value.expressions) == 1 else value
    select = node.find_ancestor(exp.Select)
    wheres = [node.parent.expression if isinstance(node.parent, exp.Filter) else None, select.args.get("where") if select else None]
    kept = (part.this if isinstance(part, exp.Not) else part for where in wheres for part in conjuncts(where))
    return any(is_not_null(part) and part.this == value for part in kept)


def _in_a_zone(tree: exp.Expr, read: str, write: str) -> Iterator[exp.Expr]:
    """Times in a zone that is named. Printers leave the zone out, or take a moment for a time of that zone; where both dialects have the
    same function of both, it stays."""
    for node in tree.find_all(exp.Func, exp.AtTimeZone):
        is_zoned = node.args.get("zone") is not None or isinstance(node, exp.ConvertTimezone)
        is_now = isinstance(node, exp.CurrentDate | exp.CurrentTime | exp.CurrentDatetime)
        is_now_there = is_now and isinstance(node.this, exp.Expr) and not node.this.is_number  # a number is how exact it is
        alike = BEGIN_IN_A_ZONE if isinstance(node, BEGINNINGS) else AT_A_ZONE
        is_sibling = any({read, write} <= names for names in SIBLINGS) and printed(node, read) == printed(node, write)
        if (is_now_there or (is_zoned and not {read, write} <= alike)) and not (is_sibling and not isinstance(node, BEGINNINGS)):
            yield node


def _is_same_form(form: str, node: exp.Expr, read: str, write: str) -> bool:
    """Whether each element of a form of dates gives the same text in both dialects."""
    if not isinstance(node, exp.TimeToStr) and write == "sqlite":
        return form in {"%Y-%m-%d", "%Y-%m-%d %H:%M:%S"}
    if {read, write} <= {"sqlite", "duckdb", ""} or form in TEXT_PARTS:
        return True
    codes = OF_A_FORM.findall(form)
    known = SAME_CODES if write == "sqlite" else SAME_CODES | NAMES_AND_SHORT | (ISO_WEEKS if read not in FROM_SUNDAY else set[str]())
    has_letters = any(c == '"' or (c.isalpha() and (c.isascii() or write == "oracle")) for c in OF_A_FORM.sub("", form))
    return known.issuperset(codes) and not (has_letters and LETTERS & {read, write})


def units_in(tree: exp.Expr, dialect: str) -> list[str]:
    """What the differences and the beginnings in a tree count, as its dialect counts it."""
    nodes = list(tree.find_all(*DIFFERENCES, *BEGINNINGS))
    begun = {id(side) for node in nodes for side in _begun(node, dialect)}
    return sorted(_unit_in(node, dialect) for node in nodes if id(node) not in begun)


def between_beginnings(tree: exp.Expr, *, has_days: bool) -> exp.Expr:
    """The tree with the boundaries between units as whole units between their beginnings. `has_days`: DATEDIFF without a unit counts
    the boundaries between days."""
    for node in tree.find_all(exp.DateDiff):
        unit = unit_of(node.args.get("unit")) or "DAY"
        if unit == "DAY" and has_days:
            node.set("unit", None)
        elif isinstance(node.args.get("expression"), exp.Expr):
            node.set("this", truncated(node.this, unit))
            node.set("expression", truncated(node.expression, unit))
    return tree


def _unit_in(node: exp.Expr, dialect: str) -> str:
    unit, shift = _week_of(node, dialect)
    if isinstance(node, BEGINNINGS):
        return f"beginning {unit} {shift}"
    is_whole = _is_whole(node, dialect) and unit != "SECOND"
    return f"{'whole' if is_whole else 'boundaries'} {unit} {'' if is_whole else shift}"


def _is_whole(node: exp.Expr, dialect: str) -> bool:
    is_named = dialect in WHOLE_UNITS and node.args.get("unit") is not None
    return isinstance(node, exp.TimestampDiff) or (is_named and not _begun(node, dialect))


def _begun(node: exp.Expr, dialect: str) -> list[exp.Expr]:
    """The sides of a difference in whole units that are both beginnings of the unit: its whole units are the boundaries between them."""
    if dialect not in WHOLE_UNITS or not isinstance(node, exp.DateDiff) or not isinstance(node.args.get("expression"), exp.Expr):
        return []
    unit, sides = _week_of(node, dialect), [unwrapped(node.this), unwrapped(node.expression)]
    is_begun = all(
        _week_of(side, dialect) == unit if isinstance(side, BEGINNINGS) else isinstance(side, exp.CurrentDate) and unit[0] == "DAY"
        for side in sides
    )
    return sides if is_begun else []


def _week_of(node: exp.Expr, dialect: str) -> tuple[str, int]:
    """The unit, and for a week by how many days later than a Monday it begins."""
    written = node.args.get("unit")
    if isinstance(written, exp.WeekStart):
        return "WEEK", FROM_MONDAY[written.name.upper()]
    unit = unit_of(written) or "DAY"
    is_named = written is not None and written.name.upper() in {MONDAYS, "ISO_WEEK", "IW"}
    return unit, 6 if unit == "WEEK" and dialect in FROM_SUNDAY and not is_named else 0


def _counted(node: exp.Expr, read: str, write: str) -> exp.Expr | None:
    if not isinstance(node, (*DIFFERENCES, *BEGINNINGS)):
        return None
    unit, start = _week_of(node, read)
    later = exp.Literal.number((7 - start) % 7)
    if isinstance(node, BEGINNINGS):
        if not start:
            kind = type(node) if write == "bigquery" else exp.TimestampTrunc
            unit = WEEKS.get(write, unit) if unit == "WEEK" else unit
            return kind(this=unwrapped(node.this).copy(), unit=exp.Var(this=unit), zone=node.args.get("zone"))
        begun = truncated(added(unwrapped(node.this), later, "DAY"), WEEKS.get(write, "WEEK"))
        return added(begun, exp.Neg(this=later), "DAY")
    if not isinstance(node.args.get("expression"), exp.Expr):
        return None
    sides = [_dated(unwrapped(node.this), write), _dated(unwrapped(node.expression), write)]
    if _is_whole(node, read):
        kind = exp.TimestampDiff(this=sides[0].copy(), expression=sides[1].copy(), unit=exp.Var(this=unit))
        return _whole_units(sides[0], sides[1], unit, write) if write in COUNTS_IN_FORM else kind
    if start:
        sides = [added(side, later, "DAY") for side in sides]
    return exp.DateDiff(this=sides[0].copy(), expression=sides[1].copy(), unit=exp.Var(this=unit), date_part_boundary=True)


def _dated(side: exp.Expr, write: str) -> exp.Expr:
    """A date that is written as a text, for a dialect whose functions of dates take no text."""
    if write in COUNTS_IN_FORM or not (isinstance(side, exp.Literal) and side.is_string):
        return side
    return exp.cast(side.copy(), "date" if len(side.name) <= len("2026-01-31") else "timestamp")


def _whole_units(later: exp.Expr, earlier: exp.Expr, unit: str, write: str) -> exp.Expr:
    """The whole units between two moments, from the boundaries between them."""
    boundaries = partial(exp.DateDiff, date_part_boundary=True)
    if unit in SECONDS:
        seconds = boundaries(this=later.copy(), expression=earlier.copy(), unit=exp.Var(this="SECOND"))
        return seconds if unit == "SECOND" else quotient(seconds, SECONDS[unit], write)
    if unit == "QUARTER":
        return quotient(_whole_units(later, earlier, "MONTH", write), 3, write)
    moments = [exp.cast(side.copy(), "timestamp") if isinstance(side, exp.Literal) else side.copy() for side in (later, earlier)]
    rests = [exp.TimeToStr(this=side.copy(), format=exp.Literal.string(REST_OF[unit])) for side in moments]
    number = boundaries(this=later.copy(), expression=earlier.copy(), unit=exp.Var(this=unit))
    less = exp.and_(exp.GTE(this=moments[0], expression=moments[1]), exp.LT(this=rests[0], expression=rests[1]))
    more = exp.and_(exp.LT(this=moments[0].copy(), expression=moments[1].copy()), exp.GT(this=rests[0].copy(), expression=rests[1].copy()))
    correction = exp.Case().when(less, exp.Literal.number(-1)).when(more, exp.Literal.number(1)).else_(exp.Literal.number(0))
    return exp.Paren(this=exp.Add(this=number, expression=correction))


def quotient(value: exp.Expr, by: int, write: str) -> exp.Expr:
    """A whole number over another, without its fraction."""
    sides = {"this": exp.Paren(this=value), "expression": exp.Literal.number(by)}
    return exp.Paren(this=exp.Div(**sides, typed=True) if write in INTEGER_DIVISION else exp.IntDiv(**sides))


def with_integer_quotients(tree: exp.Expr, read: str, write: str, tables: Sequence[TableDetail]) -> list[str]:
    """Write the quotients of integers as such where `write` would give fractions. Those that may be of
    integers, and means of integers, which T-SQL cuts, are returned as they were written."""
    divisions = [node for node in tree.find_all(exp.Div) if node.args.get("typed") and write not in INTEGER_DIVISION]
    means = [node for node in tree.find_all(exp.Avg) if read == "tsql"]
    if not divisions and not means:
        return []
    text = tree.sql(read)
    try:
        script = read_script(text, tables, read, None)
    except NotParsed:
        return [node.sql(read) for node in (*divisions, *means)]
    wanted = list(tree.find_all(exp.Div, exp.Avg))
    resolved = [(node, at) for at in script.parts for node in at.tree.find_all(exp.Div, exp.Avg)]
    is_known = {
        id(node): [_is_whole_number(side, at, script) for side in (same.this, same.args.get("expression")) if side is not None]
        for node, (same, at) in zip(wanted, resolved if len(resolved) == len(wanted) else (), strict=False)
    }
    found = [node.sql(read) for node in means if False not in is_known.get(id(node), ())]
    for node in reversed(divisions):
        sides = is_known.get(id(node), [None])
        if all(sides):
            node.replace(exp.IntDiv(this=node.this.copy(), expression=node.expression.copy()))
        elif False not in sides:
            found.append(node.sql(read))
    return found


def _is_whole_number(node: exp.Expr, at: Part, script: Script) -> bool | None:
    """None: it is not known."""
    if is_integer(node, at, script):
        return True
    has_fraction = any(not literal.is_string and not literal.name.isdigit() for literal in node.find_all(exp.Literal)) or any(
        script.kind(at, inner) is TypeKind.DECIMAL for inner in node.find_all(exp.Column, exp.Cast)
    )
    return False if has_fraction else None
