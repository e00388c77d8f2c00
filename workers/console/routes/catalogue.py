"""What is known of the users' data: search, a table with its columns, joins and lineage."""

from fastapi import APIRouter, Response

from contracts.catalogue import LineageEdge
from contracts.statements import name, say
from contracts.tables import TableDetail
from workers.catalogue import Catalogue
from workers.console.pages import Look, Reading
from workers.console.routes.sources import sees
from workers.console.routing import PageRoute
from workers.errors import NotFound
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.sources import list_sources

router = APIRouter(prefix="/console/catalogue", include_in_schema=False, route_class=PageRoute)

DEPTH = 5
SOURCES_SHOWN, TABLES_SHOWN = 20, 30
"""Of a catalogue that is looked at without a search."""


@router.get("")
def search(here: Here, look: Reading, text: str = "") -> Response:
    """Find tables, columns, values, queries, metrics, documents."""
    found = _catalogue(here).search(text, owner=look.who.only_owner, limit=30) if text.strip() else ()
    return look.html("catalogue.html", text=text, found=found, sources=() if text.strip() else _sources(here, look))


def _sources(here: Gateway, look: Look) -> list[tuple[str, tuple[TableDetail, ...]]]:
    """The sources that the caller may query, each with the first of its tables."""
    catalogue, names = _catalogue(here), [source.name for source in list_sources(here.db) if sees(source.owners, look.who)]
    return [(name, catalogue.tables(name, owner=look.who.only_owner, limit=TABLES_SHOWN)) for name in names[:SOURCES_SHOWN]]


@router.get("/show/{place:path}")
def show(here: Here, look: Reading, place: str) -> Response:
    """A table, a section of a document, a query, or what a metric or term means."""
    catalogue, owner = _catalogue(here), look.who.only_owner
    if definitions := catalogue.definitions(place, owner=owner, chosen_by=look.who.owner):
        return look.html("catalogue_definition.html", place=place, definitions=definitions)
    passage, query = catalogue.document(place, owner=owner), catalogue.query(place, owner=owner)
    if passage is not None or query is not None:
        return look.html("catalogue_text.html", place=place, passage=passage, query=query)
    source, table, column = _find_table(catalogue, place, owner)
    paths = [
        path for path in catalogue.joins(source, [table.full_name, *(key.table for key in table.foreign_keys)], owner=owner)
        if table.full_name in (path.left, path.right)
    ]  # fmt: skip
    name = f"{table.full_name}.{column}" if column else table.full_name
    return look.html(
        "catalogue_table.html", source=source, table=table, column=column, joins=paths, lineage=_lineage(catalogue, source, name, owner)
    )


def _lineage(catalogue: Catalogue, source: str, name: str, owner: str | None) -> dict[str, list[LineageEdge]]:
    """What it is made from, and what is made from it."""
    try:
        edges = catalogue.lineage(source, name, owner=owner, depth=DEPTH)
    except NotFound:
        edges = ()
    return {"from": [edge for edge in edges if edge.distance < 0], "to": [edge for edge in edges if edge.distance > 0]}


def _find_table(catalogue: Catalogue, place: str, owner: str | None) -> tuple[str, TableDetail, str]:
    """Source, table and column of `shop.main.orders.status`. Raises `NotFound`."""
    parts = place.split(".")
    for end in range(len(parts), 1, -1):
        if (found := catalogue.table(parts[0], ".".join(parts[1:end]), owner=owner)) is not None:
            return parts[0], found, ".".join(parts[end:])
    raise NotFound.of(say("refused.not_in_catalogue", place=name(place[:200])))


def _catalogue(here: Gateway) -> Catalogue:
    return Catalogue(here.db, here.services.embedder)
