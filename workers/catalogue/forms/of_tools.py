"""Descriptions that other tools write, as entries of the plain form: DataHub's business glossary, dbt's `catalog.json` alone, and
OpenMetadata's CSV of a database."""

from collections.abc import Iterable, Iterator, Mapping

from contracts.base import Json
from workers.catalogue.forms.loose_json import as_mapping, mappings

_DEEPEST = 20


def glossary_terms(value: Json) -> list[tuple[str, Json]]:
    """The terms of a `business_glossary.yml`: terms in nodes, which may be in nodes; none for another file."""
    if not isinstance(value.get("nodes"), list) or "tables" in value:
        return []
    return [("terms", term) for term in _terms(value, _DEEPEST)]


def _terms(node: Json, depth: int) -> Iterator[Json]:
    yield from mappings(node.get("terms"))
    for inner in mappings(node.get("nodes")) if depth else ():
        yield from _terms(inner, depth - 1)


def dbt_catalog_tables(value: Json) -> list[tuple[str, Json]]:
    """The tables of dbt's catalog, with comments and types; none for another file."""
    schema = str(as_mapping(value.get("metadata")).get("dbt_schema_version") or "")
    if "/catalog/" not in schema:
        return []
    return [("tables", _table(node)) for part in ("nodes", "sources") for node in mappings(value.get(part))]


def _table(node: Json) -> Json:
    about = next(iter(mappings([node.get("metadata")])), node)
    columns = sorted(mappings(node.get("columns")), key=lambda column: int(column.get("index") or 0))
    return {
        "name": about.get("name"), "schema": about.get("schema"), "description": about.get("comment"),
        "columns": [{"name": column.get("name"), "type": column.get("type"), "description": column.get("comment")} for column in columns],
    }  # fmt: skip


def openmetadata_tables(rows: Iterable[Mapping[str, str]]) -> list[Json]:
    """The tables of an export with all that is below a database: a row for each schema, table and column, by the heading `entityType`;
    the full name is `service.database.schema.table.column`."""
    tables: dict[str, Json] = {}
    for row in rows:
        parts = _parts(row.get("fullyqualifiedname") or "")
        kind, name = (row.get("entitytype") or "").lower(), ".".join(parts[2:4])
        if len(parts) < len(("service", "database", "schema", "table")) or kind not in ("table", "column"):
            continue
        table = tables.setdefault(name, {"name": name, "columns": []})
        about: Json = {"description": row.get("description") or ""}
        if kind == "table":
            table.update(about)
        else:
            shown = row.get("column.datatypedisplay") or row.get("column.datatype") or ""
            table["columns"].append({"name": ".".join(parts[4:]), "type": shown, **about})
    return list(tables.values())


def _parts(full_name: str) -> list[str]:
    """The parts of a full name; one with a dot in it is in quotation marks."""
    pieces = full_name.split('"')
    named = [piece if place % 2 else piece.replace(".", "\n") for place, piece in enumerate(pieces)]
    return "".join(named).split("\n")
