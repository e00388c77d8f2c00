"""A result by columns: which of them are times, which name things, and which are quantities."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from workers.engines.results.coordinates import Cell, Coordinates, coordinates_of

_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTH = re.compile(r"((?:19|20)\d\d)[-/](\d{1,2})")
_QUARTER = re.compile(r"((?:19|20)\d\d)[-\s]?[Qq]([1-4])")
_TIME_NAME = re.compile(r"(?:^|_)(?:year|yr)(?:$|_)|年$", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(?:^|_)(?:id|key|code|no|nr|number|zip|postcode)$|(?<=[a-z])(?:Id|Key|Code)$|编号$|代码$", re.IGNORECASE)

_SHARE = re.compile(r"^(?:share|proportion|fraction|占比)(?:_\w+)?$", re.IGNORECASE)

_PART_OF_TIME = re.compile(
    r"^(?:hour|weekday|dow|day_of_week|week|month|quarter|day)(?:_of_\w+)?$|^(?:小时|星期|月份?|季度)$", re.IGNORECASE
)


class ColumnRole(StrEnum):
    """What the values of a column are."""

    TIME = "time"
    NAME = "name"
    QUANTITY = "quantity"
    PLACE = "place"
    """One of the two coordinates that say where a row is."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result."""

    name: str
    role: ColumnRole
    index: int


@dataclass(frozen=True)
class ResultTable:
    """Columns and rows as they came from a source."""

    names: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: frozenset[str] = frozenset()
    """Columns of numbers by which the rows are grouped: codes and sizes, which name a row."""

    @cached_property
    def columns(self) -> tuple[ResultColumn, ...]:
        """The columns with their roles."""
        where = self.coordinates
        places = () if where is None else (where.east, where.north)
        return tuple(
            ResultColumn(
                name, ColumnRole.PLACE if index in places else _named(self._role(name, self.values(index)), name in self.groups), index
            )
            for index, name in enumerate(self.names)
        )

    @cached_property
    def coordinates(self) -> Coordinates | None:
        """The columns that say where a row is."""
        return coordinates_of(self.names, self.rows)

    def values(self, index: int) -> list[Cell]:
        """A column's values, in the order of the rows."""
        return [row[index] for row in self.rows]

    def of(self, role: ColumnRole) -> list[ResultColumn]:
        """The columns of a role, from left to right."""
        return [column for column in self.columns if column.role is role]

    def numbers(self, column: ResultColumn) -> list[float | None]:
        """A quantity as numbers; None for null."""
        return [as_number(value) for value in self.values(column.index)]

    def is_share(self, column: ResultColumn) -> bool:
        """Whether the values of a quantity are parts of a whole, which are shown in percent."""
        values = [value for value in self.numbers(column) if value is not None]
        return bool(_SHARE.match(column.name)) and bool(values) and all(0 <= value <= 1 for value in values)

    @staticmethod
    def _role(name: str, values: Sequence[Cell]) -> ColumnRole:
        known = [value for value in values if value is not None]
        if known and all(as_time(value, name) is not None for value in known):
            return ColumnRole.TIME
        if (
            known
            and not _IDENTIFIER.search(name)
            and not _PART_OF_TIME.match(name)
            and all(as_number(value) is not None for value in known)
        ):
            return ColumnRole.QUANTITY
        return ColumnRole.NAME


def _named(role: ColumnRole, is_group: bool) -> ColumnRole:
    return ColumnRole.NAME if is_group and role is ColumnRole.QUANTITY else role


def as_number(value: Cell) -> float | None:
    """A quantity; decimals come as text from a source. None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number - number == 0 else None  # infinities and NaN are no quantities


def as_time(value: Cell, name: str = "") -> datetime | None:
    """A point in time: an ISO date or time, a month, a quarter, or a year in a column that is called so."""
    if isinstance(value, int) and not isinstance(value, bool) and _TIME_NAME.search(name) and _YEAR.fullmatch(str(value)):
        return datetime(value, 1, 1)  # noqa: DTZ001 a result's times are local, as its source keeps them
    if not isinstance(value, str):
        return None
    if found := _QUARTER.fullmatch(value):
        return datetime(int(found[1]), 3 * int(found[2]) - 2, 1)  # noqa: DTZ001 as above
    if (found := _MONTH.fullmatch(value)) and 1 <= int(found[2]) <= 12:
        return datetime(int(found[1]), int(found[2]), 1)  # noqa: DTZ001 as above
    if _YEAR.fullmatch(value) and _TIME_NAME.search(name):
        return datetime(int(value), 1, 1)  # noqa: DTZ001 as above
    try:
        if len(value) == len("2025-01-01"):
            day = date.fromisoformat(value)
            return datetime(day.year, day.month, day.day)  # noqa: DTZ001 as above
        return datetime.fromisoformat(value).replace(tzinfo=None) if len(value) > len("2025-01-01") else None
    except ValueError:
        return None


class Grain(StrEnum):
    """The usual distance of points in time."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


