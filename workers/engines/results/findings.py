"""What is worth saying of a result: trend, shift, outlier, cycle, share, extremes; each only where its test or its size bears it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time
from enum import StrEnum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from contracts.findings import Finding, FindingKind
from contracts.statements import Value, count, listing, member_term, name, number, ratio, say, share
from workers.engines.results.statistics import Cycle, Shift, Trend, cycle_of, outliers_of, shift_of, trend_of
from workers.engines.results.table import SEASON, Cell, ColumnRole, Grain, ResultColumn, ResultTable, Series, series_of

MOST_FINDINGS = 6
MOST_QUANTITIES = 3
"""Quantities that are looked at: with more, a reader wants the table."""

TREND_POINTS = 8
"""Points from which a trend is tested."""

TREND_P = 0.01
"""A trend that chance gives more often than this is not mentioned. Strict, since several tests are made on each result."""

TREND_CHANGE = 0.05
"""Relative change over the whole series below which a trend is too small to be mentioned."""

SHIFT_STRENGTH = 3.0
"""A shift in units of the spread within its levels."""

SHIFT_CHANGE = 0.1

CYCLE_F = 6.0
"""F statistic that a cycle has to reach: chance gives it less than once in a thousand for the periods that are tried."""

CYCLE_HEIGHT = 1.15
"""How many times its low the high of a cycle has to be."""

LARGE_SHARE = 0.4
"""A single name with this share of the whole is mentioned."""

MOST_TIED = 3
"""Names that share an extreme, up to which all are given."""

TOP = 3
"""Names whose common share is mentioned, when there are three times as many."""


class Weekday(StrEnum):
    """Days of a week, from its first."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


class Month(StrEnum):
    """Months of a year, from its first."""

    JANUARY = "january"
    FEBRUARY = "february"
    MARCH = "march"
    APRIL = "april"
    MAY = "may"
    JUNE = "june"
    JULY = "july"
    AUGUST = "august"
    SEPTEMBER = "september"
    OCTOBER = "october"
    NOVEMBER = "november"
    DECEMBER = "december"


_ADDS_UP = re.compile(
    r"(?:^|_)(?:n|cnt|count|num|sum|total|amount|revenue|sales|orders?|quantity|qty|volume|customers?|users?|refunds?|returns?|payments?|events?)(?:$|_)"
    r"|次数|数量|总|合计|金额|销售额|订单数|人数|收入|条数|笔数",
    re.IGNORECASE,
)
SMALL_SHARE = 0.1
"""Shares below it have a decimal."""
_LEAST_RATIO = 1.05
"""The smallest ratio of the highest to the lowest that is given: a smaller one is shown as "1 times as much"."""

_DOES_NOT = re.compile(
    r"avg|average|distinct|unique|mean|median|rate|ratio|percent|pct|share|price|min|max|均|率|占比|比例|单价", re.IGNORECASE
)


_Figure = Callable[[float], Value]
"""How a value of the quantity is written."""


def _as_shown(value: float) -> Value:
    """A value of a row, with the decimals that its table shows: two at most, so that the figure of a sentence is found in the rows."""
    if abs(value) < 0.1:
        return number(value)
    return number(value, next(digits for digits in (0, 1, 2) if round(value, digits) == round(value, 2)))


def _shown_as(table: ResultTable, quantity: ResultColumn, values: Sequence[float]) -> _Figure:
    """Small shares with a decimal: 2.5 % and 1.8 % are not both 2 %."""
    if not table.is_share(quantity):
        return _as_shown
    return partial(share, digits=1) if max(map(abs, values)) < SMALL_SHARE else share


def adds_up(column: str) -> bool:
    """Whether the values of a quantity may be summed, by its name: counts and amounts may, averages and rates may not."""
    return bool(_ADDS_UP.search(column)) and not _DOES_NOT.search(column)


