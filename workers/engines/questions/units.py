"""Units in which a question wants its figures: `in hours`, （公里）. Nothing is converted, so a column in another unit is no answer."""

import re

from contracts.tables import ColumnDetail
from workers.engines.questions.words import split_name

_UNITS: dict[str, dict[str, str]] = {
    "length": {
        "mm": r"mm|millimet(?:er|re)s?|毫米", "cm": r"cm|centimet(?:er|re)s?|厘米",
        "km": r"km|kms|kilomet(?:er|re)s?|公里|千米", "m": r"m|met(?:er|re)s?|米", "mi": r"mi|miles?|英里", "ft": r"ft|feet",
    },
    "weight": {"kg": r"kgs?|kilograms?|kilos?|公斤|千克", "g": r"g|grams?|克", "lb": r"lbs?|pounds?|磅", "t": r"tons?|tonnes?|吨"},
    "volume": {"m3": r"m3|m³|cubic met(?:er|re)s?|立方米|方", "l": r"l|lit(?:er|re)s?|升", "ml": r"ml|毫升"},
    "energy": {"kWh": r"kwh|千瓦时|度", "MWh": r"mwh|兆瓦时"},
    "time": {
        "ms": r"ms|millis|milliseconds?|毫秒", "s": r"s|secs?|seconds?|秒", "min": r"mins?|minutes?|分钟", "h": r"h|hrs?|hours?|小时",
        "d": r"days?|天", "y": r"years?|yrs?|年",
    },
    "money": {"USD": r"usd|us dollars|u\.s\. dollars|dollars?|美元", "EUR": r"eur|euros?|欧元", "CNY": r"cny|rmb|yuan|人民币"},
}  # fmt: skip
"""Dimension → unit → the words for it."""

_ASKED = re.compile(
    r"(?<=\w) \(?in (?P<unit>[a-z.]+(?: dollars)?)\)?(?=[,.?; ]|$)"
    r"|（(?:单位[：:])?(?P<zh>[\u3400-\u9fff]{1,3})）|(?:单位为|以)(?P<zh2>[\u3400-\u9fff]{1,3}?)(?:计|为单位|表示)",
    re.IGNORECASE,
)
_SAID = re.compile(r"\b(?:in|\() ?(?P<unit>[a-z]+)\b|[（(](?P<zh>[\u3400-\u9fff]{1,3})[）)]", re.IGNORECASE)

_BEHIND = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>[A-Za-z³]+3?|[\u3400-\u9fff]{1,3})")

Unit = tuple[str, str]
"""A dimension and a unit of it."""


def unit_of_word(word: str) -> Unit | None:
    """What unit a word names."""
    for dimension, units in _UNITS.items():
        for unit, pattern in units.items():
            if re.fullmatch(pattern, word, re.IGNORECASE):
                return dimension, unit
    return None


def asked_units(text: str) -> list[Unit]:
    """The units that a question names for its figures."""
    words = [match["unit"] or match["zh"] or match["zh2"] for match in _ASKED.finditer(text)]
    return [unit for word in words if (unit := unit_of_word(word)) is not None]


def units_of_numbers(text: str) -> list[tuple[str, str, Unit]]:
    """The numbers of a question that have a unit behind them: digits, the word, the unit. 毫米的 is 毫米."""
    found: list[tuple[str, str, Unit]] = []
    for match in _BEHIND.finditer(text):
        for size in range(len(match["unit"]), 0, -1):
            word = match["unit"][:size]
            if (unit := unit_of_word(word)) is not None:
                found.append((match["number"].replace(",", ""), word, unit))
                break
            if word.isascii():
                break
    return found


def unit_of(column: ColumnDetail) -> Unit | None:
    """The unit that the name or the description of a column gives: `weight_kg`, `minutes`, "length in km"; None where they give none."""
    words = split_name(column.name)
    by_name = unit_of_word(words[-1]) if words and len(words[-1]) > 1 else None
    if by_name is not None:
        return by_name
    spoken = (match["unit"] or match["zh"] for match in _SAID.finditer(column.description))
    return next((unit for word in spoken if len(word) > 1 or not word.isascii() if (unit := unit_of_word(word)) is not None), None)
