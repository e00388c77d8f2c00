"""Checks a model's words against the findings: every figure and every name of a row must be there."""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-−]?\d+(?:[.,]\d+)*")

_GREATEST = Decimal(10) ** 15
"""Greater numbers are not rounded: they are keys."""


def numbers_in(text: str) -> set[str]:
    """The numbers of a text, without separators of thousands and signs."""
    return {found.replace(",", "").replace("−", "-").lstrip("-").rstrip(".") for found in _NUMBER.findall(text)}


def stray_figures(words: str, material: Iterable[str]) -> set[str]:
    """Figures of the words that the material does not have, as they are or rounded to the decimals that the words give, at least one."""
    known = {value for text in material for number in numbers_in(text) if (value := _value(number)) is not None}
    rounded: dict[int, set[Decimal]] = {}
    stray: set[str] = set()
    for number in numbers_in(words):
        value, digits = _value(number), max(1, len(number.partition(".")[2]))
        if value is None or value in known:
            stray |= {number} if value is None else set()
            continue
        if digits not in rounded:
            step = Decimal(1).scaleb(-digits)
            rounded[digits] = {each.quantize(step, way) for each in known for way in (ROUND_HALF_UP, ROUND_HALF_EVEN) if each < _GREATEST}
        stray |= set() if value in rounded[digits] else {number}
    return stray


def _value(number: str) -> Decimal | None:
    """None: it is a version or another text of digits and points."""
    try:
        return Decimal(number)
    except InvalidOperation:
        return None