def findings_of(
    names: Sequence[str], rows: Sequence[Sequence[Cell]], *, groups: frozenset[str] = frozenset(), is_whole: bool = True,
    sorted_by: str = "", added: Mapping[str, bool] | None = None, apart: frozenset[str] = frozenset(),
) -> tuple[Finding, ...]:  # fmt: skip
    """The findings of a result, the most important first, at most `MOST_FINDINGS`. `groups`: columns of codes by which rows are grouped.
    `is_whole`: False where a limit has left out rows: nothing is a share of all, and what was left out may be higher or lower, but by
    `sorted_by`, the column by which they come first. `added`: the columns of which it is known whether their values may be summed. `apart`:
    columns of units; rows of different ones are not compared."""
    if not rows:
        return (Finding(kind=FindingKind.GAP, text=say("results.empty")),)
    table = ResultTable(tuple(names), tuple(tuple(row) for row in rows), groups)
    times, quantities = table.of(ColumnRole.TIME), table.of(ColumnRole.QUANTITY)[:MOST_QUANTITIES]
    labels = table.of(ColumnRole.NAME)
    found: list[Finding] = []
    for quantity in quantities:
        series = series_of(table, times[0], quantity) if times else None
        if series is not None and not labels:
            found.extend(_over_time(quantity.name, series, _shown_as(table, quantity, series.values)))
        elif labels and len(rows) > 1 and not any(len(set(table.values(each.index))) > 1 for each in labels if each.name in apart):
            may_add = (added or {}).get(quantity.name, adds_up(quantity.name))
            names_of_rows = [*times, *labels]
            if is_whole:
                found.extend(_over_names(table, names_of_rows, quantity, is_sum=may_add and not times))
            elif quantity.name == sorted_by:
                found.extend(_first_of_many(table, names_of_rows, quantity))
    found.extend(_nulls(table))
    return tuple(found[:MOST_FINDINGS])


def _over_time(quantity: str, series: Series, shown: _Figure) -> Iterator[Finding]:
    values = series.values
    trend = trend_of(values) if len(values) >= TREND_POINTS else None
    shift = shift_of(values) if len(values) >= TREND_POINTS else None
    period = SEASON.get(series.grain)
    cycle = cycle_of(values, period, series.places) if period and series.is_regular else None
    if cycle is not None and (cycle.f_value < CYCLE_F or cycle.high_level < CYCLE_HEIGHT * cycle.low_level):
        cycle = None
    if trend and shift and _steps(values, trend, shift):
        yield _shift(quantity, series, shift, shown)
    elif trend and trend.p_value < TREND_P and abs(_relative(trend.start, trend.end)) >= TREND_CHANGE:
        yield _trend(quantity, trend, shown)
    elif len(values) < TREND_POINTS:
        yield _change(quantity, series, shown)
    yield from _outliers(quantity, series, cycle, shown)
    if cycle is not None:
        yield _cycle(quantity, series, cycle)


def _relative(before: float, after: float) -> float:
    return (after - before) / abs(before) if before else 0.0


def _steps(values: Sequence[float], trend: Trend, shift: Shift) -> bool:
    """Whether one step describes the series better than a line does."""
    y = np.asarray(values)
    line = trend.start + trend.slope * np.arange(len(y))
    step = np.where(np.arange(len(y)) < shift.index, shift.before, shift.after)
    better = float(np.abs(y - step).sum()) < 0.9 * float(np.abs(y - line).sum())
    return better and shift.strength >= SHIFT_STRENGTH and abs(_relative(shift.before, shift.after)) >= SHIFT_CHANGE


def _trend(quantity: str, trend: Trend, shown: _Figure) -> Finding:
    change = _relative(trend.start, trend.end)
    values: dict[str, Value] = {"quantity": name(quantity), "start": shown(trend.start), "end": shown(trend.end)}
    values["p"] = name("p < 0.001" if trend.p_value < 0.001 else f"p = {trend.p_value:.3f}")
    values["change"] = share(abs(change))
    text = say("results.trend.rose", **values) if change > 0 else say("results.trend.fell", **values)
    return Finding(kind=FindingKind.TREND, quantity=quantity, text=text)


