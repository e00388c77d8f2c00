"""The grammar of searches: rules as data (`grammar.txt`), of which each place of a text takes the first that fits. No rule calls itself
and none repeats what it gave back, so that the work is bounded by the length of the text times the number of rules."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workers.engines.logql.asking.lexing import Token

SKIP = "SKIP"
MOST_SKIPPED = 4
"""Words in a row that say nothing and that a rule passes over."""


@dataclass(frozen=True, slots=True)
class Node:
    """What a rule read."""

    rule: str
    parts: tuple["Node | Token", ...]

    def all(self, *names: str) -> Iterator["Node"]:
        """The nodes of these rules in it, in order; not those within them."""
        for part in self.parts:
            if isinstance(part, Node):
                yield from (part,) if part.rule in names else part.all(*names)

    def first(self, *names: str) -> "Node | None":
        """The first of them."""
        return next(self.all(*names), None)

    @property
    def tokens(self) -> list[Token]:
        """All words in it, in order."""
        return [token for part in self.parts for token in ([part] if isinstance(part, Token) else part.tokens)]

    def token(self, *kinds: str) -> Token | None:
        """The first word in it that is of one of these kinds."""
        return next((token for token in self.tokens if not token.kinds.isdisjoint(kinds)), None)


@cache
def rules() -> Mapping[str, Sequence[Sequence[str]]]:
    """Rule → its alternatives, each a list of symbols with `?` or `*` behind them."""
    lines = Path(__file__).with_name("grammar.txt").read_text("utf-8").splitlines()
    named = (line.partition(":") for line in lines if line and not line.startswith("#"))
    return {name: [way.split() for way in ways.split("|")] for name, _, ways in named}


def parse(tokens: Sequence[Token], start: str = "search") -> tuple[Node, tuple[Token, ...]]:
    """What the rule reads, and the words that it does not use."""
    parts: list[Node | Token] = []
    left: list[Token] = []
    at = 0
    ((*_, repeated),) = rules()[start]
    while at < len(tokens):
        name = repeated.rstrip("*") if at else start
        found = None if tokens[at].kinds.isdisjoint(_begins(name)) else _rule(tokens, name, at)
        if found is not None:
            at, node = found
            parts += node.parts
        else:
            left += [] if SKIP in tokens[at].kinds else [tokens[at]]
            at += 1
    return Node(start, tuple(parts)), tuple(left)


@cache
def _begins(name: str) -> frozenset[str]:
    """The words with which a rule may begin."""
    if name.isupper():
        return frozenset({name})
    found: set[str] = set()
    for way in rules()[name]:
        for symbol in way:
            found |= _begins(symbol.rstrip("?*"))
            if symbol[-1] not in "?*":
                break
    return frozenset(found)


def _rule(tokens: Sequence[Token], name: str, at: int) -> tuple[int, Node] | None:
    if at == len(tokens) or (tokens[at].kinds.isdisjoint(_begins(name)) and SKIP not in tokens[at].kinds):
        return None
    return next((found for way in rules()[name] if (found := _way(tokens, name, way, at)) is not None), None)


def _way(tokens: Sequence[Token], name: str, symbols: Sequence[str], at: int) -> tuple[int, Node] | None:
    parts: list[Node | Token] = []
    for symbol in symbols:
        found = _symbol(tokens, symbol.rstrip("?*"), at)
        if found is None and symbol[-1] not in "?*":
            return None
        while found is not None:
            at, part = found
            parts.append(part)
            found = _symbol(tokens, symbol[:-1], at) if symbol.endswith("*") else None
    return (at, Node(name, tuple(parts))) if parts else None


def _symbol(tokens: Sequence[Token], name: str, at: int) -> tuple[int, Node | Token] | None:
    if not name.isupper():
        return _rule(tokens, name, at)
    for place in range(at, min(at + MOST_SKIPPED + 1, len(tokens))):
        if name in tokens[place].kinds:
            return place + 1, tokens[place]
        if SKIP not in tokens[place].kinds:
            return None
    return None
