"""The first question about a source: one that its own tables answer for sure."""

from workers.catalogue import Catalogue
from workers.cli.context import database
from workers.engines.offered_questions import offered
from workers.engines.questions import Reader
from workers.settings import load_settings


def first_question(source: str, language: str) -> str | None:
    """A question about the largest table that the grammar of docs/questions.md reads; None: there is none, the names are beyond it."""
    catalogue = Catalogue(database(), None)
    tables = catalogue.tables(source, owner=None)
    if not tables:
        return None
    reader = Reader(tables, load_settings().now, catalogue.joins(source, [table.full_name for table in tables], owner=None))
    return next(offered(reader, language), None)
