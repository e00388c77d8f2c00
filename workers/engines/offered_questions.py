"""Questions about given tables that the grammar reads for sure: what a newcomer can type, and what is offered where words are not read."""

from collections.abc import Iterator, Sequence

from contracts.questions import Verdict
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.comments import names_in
from workers.engines.questions.names import chinese_names, phrase_of
from workers.engines.questions.reader import Reader
from workers.engines.sql.plan_check import is_numeric, is_temporal

MOST_TABLES = 50
"""Tables that are tried until enough questions are read. Each takes milliseconds."""
FEW, MANY = 2, 12
"""Values of a column by which rows are counted: enough for a comparison, and few enough to be taken in at a glance."""


def offered(reader: Reader, language: str, first: Sequence[str] = ()) -> Iterator[str]:
    """Questions that the reader answers, the most telling first. `first`: full names of tables that come before all others, which are in
    the order of their rows. In Chinese, those whose names are Chinese come first."""
    found = list(_all(_in_order(reader.tables, first), language))
    found.sort(key=lambda text: language == "zh" and any(sign.isascii() and sign.isalpha() for sign in text))
    return (text for text in found if reader.read(text).verdict is Verdict.ANSWERED)


def formula_offered(reader: Reader, first: Sequence[str] = ()) -> str:
    """A formula over a column of figures, as the grammar reads it: `sum of fare of rides`. Empty: no table has such a column."""
    for table in _in_order(reader.tables, first):
        for column in filter(lambda column: _is_figure(column, table), table.columns):
            text = f"sum of {column.name} of {table.name}"
            if reader.read(text).verdict is Verdict.ANSWERED:
                return text
    return ""


def _in_order(tables: Sequence[TableDetail], first: Sequence[str]) -> list[TableDetail]:
    return sorted(tables, key=lambda table: (table.full_name not in first, -(table.rows or 0)))[:MOST_TABLES]


def _all(tables: Sequence[TableDetail], language: str) -> Iterator[str]:
    groups = [(table, by) for table in tables for by in table.columns if _groups(by, table)]
    later: list[str] = []
    seen: set[str] = set()
    for table, by in groups:
        rows, column = _spoken(table.name, table.description, language), _spoken(by.name, by.description, language)
        text = f"每个{column}有多少{rows}？" if language == "zh" else f"How many {rows} are there per {column}?"
        if table.full_name in seen:
            later.append(text)
        else:
            seen.add(table.full_name)
            yield text
    yield from later
    for table in tables:
        rows = _spoken(table.name, table.description, language)
        yield f"有多少{rows}？" if language == "zh" else f"How many {rows} are there?"


def _groups(column: ColumnDetail, table: TableDetail) -> bool:
    is_key = column.name in table.primary_key or len(column.values) == table.rows
    return FEW <= len(column.values) <= MANY and not is_key


def _is_figure(column: ColumnDetail, table: TableDetail) -> bool:
    """Whether its values can be added up: numbers of which many differ, in a column that is not a key."""
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    return bool(column.type) and is_numeric(column) and not is_temporal(column) and not column.values and column.name not in keys


def _spoken(name: str, comment: str, language: str) -> str:
    """What people call it: in Chinese by its comment, else by the words of its English name."""
    if language == "zh":
        words = [word for word, phrase in chinese_names() if phrase == phrase_of(name)]
        words.sort(key=lambda word: -sum(word in other for other, _ in chinese_names()))  # of several the one of which others are made
        called = [*names_in(comment), *words]
        return called[0] if called else name.replace("_", " ")
    return name.replace("_", " ")
