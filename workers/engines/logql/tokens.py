"""The words of a LogQL text."""

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import inf

from contracts.base import clean_text
from contracts.statements import Statement, code, count, say

QUERY_CHARS_MAX = 20_000
"""Characters of a query that is read at all."""

AMOUNT_MAX = 2**63
"""Nanoseconds of a duration, 292 years, or bytes of a size: what the server itself can hold."""

HEX_MAX = 200
"""Characters of a hexadecimal number that fits a float."""


class Kind(StrEnum):
    """What a word is."""

    NAME = "name"
    TEXT = "text"
    NUMBER = "number"
    DURATION = "duration"
    BYTES = "bytes"
    FLAG = "flag"
    MARK = "mark"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the text, from `start` up to but not including `end`."""

    kind: Kind
    text: str
    start: int
    end: int
    value: float = 0
    """Of a number; nanoseconds of a duration; bytes of a size."""


class LogQLSyntaxError(Exception):
    """The text is not LogQL at a place."""

    def __init__(self, what: Statement, start: int, end: int) -> None:
        super().__init__(what.code)
        self.what, self.start, self.end = what, start, end


DURATION_NS: dict[str, int] = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3_600 * 10**9,
    "d": 86_400 * 10**9, "w": 7 * 86_400 * 10**9, "y": 365 * 86_400 * 10**9,
}  # fmt: skip
"""Nanoseconds of a unit of time."""

SIZE_BYTES: dict[str, int] = {"b": 1} | {
    f"{letter}{ending}": (1024 if ending == "ib" else 1000) ** power
    for power, letter in enumerate("kmgtpe", start=1)
    for ending in ("b", "ib")
}
"""Bytes of a unit of size, in lower case."""

_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|[smhdwy]))+(?![A-Za-z0-9_])")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|[smhdwy])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([kmgtpeKMGTPE]?i?[bB])(?![A-Za-z0-9_])")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_FLAG = re.compile(r"--[a-z]+(?:-[a-z]+)*")
_MARK = re.compile(r"\|=|\|~|\|>|!=|!~|!>|=~|==|>=|<=|[{}()\[\],=|<>+\-*/%^]")
_SPACE = re.compile(r"(?:\s+|#[^\n]*)+")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"'}
_CODED = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})")


def duration_ns(text: str) -> int | None:
    """`1h30m` in nanoseconds; None: it is not a duration."""
    if not _DURATION.fullmatch(text):
        return None
    return int(sum(Decimal(number) * DURATION_NS[unit] for number, unit in _DURATION_PART.findall(text)))


def size_bytes(text: str) -> float | None:
    """`20MiB` in bytes; None: it is not a size."""
    found = _SIZE.fullmatch(text)
    return None if found is None else float(found[1]) * SIZE_BYTES[found[2].lower()]


def tokenize(text: str) -> list[Token]:
    """All words and an end. Raises `LogQLSyntaxError`."""
    if len(text) > QUERY_CHARS_MAX:
        raise LogQLSyntaxError(say("logs.problem.long", limit=count(QUERY_CHARS_MAX, exact=True)), 0, len(text))
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if space := _SPACE.match(text, at):
            at = space.end()
            continue
        token = _next(text, at)
        tokens.append(token)
        at = token.end
    return [*tokens, Token(Kind.END, "", len(text), len(text))]


def _next(text: str, at: int) -> Token:
    if text[at] in '"`':
        return _quoted(text, at)
    if text[at].isdigit() or text[at] == ".":
        return _numeric(text, at)
    for kind, pattern in ((Kind.NAME, _NAME), (Kind.FLAG, _FLAG), (Kind.MARK, _MARK)):
        if found := pattern.match(text, at):
            return Token(kind, found[0], at, found.end())
    raise LogQLSyntaxError(say("logs.problem.character", character=code(text[at])), at, at + 1)


def _numeric(text: str, at: int) -> Token:
    if found := _DURATION.match(text, at):
        return _bounded(Token(Kind.DURATION, found[0], at, found.end(), duration_ns(found[0]) or 0))
    if found := _SIZE.match(text, at):
        return _bounded(Token(Kind.BYTES, found[0], at, found.end(), size_bytes(found[0]) or 0.0))
    found = _NUMBER.match(text, at)
    if found is None:
        raise LogQLSyntaxError(say("logs.problem.character", character=code(text[at])), at, at + 1)
    end = found.end()
    if end < len(text) and (text[end].isalnum() or text[end] == "_"):
        raise LogQLSyntaxError(say("logs.problem.unit", text=code(text[at : end + 1])), at, end + 1)
    is_hex = found[0][:2] in ("0x", "0X")
    value = float(found[0]) if not is_hex else float(int(found[0], 16)) if len(found[0]) <= HEX_MAX else inf
    return _bounded(Token(Kind.NUMBER, found[0], at, end, value))


def _bounded(token: Token) -> Token:
    """Raises `LogQLSyntaxError` for a number without end, and for more than 64 bits of nanoseconds or bytes."""
    if token.value > AMOUNT_MAX and (token.kind is not Kind.NUMBER or token.value == inf):
        raise LogQLSyntaxError(say("logs.problem.number_size", text=code(token.text[:40])), token.start, token.end)
    return token


def _quoted(text: str, at: int) -> Token:
    if text[at] == "`":
        end = text.find("`", at + 1)
        if end < 0:
            raise LogQLSyntaxError(say("logs.problem.open_text"), at, len(text))
        return Token(Kind.TEXT, clean_text(text[at + 1 : end]), at, end + 1)
    parts: list[str] = []
    here = at + 1
    while here < len(text) and text[here] not in '"\n':
        if text[here] != "\\":
            parts.append(text[here])
            here += 1
            continue
        character, here = _escaped(text, here)
        parts.append(character)
    if here >= len(text) or text[here] == "\n":
        raise LogQLSyntaxError(say("logs.problem.open_text"), at, here)
    return Token(Kind.TEXT, clean_text("".join(parts)), at, here + 1)


def _escaped(text: str, at: int) -> tuple[str, int]:
    r"""The character of the escape at `at`, and where it ends. `\xff` and octal escapes are taken as characters."""
    following = text[at + 1 : at + 2]
    if following in _ESCAPES and following:
        return _ESCAPES[following], at + 2
    if coded := _CODED.match(text, at + 1):
        number = int(coded[4], 8) if coded[4] else int(coded[1] or coded[2] or coded[3], 16)
        if number <= 0x10FFFF:
            return chr(number), coded.end()
    raise LogQLSyntaxError(say("logs.problem.escape", text=code(text[at : at + 2])), at, at + 2)
