"""Ranges of time that were read from words, and the settings that they depend on."""

from datetime import date, datetime
from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text


class Weekday(StrEnum):
    """The day on which a week begins."""

    MONDAY = "monday"
    SUNDAY = "sunday"
    SATURDAY = "saturday"


class TimeSettings(Contract):
    """What words about time mean in this company."""

    week_start: Weekday = Weekday.MONDAY
    fiscal_year_start: int = Field(default=1, ge=1, le=12)
    """The month in which a fiscal year begins. It has the name of the year in which it ends."""
    rolling_includes_today: bool = True
    """Whether today is the last of the `last 7 days`; otherwise yesterday is. They are seven days either way."""


class TimeRange(Contract):
    """A half-open range: `start` belongs to it, `end` does not. None: without a bound on that side."""

    start: date | datetime | None = None
    end: date | datetime | None = None
    is_rolling: bool = False
    """So many days, weeks or months that end with today or yesterday, by the settings."""


class FoundTime(Contract):
    """Words about time in a text."""

    begin: int
    """Index of the first character."""
    stop: int
    """Index behind the last character."""
    text: Text
    range: TimeRange | None
    """None: the words speak of a time, but of which one has to be asked."""
