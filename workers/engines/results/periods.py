"""Periods of a result that the data cover only in part: the month in which the data begin, and the one that is not over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from workers.engines.results.table import Cell, ColumnRole, Grain, ResultTable, as_time, begins, series_grain

COVERED = 0.93
"""Share of a period from which it counts as whole: data that end on the evening of the last day of a month have all of it."""


@dataclass(frozen=True, slots=True)
class Extent:
    """From when until when there are data; None where it is not known."""

    since: datetime | None = None
    until: datetime | None = None
    seen_since: datetime | None = None
    seen_until: datetime | None = None
    """First and last time of a statistic, which may be older than the data."""
    grain: Grain | None = None
    """To which times are cut, where it is known."""

    def of(self, times: Sequence[datetime], grain: Grain) -> "Extent":
        """The bounds that hold for the periods of a result, in order: a statistic without some of them is no bound."""
        is_first = self.seen_since is not None and self.seen_since < period_end(times[0], grain)
        is_last = self.seen_until is not None and self.seen_until >= times[-1]
        since = [each for each in (self.since, self.seen_since if is_first else None) if each is not None]
        until = [each for each in (self.until, self.seen_until if is_last else None) if each is not None]
        return Extent(max(since, default=None), min(until, default=None))

    def covers(self, begin: datetime, end: datetime) -> bool:
        """Whether a period is covered, but for a small part."""
        first = max(begin, self.since) if self.since else begin
        last = min(end, self.until) if self.until else end
        return (last - first) >= COVERED * (end - begin)


NO_EXTENT = Extent()


def period_end(moment: datetime, grain: Grain) -> datetime:
    """The end of the period that begins then."""
    match grain:
        case Grain.HOUR:
            return moment + timedelta(hours=1)
        case Grain.DAY:
            return moment + timedelta(days=1)
        case Grain.WEEK:
            return moment + timedelta(days=7)
        case Grain.MONTH:
            return _months_later(moment, 1)
        case Grain.QUARTER:
            return _months_later(moment, 3)
        case Grain.YEAR:
            return _months_later(moment, 12)


def _months_later(moment: datetime, months: int) -> datetime:
    years, month = divmod(moment.month - 1 + months, 12)
    return moment.replace(year=moment.year + years, month=month + 1, day=1)


def partial_times(table: ResultTable, extent: Extent) -> frozenset[datetime]:
    """The times of a result's periods that are covered in part: only the first and the last can be. Points in time that begin no period,
    such as a quarter past nine, are none."""
    column = next(iter(table.of(ColumnRole.TIME)), None)
    if column is None:
        return frozenset()
    times = sorted({moment for value in table.values(column.index) if (moment := as_time(value, column.name)) is not None})
    grain = extent.grain or series_grain(times)
    if len(times) < 2 or not begins(times, grain):
        return frozenset()
    bounds = extent.of(times, grain)
    return frozenset(moment for moment in (times[0], times[-1]) if not bounds.covers(moment, period_end(moment, grain)))


def whole_rows(names: Sequence[str], rows: Sequence[Sequence[Cell]], extent: Extent) -> list[Sequence[Cell]]:
    """The rows without those of periods that are not whole: a trend must not end with half a month."""
    table = ResultTable(tuple(names), tuple(tuple(row) for row in rows))
    partial = partial_times(table, extent)
    column = next(iter(table.of(ColumnRole.TIME)), None)
    if column is None or not partial:
        return list(rows)
    return [row for row in rows if as_time(row[column.index], column.name) not in partial]
