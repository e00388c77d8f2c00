"""What people write behind the columns of a CREATE TABLE: `-- comments`, which a parsed statement no longer has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType
from sqlglot.tokens import Token

_COLUMN_LEFT_OUT = re.compile(r"^\s*[\w`\"\[\]]+\s+\w+.*,\s*$")
"""A column that was commented out, rather than words about one."""


@dataclass(frozen=True, slots=True)
class DdlComments:
    """The comments of a statement that creates a table; empty where there are none."""

    name: str = ""
    """The table, without its schema."""
    table: str = ""
    """Behind the bracket that opens the list of columns."""
    columns: dict[str, str] = field(default_factory=dict[str, str])
    """By the column's name in lower case."""


def ddl_comments(sql: str, dialect: str) -> DdlComments:
    """The comments in a CREATE TABLE: behind its opening bracket, and before or behind its columns."""
    try:
        tokens = Dialect.get_or_raise(dialect or None).tokenize(sql)
    except (SqlglotError, ValueError):
        return DdlComments()
    opened = next((place for place, token in enumerate(tokens) if token.token_type is TokenType.L_PAREN), None)
    if opened is None or not any(token.token_type is TokenType.TABLE for token in tokens[:opened]):
        return DdlComments()
    columns: dict[str, str] = {}
    for part in _parts(tokens[opened + 1 :]):
        if part and (text := _text([comment for token in part for comment in token.comments])):
            columns.setdefault(part[0].text.lower(), text)
    return DdlComments(tokens[opened - 1].text, _text(tokens[opened].comments), columns)


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens between the commas of a list, each with its comma, up to the bracket that closes the list."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0:
            break
        parts[-1].append(token)
        if token.token_type is TokenType.COMMA and depth == 0:
            parts.append([])
    return parts


def _text(comments: Sequence[str]) -> str:
    lines = [" ".join(comment.split()) for comment in comments]
    return " ".join(line for line in lines if any(letter.isalpha() for letter in line) and not _COLUMN_LEFT_OUT.match(line))
