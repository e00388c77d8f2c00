"""Units of the calendar as half-open ranges of days."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from contracts.times import TimeRange, TimeSettings, Weekday

_FIRST_WEEKDAY = {Weekday.MONDAY: 0, Weekday.SATURDAY: 5, Weekday.SUNDAY: 6}


class Unit(StrEnum):
    """A unit in which people speak of time."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    HALF = "half"
    YEAR = "year"
    FISCAL_QUARTER = "fiscal_quarter"
    FISCAL_YEAR = "fiscal_year"


_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.HALF: 6, Unit.YEAR: 12, Unit.FISCAL_QUARTER: 3, Unit.FISCAL_YEAR: 12}


@dataclass(frozen=True, slots=True)
class Clock:
    """Now, and the company's settings."""

    now: datetime
    settings: TimeSettings

    @property
    def today(self) -> date:
        """The day it is."""
        return self.now.date()

    def begin(self, unit: Unit, day: date) -> date:
        """The first day of the unit that holds this day."""
        if unit == Unit.WEEK:
            return day - timedelta(days=(day.weekday() - _FIRST_WEEKDAY[self.settings.week_start]) % 7)
        if unit not in _MONTHS:
            return day
        first = self.settings.fiscal_year_start if unit in (Unit.FISCAL_QUARTER, Unit.FISCAL_YEAR) else 1
        back = (day.month - first) % 12 % _MONTHS[unit]
        return add_months(day.replace(day=1), -back)

    def shift(self, day: date, unit: Unit, number: int) -> date:
        """The day so much later; the end of a month stays within it."""
        if unit in _MONTHS:
            return add_months(day, _MONTHS[unit] * number)
        return day + timedelta(days=number * (7 if unit == Unit.WEEK else 1))

    def calendar(self, unit: Unit, offset: int, number: int = 1) -> TimeRange:
        """`number` whole units, the first of them `offset` units after the current."""
        start = self.shift(self.begin(unit, self.today), unit, offset)
        return TimeRange(start=start, end=self.shift(start, unit, number))

    def rolling(self, unit: Unit, number: int) -> TimeRange:
        """The last so many units, up to now: of days, weeks and longer units through today or yesterday."""
        if unit == Unit.HOUR:
            return TimeRange(start=self.now - timedelta(hours=number), end=self.now)
        end = self.today + timedelta(days=1 if self.settings.rolling_includes_today else 0)
        return TimeRange(start=self.shift(end, unit, -number), end=end, is_rolling=True)

    def coming(self, unit: Unit, number: int) -> TimeRange:
        """The next so many units, from tomorrow on."""
        start = self.today + timedelta(days=1)
        return TimeRange(start=start, end=self.shift(start, unit, number))

    def to_date(self, unit: Unit) -> TimeRange:
        """From the beginning of the current unit through today."""
        return TimeRange(start=self.begin(unit, self.today), end=self.today + timedelta(days=1))

    def fiscal_year(self, year: int) -> TimeRange:
        """A fiscal year by its name."""
        start = self._fiscal_start(year)
        return TimeRange(start=start, end=add_months(start, 12))

    def fiscal_quarter(self, year: int, quarter: int) -> TimeRange:
        """A quarter of a fiscal year."""
        start = add_months(self._fiscal_start(year), 3 * (quarter - 1))
        return TimeRange(start=start, end=add_months(start, 3))

    def _fiscal_start(self, year: int) -> date:
        first = self.settings.fiscal_year_start
        return date(year if first == 1 else year - 1, first, 1)

    def latest_year(self, start_month: int, start_day: int = 1) -> int:
        """The year of the latest such day that has come."""
        return self.today.year if (self.today.month, self.today.day) >= (start_month, start_day) else self.today.year - 1


def add_months(day: date, months: int) -> date:
    """The same day so many months later, or the month's last."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def months(year: int, first: int, number: int) -> TimeRange:
    """`number` months of a year."""
    start = date(year, first, 1)
    return TimeRange(start=start, end=add_months(start, number))


def day_range(year: int, month: int, day: int) -> TimeRange | None:
    """A day, or None where the calendar has no such day."""
    try:
        start = date(year, month, day)
    except ValueError:
        return None
    return TimeRange(start=start, end=start + timedelta(days=1))


def iso_week(year: int, week: int) -> TimeRange | None:
    """A week by its ISO number, from Monday."""
    try:
        start = date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
    return TimeRange(start=start, end=start + timedelta(days=7))