def _shift(quantity: str, series: Series, shift: Shift, shown: _Figure) -> Finding:
    change = _relative(shift.before, shift.after)
    values: dict[str, Value] = {
        "quantity": name(quantity), "when": _when(series, shift.index), "before": shown(shift.before), "after": shown(shift.after),
        "change": share(abs(change)),
    }  # fmt: skip
    text = say("results.shift.up", **values) if change > 0 else say("results.shift.down", **values)
    return Finding(kind=FindingKind.SHIFT, quantity=quantity, text=text)


def _change(quantity: str, series: Series, shown: _Figure) -> Finding:
    first, last = series.values[0], series.values[-1]
    values: dict[str, Value] = {
        "quantity": name(quantity), "first": shown(first), "last": shown(last),
        "from_time": _when(series, 0), "to_time": _when(series, -1),
    }  # fmt: skip
    if first == 0 or first == last:
        text = say("results.change.plain", **values)
    else:
        change = share(abs(_relative(first, last)))
        text = say("results.change.up", change=change, **values) if last > first else say("results.change.down", change=change, **values)
    return Finding(kind=FindingKind.CHANGE, quantity=quantity, text=text)


def _outliers(quantity: str, series: Series, cycle: Cycle | None, shown: _Figure) -> Iterator[Finding]:
    """Points far from what trend and cycle let expect; with fewer than 12 points nothing is expected."""
    if len(series.values) < 12:
        return
    y = np.asarray(series.values)
    expected = _expected(y, cycle, series.places)
    for index, _ in outliers_of(list(y - expected))[:2]:
        values: dict[str, Value] = {
            "quantity": name(quantity), "when": _when(series, index),
            "value": shown(float(y[index])), "expected": shown(float(expected[index])),
        }  # fmt: skip
        text = say("results.outlier.high", **values) if y[index] > expected[index] else say("results.outlier.low", **values)
        yield Finding(kind=FindingKind.OUTLIER, quantity=quantity, text=text)


def _expected(y: NDArray[np.float64], cycle: Cycle | None, at: Sequence[int]) -> NDArray[np.float64]:
    trend = trend_of(list(y))
    line = trend.start + trend.slope * np.arange(len(y), dtype=np.float64)
    if cycle is None:
        return line
    places = np.asarray(at) % cycle.period
    medians = np.array([float(np.median((y - line)[places == place])) for place in range(cycle.period)])
    return line + medians[places]


def _cycle(quantity: str, series: Series, cycle: Cycle) -> Finding:
    values: dict[str, Value] = {
        "quantity": name(quantity), "high": _place(series, cycle, cycle.high), "low": _place(series, cycle, cycle.low),
        "high_level": share(cycle.high_level), "low_level": share(cycle.low_level),
    }  # fmt: skip
    return Finding(kind=FindingKind.CYCLE, quantity=quantity, text=say("results.cycle", **values))


def _place(series: Series, cycle: Cycle, place: int) -> Value:
    """A place of a cycle, in the words of its grain."""
    moment = next(moment for moment, at in zip(series.times, series.places, strict=True) if at % cycle.period == place)
    match series.grain:
        case Grain.DAY:
            return member_term("results.weekday", list(Weekday)[moment.weekday()])
        case Grain.MONTH:
            return member_term("results.month", list(Month)[moment.month - 1])
        case Grain.QUARTER:
            return name(f"Q{(moment.month + 2) // 3}")
        case _:
            return name(f"{moment.hour:02}:00")


def _when(series: Series, index: int) -> Value:
    return name(shown_time(series.times[index], series.grain))


def shown_time(moment: datetime, grain: Grain) -> str:
    """A point in time as its grain writes it: `2025-03-01`, `2025-03`, `2025-Q1`, `2025`."""
    match grain:
        case Grain.YEAR:
            return str(moment.year)
        case Grain.QUARTER:
            return f"{moment.year}-Q{(moment.month + 2) // 3}"
        case Grain.MONTH:
            return f"{moment:%Y-%m}"
        case Grain.HOUR:
            return f"{moment:%Y-%m-%d %H:%M}"
        case _:
            return f"{moment:%Y-%m-%d}" if moment.time() == time() else f"{moment:%Y-%m-%d %H:%M}"


def _pairs(table: ResultTable, labels: Sequence[ResultColumn], quantity: ResultColumn) -> list[tuple[str, float]]:
    return [(_label(row, labels), value) for row, value in zip(table.rows, table.numbers(quantity), strict=True) if value is not None]


