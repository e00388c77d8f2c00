"""A text of SQL as its statements, each with its tree and its tokens; one that is broken stands alone and takes no other with it."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from contracts.statements import Statement as Said
from contracts.statements import say
from workers.engines.counts import exactly
from workers.engines.sql.bounded import STEPS_MORE, TooDeep, parser_of
from workers.engines.sql.trees import PARSER_FAULTS

DIALECTS = ("spark", "databricks", "hive")
"""Tried in this order: what Spark does not take may be Databricks' or Hive's own."""

STATEMENTS = 1_000
STATEMENT_CHARS = 200_000

NESTING = 32
"""Brackets within brackets. The parser descends by calls, some twenty a bracket, and Python's stack is bounded."""

TOO_DEEP = say("code.sql.too_deep")
UNKNOWN_GRAMMAR = say("code.sql.unknown_grammar")

STAND_IN = "_"
"""A template's placeholder is read as a name of such characters."""

PLACEHOLDER = re.compile(r"\{\{[^{}]{0,500}\}\}|\$\{[^{}]{0,500}\}|\{%[^{}]{0,500}%\}")
"""Jinja's and Hive's, in a file that is filled in before it runs."""

DIRECTORY = re.compile(
    r"(INSERT\s+OVERWRITE\s+(?:LOCAL\s+)?DIRECTORY\s+'[^']{0,500}')([^;]{0,500}?)(?=\b(?:SELECT|WITH|FROM)\b)", re.IGNORECASE
)
"""The form of the files behind a directory's name is not in the parser's grammar, and nothing of ours."""

BOUNDARY = re.compile(r"['\"`;]|--|/\*")

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # its warnings would show a user's text on our own streams


@dataclass(frozen=True)
class Statement:
    """One statement. Offsets of its tokens count from its start."""

    start: int
    """Offset in the whole text."""
    text: str
    tokens: tuple[Token, ...] = ()
    tree: exp.Expr | None = None
    problem: Said | None = None
    """Why there is no tree."""
    problem_at: int = 0


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text, in order. No content raises an error."""
    allowance = [STEPS_MORE]
    for number, (start, part) in enumerate(_parts(_filled(text))):
        if number >= STATEMENTS:
            yield Statement(start, "", problem=say("code.sql.many_statements", limit=exactly(STATEMENTS)), problem_at=start)
            return
        yield _statement(start, part, allowance)
        if allowance[0] < 0:
            yield Statement(start + len(part), "", problem=say("code.sql.nested_before"))
            return


def expression(text: str) -> exp.Expr | None:
    """Parse a single expression, `sum(x) OVER (PARTITION BY k)`; None if the text is not an expression."""
    found = _statement(0, f"SELECT {_filled(text)}", [STEPS_MORE])
    return found.tree.expressions[0] if isinstance(found.tree, exp.Select) and len(found.tree.expressions) == 1 else None


def is_stand_in(name: str) -> bool:
    """It stands for a part of the text that is filled in before it runs."""
    return not name.strip(STAND_IN)


def _filled(text: str) -> str:
    """With every placeholder replaced by something that keeps all offsets: a block of Jinja by nothing, else by a name."""

    def stand_in(found: re.Match[str]) -> str:
        mark = " " if found[0].startswith("{%") else STAND_IN
        return "".join(char if char in "\r\n" else mark for char in found[0])

    return DIRECTORY.sub(lambda found: found[1] + " " * len(found[2]), PLACEHOLDER.sub(stand_in, text))


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """(offset, statement) between semicolons outside of strings and comments. A single pass, even over a broken text."""
    start = at = 0
    unclosed: set[str] = set()
    while found := BOUNDARY.search(text, at):
        mark, at = found[0], found.end()
        if mark == ";":
            yield from _part(text, start, found.start())
            start = at
        elif mark not in unclosed:
            end = _end(text, at, mark)
            if end is None:
                unclosed.add(mark)
            else:
                at = end
    yield from _part(text, start, len(text))


def _end(text: str, at: int, mark: str) -> int | None:
    """Behind the end of the string or comment that `mark` has opened."""
    if mark in ("--", "/*"):
        end = text.find("\n" if mark == "--" else "*/", at)
        return len(text) if end < 0 and mark == "--" else None if end < 0 else end + len("*/" if mark == "/*" else "\n")
    while (end := text.find(mark, at)) >= 0:
        escapes = len(text[at:end]) - len(text[at:end].rstrip("\\"))
        if mark == "`" or escapes % 2 == 0:
            return end + 1
        at = end + 1
    return None


def _part(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    if text[start:end].strip():
        yield start, text[start:end]


def _statement(start: int, text: str, allowance: list[int]) -> Statement:
    if len(text) > STATEMENT_CHARS:
        return Statement(start, text, problem=say("code.sql.long_statement", limit=exactly(STATEMENT_CHARS)))
    first = Statement(start, text)
    for name in DIALECTS:
        read = _parsed(start, text, name, allowance)
        if read.tree is not None or read.problem == TOO_DEEP:
            return read
        first = first if first.problem else read
    return first


def _parsed(start: int, text: str, dialect: str, allowance: list[int]) -> Statement:
    try:
        tokens = _dialect(dialect).tokenize(text)
    except (SqlglotError, RecursionError, ValueError):
        return Statement(start, text, problem=say("code.sql.open_string"), problem_at=_first(text))
    kept = tuple(tokens)
    unbalanced = _unbalanced(kept)
    if unbalanced:
        return Statement(start, text, kept, problem=unbalanced[0], problem_at=unbalanced[1])
    parser = parser_of(_dialect(dialect), tokens, allowance)
    try:
        trees = [tree for tree in parser.parse(tokens, text) if tree is not None]
    except PARSER_FAULTS as error:
        at = kept[min(parser.furthest, len(kept) - 1)].start if kept else 0
        return Statement(start, text, kept, problem=_problem_of(error), problem_at=at)
    if trees and isinstance(trees[0], exp.Command):
        return Statement(start, text, kept, problem=say("code.sql.unknown_statement"))
    return Statement(start, text, kept, trees[0] if trees else exp.Command(this=""))  # a text of only comments has no tree


def _problem_of(error: Exception) -> Said:
    return TOO_DEEP if isinstance(error, RecursionError | TooDeep) else UNKNOWN_GRAMMAR


def _first(text: str) -> int:
    return len(text) - len(text.lstrip())


def _unbalanced(tokens: tuple[Token, ...]) -> tuple[Said, int] | None:
    """What is wrong with the brackets, and where."""
    opened: list[int] = []
    for token in tokens:
        if token.token_type == TokenType.L_PAREN:
            opened.append(token.start)
            if len(opened) > NESTING:
                return say("code.sql.nested_brackets", limit=exactly(NESTING)), token.start
        elif token.token_type == TokenType.R_PAREN:
            if not opened:
                return say("code.sql.bracket_not_opened"), token.start
            opened.pop()
    return (say("code.sql.bracket_not_closed"), opened[-1]) if opened else None


@cache
def _dialect(name: str) -> Dialect:
    return Dialect.get_or_raise(name)
