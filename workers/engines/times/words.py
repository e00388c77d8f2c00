"""How words about time are read: from this moment on, with the settings of this deployment."""

from dataclasses import dataclass, field
from datetime import datetime

from contracts.queries import TimeUnit
from contracts.times import FoundTime, TimeSettings, Weekday
from workers.engines.times.grammar import find_times

_WEEKS = {
    Weekday.MONDAY: TimeUnit.WEEK,
    Weekday.SUNDAY: TimeUnit.WEEK_FROM_SUNDAY,
    Weekday.SATURDAY: TimeUnit.WEEK_FROM_SATURDAY,
}


@dataclass(frozen=True)
class TimeWords:
    """Reads words about time."""

    now: datetime
    """Local time of the source, from which "last month" is counted."""
    settings: TimeSettings = field(default_factory=TimeSettings)

    def find(self, text: str) -> tuple[FoundTime, ...]:
        """All words about time in a text, from left to right."""
        return find_times(text, self.now, self.settings)

    def unit(self, unit: TimeUnit) -> TimeUnit:
        """The unit by which rows are grouped: a week begins on the day of the settings."""
        return _WEEKS[self.settings.week_start] if unit is TimeUnit.WEEK else unit
