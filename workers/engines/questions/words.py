"""Words of identifiers and of text, and the forms in which they are the same word."""

import re
from functools import lru_cache

_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "statuses": "status", "series": "series", "species": "species",
    "has": "has", "is": "is", "was": "was", "this": "this", "its": "its", "bus": "bus", "gas": "gas", "lens": "lens",
    "analyses": "analysis", "indices": "index", "movies": "movie", "cookies": "cookie", "ids": "id", "data": "data",
}  # fmt: skip


def is_chinese(text: str) -> bool:
    """Whether a text is to be read as Chinese."""
    return sum("\u3400" <= sign <= "\u9fff" for sign in text) > 1


@lru_cache(50_000)
def key(word: str) -> str:
    """The word without its plural, the same for all forms of a noun."""
    lowered = word.lower().removesuffix("'s").removesuffix("’s").strip("'’")
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered]
    if len(lowered) > 4 and lowered.endswith("ies"):
        return lowered[:-3] + "y"
    if len(lowered) > 4 and lowered.endswith(("ses", "xes", "zes", "ches", "shes")):
        stem = lowered[:-2]
        is_stem = stem.endswith(("ss", "x", "zz", "ch", "sh")) or (stem.endswith("us") and not stem.endswith(("ous", "aus")))
        return stem if is_stem else lowered[:-1]
    if len(lowered) > 2 and lowered.endswith("s") and not lowered.endswith(("ss", "us", "is")):
        return lowered[:-1]
    return lowered


def split_name(name: str) -> list[str]:
    """The words in an identifier: `snapshot_date`, `saleDate`, `sale-date`."""
    return list(_words_of(name))


@lru_cache(50_000)
def _words_of(name: str) -> tuple[str, ...]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(word for word in re.split(r"[^A-Za-z0-9\u3400-\u9fff]+", spaced.replace("_", " ")) if word)
