"""Patterns of the grammar that put measures, groups and times together: `average price`, `per channel`, `shipped in May`."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, DatePart
from contracts.times import TimeRange
from workers.engines.questions.items import AGENT, TIMES, Item, Kind, Link
from workers.engines.questions.parts import GroupPart, MeasurePart, PeriodPart
from workers.engines.questions.runs import first_of, made_of, members, only
from workers.engines.questions.words import split_name

_NAMES_A_ROW = 0.8
"""Quality of a link to a column that names the rows of another table: `state_name` for states."""

_EACH_UNIT = ("daily", "weekly", "monthly", "quarterly", "yearly", "annual", "annually")


def grouped_by_own(run: Sequence[Item]) -> Item | None:
    """按客户所在州: by the column of that table."""
    by, table, column = run
    names = {link.table for link in table.links}
    own = tuple(link for link in column.links if link.table in names)
    return grouped([by, replace(column, links=own)]) if own else None


def aggregate(run: Sequence[Item]) -> Item | None:
    """`average price`."""
    aggregate = first_of(run, Kind.AGGREGATE).payload
    if not isinstance(aggregate, Aggregate):
        return None
    of = first_of(run, Kind.COLUMN, Kind.METRIC)
    if isinstance(of.payload, MeasurePart):
        return made_of(Kind.MEASURE, run, of.payload) if aggregate == Aggregate.SUM else None
    return made_of(Kind.MEASURE, run, MeasurePart(aggregate, of))


def aggregate_of_own(run: Sequence[Item]) -> Item | None:
    """`average move duration`: of a column of numbers in the table named before it."""
    word, table, column = run
    names = {link.table for link in table.links}
    own = tuple(link for link in column.links if link.table in names)
    is_one_name = column.begin - table.stop <= 1 and table.text.isascii()
    if not own or not is_one_name or column.payload is not None or not isinstance(word.payload, Aggregate):
        return None
    return aggregate([word, replace(column, begin=table.begin, links=own)])


def summed(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """`total sales`, `total amount of payments`, `total sales amount`: the sum of the only amount of money in that table."""
    word, table = run[0], first_of(run, Kind.TABLE)
    behind = next((item.text.lower() for item in only(run, Kind.COLUMN)), "amount")
    if word.payload != Aggregate.SUM or behind not in ("amount", "value", "revenue"):
        return None
    return [made_of(Kind.MEASURE, [word, table], MeasurePart(Aggregate.SUM, table)), *only(run, Kind.CONDITION)]


def metric(run: Sequence[Item]) -> Item:
    """A measure that a definition gives."""
    return made_of(Kind.MEASURE, run, run[-1].payload)


def grouped(run: Sequence[Item]) -> Item | None:
    """`per channel`, `by region and month`."""
    if run[0].payload == AGENT:
        return None  # `transactions by users who joined in May`
    of = tuple(_group_item(item) for item in run if item.kind in (Kind.TABLE, Kind.COLUMN, Kind.UNIT, Kind.FLAG))
    return made_of(
        Kind.GROUP, run, GroupPart(of, is_spoken_of_each=bool(only(run, Kind.EACH, Kind.UNIT)), is_per=run[0].text.lower() == "per")
    )


def _group_item(item: Item) -> Item:
    """`in each state`: the rows of a table, or the column of another table that names them."""
    if item.kind != Kind.TABLE:
        return item
    columns = tuple(link for link in members(item) if isinstance(link, Link) and link.column and link.quality >= _NAMES_A_ROW)
    return replace(item, links=(*item.links, *columns))


def period_near(run: Sequence[Item]) -> Sequence[Item] | None:
    """`customers that ordered in 2026`."""
    table, time = run
    if isinstance(time.payload, PeriodPart):
        return None
    found = time.payload if isinstance(time.payload, TimeRange) else None
    return [table, made_of(Kind.TIME, [time], PeriodPart(found, near=table))]


def period(run: Sequence[Item]) -> Item | None:
    """An expression of time beside the column that it is about."""
    time = first_of(run, Kind.TIME)
    columns = only(run, Kind.COLUMN, Kind.WHEN)
    if isinstance(time.payload, PeriodPart) or any(not _says_when(column) for column in columns):
        return None
    found = time.payload if isinstance(time.payload, TimeRange) else None
    return made_of(Kind.TIME, run, PeriodPart(found, columns[0] if columns else None))


def _says_when(column: Item) -> bool:
    """Whether all that the words may name are times or years: `built before 2005`."""
    is_year = column.payload is None and all(split_name(link.column)[-1].lower() in ("year", "yr") for link in column.links)
    return column.kind != Kind.COLUMN or column.payload == TIMES or is_year


def drop_part(run: Sequence[Item]) -> Sequence[Item]:
    """Words that change nothing here."""
    return ()


def done_by(run: Sequence[Item]) -> Sequence[Item] | None:
    """`plays by German listeners`: `by` says who, where the value is one of theirs."""
    _, value, table = run
    names = {link.table for link in table.links}
    return run[1:] if any(link.table in names for link in value.links) else None


def by_weekday(run: Sequence[Item]) -> Item | None:
    """`per weekday`: by the day of the week, all seven of them."""
    by, day = run
    return None if day.payload else grouped([by, replace(day, kind=Kind.UNIT, payload=DatePart.WEEKDAY)])


def unit_group(run: Sequence[Item]) -> Item | None:
    """每月, 各季度, 按天, `monthly`."""
    return grouped(run) if run[0].text[0] in "每各按" or run[0].text.lower() in _EACH_UNIT else None


def total_of_each_unit(run: Sequence[Item]) -> Sequence[Item]:
    """`total monthly revenue`: the total revenue, monthly."""
    made = grouped([run[1]])
    return [run[0]] if made is None else [made, run[0]]


def period_behind(run: Sequence[Item]) -> Sequence[Item] | None:
    """`shipped to Wuhan this year`: the time is of the verb, with conditions in between."""
    made = period([run[0], run[-1]])
    return None if made is None else [made, *run[1:-1]]


def summed_behind(run: Sequence[Item]) -> Item | None:
    """销售总额."""
    table, word = run
    return (
        made_of(Kind.MEASURE, run, MeasurePart(Aggregate.SUM, table))
        if word.text in ("总额", "总金额", "多少钱", "多少金额", "多少元")
        else None
    )
