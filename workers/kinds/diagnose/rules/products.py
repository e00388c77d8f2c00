"""Names of products, of which a system may be one: `products.txt`."""

from functools import cache
from pathlib import Path


@cache
def _names() -> dict[str, str]:
    """Each name in small letters with the first name of its product."""
    lines = Path(__file__).with_name("products.txt").read_text("utf-8").splitlines()
    return {name: line.split("|")[0] for line in lines if line and not line.startswith("#") for name in line.split("|")}


def is_product(word: str) -> bool:
    """Whether a word is a name of a known product."""
    return word.casefold() in _names()


def names_of(name: str) -> frozenset[str]:
    """All names of the product that a name means, in small letters; the name alone where it is that of none."""
    first = _names().get(name.casefold())
    return frozenset({name.casefold()} if first is None else {each for each, product in _names().items() if product == first})
