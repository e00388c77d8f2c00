"""SQL parsed within bounds.

sqlglot reads by trial: `DATE(`, `ARRAY[` and `ROW(` are tried as a type and then as a value, so that each level within another doubles the
time, and a statement of 120 characters holds a process for ever. What a bracket follows is typed again for each bracket.
So the steps of a parser are counted, and everything that reads SQL reads it here.
"""

from functools import cache
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token

STEPS_A_TOKEN = 20
"""Tokens that a parser may look at for each one there is; plain statements take up to five."""

STEPS_MORE = 50_000
"""And beside those, for all statements of a text together: half a second."""

BRACKETS = 32
"""Square or curly brackets within or behind each other: `a[1][2]`."""


class TooDeep(SqlglotError):
    """The text is nested too deeply to be read."""

    def __init__(self) -> None:
        super().__init__("It is nested too deeply.")


class Bounded(Parser):
    """A parser with a bound on its steps, which knows the furthest token it has come to."""

    allowance: list[int]
    """Steps left to all parsers of a text together, beyond those that each has for itself."""
    own_steps = 0
    """Those that it has for itself."""
    steps = 0
    furthest = 0
    brackets = 0

    def _advance(self, times: int = 1) -> None:
        super()._advance(times)
        self.steps += 1
        self.furthest = max(self.furthest, self._index)
        if self.steps > self.own_steps:
            self.allowance[0] -= 1
            if self.allowance[0] < 0:
                raise TooDeep

    def _parse_bracket(self, this: Any = None) -> Any:
        self.brackets += 1
        try:
            if self.brackets > BRACKETS:
                raise TooDeep
            return super()._parse_bracket(this)
        finally:
            self.brackets -= 1


@cache
def _bounded(parser: type[Parser]) -> type[Bounded]:
    return type("Bounded", (Bounded, parser), {})


def parser_of(dialect: Dialect, tokens: list[Token], allowance: list[int] | None = None) -> Bounded:
    """A parser for these tokens. `allowance`: of the text that they are a part of."""
    parser = _bounded(dialect.parser_class)(dialect=dialect)
    parser.own_steps, parser.allowance = STEPS_A_TOKEN * len(tokens), [STEPS_MORE] if allowance is None else allowance
    return parser


def parse(sql: str, dialect: str | None, into: type[exp.Expr] | None = None) -> list[exp.Expr | None]:
    """As `sqlglot.parse`. Raises what it raises, and `TooDeep`."""
    named = Dialect.get_or_raise(dialect or None)
    tokens = named.tokenize(sql)
    parser = parser_of(named, tokens)
    try:
        return parser.parse_into(into, tokens, sql) if into is not None else parser.parse(tokens, sql)
    except RecursionError:
        raise TooDeep from None


def parse_one(sql: str, dialect: str | None, into: type[exp.Expr] | None = None) -> exp.Expr:
    """As `sqlglot.parse_one`. Raises what it raises, and `TooDeep`."""
    found = parse(sql, dialect, into)
    if not found or found[0] is None:
        raise ParseError("There is no statement.")
    return found[0]
