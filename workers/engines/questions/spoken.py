"""What a text says of a set of tables: the tables that it names, what it asks a row for, and the rest, which is not read.

It decides nothing: a search ranks by it, and a draft is filled in by it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

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
_JOINING = frozenset({"SKIP", "AND", "PREP", "OF", "IS", "WITH", "OPEN", "ONE"})
"""Words of the grammar that say nothing alone."""
_ENDING = ".;:()。；：（）"
"""Marks that end a run of words."""


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
    unread: tuple[str, ...] = ()
    """Its other words, in runs, as they are written."""


def spoken(text: str, tables: Sequence[TableDetail], after: int = 0) -> Spoken:
    """What a text names. `after`: characters at its beginning that are read already."""
    lexed = Lexer(Names(tables), _NEVER, TimeSettings(), None).lex(text[:MOST_CHARACTERS], {})
    behind = _behind_per(lexed)
    groups = [_group(edge) for edge in behind if edge.kind != "TABLE"]
    tables_ = _tables([edge for edge in behind if edge.kind == "TABLE"])
    unread = _unread(lexed, behind, after)
    return Spoken(named(lexed, ("TABLE",)), tables_, tuple(dict.fromkeys(group for group in groups if group)), unread)


def _group(edge: Edge) -> tuple[tuple[str, str], ...]:
    if edge.kind in UNITS:
        return (("", edge.kind.lower()),)
    return tuple((link.table, link.column) for link in _exact(edge) or _lone(edge))


def _lone(edge: Edge) -> tuple[Link, ...]:
    """Columns of whose names the words are a part, where it is the only one of its table: `per account`, of an `account_id`."""
    tables = Counter(link.table for link in edge.links)
    return tuple(link for link in edge.links if tables[link.table] == 1)


def _unread(lexed: Lexed, behind: Sequence[Edge], after: int) -> tuple[str, ...]:
    """The runs of words between those that name something. Words of the grammar that only join others do not make a run, nor end one."""
    ends = {edge.stop for edge in lexed.edges if edge.kind == "ONE"}
    per = {edge.begin for edge in lexed.edges if edge.kind == "PER"}
    names = {id(edge) for edge in (*_longest(lexed), *behind) if edge.kind in UNITS or _exact(edge) or edge in behind}
    marks = ["blank" if letter.isspace() or not letter.isalnum() else "" for letter in lexed.text]
    for edge in lexed.edges:
        mark = "name" if id(edge) in names or edge.kind in ("PER", "COUNTER") else "joins" if edge.kind in _JOINING else ""
        for place in range(edge.begin, edge.stop) if mark else ():
            marks[place] = "name" if "name" in (mark, marks[place]) else mark
    marks = ["name" if letter in _ENDING else mark for letter, mark in zip(lexed.text, marks, strict=True)]
    marks[:after] = ["name"] * min(after, len(marks))
    found: list[str] = []
    for is_name, run in groupby(range(len(marks)), lambda place: marks[place] == "name"):
        places = [place for place in run if not is_name and not marks[place]]
        begin, stop = (places[0], places[-1] + 1) if places else (0, 0)
        is_what_a_row_is = (
            places
            and any(not lexed.text[end:begin].strip() for end in ends if end <= begin)
            and any(not lexed.text[stop:place].strip() for place in per if place >= stop)
        )
        if places and not is_what_a_row_is:
            found.append(" ".join(lexed.text[begin:stop].split()))
    return tuple(dict.fromkeys(found))


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
