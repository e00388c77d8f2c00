"""Keys that nobody declared: a column named like a key in which every row had a value of its own when the catalogue was filled."""

from collections.abc import Sequence

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.requirements.described_keys import KEY_NAME, is_log

LEAST_ROWS = 2
"""With fewer rows, every column has a value of its own."""


def observed_keys(tables: Sequence[TableDetail]) -> tuple[tuple[TableDetail, ...], dict[str, str]]:
    """The tables with such keys, and the column that was taken as the key, by full name. A table with a declared key stays as it is."""
    found = {table.full_name: key for table in tables if (key := _key_of(table)) is not None}
    made = tuple(
        table.model_copy(update={"primary_key": (found[table.full_name],)}) if table.full_name in found else table for table in tables
    )
    return made, found


def _key_of(table: TableDetail) -> str | None:
    if table.primary_key or table.is_view or is_log(table):
        return None
    fits = [column.name for column in table.columns if KEY_NAME.search(column.name) and _is_unique(column, table.rows)]
    if not fits:
        return None
    return fits[0] if len(fits) == 1 or fits[0] == table.columns[0].name else None


def _is_unique(column: ColumnDetail, rows: int | None) -> bool:
    return rows is not None and rows >= LEAST_ROWS and column.distinct == rows and not column.nulls
