"""The first question about a source: one that its own tables answer for sure."""

from collections.abc import Iterator, Sequence

from contracts.questions import Verdict
from contracts.tables import TableDetail
from workers.catalogue import Catalogue
from workers.cli.context import database
from workers.engines.questions import Reader
from workers.engines.questions.comments import names_in
from workers.engines.questions.names import chinese_names, phrase_of
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
    return next((text for text in questions_of(tables, language) if reader.read(text).verdict is Verdict.ANSWERED), None)


def questions_of(tables: Sequence[TableDetail], language: str) -> Iterator[str]:
    """The most telling first; in Chinese those whose names are Chinese before all others."""
    found = list(_all(tables, language))
    yield from sorted(found, key=lambda text: language == "zh" and any(sign.isascii() and sign.isalpha() for sign in text))


def _all(tables: Sequence[TableDetail], language: str) -> Iterator[str]:
    largest = sorted(tables, key=lambda table: -(table.rows or 0))[:MOST_TABLES]
    for table in largest:
        rows = _spoken(table.name, table.description, language)
        for column in table.columns:
            is_key = column.name in table.primary_key or len(column.values) == table.rows
            if FEW <= len(column.values) <= MANY and not is_key:
                by = _spoken(column.name, column.description, language)
                yield f"每个{by}有多少{rows}？" if language == "zh" else f"How many {rows} are there per {by}?"
    for table in largest:
        rows = _spoken(table.name, table.description, language)
        yield f"有多少{rows}？" if language == "zh" else f"How many {rows} are there?"


def _spoken(name: str, comment: str, language: str) -> str:
    """What people call it: in Chinese by its comment, else by the words of its English name."""
    if language == "zh":
        words = [word for word, phrase in chinese_names() if phrase == phrase_of(name)]
        words.sort(key=lambda word: -sum(word in other for other, _ in chinese_names()))  # of several the one of which others are made
        called = [*names_in(comment), *words]
        return called[0] if called else name.replace("_", " ")
    return name.replace("_", " ")
