"""The known tables, found by the names under which statements mention them."""

from collections.abc import Sequence

from contracts.tables import TableDetail
from workers.engines.sql.names.nearest import nearest

FIRST_SCHEMAS = frozenset({"", "public", "main", "dbo", "default"})
"""Schemas in which engines look for a table without one."""


class KnownTables:
    """Tables by name, with or without schema and catalogue, in any case."""

    def __init__(self, tables: Sequence[TableDetail]) -> None:
        self.tables = tuple(tables)
        self._by_name: dict[str, TableDetail] = {}
        for table in self.tables:
            parts = table.full_name.lower().split(".")
            for first in range(len(parts)):
                self._by_name.setdefault(".".join(parts[first:]), table)
        self._full = {table.full_name.lower(): table for table in self.tables}

    def find(self, name: str) -> TableDetail | None:
        """The table of this name. A name with more parts than is known of the table still means it: `db.main.orders` is `main.orders`."""
        name = name.lower()
        if found := self._full.get(name) or self._by_name.get(name):
            return found
        parts = name.split(".")
        tails = (".".join(parts[first:]) for first in range(1, len(parts)))
        return next((table for tail in tails if (table := self._full.get(tail))), None)

    def made_as(self, name: str) -> TableDetail | None:
        """The table that a statement writes whose target has this name. Without a schema, that is a table of the schema in which an engine
        looks first or, where all tables are in one schema, of that: `raw.orders` is another table than `orders`."""
        schema, _, last = name.rpartition(".")
        if schema.lower() in FIRST_SCHEMAS and "." in name and (bare := self._full.get(last.lower())):
            return bare
        if schema:
            parts = name.lower().split(".")
            tails = (".".join(parts[first:]) for first in range(len(parts) - 1))
            return self._by_name.get(name.lower()) or next((table for tail in tails if (table := self._full.get(tail))), None)
        same = [table for table in self.tables if table.name.lower() == name.lower()]
        first = next((table for table in same if (table.schema_name or "").lower() in FIRST_SCHEMAS), None)
        is_one = len(same) == 1 and len({table.schema_name for table in self.tables}) == 1
        return first or (same[0] if is_one else None)

    def nearest(self, name: str) -> tuple[str, ...]:
        """Names of known tables that may have been meant."""
        names = {(table.full_name if "." in name else table.name): table for table in self.tables}
        return nearest(name, names)

    def with_column(self, column: str) -> tuple[str, ...]:
        """Up to five tables that have a column of this name."""
        column = column.lower()
        found = [table.full_name for table in self.tables if any(known.name.lower() == column for known in table.columns)]
        return tuple(found[:5])
