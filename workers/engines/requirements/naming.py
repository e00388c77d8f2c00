"""Names that code gives: of steps, of computed columns, of a target that the requirement does not name."""

import re
import unicodedata
from collections.abc import Collection

_NOT_PLAIN = re.compile(r"[^a-z0-9_]+")
MOST_LETTERS = 50


def plain_name(text: str, otherwise: str) -> str:
    """Text as an identifier in lower case; `otherwise` where nothing is left of it."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    found = _NOT_PLAIN.sub("_", letters).strip("_")[:MOST_LETTERS].strip("_")
    if not found:
        return otherwise
    return found if found[0].isalpha() else f"{otherwise}_{found}"


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name, with a number behind it if it is taken."""
    if wanted not in taken:
        return wanted
    return next(name for number in range(2, 1_000_000) if (name := f"{wanted}_{number}") not in taken)
