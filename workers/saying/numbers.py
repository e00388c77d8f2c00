"""Numbers as people read them, by the locale data of Babel: 1.5 million rows, 38%, 2.3 GiB, 4 min 10 s; in Chinese 150 万, 4 分钟 10 秒."""

import copy
import re
from datetime import UTC, datetime
from functools import lru_cache
from math import floor, log10
from typing import Any, cast

from babel import Locale, UnknownLocaleError
from babel.numbers import format_compact_decimal, format_decimal, format_percent
from babel.units import format_unit

BYTE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
"""IEC symbols; the same in every language."""

SYMBOLS = {"en": {"hour": "h", "minute": "min", "second": "s", "millisecond": "ms"}}
"""SI symbols where CLDR abbreviates otherwise (`hr`, `sec`)."""

SPACED = frozenset({"zh"})
"""Languages written here with a space between a digit and an ideograph, as all our Chinese texts are: `150 万`."""

LARGE = 1_000_000
"""The smallest count that is rounded: `1.64 million`."""

LARGE_IN_TEN_THOUSANDS = 10_000
"""The same in languages that have a word for ten thousand."""

IN_MINUTES_S = 100
"""The shortest duration that is shown in minutes."""

WHOLE_MINUTES_S = 600
"""The shortest duration that is shown without seconds."""

_BEFORE_IDEOGRAPH = re.compile(r"(?<=[0-9])(?=[\u4e00-\u9fff])")


@lru_cache(64)
def locale_of(language: str) -> Locale:
    """Babel's data of a language; English for a language that Babel does not know."""
    try:
        return Locale.parse(language, sep="-" if "-" in language else "_")
    except (UnknownLocaleError, ValueError):
        return Locale("en")


def language_name(language: str) -> str:
    """What a language is called in English, as a model is asked to write in it."""
    return locale_of(language).get_display_name("en") or language


def count(value: int, language: str, *, exact: bool = False) -> str:
    """How many, rounded to three digits when large."""
    return whole(value, language) if exact or abs(value) < _large_from(language) else _rounded(value, language)


def whole(value: float, language: str) -> str:
    """A number without digits behind the decimal point: `12,416`."""
    return format_decimal(round(value), locale=locale_of(language))


LARGEST = 1e20
"""From here on a number is written with its exponent: its digits would say more than is known, and Babel stops at 28 of them."""


SMALLEST = 1e-6
"""Below this too."""


def decimal(value: float, language: str, digits: int | None = None) -> str:
    """A number with `digits` digits after the decimal point; by default one digit for numbers below a hundred, unless it is zero, and the
    first two that say something for those below a tenth."""
    if abs(value) >= LARGEST or (digits is None and 0 < abs(value) < SMALLEST):
        return f"{value:.2e}"
    if digits is None and 0 < abs(value) < 0.1:
        digits_kept = 1 - floor(log10(abs(value)))
        return format_decimal(round(value, digits_kept), format="0.0" + "#" * (digits_kept - 1), locale=locale_of(language))
    if digits is None:
        digits = 0 if abs(value) >= 100 or round(value, 1) == round(value) else 1
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(round(value, digits) + 0.0, format=pattern, locale=locale_of(language))


def size(value: float, language: str) -> str:
    """Bytes: `2.3 GiB`."""
    step = 0
    while abs(value) >= 1024 and step < len(BYTE_UNITS) - 1:
        value, step = value / 1024, step + 1
    return f"{decimal(value, language)} {BYTE_UNITS[step]}"


def duration(value: float, language: str) -> str:
    """Seconds: `204 ms`, `12.3 s`, `4 min 10 s`, `58 min`, `2 h 5 min`."""
    if abs(value) < 1:
        return _unit(round(value * 1000), "millisecond", language)
    if abs(value) < IN_MINUTES_S:
        return _unit(value, "second", language)
    sign, total = ("−" if value < 0 else ""), round(abs(value))
    if total < WHOLE_MINUTES_S:
        parts = ((total // 60, "minute"), (total % 60, "second"))
    else:
        minutes = round(total / 60)
        parts = ((minutes // 60, "hour"), (minutes % 60, "minute"))
    return sign + " ".join(_unit(amount, unit, language) for amount, unit in parts if amount)


def share(value: float, language: str, digits: int | None = None) -> str:
    """A percentage. Without `digits`, only 0 is shown as 0%, and only 1 as 100%."""
    if digits is not None:
        return _percent(value, language, digits)
    if 0 < abs(value) < 0.0005:
        return "<" + _percent(0.001, language, 1)
    if 0.995 <= value < 1:
        return ">" + _percent(0.99, language, 0)
    return _percent(value, language, 1 if 0 < abs(value) < 0.00995 else 0)


def usd(value: float, language: str) -> str:
    """Dollars, to the millionth where it is little."""
    pattern = copy.copy(cast("Any", locale_of(language)).currency_formats["standard"])
    pattern.frac_prec = (2, 2 if abs(value) >= 1 else 6)
    return pattern.apply(value, locale_of(language), currency="USD", currency_digits=False)


def moment(value: datetime, language: str) -> str:
    """A point in time, in UTC."""
    from babel.dates import format_datetime  # time zones cost 10 ms of start-up, and few reports show a time

    return f"{format_datetime(value.astimezone(UTC), 'medium', tzinfo=UTC, locale=locale_of(language))} UTC"


def list_patterns(language: str, style: str) -> dict[str, str]:
    """CLDR's patterns `start`, `middle`, `end` and `2` of an `and` or an `or` list, each with {0} and {1}."""
    return dict(locale_of(language).list_patterns["or" if style == "or" else "standard"])


def _percent(value: float, language: str, digits: int) -> str:
    if abs(value) >= LARGEST:
        return f"{decimal(value * 100, language)}%"
    return format_percent(value, format=_percent_pattern(language, digits), locale=locale_of(language))


@lru_cache(64)
def _percent_pattern(language: str, digits: int) -> str:
    pattern: str = cast("Any", locale_of(language)).percent_formats[None].pattern
    return pattern.replace("#,##0", "#,##0" + ("." + "0" * digits if digits else ""))


def _unit(value: float, unit: str, language: str) -> str:
    locale = locale_of(language)
    symbol = SYMBOLS.get(locale.language, {}).get(unit)
    if symbol:
        return f"{decimal(value, language)} {symbol}"
    return _spaced(format_unit(round(value, 1), unit, length="short", format="#,##0.#", locale=locale), language)


@lru_cache(64)
def _large_from(language: str) -> int:
    """CLDR writes 10,000 with one digit and a word (`0万`) where a language counts in ten thousands."""
    patterns = _compact_formats(language)["other"]
    return LARGE_IN_TEN_THOUSANDS if patterns["10000"].pattern.count("0") == 1 else LARGE


def _compact_formats(language: str) -> Any:
    formats = cast("Any", locale_of(language)).compact_decimal_formats
    return formats["long"] if "long" in formats else formats["short"]


def _rounded(value: int, language: str) -> str:
    locale = locale_of(language)
    three = float(f"{value:.3g}")
    style = "long" if "long" in cast("Any", locale).compact_decimal_formats else "short"
    return _spaced(format_compact_decimal(three, format_type=style, locale=locale, fraction_digits=2), language)


def _spaced(text: str, language: str) -> str:
    return _BEFORE_IDEOGRAPH.sub(" ", text) if language.split("-")[0] in SPACED else text
