"""Names of products, of which a system may be one: `products.txt`."""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

_WORD = re.compile(r"[a-z]+[0-9]{0,2}(?:[a-z]+)?|[\u4e00-\u9fff]+")


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


def product_in(name: str) -> str | None:
    """The product that the name of a system or a host has as a word: `PostgreSQL 14`, `oracle-billing`, `pg01`, 达梦数据库. None: it has
    none, or several."""
    plain = name.casefold()
    words = _WORD.findall(plain)
    pairs = [" ".join(pair) for pair in pairwise(words)]
    chinese = "".join(word for word in words if not word.isascii())
    known = _names()
    spoken = {*words, *(word.rstrip("0123456789") for word in words), *pairs, plain}
    found = {product for each, product in known.items() if each in spoken or (not each.isascii() and each in chinese)}
    return found.pop() if len(found) == 1 else None
