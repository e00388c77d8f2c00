"""The first question about a source: one that its own tables answer for sure."""

from collections.abc import Iterator, Sequence

from contracts.questions import Verdict
from contracts.tables import TableDetail
from workers.catalogue import Catalogue
from workers.cli.context import database
from workers.engines.questions import Reader
from workers.settings import load_settings

MOST_TABLES = 50
"""Tables, the largest first, that are tried until a question is read. Each takes milliseconds."""
FEW, MANY = 2, 12
"""Values of a column by which rows are counted: enough for a comparison, and few enough to be taken in at a glance."""


def first_question(source: str, language: str) -> str | None:
    """A question about the largest table that the grammar of docs/questions.md reads; None: there is none, the names are beyond it."""
    catalogue = Catalogue(database(), None)
    tables = catalogue.tables(source, owner=None)
    if not tables:
        return None
    reader = Reader(tables, load_settings().now, catalogue.joins(source, [table.full_name for table in tables], owner=None))
    return next((text for text in _questions(tables, language) if reader.read(text).verdict is Verdict.ANSWERED), None)


def _questions(tables: Sequence[TableDetail], language: str) -> Iterator[str]:
    """The most telling first."""
    largest = sorted(tables, key=lambda table: -(table.rows or 0))[:MOST_TABLES]
    for table in largest:
        rows = _spoken(table.name)
        for column in table.columns:
            is_key = column.name in table.primary_key or len(column.values) == table.rows
            if FEW <= len(column.values) <= MANY and not is_key:
                by = _spoken(column.name)
                yield f"每个{by}有多少{rows}？" if language == "zh" else f"How many {rows} are there per {by}?"
    for table in largest:
        rows = _spoken(table.name)
        yield f"有多少{rows}？" if language == "zh" else f"How many {rows} are there?"


def _spoken(name: str) -> str:
    return name.replace("_", " ")
