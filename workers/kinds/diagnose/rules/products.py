"""Names of products, of which a system may be one: `products.txt`."""

import re
from functools import cache
from pathlib import Path

_LEAST_FOUND = 3
"""Characters of a name that is looked for within a text; a shorter one ("dm") is one only where a system is called so."""


@cache
def _names() -> dict[str, str]:
    """Each name in small letters with the first name of its product."""
    lines = Path(__file__).with_name("products.txt").read_text("utf-8").splitlines()
    return {name: line.split("|")[0] for line in lines if line and not line.startswith("#") for name in line.split("|")}


@cache
def _pattern() -> re.Pattern[str]:
    found = [name for name in _names() if len(name) >= _LEAST_FOUND or not name.isascii()]
    each = "|".join(re.escape(name) for name in sorted(found, key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{each})(?![A-Za-z0-9])", re.IGNORECASE)


def is_product(word: str) -> bool:
    """Whether a word is a name of a known product."""
    return word.casefold() in _names()


def products_in(text: str) -> tuple[str, ...]:
    """The known products that a text names, as it writes them."""
    return tuple(dict.fromkeys(found[0] for found in _pattern().finditer(text)))


def names_of(name: str) -> frozenset[str]:
    """All names of the product that a name means, in small letters; the name alone where it is that of none."""
    first = _names().get(name.casefold())
    return frozenset({name.casefold()} if first is None else {each for each, product in _names().items() if product == first})