_HOURS: tuple[tuple[float, Grain], ...] = (
    (2, Grain.HOUR), (36, Grain.DAY), (24 * 10, Grain.WEEK), (24 * 45, Grain.MONTH), (24 * 120, Grain.QUARTER),
)  # fmt: skip
"""Greatest distance in hours, and the grain."""

SEASON: dict[Grain, int] = {Grain.HOUR: 24, Grain.DAY: 7, Grain.MONTH: 12, Grain.QUARTER: 4}
"""Points of a cycle that a grain can show: hours of a day, days of a week, months and quarters of a year."""


@dataclass(frozen=True, slots=True)
class Series:
    """A quantity over time, in order, without nulls."""

    times: tuple[datetime, ...]
    values: tuple[float, ...]

    @property
    def grain(self) -> Grain:
        """By the median distance of its points."""
        return series_grain(self.times)

    @property
    def is_regular(self) -> bool:
        """Whether its points follow each other without gaps of more than two distances."""
        gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(self.times)]
        middle = sorted(gaps)[len(gaps) // 2] if gaps else 0
        return middle > 0 and max(gaps) <= 2.2 * middle

    @property
    def places(self) -> tuple[int, ...]:
        """How many periods of its grain each point is behind the first: a gap counts."""
        return tuple(_place(moment, self.grain) - _place(self.times[0], self.grain) for moment in self.times)


def _place(moment: datetime, grain: Grain) -> int:
    """The number of a period among all of its grain."""
    hours = moment.toordinal() * 24 + moment.hour
    months = moment.year * 12 + moment.month - 1
    return {
        Grain.HOUR: hours, Grain.DAY: hours // 24, Grain.WEEK: hours // (24 * 7), Grain.MONTH: months, Grain.QUARTER: months // 3,
        Grain.YEAR: moment.year,
    }[grain]  # fmt: skip


def series_grain(times: Sequence[datetime]) -> Grain:
    """The grain of times in their order: by their median distance, and a finer one where they begin no such periods."""
    gaps = sorted((later - earlier).total_seconds() / 3600 for earlier, later in pairwise(times))
    middle = gaps[len(gaps) // 2] if gaps else 24.0
    usual = next((grain for most, grain in _HOURS if middle <= most), Grain.YEAR)
    known = list(Grain)
    wide = [grain for grain in reversed(known[: known.index(usual) + 1]) if grain in (Grain.YEAR, Grain.QUARTER, Grain.MONTH)]
    if (begun := next((grain for grain in wide if begins(times, grain)), None)) is not None:
        return begun
    return usual if not wide or len({_place(moment, usual) for moment in times}) == len(times) else Grain.DAY


def begins(times: Sequence[datetime], grain: Grain) -> bool:
    """Whether all times may be the beginnings of periods: of months on the first, of weeks on one weekday, of years in one month."""
    if any(moment.minute or moment.second or (moment.hour and grain is not Grain.HOUR) for moment in times):
        return False
    match grain:
        case Grain.HOUR | Grain.DAY:
            return True
        case Grain.WEEK:
            return len({moment.weekday() for moment in times}) == 1
        case _:
            apart = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12}[grain]
            return all(moment.day == 1 for moment in times) and len({moment.month % apart for moment in times}) == 1


def series_of(table: ResultTable, time: ResultColumn, quantity: ResultColumn) -> Series | None:
    """A quantity over time; None when a point in time stands for several rows, or there are fewer than two."""
    pairs = [
        (moment, number)
        for value, number in zip(table.values(time.index), table.numbers(quantity), strict=True)
        if number is not None and (moment := as_time(value, time.name)) is not None
    ]
    if len({moment for moment, _ in pairs}) != len(pairs) or len(pairs) < 2:
        return None
    pairs.sort()
    return Series(tuple(moment for moment, _ in pairs), tuple(number for _, number in pairs))