def _first_of_many(table: ResultTable, labels: Sequence[ResultColumn], quantity: ResultColumn) -> Iterator[Finding]:
    """Who has most or least, by which the rows are sorted: of those that a limit has left out, none has more, or less."""
    pairs = _pairs(table, labels, quantity)
    values = [value for _, value in pairs]
    if len(pairs) < max(2, len(table.rows)) or values[0] == values[1]:
        return
    shown = _shown_as(table, quantity, values)
    given: dict[str, Value] = {"quantity": name(quantity.name), "first": name(pairs[0][0]), "value": shown(values[0])}
    if values == sorted(values, reverse=True):
        yield Finding(kind=FindingKind.EXTREME, quantity=quantity.name, text=say("results.extreme.highest", **given))
    elif values == sorted(values):
        yield Finding(kind=FindingKind.EXTREME, quantity=quantity.name, text=say("results.extreme.lowest", **given))


def _over_names(table: ResultTable, labels: Sequence[ResultColumn], quantity: ResultColumn, *, is_sum: bool) -> Iterator[Finding]:
    """Who has most and least; with `is_sum` the rows are parts of one whole, so that shares mean something."""
    pairs = _pairs(table, labels, quantity)
    if len(pairs) < 2:
        return
    pairs.sort(key=lambda pair: -pair[1])
    shown = _shown_as(table, quantity, [value for _, value in pairs])
    total = sum(value for _, value in pairs)
    (top, most), (_, least) = pairs[0], pairs[-1]
    if most == least:
        yield Finding(
            kind=FindingKind.EXTREME,
            quantity=quantity.name,
            text=say("results.extreme.equal", quantity=name(quantity.name), value=shown(most)),
        )
        return
    tops, bottoms = ([label for label, value in pairs if value == extreme] for extreme in (most, least))
    values: dict[str, Value] = {
        "quantity": name(quantity.name), "top": _those(tops), "most": shown(most), "bottom": _those(bottoms), "least": shown(least),
    }  # fmt: skip
    if len(tops) > 1 or len(bottoms) > 1:
        text = say("results.extreme.tied", **values)
    elif least > 0 and most / least >= _LEAST_RATIO:
        text = say("results.extreme.ratio", ratio=ratio(most / least), **values)
    else:
        text = say("results.extreme.plain", **values)
    yield Finding(kind=FindingKind.EXTREME, quantity=quantity.name, text=text)
    if not is_sum or least < 0 or total <= 0:
        return
    if most / total >= LARGE_SHARE and len(pairs) > 2 and len(tops) == 1:
        text = say("results.share.top", top=name(top), share=share(most / total), quantity=name(quantity.name))
        yield Finding(kind=FindingKind.SHARE, quantity=quantity.name, text=text)
    elif len(pairs) >= 3 * TOP:
        part = sum(value for _, value in pairs[:TOP]) / total
        if part > 2 * TOP / len(pairs):
            text = say("results.share.few", n=count(TOP), of=count(len(pairs)), share=share(part), quantity=name(quantity.name))
            yield Finding(kind=FindingKind.SHARE, quantity=quantity.name, text=text)


def _those(labels: Sequence[str]) -> Value:
    """Those that share an extreme: by name, or how many they are."""
    return listing(*map(name, labels)) if len(labels) <= MOST_TIED else say("results.extreme.many", n=count(len(labels)))


def _label(row: Sequence[Cell], labels: Sequence[ResultColumn]) -> str:
    return " ".join(str(row[column.index]) for column in labels if row[column.index] is not None) or "null"


def _nulls(table: ResultTable) -> Iterator[Finding]:
    """Columns in which values are missing, when at least a twentieth of the rows lacks one."""
    for column in table.columns:
        missing = sum(value is None for value in table.values(column.index))
        if missing and missing >= 0.05 * len(table.rows):
            text = say("results.nulls", column=name(column.name), n=count(missing), of=count(len(table.rows)))
            yield Finding(kind=FindingKind.GAP, quantity=column.name, text=text)
