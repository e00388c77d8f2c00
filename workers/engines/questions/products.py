"""How a sum of products is written: `sum of quantity * unit_price`, in a question or as what a definition says."""

import re
from typing import NamedTuple

_HOW = "(?P<how>sum|total|average|avg|mean)"
_IN_QUESTION = re.compile(
    rf"\b{_HOW}(?: of)?(?: the)?\s*(?P<bracket>\(\s*)?(?P<left>[A-Za-z_]\w*)\s*(?:[*×]|\bmultiplied by\b)\s*(?P<right>[A-Za-z_]\w*)"
    r"(?(bracket)\s*\))(?!\s*[*×+/(-])",
    re.IGNORECASE,
)
"""Among other words both factors are written as names of columns."""
_WHOLE = re.compile(
    rf"^(?:the )?{_HOW}\s*(?:of|\()\s*(?P<left>[\w. ]+?)\s*(?:[*×]|times|multiplied by)\s*(?P<right>[\w.]+)\s*\)?(?P<rest>.*)$",
    re.IGNORECASE,
)


class Product(NamedTuple):
    """A product of two columns and what is done with the products of all rows, in the words of its text."""

    is_sum: bool
    """False: their average."""
    left: str
    right: str
    rest: str
    """What follows: which rows."""


def product_of(text: str) -> Product | None:
    """The product with which a text begins."""
    match = _WHOLE.match(text)
    return Product(match["how"].lower() in ("sum", "total"), match["left"], match["right"], match["rest"]) if match else None


def with_named_products(text: str) -> tuple[str, list[str]]:
    """A question with a name in the place of each of its products, and the definitions of these names."""
    found = [f"{_name_of(match)} = {match['how']} of {match['left']} * {match['right']}" for match in _IN_QUESTION.finditer(text)]
    return _IN_QUESTION.sub(_name_of, text), found


def _name_of(product: re.Match[str]) -> str:
    return f"{product['how']}_{product['left']}_x_{product['right']}".lower()
