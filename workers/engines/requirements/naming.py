"""Names that code gives: of steps, of computed columns, of a target that the requirement does not name."""

import re
import unicodedata
from collections.abc import Collection

_NOT_PLAIN = re.compile(r"[^a-z0-9_]+")
_NO_LETTER = re.compile(r"\W+")
MOST_LETTERS = 50
MOST_BYTES = 60
"""Of a name in UTF-8: Postgres cuts longer ones at 63."""


def plain_name(text: str, otherwise: str) -> str:
    """Text as an identifier in lower case; `otherwise` where nothing is left of it."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    found = _NOT_PLAIN.sub("_", letters).strip("_")[:MOST_LETTERS].strip("_")
    if not found:
        return otherwise
    return found if found[0].isalpha() else f"{otherwise}_{found}"


def given_name(text: str, otherwise: str) -> str:
    """A name that somebody gave, as an identifier: letters and digits of any script stay, Latin ones in lower case. `otherwise` where
    nothing is left of it."""
    letters = unicodedata.normalize("NFC", text).lower()
    found = _NO_LETTER.sub("_", letters).strip("_").encode()[:MOST_BYTES].decode("utf-8", "ignore").strip("_")
    if not found:
        return otherwise
    return f"{otherwise}_{found}" if found[0].isdigit() else found


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name, with a number behind it if it is taken."""
    if wanted not in taken:
        return wanted
    return next(name for number in range(2, 1_000_000) if (name := f"{wanted}_{number}") not in taken)
