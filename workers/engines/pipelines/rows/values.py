"""Values of a column: its domain, its bounds, the values that a script compares it with, and what else its type allows."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from contracts.tables import ColumnDetail
from workers.engines.sql.facts import TypeKind, held_kind
from workers.engines.sql.review.duckdb import TODAY
from workers.engines.sql.review.types import other_values

LAST_DAY = date.fromisoformat(TODAY)
DAYS = 120
"""Dates without known bounds lie in this many days before the day of the trial: several months, and short enough for a row a day."""
NEAR_LITERAL = 0.5
"""How often a value is at or beside one that the script compares with. Otherwise a filter would leave no row, or all."""
AWKWARD_TEXTS = ("", " padded ", 'O\'Brien "x" %_\\', "中文，名称", "e\u0301 🙂", "NULL")
AWKWARD_NUMBERS = (0, -1, 999_999)
AWKWARD_DAYS = (date(2024, 2, 29), date(2023, 12, 31), LAST_DAY)


@dataclass(frozen=True)
class ColumnMaker:
    """Makes values of a column that is not null."""

    column: ColumnDetail
    literals: tuple[str, ...]
    """What the script compares it with, as text."""
    is_small: bool
    """It is grouped by, joined or part of a key, so values must repeat."""

    @property
    def kind(self) -> TypeKind:
        """The kind of its type."""
        return held_kind(self.column)

    @property
    def is_free(self) -> bool:
        """Any value of its type may be in it."""
        return not self.column.values and not self.is_small

    def value(self, random: Random, number: int) -> Any:
        """A value of row `number`, from 0."""
        if self.column.values:
            return self._of_domain(random)
        match self.kind:
            case TypeKind.BOOLEAN:
                return random.random() < 0.5
            case TypeKind.INTEGER:
                return self._number(random, whole=True)
            case TypeKind.DECIMAL:
                return self._number(random, whole=False)
            case TypeKind.DATE:
                return self._day(random)
            case TypeKind.TIMESTAMP:
                return self._moment(random)
            case _:
                return self._text(random, number)

    def identity(self, number: int) -> Any:
        """A value that no other row has."""
        if number < len(self.column.values):
            return self._typed(self.column.values[number])
        match self.kind:
            case TypeKind.INTEGER | TypeKind.DECIMAL:
                low = _number_of(self.column.minimum)
                return (int(low) if low is not None else 1) + number
            case TypeKind.DATE:
                return LAST_DAY - timedelta(days=number)
            case TypeKind.TIMESTAMP:
                return _midnight(LAST_DAY) - timedelta(hours=number)
            case _:
                if re.search("uuid", self.column.type, re.IGNORECASE):
                    return f"6f1c1de0-0000-4000-8000-{number:012d}"
                known = [text for text in dict.fromkeys(self.literals) if text and "%" not in text]
                return known[number] if number < len(known) else self._cut(f"{self.column.name[:6]}{number + 1}")

    def awkward(self) -> tuple[Any, ...]:
        """Values that its type allows and scripts forget."""
        match self.kind:
            case TypeKind.TEXT:
                return tuple(self._cut(text) for text in AWKWARD_TEXTS)
            case TypeKind.INTEGER | TypeKind.DECIMAL:
                return tuple(self._fitting(Decimal(value)) for value in AWKWARD_NUMBERS if self._is_within(value))
            case TypeKind.DATE:
                return tuple(day for day in AWKWARD_DAYS if self._is_within_days(day))
            case TypeKind.TIMESTAMP:
                return tuple(_midnight(day + timedelta(days=1)) - timedelta(seconds=1) for day in AWKWARD_DAYS if self._is_within_days(day))
            case _:
                return ()

    def _of_domain(self, random: Random) -> Any:
        named = [value for value in self.column.values if value in self.literals]
        chosen = random.choice(named) if named and random.random() < NEAR_LITERAL else random.choice(self.column.values)
        return self._typed(chosen)

    def _typed(self, text: str) -> Any:
        match self.kind:
            case TypeKind.INTEGER:
                found = _number_of(text)
                return int(found) if found is not None else None
            case TypeKind.BOOLEAN:
                return text.lower() in ("true", "t", "1", "yes")
            case _:
                return text

    def _number(self, random: Random, *, whole: bool) -> Any:
        low, high = _number_of(self.column.minimum), _number_of(self.column.maximum)
        near = [found for text in self.literals if (found := _number_of(text)) is not None and abs(found) < 10**12]
        if near and random.random() < NEAR_LITERAL:
            value = random.choice(near) + random.choice((0, 0, 1, -1))
            if self._is_within(value):
                return self._fitting(value)
        first = low if low is not None else Decimal(1)
        last = high if high is not None and high >= first else first + (5 if self.is_small else 200)
        if self.is_small:
            last = min(last, first + 5)
        if whole or self.is_small:
            return self._fitting(Decimal(random.randint(int(first), max(int(last), int(first)))))
        return self._fitting(first + (last - first) * random.randint(0, 1000) / 1000)

    def _fitting(self, value: Decimal) -> Any:
        """Within the digits of the type."""
        found = re.search(r"\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)", self.column.type)
        if self.kind is TypeKind.INTEGER:
            most = 127 if "tinyint" in self.column.type.lower() else 32_767 if "smallint" in self.column.type.lower() else 10**12
            return int(max(min(value, Decimal(most)), Decimal(-most)))
        scale = int(found[2] or 0) if found else 2
        digits = int(found[1]) - scale if found else 12
        most_decimal = Decimal(10) ** digits - 1
        return max(min(value, most_decimal), -most_decimal).quantize(Decimal(1).scaleb(-min(scale, 2)))

    def _is_within(self, value: Decimal | int) -> bool:
        low, high = _number_of(self.column.minimum), _number_of(self.column.maximum)
        return (low is None or value >= low) and (high is None or value <= high)

    def _is_within_days(self, day: date) -> bool:
        low, high = day_of(self.column.minimum), day_of(self.column.maximum)
        return (low is None or day >= low) and (high is None or day <= high)

    def _day(self, random: Random) -> date:
        near = [day for text in self.literals if (day := day_of(text)) is not None]
        near += [date(int(text), 7, 15) for text in self.literals if re.fullmatch(r"(19|20)\d\d", text)]
        if near and random.random() < NEAR_LITERAL:
            day = random.choice(near) + timedelta(days=random.choice((0, 0, 1, -1, 20)))
            if self._is_within_days(day):
                return day
        last = day_of(self.column.maximum) or (max(near) if near else LAST_DAY)
        first = max(day_of(self.column.minimum) or last - timedelta(days=DAYS), last - timedelta(days=DAYS * 4))
        days = max((last - first).days, 0)
        return first + timedelta(days=random.randint(0, min(days, 9) if self.is_small else days))

    def _moment(self, random: Random) -> datetime:
        seconds = random.choice((0, 1, 9 * 3600, 18 * 3600 + 1800, 86_399, random.randint(0, 86_399)))
        return _midnight(self._day(random)) + timedelta(seconds=seconds)

    def _text(self, random: Random, number: int) -> Any:
        others = other_values(self.column.type) if self.kind is TypeKind.OTHER or "uuid" in self.column.type.lower() else None
        if others is not None:
            return random.choice(others) if others else None
        known = [text for text in dict.fromkeys(self.literals) if text]
        if known and random.random() < 0.8:
            return self._cut(_like(random.choice(known), random))
        if self.is_small:
            return self._cut(random.choice("abcdef"))
        return self._cut(f"{self.column.name[:8]} {number + 1}")

    def _cut(self, text: str) -> str:
        found = re.search(r"char\w*\s*\(\s*(\d+)\s*\)", self.column.type, re.IGNORECASE)
        return text[: int(found[1])] if found else text


def _like(pattern: str, random: Random) -> str:
    """A text for a literal, which may be a pattern of LIKE."""
    return pattern.replace("%", random.choice(("", "x"))).replace("_", "y") if "%" in pattern else pattern


def _number_of(text: str | None) -> Decimal | None:
    if text is None or not re.fullmatch(r"\s*[+-]?\d{1,18}(\.\d{1,12})?\s*", text):
        return None
    return Decimal(text.strip())


def shifted(text: str | None, by: timedelta) -> str | None:
    """A bound of a column of times, moved; its time of day is left out. None: there is none."""
    day = day_of(text)
    return None if day is None else (day + by).isoformat()


def day_of(text: str | None) -> date | None:
    """The day of a date or timestamp as text; None for another text, and for a day far in the future."""
    if text is None or not re.match(r"\d{4}-\d\d-\d\d", text) or text > "9000":
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 columns without a time zone
