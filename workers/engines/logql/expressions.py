"""The small languages inside a query: regular expressions as the log server reads them, patterns, and addresses.

Regular expressions are RE2's, which the server uses too: time is linear in the text, so that no expression of a user can stop a worker.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs]

_ERROR = cast("type[Exception]", re2.error)


class Found(Protocol):
    """A match of a regular expression."""

    def group(self, name: str | int = 0, /) -> str | None:
        """The text of a group."""
        ...

    def expand(self, template: str, /) -> str:
        """The template with the groups put in."""
        ...


class Expression(Protocol):
    """A compiled regular expression."""

    groupindex: dict[str, int]
    groups: int

    def search(self, text: str, /) -> Found | None:
        """The first match anywhere."""
        ...

    def fullmatch(self, text: str, /) -> Found | None:
        """A match of the whole text."""
        ...


class BadExpression(ValueError):
    """A regular expression, a pattern or an address that cannot be read."""


def _options() -> Any:
    options: Any = re2.Options()
    options.log_errors = False
    options.max_mem = 8 << 20
    return options


GROUPS_MAX = 100
"""Capturing groups of an expression. A match takes the square of their number, even of an empty text: two seconds for ten thousand."""


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Expression:
    """The regular expression. Raises `BadExpression`."""
    try:
        found = cast("Expression", re2.compile(pattern, options=_options()))
        if found.groups > GROUPS_MAX:
            raise BadExpression(f"more than {GROUPS_MAX} capturing groups")
        return found
    except _ERROR as error:
        reason: object = error.args[0] if error.args else ""
        raise BadExpression(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None


_CAPTURE = re.compile(r"<([a-zA-Z_][a-zA-Z0-9_]*)>")


@dataclass(frozen=True, slots=True)
class Pattern:
    """Literal texts and the captures between them: `texts[0] <captures[0]> texts[1] ...`."""

    texts: tuple[str, ...]
    captures: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The captures that make labels."""
        return tuple(name for name in self.captures if name != "_")

    def read(self, line: str) -> dict[str, str] | None:
        """What the captures take of a line; the rest of a line that does not fit stays out."""
        if not line.startswith(self.texts[0]):
            return None
        found: dict[str, str] = {}
        at = len(self.texts[0])
        for name, text in zip(self.captures, self.texts[1:], strict=True):
            end = len(line) if not text else line.find(text, at)
            fits = end >= 0
            if name != "_":
                found[name] = line[at : end if fits else len(line)]
            if not fits:
                return found
            at = end + len(text)
        return found

    def fits(self, line: str) -> bool:
        """Whether the whole line has this shape, as the line filter `|>` asks."""
        first, *between = self.texts
        if not self.captures:
            return first in line
        if not line.startswith(first):
            return False
        at = len(first)
        for text in between[:-1]:
            if (found := line.find(text, at)) < 0:
                return False
            at = found + len(text)
        last = between[-1]
        return not last or (len(line) - len(last) >= at and line.endswith(last))


@lru_cache(maxsize=256)
def read_pattern(text: str) -> Pattern:
    """The pattern. Raises `BadExpression` where two captures touch."""
    parts = _CAPTURE.split(text)
    texts, captures = tuple(parts[0::2]), tuple(parts[1::2])
    if any(not between for between in texts[1:-1]):
        raise BadExpression("two captures touch")
    return Pattern(texts, captures)


Address = IPv4Address | IPv6Address
_IN_LINE = re.compile(r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:])")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses from the first to the last."""

    first: Address
    last: Address

    def has(self, text: str) -> bool:
        """Whether the text is one of them."""
        try:
            address = ip_address(text)
        except ValueError:
            return False
        return address.version == self.first.version and int(self.first) <= int(address) <= int(self.last)

    def in_line(self, line: str) -> bool:
        """Whether the line has one of them."""
        return any(self.has(found) for found in _IN_LINE.findall(line))


@lru_cache(maxsize=256)
def read_addresses(text: str) -> Addresses:
    """`10.0.0.1`, `10.0.0.0/8` or `10.0.0.1-10.0.0.9`. Raises `BadExpression`."""
    try:
        if "-" in text:
            first, last = (ip_address(part.strip()) for part in text.split("-", 1))
        elif "/" in text:
            network = ip_network(text, strict=False)
            first, last = network.network_address, network.broadcast_address
        else:
            first = last = ip_address(text)
    except ValueError:
        raise BadExpression(text) from None
    if first.version != last.version or int(first) > int(last):
        raise BadExpression(text)
    return Addresses(first, last)
