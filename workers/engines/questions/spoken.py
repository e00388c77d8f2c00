"""What a text says of a set of tables, however much of the rest is not read: the tables that it names, and what it asks a row for.

It decides nothing: a search ranks by it, and a draft is filled in by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from contracts.tables import TableDetail
from contracts.times import TimeSettings
from workers.engines.questions.asked import UNITS
from workers.engines.questions.grammar import Edge, Link
from workers.engines.questions.lexing import Lexed, Lexer
from workers.engines.questions.names import Names

MOST_CHARACTERS = 2_000
"""Of a text; the rest is not looked at."""
_NEVER = datetime(2000, 1, 1)  # noqa: DTZ001  no time is asked for
_NAMED = ("TABLE", "COLUMN", "VALUE")


@dataclass(frozen=True, slots=True)
class Spoken:
    """Full names of tables, in the order in which the text has them."""

    tables: tuple[str, ...] = ()
    """Those that words of the text name, or a column or value of which only they have."""
    rows_for: tuple[str, ...] = ()
    """Those for each row of which it asks a row: `per customer`, 每个客户."""
    groups: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Columns for each value of which it asks a row, each as the tables and columns that it may be. Of a unit of time the table is empty:
    `per month`."""


def spoken(text: str, tables: Sequence[TableDetail]) -> Spoken:
    """What a text names."""
    lexed = Lexer(Names(tables), _NEVER, TimeSettings(), None).lex(text[:MOST_CHARACTERS], {})
    behind = _behind_per(lexed)
    groups = [_group(edge) for edge in behind if edge.kind != "TABLE"]
    tables_ = _tables([edge for edge in behind if edge.kind == "TABLE"])
    return Spoken(named(lexed, ("TABLE",)), tables_, tuple(dict.fromkeys(group for group in groups if group)))


def _group(edge: Edge) -> tuple[tuple[str, str], ...]:
    if edge.kind in UNITS:
        return (("", edge.kind.lower()),)
    return tuple((link.table, link.column) for link in _exact(edge))


def named(lexed: Lexed, kinds: Sequence[str] = _NAMED) -> tuple[str, ...]:
    """The tables that words name without doubt: of a name within a longer one the longer counts."""
    return _tables([edge for edge in _longest(lexed) if edge.kind in kinds])


def _longest(lexed: Lexed) -> list[Edge]:
    edges = sorted((edge for edge in lexed.edges if edge.kind in _NAMED), key=lambda edge: edge.begin)
    whole = [edge for edge in edges if edge.kind == "TABLE" and _exact(edge)]
    return [
        edge for edge in edges
        if not any(other.begin <= edge.begin and edge.stop <= other.stop and len(other.text) > len(edge.text) for other in whole)
    ]  # fmt: skip


def _behind_per(lexed: Lexed) -> list[Edge]:
    """The names of tables and columns, and the units of time, right behind a word such as `per` or 每."""
    blanks = frozenset(lexed.blanks)
    ends = {edge.stop for edge in lexed.edges if edge.kind == "PER"}
    ends |= {edge.stop for edge in lexed.edges if edge.kind == "COUNTER" and edge.begin in ends}

    def stands_behind(place: int) -> bool:
        while place and place - 1 in blanks:
            place -= 1
        return place in ends

    units = [edge for edge in lexed.edges if edge.kind in UNITS]
    found: list[Edge] = []
    for edge in sorted((*_longest(lexed), *units), key=lambda edge: edge.begin):
        if edge.kind != "VALUE" and stands_behind(edge.begin):
            found.append(edge)
            ends |= {other.stop for other in lexed.edges if other.kind == "AND" and not lexed.text[edge.stop : other.begin].strip()}
    tables = {(edge.begin, edge.stop) for edge in found if edge.kind == "TABLE" and _exact(edge)}
    return [edge for edge in found if edge.kind == "TABLE" or (edge.begin, edge.stop) not in tables]


def _exact(edge: Edge) -> tuple[Link, ...]:
    return tuple(link for link in edge.links if not link.is_partial)


def _tables(edges: Sequence[Edge]) -> tuple[str, ...]:
    found = ({link.table for link in _exact(edge)} for edge in edges)
    return tuple(dict.fromkeys(table for tables in found if len(tables) == 1 for table in tables))
