"""A statement in its file: the keyword that makes an operation, its place, and the operation's text.

The tree of a statement has the places of names, functions and literals but not of keywords, so a keyword is looked up among the tokens
before the first of those."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from workers.engines.scripts.ledger import TEXT_CHARS, Spot
from workers.engines.scripts.source_text import Assembled
from workers.engines.sql.operations.statements import Statement

JOIN_WORDS = frozenset(
    getattr(TokenType, name) for name in ("JOIN", "LEFT", "RIGHT", "FULL", "OUTER", "INNER", "CROSS", "SEMI", "ANTI", "NATURAL")
)
SET_WORDS = frozenset((TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT))
CLAUSES = (
    JOIN_WORDS
    | SET_WORDS
    | frozenset(
        getattr(TokenType, name)
        for name in (
            *("SELECT", "FROM", "WHERE", "GROUP_BY", "HAVING", "ORDER_BY", "SORT_BY", "CLUSTER_BY", "DISTRIBUTE_BY"),
            *("LATERAL", "LIMIT", "WINDOW", "QUALIFY", "PIVOT", "WITH", "INSERT"),
        )
    )
)
"""Where one begins, the one before ends."""

LISTS = frozenset(getattr(TokenType, name) for name in ("SELECT", "DISTINCT", "GROUP_BY", "ORDER_BY", "CLUSTER_BY", "DISTRIBUTE_BY"))
"""Clauses that go on behind a comma."""


class Page:
    """A statement's tokens and their places."""

    def __init__(self, statement: Statement, source: Assembled) -> None:
        self._statement = statement
        self._source = source
        self._tokens = statement.tokens
        self._starts = [token.start for token in statement.tokens]

    def first(self, *nodes: exp.Expr | None) -> int:
        """The place of the first name, function or literal of these; the statement's end if none has a place."""
        found = [start for node in nodes if node is not None for start in _starts(node)]
        return min(found, default=len(self._statement.text))

    def word(self, node: exp.Expr) -> str:
        """A function's name as it is written."""
        start, end = node.meta.get("start"), node.meta.get("end")
        if start is None or end is None:
            return node.key
        return self._statement.text[start : end + 1].lower()

    def keyword(self, types: Iterable[TokenType], before: int) -> int | None:
        """The number of the last such token before an offset."""
        wanted = frozenset(types)
        for number in range(bisect_left(self._starts, before) - 1, -1, -1):
            if self._tokens[number].token_type in wanted:
                return number
        return None

    def join(self, before: int) -> int | None:
        """The token that begins the join of the table at an offset: `JOIN`, or `LEFT` before it, or a comma."""
        number = self.keyword((TokenType.JOIN, TokenType.COMMA), before)
        while number and self._tokens[number - 1].token_type in JOIN_WORDS and self._tokens[number].token_type != TokenType.COMMA:
            number -= 1
        return number

    def clause(self, types: Iterable[TokenType], before: int) -> Spot:
        """The clause that begins with the last such keyword before an offset."""
        return self.at(self.keyword(types, before), before)

    def at(self, token: int | None, otherwise: int) -> Spot:
        """The clause that begins with a token; without a token, the text at an offset."""
        if token is None:
            token = max(0, bisect_right(self._starts, otherwise) - 1)
        if not self._tokens:
            return self._spot(otherwise, "")
        begin = self._tokens[token].start
        return self._spot(begin, self._statement.text[begin : self._end(token)])

    def piece(self, *nodes: exp.Expr) -> Spot:
        """An expression in a list: from its first name to the comma behind it."""
        begin = max(0, bisect_right(self._starts, self.first(*nodes)) - 1)
        return self.at(begin, 0)

    def hint(self, node: exp.Expr, name: str) -> Spot:
        """A hint, which is written in a comment."""
        number = self.keyword((TokenType.HINT,), self.first(*node.args.get("expressions", ())))
        if number is None:
            return self.at(None, 0)
        token = self._tokens[number]
        inside = max(0, token.text.upper().find(name))
        end = token.text.find(")", inside)
        return self._spot(token.start + inside, token.text[inside : end + 1 if end > 0 else None])

    def _end(self, token: int) -> int:
        """Where the clause that begins with a token ends: at the next one in the same brackets, or with the brackets."""
        begin = self._tokens[token]
        ends = CLAUSES if begin.token_type in LISTS else CLAUSES | {TokenType.COMMA}
        depth = 0
        is_begin = True
        for number in range(token, len(self._tokens)):
            current = self._tokens[number]
            is_begin = current is begin or (is_begin and current.token_type in JOIN_WORDS)
            depth += (current.token_type == TokenType.L_PAREN) - (current.token_type == TokenType.R_PAREN)
            if depth < 0 or (depth == 0 and current.token_type in ends and not is_begin) or current.start - begin.start > 10 * TEXT_CHARS:
                return current.start
        return len(self._statement.text)

    def _spot(self, offset: int, text: str) -> Spot:
        line, column = self._source.place(self._statement.start + offset)
        return Spot(line, column, " ".join(text.split())[:TEXT_CHARS])


def _starts(node: exp.Expr) -> Iterable[int]:
    for inner_node in node.walk(prune=lambda inner: isinstance(inner, exp.Hint)):
        start = inner_node.meta.get("start")
        if isinstance(start, int):
            yield start
