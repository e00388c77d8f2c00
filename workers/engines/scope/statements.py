"""Splits tokens into statements at semicolons. A bracketed part becomes one item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from contracts.statements import Statement as Said
from contracts.statements import quote, say
from workers.engines.scope.tokens import Token, TokenKind

MAX_DEPTH = 60
"""Brackets within brackets: nobody writes as many, and a reader that follows them has to end."""

PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(slots=True)
class Group:
    """A bracketed part with its content."""

    token: Token
    """The opening one."""
    items: "list[Item]" = field(default_factory=lambda: [])
    end: int = 0
    """Where the closing one ends."""


Item = Token | Group


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, or one block of C#."""

    items: list[Item]


def split_statements(tokens: Sequence[Token], broken: list[tuple[int, Said]]) -> list[Statement]:
    """The statements in order. Brackets that do not match are reported in `broken` and cost only their own statement. A semicolon within
    braces belongs to C#."""
    splitter = _Splitter(broken)
    for token in tokens:
        splitter.take(token)
    splitter.finish()
    return splitter.statements


def flat(items: Sequence[Item]) -> Iterator[Token]:
    """All tokens of the items, those in brackets too, without the closing brackets."""
    waiting = list(reversed(items))
    while waiting:
        item = waiting.pop()
        if isinstance(item, Group):
            yield item.token
            waiting.extend(reversed(item.items))
        else:
            yield item


def first_token(item: Item) -> Token:
    """Where an item begins."""
    return item.token if isinstance(item, Group) else item


class _Splitter:
    def __init__(self, broken: list[tuple[int, Said]]) -> None:
        self.broken = broken
        self.statements: list[Statement] = []
        self.items: list[Item] = []
        self.open: list[Group] = []

    def take(self, token: Token) -> None:
        here = self.open[-1].items if self.open else self.items
        if token.kind is TokenKind.BLOCK and not self.open:
            self._end()
            self.statements.append(Statement([token]))
        elif token.kind is not TokenKind.OPERATOR:
            here.append(token)
        elif token.text == ";" and not any(group.token.text == "{" for group in self.open):
            self._end()
        elif token.text in PAIRS and len(self.open) < MAX_DEPTH:
            group = Group(token, end=token.end)
            here.append(group)
            self.open.append(group)
        elif token.text in PAIRS.values():
            self._close(token)
        else:
            here.append(token)

    def _close(self, token: Token) -> None:
        if not self.open or PAIRS[self.open[-1].token.text] != token.text:
            self.broken.append((token.line, say("scope.unread.not_opened", bracket=quote(token.text))))
            return
        self.open.pop().end = token.end

    def _end(self) -> None:
        for group in self.open:
            self.broken.append((group.token.line, say("scope.unread.not_closed", bracket=quote(group.token.text))))
        self.open = []
        if self.items:
            self.statements.append(Statement(self.items))
        self.items = []

    def finish(self) -> None:
        self._end()
