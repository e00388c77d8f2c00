"""What is known of tables beyond their columns: keys, references, nulls and kinds of types, from declarations, statistics and
descriptions, in this order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod

from contracts.tables import ColumnDetail, TableDetail

KEY_WORDS = re.compile(r"\b(?:primary key|unique (?:id|identifier|key)|key)\b|主键|唯一标识|唯一编号|编号", re.IGNORECASE)
FOREIGN_WORDS = re.compile(r"foreign|referenc|refers to|外键|引用", re.IGNORECASE)
NULL_WORDS = re.compile(r"\bnull\b|\bempty\b|为空|空值|可空", re.IGNORECASE)
HISTORY_WORDS = re.compile(r"valid_|effective|is_current|version|_from$|_to$|changed_at|updated_at|^seq$|^op$", re.IGNORECASE)
"""Columns that say that an entity has several rows, so its key is not the table's."""


class TypeKind(StrEnum):
    """Kinds of column types that matter to meaning."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    OTHER = "other"


KINDS: tuple[tuple[str, TypeKind], ...] = (
    (r"timestamp|datetime", TypeKind.TIMESTAMP),
    (r"^date", TypeKind.DATE),
    (r"^bool|^bit$", TypeKind.BOOLEAN),
    (r"int(?!erval)|serial|^long\b|^year\b", TypeKind.INTEGER),
    (r"decimal|numeric|number|double|float|real|money", TypeKind.DECIMAL),
    (r"char|text|string|clob|uuid|enum", TypeKind.TEXT),
)


NOT_SIMPLE = re.compile(r"\[\d*\]|^(?:array|list|map|struct|row|union|object|nested|tuple)\b|range|^point|^interval|^time\b(?! *stamp)")
"""Types with others inside them, or whose names only look like those of numbers: `integer[]`, `int4range`, `point`."""


def type_kind(type_name: str) -> TypeKind:
    """The kind of a type as a source names it."""
    lower = type_name.lower().strip()
    if re.fullmatch(r"(?:decimal|numeric|number)\s*\(\s*\d+\s*(?:,\s*0\s*)?\)", lower):
        return TypeKind.INTEGER
    if NOT_SIMPLE.search(lower):
        return TypeKind.OTHER
    return next((kind for pattern, kind in KINDS if re.search(pattern, lower)), TypeKind.OTHER)


def held_kind(column: ColumnDetail) -> TypeKind:
    """The kind of a column's values: of a text that holds times, that of the times."""
    return type_kind(column.holds or column.type)


@dataclass(frozen=True, slots=True)
class Reference:
    """A column whose values are those of a key of another table."""

    column: str
    table: str
    references: str


@dataclass
class TableFacts:
    """What is known of a table. Names are in lower case."""

    table: TableDetail
    keys: list[frozenset[str]] = field(default_factory=list[frozenset[str]])
    references: list[Reference] = field(default_factory=list[Reference])
    never_null: set[str] = field(default_factory=set[str])
    """Columns that have no nulls though nothing about the table says so: they become a key of the target."""
    columns: dict[str, ColumnDetail] = field(default_factory=dict[str, ColumnDetail])

    def kind(self, column: str) -> TypeKind:
        """The kind of a column's type."""
        found = self.columns.get(column.lower())
        if found is not None and found.holds_no_times:
            return TypeKind.TEXT
        return type_kind(found.type) if found is not None else TypeKind.OTHER

    def may_be_null(self, column: str) -> bool:
        """Statistics say that it has nulls; or nothing says that it has none, and it is not a key's."""
        found = self.columns.get(column.lower())
        if found is None or found.nullable is False or column.lower() in self.never_null:
            return False
        return bool(found.nulls) if found.nulls is not None else not any(column.lower() in key for key in self.keys)

    def has_key_in(self, columns: frozenset[str]) -> bool:
        """No two rows have the same values of these columns."""
        return any(key <= columns for key in self.keys)

    def counted_twice(self, columns: frozenset[str]) -> bool:
        """Statistics say that several rows have the same values of these columns: there are more rows than values."""
        found = [self.columns[column] for column in columns if column in self.columns]
        counts = [column.distinct for column in found if column.distinct is not None]
        filled = (self.table.rows or 0) - sum(column.nulls or 0 for column in found)
        return bool(columns) and len(counts) == len(columns) and prod(counts) < filled

    def surely_repeats(self, columns: frozenset[str]) -> bool:
        """Several rows may share the values of these columns: statistics, another key or a reference say so."""
        if not columns or self.has_key_in(columns):
            return False
        found = self.columns.get(next(iter(columns))) if len(columns) == 1 else None
        if found is not None and found.distinct is not None and self.table.rows:
            return found.distinct < self.table.rows - (found.nulls or 0)
        return bool(self.keys) or any(reference.column in columns for reference in self.references)


