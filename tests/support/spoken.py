"""Statements as text, with every message and value there: the fleet's and those of a diagnosis."""

from contracts.statements import Sayable, Shown
from workers.kinds.diagnose.kind import KIND
from workers.saying import INSTALLED, add_catalogue, text_of

if KIND.locale is not None:
    add_catalogue(KIND.locale)


def english(shown: Shown | None) -> str:
    """In English; nothing for None."""
    return spoken(shown, "en")


def chinese(shown: Shown | None) -> str:
    """In Chinese; nothing for None."""
    return spoken(shown, "zh")


def spoken(shown: Sayable | Shown | None, language: str) -> str:
    """In a language. A message or a value that is missing is an error."""
    with INSTALLED.strictly():
        return "" if shown is None else text_of(shown, language)
