"""Statements as trees: parsing in a dialect, walking without entering nested queries, and places in the text."""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from workers.engines.sql import bounded

PARSER_FAULTS = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError, KeyError)
"""What the parser raises: it is made for well-formed texts, and what it says to a broken one, such as MySQL's DATE_ADD with one argument,
is not always an error of its own."""

MAX_CHARACTERS = 200_000
"""Longest text that is parsed. The parser is recursive and needs about a second for so much."""

LEVELS_MAX = 200
"""Levels of a statement's tree, a chain of one operator as one: people's statements have up to about 40. What follows walks it by calls."""

TOO_DEEP = "It is nested too deeply."


def words_of(error: Exception) -> str:
    """What the parser says of a text, as far as it is meant for readers."""
    if isinstance(error, SqlglotError | ValueError) and str(error):
        return str(error)
    return TOO_DEEP if isinstance(error, RecursionError) else "A part of it is incomplete."


OTHER_NAMES = {
    "ansi": "",
    "non-validating": "",
    "sparksql": "spark",
    "spark3": "spark",
    "mariadb": "mysql",
    "greenplum": "postgres",
    "postgresql": "postgres",
    "vertica": "postgres",
    "mssql": "tsql",
    "impala": "hive",
    "presto": "trino",
}
"""Names of dialects that sqlglot does not have, and the one that reads them best."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is in the text of a statement."""

    line: int
    """From 1."""
    column: int
    """From 1."""
    start: int
    """Offset of the first character in the text."""
    end: int
    """Offset behind the last character."""


class NotParsed(ValueError):
    """The text is not SQL of this dialect."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None, near: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column
        self.near = near
        """The word at which the parser gave up."""


def dialect_of(name: str) -> str:
    """The name that sqlglot has for a dialect; its own general one where it does not know it."""
    lower = OTHER_NAMES.get(name.strip().lower(), name.strip().lower())
    return lower if lower in sqlglot.Dialect.classes else ""


def parse(sql: str, dialect: str) -> list[exp.Expr]:
    """The statements of a text, empty ones left out. Raises `NotParsed`."""
    if len(sql) > MAX_CHARACTERS:
        raise NotParsed(f"The text has more than {MAX_CHARACTERS} characters.")
    try:
        with _no_warnings():
            trees = bounded.parse(sql, dialect_of(dialect))
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        reason = str(first.get("description") or error).splitlines()[0]
        raise NotParsed(reason, first.get("line"), first.get("col"), str(first.get("highlight") or "")) from None
    except PARSER_FAULTS as error:
        raise NotParsed(words_of(error).splitlines()[0]) from None
    found = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
    if any(map(_is_deep, found)):
        raise NotParsed(TOO_DEEP)
    return found


def _is_deep(tree: exp.Expr) -> bool:
    waiting = [(tree, 1.0)]
    while waiting:
        node, level = waiting.pop()
        if level > LEVELS_MAX:
            return True
        waiting += [(child, level + _further(node, child)) for child in node.iter_expressions()]
    return False


def _further(node: exp.Expr, child: exp.Expr) -> float:
    """Levels between the two: none within a chain of one operator; a part of one where `+` and `-` or `*` and `/` take turns, and within a
    chain of set operations. `Dot`, `Mod` and `Pow` are operators too, whose chains the printer walks by calls."""
    if isinstance(node, exp.Dot | exp.Mod | exp.Pow):
        return 1
    if type(child) is type(node) and isinstance(node, exp.Binary):
        return 0
    return _OF_CHAIN if any(isinstance(node, chain) and isinstance(child, chain) for chain in _CHAINS) else 1


_CHAINS = (exp.Add | exp.Sub, exp.Mul | exp.Div, exp.SetOperation)
_OF_CHAIN = 0.6
"""300 branches of a UNION ALL, as a generator writes them, can be walked; 600 cannot."""


@contextmanager
def _no_warnings() -> Generator[None]:
    """The parser logs what it takes for a command of the engine; callers see that in the tree."""
    logger = logging.getLogger("sqlglot")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def parse_statement(sql: str, dialect: str) -> exp.Expr:
    """The only statement of a text. Raises `NotParsed`."""
    trees = parse(sql, dialect)
    if len(trees) != 1:
        raise NotParsed("There is no statement." if not trees else "There is more than one statement.")
    return trees[0]


def within(node: exp.Expr) -> Iterator[exp.Expr]:
    """A node and what is in it, without entering nested queries; those are yielded themselves."""
    return node.dfs(prune=lambda inner: isinstance(inner, exp.Query) and inner is not node)


def place_of(node: exp.Expr | None) -> Place | None:
    """The part of the text that a node covers, as far as the parser noted it."""
    if node is None:
        return None
    found = [inner.meta for inner in node.walk() if inner.meta and "start" in inner.meta]
    if not found:
        return None
    first = min(found, key=lambda meta: meta["start"])
    length = first["end"] - first["start"]
    return Place(first["line"], max(1, first["col"] - length), first["start"], max(meta["end"] for meta in found) + 1)


def parts_of(node: exp.Expr, name: str) -> list[exp.Expr]:
    """The members of a part of a node that is a list: the columns of PARTITION BY, the branches of a CASE."""
    value = node.args.get(name)
    return [item for item in cast("list[object]", value) if isinstance(item, exp.Expr)] if isinstance(value, list) else []


def table_name(node: exp.Table) -> str:
    """The name of a table as it is written, parts joined by dots."""
    return ".".join(part.name for part in node.parts)


def ctes_of(node: exp.Expr) -> exp.With | None:
    """The WITH clause of a statement."""
    found = node.args.get("with_")
    return found if isinstance(found, exp.With) else None
