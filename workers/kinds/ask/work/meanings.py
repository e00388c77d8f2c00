"""What the catalogue says of a word that the user wants to have explained: the tables and columns that have it, with their comments."""

import re
from collections.abc import Iterable, Iterator

from contracts.statements import Statement, name, names, passage, say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.comments import glossed_values
from workers.engines.questions.words import key, split_name

MOST_SHOWN = 3
MOST_VALUES = 8


def meanings_of(what: str, tables: Iterable[TableDetail]) -> tuple[Statement, ...]:
    """Sentences about the tables and columns that are called so first, then about those whose comments or values have the word."""
    wanted = frozenset(map(key, split_name(what)))
    named: list[Statement] = []
    mentioned: list[Statement] = []
    for table in tables:
        if wanted == frozenset(map(key, split_name(table.name))) and table.description:
            named.append(say("ask.meaning.comment", what=name(table.name), text=passage(table.description)))
        elif table.description and _has(what, table.description):
            mentioned.append(say("ask.meaning.comment", what=name(table.name), text=passage(table.description)))
        for column in table.columns:
            is_named = wanted == frozenset(map(key, split_name(column.name)))
            if is_named or _has(what, column.description) or _is_value(what, column):
                (named if is_named else mentioned).extend(_of_column(table, column))
    return tuple((named or mentioned)[:MOST_SHOWN])


def _of_column(table: TableDetail, column: ColumnDetail) -> Iterator[Statement]:
    place = name(f"{table.name}.{column.name}")
    if column.description:
        yield say("ask.meaning.comment", what=place, text=passage(column.description))
    if 1 < len(column.values) <= MOST_VALUES and not any(value in column.description for value in column.values):
        yield say("ask.meaning.values", what=place, values=names(column.values))


def _has(what: str, text: str) -> bool:
    if not what.isascii():
        return what in text
    return bool(re.search(rf"\b{re.escape(what)}\b", text, re.IGNORECASE))


def _is_value(what: str, column: ColumnDetail) -> bool:
    return what in column.values or any(what == word for word, _ in glossed_values(column))
