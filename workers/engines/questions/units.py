"""Units in which a question wants its figures: `in hours`, （公里）. Nothing is converted, so a column in another unit is no answer."""

import re

from contracts.tables import ColumnDetail
from workers.engines.questions.words import split_name

_UNITS: dict[str, dict[str, str]] = {
    "length": {"km": r"km|kms|kilomet(?:er|re)s?|公里|千米", "m": r"m|met(?:er|re)s?|米", "mi": r"mi|miles?|英里", "ft": r"ft|feet"},
    "weight": {"kg": r"kgs?|kilograms?|kilos?|公斤|千克", "g": r"g|grams?|克", "lb": r"lbs?|pounds?|磅", "t": r"tons?|tonnes?|吨"},
    "time": {
        "ms": r"ms|millis|milliseconds?|毫秒", "s": r"s|secs?|seconds?|秒", "min": r"mins?|minutes?|分钟", "h": r"h|hrs?|hours?|小时",
        "d": r"days?|天",
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


def unit_of(column: ColumnDetail) -> Unit | None:
    """The unit that the name or the description of a column gives: `weight_kg`, `minutes`, "length in km"; None where they give none."""
    words = split_name(column.name)
    by_name = unit_of_word(words[-1]) if words and len(words[-1]) > 1 else None
    if by_name is not None:
        return by_name
    spoken = (match["unit"] or match["zh"] for match in _SAID.finditer(column.description))
    return next((unit for word in spoken if len(word) > 1 or not word.isascii() if (unit := unit_of_word(word)) is not None), None)
