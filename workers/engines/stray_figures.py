"""Checks a model's words against the findings: every figure and every name of a row must be there."""

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-−]?\d+(?:[.,]\d+)*")


def numbers_in(text: str) -> set[str]:
    """The numbers of a text, without separators of thousands and signs."""
    return {found.replace(",", "").replace("−", "-").lstrip("-").rstrip(".") for found in _NUMBER.findall(text)}


def stray_figures(words: str, material: Iterable[str]) -> set[str]:
    """Figures of the words that the material does not have."""
    known: set[str] = set()
    for text in material:
        known |= numbers_in(text)
        known |= {_short(number) for number in numbers_in(text)}
    return {number for number in numbers_in(words) if number not in known and _short(number) not in known}


def _short(number: str) -> str:
    try:
        return f"{float(number):.1f}".rstrip("0").rstrip(".")
    except ValueError:
        return number