class Facts:
    """Facts of all known tables, by full name."""

    def __init__(self, tables: Sequence[TableDetail]) -> None:
        self._tables = tuple(tables)
        self._by_name: dict[str, TableFacts] = {}
        for table in tables:
            self._by_name[table.full_name.lower()] = TableFacts(table, columns={column.name.lower(): column for column in table.columns})
        for facts in self._by_name.values():
            facts.references += self._references(facts.table)
        for facts in self._by_name.values():
            facts.keys += self._keys(facts)

    def of(self, table: TableDetail) -> TableFacts:
        """The facts of a table; of one that is not among them, what it says itself."""
        return self._by_name.get(table.full_name.lower()) or TableFacts(
            table, columns={column.name.lower(): column for column in table.columns}
        )

    def _references(self, table: TableDetail) -> list[Reference]:
        found = [
            Reference(column.lower(), key.table.lower(), other.lower())
            for key in table.foreign_keys
            for column, other in zip(key.columns, key.references, strict=False)
        ]
        known = {(reference.table, reference.references) for reference in found}
        for column in table.columns:
            for name, other in re.findall(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)", column.description):
                target = self._named(name, other)
                if (
                    target is not None
                    and (target, other.lower()) not in known
                    and (target != table.full_name.lower() or other.lower() != column.name.lower())
                ):
                    found.append(Reference(column.name.lower(), target, other.lower()))
        return found

    def _named(self, table: str, column: str) -> str | None:
        for known in self._tables:
            if known.name.lower() == table.lower() and any(has.name.lower() == column.lower() for has in known.columns):
                return known.full_name.lower()
        return None

    def _keys(self, facts: TableFacts) -> list[frozenset[str]]:
        table = facts.table
        declared = [frozenset(name.lower() for name in key) for key in (table.primary_key, *table.unique) if key]
        by_count = [
            frozenset({column.name.lower()})
            for column in table.columns
            if table.rows and table.rows > 1 and column.distinct == table.rows and not column.nulls and _is_identifier(column)
        ]
        if declared:
            return declared
        name = table.full_name.lower()
        referenced = {reference.references for other in self._by_name.values() for reference in other.references if reference.table == name}
        has_history = any(HISTORY_WORDS.search(column.name) for column in table.columns)
        described = [] if has_history else [column.name.lower() for column in table.columns if _says_key(column)][:1]
        keys = {frozenset({column}) for column in (*described, *referenced) if not _repeats(facts, column)}
        if has_history:
            keys = set[frozenset[str]]()
        return [*keys, *(key for key in by_count if key not in keys)]


def _is_identifier(column: ColumnDetail) -> bool:
    """Its values are different by design, not by chance as an amount's may be."""
    return type_kind(column.type) in (TypeKind.INTEGER, TypeKind.TEXT, TypeKind.OTHER) and bool(
        re.search(r"id$|key$|code$|_no$|name$|symbol$", column.name, re.IGNORECASE)
    )


def _says_key(column: ColumnDetail) -> bool:
    text = column.description
    return (
        bool(KEY_WORDS.search(text)) and not FOREIGN_WORDS.search(text) and not re.search(r"\w\.\w", text) and not NULL_WORDS.search(text)
    )


def _repeats(facts: TableFacts, column: str) -> bool:
    found = facts.columns.get(column)
    return found is not None and found.distinct is not None and bool(facts.table.rows) and found.distinct < (facts.table.rows or 0)
