"""Steps of a solution that cannot be undone, or that break what still runs: `dangers.txt` has their words."""

from functools import cache
from pathlib import Path

_LATIN_BEFORE = "abcdefghijklmnopqrstuvwxyz0123456789"


@cache
def _words() -> tuple[str, ...]:
    lines = Path(__file__).with_name("dangers.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def dangerous_words(solution: str) -> tuple[str, ...]:
    """The words of such steps as the solution has them, one for each of the list and in its order. The beginning of a word counts:
    "deleted"."""
    plain = solution.casefold()
    written = solution if len(plain) == len(solution) else plain
    places = ((_place(word, plain), word) for word in _words())
    return tuple(dict.fromkeys(_whole(written, at, word) for at, word in places if at >= 0))


def _place(word: str, plain: str) -> int:
    at = plain.find(word)
    while at >= 0 and word.isascii() and at and plain[at - 1] in _LATIN_BEFORE:
        at = plain.find(word, at + 1)
    return at


def _whole(written: str, at: int, word: str) -> str:
    """The word of Latin letters that a beginning is of, `pg_terminate_backend`; a Chinese word as it is."""
    start, end = at, at + len(word)
    if word[-1:].isascii() and word[-1:].isalpha():
        while start and _is_of_word(written[start - 1]):
            start -= 1
        while end < len(written) and _is_of_word(written[end]):
            end += 1
    return written[start:end]


def _is_of_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
