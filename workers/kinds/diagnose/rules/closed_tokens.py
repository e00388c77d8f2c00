"""The tokens of an answer: the words of closed_words.toml, longest first, and numbers. What is neither is a token that can be nothing."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from contracts.diagnose.deliverables import Finding

_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d{1,9})?|\d{1,12}(?:\.\d{1,9})?")
_JOINTS_OF_NAMES = ("-", "_", ".", "/", ":")
_ORNAMENTS = "\ufe0f\u200d"


@dataclass(frozen=True)
class Token:
    """A word, a number, or anything else."""

    text: str
    start: int
    end: int
    kinds: dict[str, Finding | None] = field(default_factory=dict[str, Finding | None])
    """What the token can be, with the finding of a verdict."""
    number: str = ""

    def stands_alone_in(self, text: str) -> bool:
        """Whether it is a word of its own, and not a part of a name: `1` in `mq1`, `db-01` and `2nd`."""
        before, after = text[max(self.start - 2, 0) : self.start], text[self.end : self.end + 1]
        joined = before[-1:] in _JOINTS_OF_NAMES and _is_of_name(before[:-1])
        return not (_is_of_name(before[-1:]) or joined or (after.isascii() and after.isalpha()))


def _is_of_name(character: str) -> bool:
    return character.isascii() and character.isalnum()


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_name("closed_words.toml").read_text("utf-8"))


@cache
def _words() -> tuple[dict[str, dict[str, Finding | None]], dict[str, list[str]], dict[str, str]]:
    """Each word with what it can be; the words by their first character, longest first; the numerals."""
    table = _table()
    kinds: dict[str, dict[str, Finding | None]] = {}
    for group in ("subjects", "joints", "queries"):
        for kind, words in table[group].items():
            for word in words:
                kinds.setdefault(word, {})[kind] = None
    for finding, words in table["verdicts"].items():
        for word in words:
            kinds.setdefault(word, {})["verdict"] = Finding(finding)
    numerals = {word: str(at) for at, word in enumerate(table["numerals"]["digits"], start=1)}
    by_first: dict[str, list[str]] = {}
    for word in sorted(kinds, key=len, reverse=True):
        by_first.setdefault(word[0], []).append(word)
    return kinds, by_first, numerals


def plain_text(text: str) -> str:
    """The text in small letters and half width, each character in its place."""
    return text.lower() if text.isascii() else "".join(map(_plain_character, text))


@lru_cache(4_096)
def _plain_character(character: str) -> str:
    plain = unicodedata.normalize("NFKC", character).lower()
    return "'" if character in "’‘" else plain if len(plain) == 1 else character


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text; what is in no table is a token that can be nothing."""
    plain = plain_text(text)
    kinds, words, numerals = _words()
    found: list[Token] = []
    at = 0
    while at < len(plain):
        if plain[at] in _ORNAMENTS or (plain[at].isspace() and plain[at] != "\n"):
            at += 1
            continue
        number = _NUMBER.match(plain, at)
        word = next((word for word in words.get(plain[at], ()) if plain.startswith(word, at) and _is_whole(plain, at, word)), "")
        if number is not None:
            token = Token(number[0], at, number.end(), number=number[0])
        elif word:
            token = Token(word, at, at + len(word), kinds[word])
        else:
            end = at + 1
            while end < len(plain) and _is_latin(plain[at]) and _is_latin(plain[end]):
                end += 1
            token = Token(plain[at:end], at, end, number=numerals.get(plain[at:end], ""))
        found.append(token)
        at = token.end
    return found


def _is_whole(text: str, at: int, word: str) -> bool:
    """Whether a word of Latin letters begins and ends there as a word."""
    end = at + len(word)
    begins = not (_is_latin(word[0]) and at and _is_latin(text[at - 1]))
    return begins and not (_is_latin(word[-1]) and end < len(text) and _is_latin(text[end]))


def _is_latin(character: str) -> bool:
    return "a" <= character <= "z" or character in "_'"


NONE_OF_THEM = frozenset(_table()["subjects"]["none"])
"""Words that choose nothing of a list."""
