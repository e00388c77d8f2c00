"""The catalogue: searches, tables, lineage, and what fills it."""

from collections.abc import Sequence

from contracts.base import Contract
from contracts.catalogue import CatalogueReport, KnownQuery, LineageEdge, NodeKind, Passage
from contracts.pointers import AnyPointer
from contracts.statements import name as identifier
from contracts.statements import quote, say
from contracts.tables import JoinPath, TableDetail
from workers import catalogue as library
from workers.catalogue import Catalogue, CatalogueReindex
from workers.errors import NotFound
from workers.operations.base import Asker, Here, Tell, no_listener, operation

MOST_NEAR = 50
"""Tables whose joins with a table are looked for."""


class TableSeen(Contract):
    """A table of the catalogue."""

    source: str
    table: TableDetail
    joins: tuple[JoinPath, ...]


@operation("knowledge.import_source")
def import_source(
    here: Here, asker: Asker, source: str, *, samples: bool = True, owner: str | None = None, tell: Tell = no_listener
) -> CatalogueReport:
    """Import a source: names, types, comments, keys, sizes, and samples of its values, read as this owner."""
    return library.import_source(
        here.db, here.embedder, here.settings.data_dir, source, samples=samples, as_owner=owner,
        progress=lambda what, done: tell(what, done, None),
    )  # fmt: skip


@operation("knowledge.catalogue")
def catalogue(
    here: Here, asker: Asker, words: str, *, source: str | None = None, kinds: Sequence[NodeKind] | None = None, limit: int = 10,
    owner: str | None = None,
) -> list[AnyPointer]:  # fmt: skip
    """What bears on a question, as far as the asker may see it."""
    return list(_known(here).search(words, owner=asker.only_owner or owner, source=source, kinds=kinds, limit=limit))


@operation("knowledge.catalogue_tables")
def catalogue_tables(here: Here, asker: Asker, source: str, *, owner: str | None = None) -> list[TableDetail]:
    """All tables of a source."""
    return list(_known(here).tables(source, owner=asker.only_owner or owner))


@operation("knowledge.catalogue_table")
def catalogue_table(here: Here, asker: Asker, source: str, name: str, *, owner: str | None = None) -> TableSeen:
    """A table with its columns, keys, values and joins, as an owner sees it. Raises `NotFound`."""
    known, whose = _known(here), asker.only_owner or owner
    found = known.table(source, name, owner=whose)
    if found is None:
        where = identifier("GET /v1/catalogue/tables")
        raise NotFound.of(say("refused.no_table", table=quote(name[:80]), source=quote(source[:80]), command=where))
    node = known.node(NodeKind.TABLE, source, found.full_name, owner=whose)
    others = [edge.other for edge in node.edges if edge.other_kind is NodeKind.TABLE]
    near = list(dict.fromkeys([*(key.table for key in found.foreign_keys), *others]))[:MOST_NEAR]
    paths = known.joins(source, [found.full_name, *near], owner=whose)
    return TableSeen(source=source, table=found, joins=tuple(path for path in paths if found.full_name in (path.left, path.right)))


@operation("knowledge.catalogue_entry")
def catalogue_entry(here: Here, asker: Asker, place: str, *, owner: str | None = None) -> KnownQuery | Passage:
    """A section of a document, a term or a query, by its place as a search gives it. Raises `NotFound`."""
    known, whose = _known(here), asker.only_owner or owner
    found = known.document(place, owner=whose) or known.query(place, owner=whose)
    if found is None:
        raise NotFound.of(say("refused.no_place_in_catalogue", place=quote(place[:80]), command=identifier("GET /v1/catalogue?q=...")))
    return found


@operation("knowledge.lineage")
def lineage(here: Here, asker: Asker, source: str, name: str, *, depth: int = 5, owner: str | None = None) -> list[LineageEdge]:
    """What a table, or a column (`TABLE.COLUMN`), is computed from, and what is computed from it."""
    return list(_known(here).lineage(source, name, owner=asker.only_owner or owner, depth=depth))


@operation("knowledge.reindex_catalogue", in_background=True)
def reindex_catalogue(here: Here, asker: Asker, *, tell: Tell) -> CatalogueReindex:
    """Make again what is derived from the imports: texts, words, vectors."""
    return library.reindex(here.db, here.embedder, progress=lambda what, done: tell(what, done, None))


def _known(here: Here) -> Catalogue:
    return Catalogue(here.db, here.embedder)
