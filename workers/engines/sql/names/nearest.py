"""Names that are like another one."""

import difflib
import re
from collections.abc import Iterable

LEAST_LIKENESS = 0.55
"""Names less alike than this are not proposed."""


def likeness(left: str, right: str) -> float:
    """How alike two names are, 0 to 1: by letters, or by the words that they share (`cust_name` and `name`)."""
    left, right = left.lower(), right.lower()
    letters = difflib.SequenceMatcher(None, left, right).ratio()
    ours, theirs = _words(left), _words(right)
    shared = len(ours & theirs)
    words = 0.5 + 0.5 * shared / len(ours | theirs) if shared else 0.0
    return max(letters, words)


def nearest(name: str, names: Iterable[str], most: int = 4) -> tuple[str, ...]:
    """The names most like this one, the likeliest first."""
    found = [
        (-likeness(name.rpartition(".")[2], other.rpartition(".")[2]), place, other) for place, other in enumerate(dict.fromkeys(names))
    ]
    return tuple(other for score, _, other in sorted(found)[:most] if -score >= LEAST_LIKENESS)


def _words(name: str) -> set[str]:
    words = re.findall(r"[a-z]+|[0-9]+|[^\x00-\x7f]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    return {word.removesuffix("s") if len(word) > 3 else word for word in words}
