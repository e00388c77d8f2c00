"""Names that somebody gave, as identifiers."""

import unicodedata

MOST_BYTES = 60
"""Of a name in UTF-8: Postgres cuts longer ones at 63."""


def given_name(text: str, otherwise: str) -> str:
    """Letters and digits of any script stay, Latin ones in lower case. `otherwise` where nothing is left."""
    letters = (sign if sign.isalnum() or sign == "_" else " " for sign in unicodedata.normalize("NFC", text).lower())
    found = "_".join("".join(letters).split()).strip("_").encode()[:MOST_BYTES].decode("utf-8", "ignore").strip("_")
    return f"{otherwise}_{found}" if found[:1].isdigit() else found or otherwise
