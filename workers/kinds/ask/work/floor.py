"""What a step of `ask` uses: the sources, the catalogue and the logs of this deployment, as its owner may see them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path

from contracts.ask.steps import Understanding
from contracts.catalogue import NodeKind
from contracts.pointers import AnyPointer, ColumnPointer, TablePointer
from contracts.sources import Source
from contracts.tables import ForeignKey, JoinEvidence, JoinPath, TableDetail
from workers.blackboard.engine import Database
from workers.catalogue import Catalogue
from workers.engines.questions.edges import Edges
from workers.kinds.ask.playbook import UNDERSTAND
from workers.kinds.ask.work.scope import kept_to, named_by
from workers.logs import Logs
from workers.roles.base import StepContext
from workers.sources import Sources, list_sources


@lru_cache(8)
def _sources(database: Database, data_dir: Path) -> Sources:
    """One for each process: it remembers the schemas that it has read."""
    return Sources(database, data_dir)


@lru_cache(8)
def _logs(database: Database, data_dir: Path) -> Logs:
    """One for each process: it remembers what the logs have."""
    return Logs(database, data_dir)


class Floor:
    """The floor of one step."""

    def __init__(self, ctx: StepContext, within: Sequence[str] | None = None) -> None:
        """`within`: the tables that the message is kept to, where it is not understood yet."""
        self.ctx = ctx
        self._within = within
        self._all: dict[str, tuple[TableDetail, ...]] = {}
        self._tables: dict[str, tuple[TableDetail, ...]] = {}
        self._joins: dict[str, tuple[JoinPath, ...]] = {}

    @property
    def owner(self) -> str:
        """Whose question it is."""
        return self.ctx.owner

    @property
    def now(self) -> datetime:
        """The moment from which "last month" is counted, on the user's clock."""
        return self.ctx.now

    @cached_property
    def sources(self) -> Sources:
        """The way to run statements."""
        return _sources(self.ctx.services.database, self.ctx.services.settings.data_dir)

    @cached_property
    def logs(self) -> Logs:
        """The way to search logs."""
        return _logs(self.ctx.services.database, self.ctx.services.settings.data_dir)

    @cached_property
    def catalogue(self) -> Catalogue:
        """What is known of the data."""
        return Catalogue(self.ctx.services.database, self.ctx.services.embedder)

    @cached_property
    def visible(self) -> dict[str, Source]:
        """The sources that the owner may query, by name."""
        found = list_sources(self.ctx.services.database)
        return {source.name: source for source in found if source.is_open_to(self.owner)}

    def asked(self, wanted: str | None) -> dict[str, Source]:
        """The sources that a question is about: the one it names, or all that are visible."""
        if wanted is None:
            return self.visible
        return {wanted: self.visible[wanted]} if wanted in self.visible else {}

    def dialect(self, source: str) -> str:
        """The SQL of a source, as sqlglot names it."""
        return str(self.visible[source].kind)

    @cached_property
    def within(self) -> Sequence[str]:
        """The tables, schemas and tags that the conversation is kept to. Empty: all tables are looked at."""
        if self._within is not None:
            return self._within
        return self.ctx.need(Understanding, UNDERSTAND).within if UNDERSTAND in self.ctx.needs else ()

    def tables(self, source: str) -> tuple[TableDetail, ...]:
        """The tables of a source that the owner may see, and to which the conversation is kept."""
        if source not in self._tables:
            found = self.every(source)
            self._tables[source] = kept_to(self.within, found, self.catalogue.tags(source)) if self.within else found
        return self._tables[source]

    def every(self, source: str) -> tuple[TableDetail, ...]:
        """All tables of a source that the owner may see: what a statement or plan that is there already is judged by."""
        if source not in self._all:
            self._all[source] = self.catalogue.tables(source, owner=self.owner)
        return self._all[source]

    def unknown_within(self, sources: Iterable[str]) -> list[str]:
        """What the conversation is to be kept to, and no table, schema or tag of these sources is called."""
        known = [(self.every(source), self.catalogue.tags(source)) for source in sources] if self.within else []
        return [word for word in self.within if not any(named_by(word, tables, tags) for tables, tags in known)]

    def search(self, words: str, source: str | None, kinds: Collection[NodeKind], **more: int) -> tuple[AnyPointer, ...]:
        """What of the catalogue bears on the words, best first; tables and columns only of those to which the conversation is kept."""
        found = self.catalogue.search(words, owner=self.owner, source=source, kinds=kinds, **more)
        return tuple(pointer for pointer in found if self._is_kept(pointer)) if self.within else found

    def _is_kept(self, pointer: AnyPointer) -> bool:
        if not isinstance(pointer, TablePointer | ColumnPointer):
            return True
        full = f"{pointer.schema_name}.{pointer.table}" if pointer.schema_name else pointer.table
        return any(table.full_name == full for table in self.tables(pointer.catalog))

    def joins(self, source: str) -> tuple[JoinPath, ...]:
        """The ways to join the tables of a source that keys or earlier queries show. What names say, the reader of questions finds itself,
        with stricter conditions: a column that is unique on one side."""
        if source not in self._joins:
            names = [table.full_name for table in self.tables(source)]
            found = self.catalogue.joins(source, names, owner=self.owner)
            self._joins[source] = tuple(path for path in found if path.evidence is not JoinEvidence.NAMES)
        return self._joins[source]

    def joined_tables(self, source: str) -> tuple[TableDetail, ...]:
        """The same, with every way to join them as a key: what queries did before and fitting names say counts as a declared key."""
        tables = self.tables(source)
        edges = Edges(tables, self.joins(source))
        pairs = ((left.full_name, right.full_name) for left in tables for right in tables if left.full_name < right.full_name)
        paths = [path for pair in pairs if (path := edges.between(*pair)) is not None]
        return tuple(_with_keys(table, paths) for table in tables)


def _with_keys(table: TableDetail, paths: Sequence[JoinPath]) -> TableDetail:
    own = {(key.columns, key.table) for key in table.foreign_keys}
    sides = [
        ForeignKey(columns=columns, table=other, references=references)
        for path in paths
        for full_name, columns, other, references in (
            (path.left, path.left_columns, path.right, path.right_columns),
            (path.right, path.right_columns, path.left, path.left_columns),
        )
        if full_name == table.full_name and (columns, other) not in own
    ]
    return table.model_copy(update={"foreign_keys": (*table.foreign_keys, *sides)}) if sides else table
