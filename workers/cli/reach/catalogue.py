"""The catalogue: imports, searches, tables, lineage."""

from collections.abc import Callable, Sequence
from pathlib import Path

from contracts.catalogue import CatalogueReport, KnownQuery, LineageEdge, NodeKind, Passage
from contracts.pointers import AnyPointer
from contracts.tables import JoinPath, TableDetail
from workers.catalogue import Catalogue, Form, import_path, import_source
from workers.catalogue import reindex as reindex_here
from workers.catalogue.reindex import CatalogueReindex
from workers.cli.context import database
from workers.cli.reach.remote import gateway
from workers.errors import NotFound
from workers.llm import load_embedder
from workers.settings import load_settings

Progress = Callable[[str, int], None]


def _catalogue() -> Catalogue:
    return Catalogue(database(), load_embedder(load_settings()))


def bring_source(name: str, *, samples: bool, owner: str | None, progress: Progress) -> CatalogueReport:
    """Import a source."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(CatalogueReport, knowledge.import_source(name, samples=samples, owner=owner))
    known = load_settings()
    return import_source(database(), load_embedder(known), known.data_dir, name, samples=samples, as_owner=owner, progress=progress)


def bring_path(
    path: Path, *, form: Form, source: str, dialect: str, origin: str | None, encoding: str, progress: Progress
) -> CatalogueReport:
    """Import a file or folder."""
    if (away := gateway()) is not None:
        named = origin or str(path.resolve())
        return CatalogueReport.model_validate(
            away.import_catalogue(path, form=form.value, source=source, dialect=dialect, origin=named, encoding=encoding)
        )  # fmt: skip
    embedder = load_embedder(load_settings())
    return import_path(
        database(), embedder, path, form=form, source=source, dialect=dialect, origin=origin, encoding=encoding, progress=progress
    )


def search(question: str, *, owner: str | None, source: str | None, kinds: Sequence[NodeKind] | None, limit: int) -> Sequence[AnyPointer]:
    """What bears on a question."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[AnyPointer], knowledge.catalogue(question, source=source, kinds=kinds, limit=limit, owner=owner))
    return _catalogue().search(question, owner=owner, source=source, kinds=kinds, limit=limit)


def entry_of(place: str, owner: str | None) -> Passage | KnownQuery | None:
    """A section of a document, or a query; None: there is none at this place."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        try:
            value = away.value(knowledge.catalogue_entry(place, owner=owner))
        except NotFound:
            return None
        return KnownQuery.model_validate(value) if "sql" in value else Passage.model_validate(value)
    known = _catalogue()
    return known.document(place, owner=owner) or known.query(place, owner=owner)


def table_of(source: str, name: str, owner: str | None) -> tuple[TableDetail, list[JoinPath]] | None:
    """A table and its joins; None: there is no such table."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        try:
            value = away.value(knowledge.catalogue_table(source, name, owner=owner))
        except NotFound:
            return None
        return TableDetail.model_validate(value["table"]), [JoinPath.model_validate(path) for path in value["joins"]]
    known = _catalogue()
    found = known.table(source, name, owner=owner)
    if found is None:
        return None
    node = known.node(NodeKind.TABLE, source, found.full_name, owner=None)
    edges = [edge.other for edge in node.edges if edge.other_kind is NodeKind.TABLE]
    near = list(dict.fromkeys([*(key.table for key in found.foreign_keys), *edges]))[:50]
    paths = known.joins(source, [found.full_name, *near], owner=owner)
    return found, [path for path in paths if found.full_name in (path.left, path.right)]


def lineage(source: str, name: str, *, owner: str | None, depth: int) -> Sequence[LineageEdge]:
    """What a table or column is computed from, and what is computed from it."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[LineageEdge], knowledge.lineage(source, name, depth=depth, owner=owner))
    return _catalogue().lineage(source, name, owner=owner, depth=depth)


def reindex(progress: Progress) -> CatalogueReindex:
    """Make again what is derived from the imports."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        reply = away.operation(knowledge.reindex_catalogue(), lambda what, done, _: progress(what, done))
        return CatalogueReindex.model_validate(reply)
    return reindex_here(database(), load_embedder(load_settings()), progress=progress)
