"""What the reader of questions is given beside the tables: the words of the business, and the values in the source."""

from collections.abc import Sequence
from typing import TypedDict

from contracts.tables import ColumnDetail, TableDetail
from workers.catalogue.terms import Terms
from workers.engines.definitions.definition import Definition
from workers.engines.questions.lexing import LookUp
from workers.engines.sql.build_values import found_values_sql
from workers.errors import BullpenError
from workers.kinds.ask.work.floor import Floor
from workers.loggers import get_logger

log = get_logger(__name__)

_MOST_COLUMNS = 24
"""Text columns in which a value is looked for at once; the likely ones come first."""
_MOST_ROWS = 2_000_000
"""Rows of a table up to which its values are looked for: a scan of a larger one would keep the user waiting."""
_MOST_LOOK_UPS = 6
"""Texts of one question that are looked for."""


class KnownWords(TypedDict):
    """Arguments of `Reader`."""

    definitions: Sequence[Definition | str]
    synonyms: dict[str, tuple[str, ...]]
    look_up: LookUp | None


def known_words(floor: Floor, source: str, tables: Sequence[TableDetail]) -> KnownWords:
    """The glossary of the source, and a way to find a text among its values as the owner may see them."""
    terms: Terms = floor.catalogue.terms(source, owner=floor.owner)
    return KnownWords(definitions=terms.definitions, synonyms=dict(terms.synonyms or {}), look_up=Values(floor, source, tables))


class Values:
    """Finds a text among the values of a source. Calling it runs at most one statement for a text, behind the source's locks."""

    def __init__(self, floor: Floor, source: str, tables: Sequence[TableDetail]) -> None:
        self._floor, self._source = floor, source
        self._columns = _searched(tables)
        self._found: dict[str, list[tuple[str, str, str]]] = {}

    def __call__(self, text: str) -> Sequence[tuple[str, str, str]]:
        """Table, column and value as stored, in any case."""
        folded = text.strip().lower()
        if not folded or not self._columns:
            return ()
        if folded not in self._found:
            self._found[folded] = self._asked(folded) if len(self._found) < _MOST_LOOK_UPS else []
        return self._found[folded]

    def _asked(self, folded: str) -> list[tuple[str, str, str]]:
        statement = found_values_sql([(table, column.name) for table, column in self._columns], folded, self._floor.dialect(self._source))
        try:
            rows = self._floor.sources.query(
                self._source, statement, owner=self._floor.owner, job_id=self._floor.ctx.job_id, step_id=self._floor.ctx.step_id
            ).rows
        except BullpenError as error:  # a value that cannot be looked for is only not found
            log.warning("value_not_looked_for", source=self._source, reason=str(error))
            return []
        found: list[tuple[str, str, str]] = []
        for place, value in rows:
            if isinstance(place, int) and 0 <= place < len(self._columns):
                table, column = self._columns[place]
                found.append((table.full_name, column.name, str(value)))
        return found


def _searched(tables: Sequence[TableDetail]) -> list[tuple[TableDetail, ColumnDetail]]:
    """Text columns whose values are not all known already: names first."""
    columns = [
        (table, column)
        for table in tables
        for column in table.columns
        if _is_text(column) and not column.values and (table.rows or 0) <= _MOST_ROWS
    ]
    return sorted(columns, key=lambda item: not item[1].name.lower().endswith(("name", "title", "code", "city")))[:_MOST_COLUMNS]


def _is_text(column: ColumnDetail) -> bool:
    return any(word in column.type.lower() for word in ("char", "text", "string"))
