"""Steps of a solution that cannot be undone, or that break what still runs: `dangers.txt` has their words."""

from functools import cache
from pathlib import Path

_LATIN_BEFORE = "abcdefghijklmnopqrstuvwxyz0123456789"


@cache
def _words() -> tuple[str, ...]:
    lines = Path(__file__).with_name("dangers.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def dangerous_words(solution: str) -> tuple[str, ...]:
    """The words of such steps that a solution has, in the order of the list. A word of the beginning of another counts: "deleted"."""
    plain = solution.casefold()
    return tuple(word for word in _words() if _occurs(word, plain))


def _occurs(word: str, plain: str) -> bool:
    at = plain.find(word)
    while at >= 0:
        if not word.isascii() or not at or plain[at - 1] not in _LATIN_BEFORE:
            return True
        at = plain.find(word, at + 1)
    return False
