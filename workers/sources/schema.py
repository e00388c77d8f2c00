"""What is known of a source: its tables, views and columns. The locks ask for it through `Knowledge`."""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock as Mutex
from time import monotonic
from typing import Protocol

from contracts.sources import SourceKind
from contracts.statements import Statement, names, say

KEPT_S = 60.0
"""Seconds that an introspected schema is used before it is read again. An unknown name has it read again at once."""


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """A column."""

    name: str
    type: str = ""
    comment: str | None = None


@dataclass(frozen=True)
class KnownTable:
    """A table or view."""

    schema: str
    name: str
    columns: tuple[KnownColumn, ...]
    comment: str | None = None
    is_view: bool = False
    definition: str | None = None
    """The query of a view, in the source's dialect; None where the engine does not show it to this account."""
    stored: bool = False
    """A materialised view: its rows are a copy, so its definition may not be put in its place."""
    of_extension: bool = False
    """It came with an extension of the engine, such as the statistics of statements: no data of the user's."""
    elsewhere: bool = False
    """In another database than the one that the URL names (MySQL): found by its full name, and no part of the catalogue of this source."""
    parents: tuple[tuple[str, str], ...] = ()
    """(schema, name) of the tables whose rows these are: partitions and children. Their policies bind it too."""

    @property
    def full_name(self) -> str:
        """`schema.name`."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class KnownReference:
    """A foreign key."""

    columns: tuple[str, ...]
    schema: str
    table: str
    references: tuple[str, ...]


@dataclass
class KnownKeys:
    """What a source declares of a table beside its columns, and how large it is."""

    primary_key: tuple[str, ...] = ()
    unique: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    references: list[KnownReference] = field(default_factory=list[KnownReference])
    not_null: set[str] = field(default_factory=set[str])
    nullable_known: bool = True
    """False: the engine does not say which columns may be null."""
    rows: int | None = None
    """Exact or estimated; None: the engine does not say."""


KeysByTable = dict[tuple[str, str], KnownKeys]
"""By (schema, name)."""


@dataclass(frozen=True)
class SourceSchema:
    """All tables and views of a source."""

    kind: SourceKind
    tables: tuple[KnownTable, ...]
    search: tuple[str, ...] = field(default=())
    """Schemas in which a name without one is looked for, in order."""
    notes: tuple[Statement, ...] = ()
    """Of a folder: how its files were read, and which were left out."""

    @property
    def dialect(self) -> str:
        """As sqlglot names it."""
        return str(self.kind)

    def fold(self, name: str, *, quoted: bool) -> str:
        """A name as this engine compares it."""
        if self.kind is SourceKind.POSTGRES:
            return name if quoted else name.lower()
        if self.kind is SourceKind.CLICKHOUSE:
            return name
        return name.lower()

    def key(self, name: str) -> str:
        """The compared form of a name as the engine itself stores it."""
        return self.fold(name, quoted=True)

    @cached_property
    def by_name(self) -> dict[tuple[str, str], KnownTable]:
        """Tables by (schema, name), compared forms."""
        return {(self.key(table.schema), self.key(table.name)): table for table in self.tables}

    @cached_property
    def names(self) -> frozenset[str]:
        """The compared forms of all table names, without their schemas, in lower case: what a CTE had better not be called."""
        return frozenset(table.name.lower() for table in self.tables)

    def find(self, schema: str | None, name: str, *, search: Iterable[str] = ()) -> KnownTable | None:
        """A table by compared names; without a schema, in those of `search`, then in the source's own."""
        if schema is not None:
            return self.by_name.get((schema, name))
        places = [*search, *self.search]
        return next((found for place in places if (found := self.by_name.get((self.key(place), name)))), None)

    def nearest(self, name: str) -> tuple[str, ...]:
        """Table names that an unknown one may have meant, the nearest first."""
        names = {table.name.lower(): self.shown(table) for table in self.tables}
        names |= {table.full_name.lower(): self.shown(table) for table in self.tables}
        return nearest(name, names)

    def shown(self, table: KnownTable) -> str:
        """The name a user would write: without the schema where it is found without."""
        return table.name if self.find(None, self.key(table.name)) is table else table.full_name


def nearest(name: str, names: Mapping[str, str | Sequence[str]]) -> tuple[str, ...]:
    """Up to four values whose lower-case keys are like a name."""
    found = [names[key] for key in difflib.get_close_matches(name.lower(), list(names), n=6, cutoff=0.5)]
    flat = [value for values in found for value in ([values] if isinstance(values, str) else values)]
    return tuple(dict.fromkeys(flat))[:4]


def with_nearest(fault: Statement, like: Sequence[str]) -> Statement:
    """What is wrong with a name, and the names that it may have meant."""
    return say("refused.source.nearest", fault=fault, like=names(like)) if like else fault


class Knowledge(Protocol):
    """Where a source's schema comes from: introspection today, the catalogue where there is one."""

    def schema(self, *, fresh: bool = False) -> SourceSchema:
        """What is known. `fresh`: not from memory."""
        ...


class Introspected:
    """The schema as the source itself tells it, kept for `KEPT_S`."""

    def __init__(self, read: Callable[[], SourceSchema]) -> None:
        self._read = read
        self._mutex = Mutex()
        self._kept: tuple[float, SourceSchema] | None = None

    def schema(self, *, fresh: bool = False) -> SourceSchema:
        """See `Knowledge`."""
        with self._mutex:
            if fresh or self._kept is None or monotonic() - self._kept[0] > KEPT_S:
                self._kept = monotonic(), self._read()
            return self._kept[1]
