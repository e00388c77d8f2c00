"""A place in the words of a LogQL text."""

from collections.abc import Generator
from contextlib import contextmanager

from contracts.statements import Value, code, count, say, term
from workers.engines.logql.tokens import Kind, LogQLSyntaxError, Token, tokenize

DEPTH_MAX = 40
"""How deeply a query may be nested. Queries that people write stay below ten."""

JOINS_MAX = 100
"""Operators and joined conditions of a query: each makes its tree a level deeper."""

RESERVED = frozenset(
    {
        "by", "without", "bool", "on", "ignoring", "group_left", "group_right", "or", "and", "unless", "offset", "json", "logfmt", "regexp",
        "pattern", "unpack", "line_format", "label_format", "unwrap", "decolorize", "keep", "drop",
    }
)  # fmt: skip
"""Words that cannot be a label's name."""


class Cursor:
    """Reads words one after the other."""

    def __init__(self, text: str) -> None:
        """Raises `LogQLSyntaxError`."""
        self._tokens = tokenize(text)
        self._at = 0
        self._depth = 0
        self._joins = 0

    @property
    def token(self) -> Token:
        """The next word."""
        return self._tokens[self._at]

    @property
    def following(self) -> Token:
        """The word behind the next."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """The next word, which is then passed."""
        token = self.token
        if token.kind is not Kind.END:
            self._at += 1
        return token

    def take_if(self, *texts: str) -> Token | None:
        """The next word where it is one of these marks or names."""
        return self.take() if self.token.kind in (Kind.MARK, Kind.NAME) and self.token.text in texts else None

    def expect(self, mark: str) -> Token:
        """The mark. Raises `LogQLSyntaxError`."""
        token = self.take_if(mark)
        if token is None:
            raise self.unexpected(code(mark))
        return token

    def expect_kind(self, kind: Kind) -> Token:
        """A word of a kind. Raises `LogQLSyntaxError`."""
        if self.token.kind is not kind:
            raise self.unexpected(_WORDS[kind])
        return self.take()

    def expect_label(self) -> str:
        """A label's name. Raises `LogQLSyntaxError`."""
        if self.token.kind is not Kind.NAME or self.token.text in RESERVED:
            raise self.unexpected(term("logs.word.label"))
        return self.take().text

    def names_in_parentheses(self) -> tuple[str, ...]:
        """`(a, b)`; `()` is empty."""
        self.expect("(")
        names: list[str] = []
        if self.token.text != ")":
            names.append(self.expect_label())
            while self.take_if(","):
                names.append(self.expect_label())
        self.expect(")")
        return tuple(names)

    def has_parameter(self) -> bool:
        """Whether a number and a comma follow."""
        signed = 1 if self.token.text in ("+", "-") else 0
        at = self._at + signed
        return self._tokens[at].kind is Kind.NUMBER and self._tokens[at + 1].text == ","

    @contextmanager
    def deeper(self) -> Generator[None]:
        """A level of nesting. Raises `LogQLSyntaxError` beyond `DEPTH_MAX`."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise LogQLSyntaxError(say("logs.problem.nested", limit=count(DEPTH_MAX)), self.token.start, self.token.end)
        yield
        self._depth -= 1

    def joined(self) -> None:
        """Count an operator. Raises `LogQLSyntaxError` beyond `JOINS_MAX`."""
        self._joins += 1
        if self._joins > JOINS_MAX:
            raise LogQLSyntaxError(say("logs.problem.operators", limit=count(JOINS_MAX)), self.token.start, self.token.end)

    def unexpected(self, expected: Value | None = None) -> LogQLSyntaxError:
        """An error at the next word."""
        token = self.token
        found = term("logs.word.end") if token.kind is Kind.END else code(token.text[:60] or '""')
        what = (
            say("logs.problem.unexpected", found=found)
            if expected is None
            else say("logs.problem.expected", expected=expected, found=found)
        )
        return LogQLSyntaxError(what, token.start, token.end)


_WORDS: dict[Kind, Value] = {
    Kind.NAME: term("logs.word.label"),
    Kind.TEXT: term("logs.word.text"),
    Kind.NUMBER: term("logs.word.number"),
    Kind.DURATION: term("logs.word.duration"),
}
