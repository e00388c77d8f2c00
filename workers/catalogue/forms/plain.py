"""The plain form: descriptions of tables, metrics and terms as JSON, JSON lines, YAML, CSV or Excel. docs/catalogue.md describes it.

Common spellings are understood (`db` for `source`, `min` for `minimum`, `comment` for `description`); what is not understood is a
problem of the report.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError

from contracts.base import Json, clean_json
from contracts.catalogue import CatalogueProblem, EdgeKind, NodeKind
from contracts.statements import Name, Statement, code, names, passage, say
from contracts.tables import MOST_VALUES, ColumnDetail, ForeignKey, TableDetail
from workers.catalogue.forms.conditions import grammar_conditions
from workers.catalogue.forms.files import FileTexts, sheets_of
from workers.catalogue.forms.html_text import text_of_html
from workers.catalogue.forms.of_tools import dbt_catalog_tables, glossary_terms
from workers.catalogue.forms.plain_rows import SPELLINGS, Found, field, read_rows, read_sheets
from workers.catalogue.forms.table_nodes import table_nodes
from workers.catalogue.nodes import Edge, Node, node_id, says
from workers.catalogue.store import Item
from workers.engines import safe_yaml
from workers.errors import InvalidInput
from workers.saying.reasons import reason_of

ENDINGS = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".csv", ".xlsx")

_WRITTEN_KEY = re.compile(
    r"\s*(?:FOREIGN\s+KEY\s*)?\((?P<columns>[^()]+)\)\s*REFERENCES\s+(?P<table>[^\s()]+)\s*\((?P<others>[^()]+)\)", re.IGNORECASE
)
"""A foreign key as databases print it: `FOREIGN KEY (car_id) REFERENCES cars(id)`."""

_OF_A_TABLE = frozenset({
    *(spelling for spellings in SPELLINGS.values() for spelling in spellings), "columns", "primary_key", "unique", "foreign_keys",
    "partitioned_by", "tags", "is_view", "sql",
})  # fmt: skip

_OF_DBT = frozenset({"models", "seeds", "snapshots", "semantic_models", "exposures"})
"""Parts of a property file of a dbt project, whose tests and names only dbt resolves."""

_MOST_YAML = 20 << 20
"""Bytes of a YAML file: reading it takes some 100 times as long as JSON."""


class _Texts(safe_yaml.Loader):
    """Reads scalars as the characters of the file, but for null: by YAML 1.1, NO is false, 010 is 8, and 12:30 is 750."""


_NULL = "tag:yaml.org,2002:null"
_Texts.yaml_implicit_resolvers = {
    sign: [(tag, form) for tag, form in resolvers if tag == _NULL] for sign, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_plain(path: Path, source: str, texts: FileTexts | None = None) -> Iterator[Item]:
    """The nodes of a file. `source`: whose they are where they do not say so. Raises `InvalidInput` for a file that cannot be read."""
    if path.suffix.lower() == ".xlsx":
        yield from _items_of_rows(read_sheets(sheets_of(path), source), source)
        return
    text = (texts or FileTexts()).read(path)
    match path.suffix.lower():
        case ".csv":
            yield from _items_of_rows(read_rows(text, source), source)
        case ".jsonl" | ".ndjson":
            for number, line in enumerate(text.splitlines(), start=1):
                if line.strip():
                    yield from _items(_json(line, f"{path.name}, line {number}"), source, f"line {number}")
        case ".yaml" | ".yml":
            yield from _items(_yaml(text, path.name), source, path.name)
        case _:
            yield from _json_items(text, path.name, source)


def _items_of_rows(rows: Iterable[Found], source: str) -> Iterator[Item]:
    for found in rows:
        if isinstance(found, CatalogueProblem):
            yield found
        else:
            place, group, entry = found
            yield from _entry(entry, source, place, group)


def _json_items(text: str, name: str, source: str) -> Iterator[Item]:
    """A JSON document, or JSON lines in a file that is called `.json`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise InvalidInput.of(say("refused.import.no_json", file=Name(text=name))) from None
        for number, line in enumerate(lines, start=1):
            yield from _items(_json(line, f"{name}, line {number}"), source, f"line {number}")
        return
    yield from _items(value, source, name)


def _json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return CatalogueProblem(place=place, reason=say("refused.import.part.json"))


def _yaml(text: str, name: str) -> Any:
    if len(text) > _MOST_YAML:
        raise InvalidInput.of(say("refused.import.large_yaml", file=Name(text=name), most=Name(text=f"{_MOST_YAML >> 20} MB")))
    try:
        return clean_json(safe_yaml.load(text, _Texts))
    except safe_yaml.NotYaml as error:
        if error.has_alias:
            raise InvalidInput.of(say("refused.import.yaml_aliases", file=Name(text=name))) from None
        raise InvalidInput.of(say("refused.import.no_yaml", file=Name(text=name), reason=reason_of(error, 200))) from None


def _items(value: Any, source: str, place: str) -> Iterator[Item]:
    if isinstance(value, CatalogueProblem):
        yield value
    elif isinstance(value, list):
        for number, entry in enumerate(cast("list[Any]", value), start=1):
            yield from _items(entry, source, f"{place}, entry {number}")
    elif isinstance(value, Mapping):
        yield from _mapping_items(cast("Json", value), source, place)
    else:
        yield CatalogueProblem(place=place, reason=say("refused.import.part.objects"))


def _mapping_items(value: Json, source: str, place: str) -> Iterator[Item]:
    if (others := glossary_terms(value)) or (others := dbt_catalog_tables(value)):  # its own `source` names its tool
        for number, (kind, entry) in enumerate(others, start=1):
            yield from _entry(entry, source, f"{place}, {kind} {number}", kind)
        return
    own = str(field(value, "source") or source)
    groups = [name for name in ("tables", "metrics", "terms") if isinstance(value.get(name), list) and "columns" not in value]
    for group in groups:
        for number, entry in enumerate(cast("list[Any]", value[group]), start=1):
            where = f"{place}, {group} {number}"
            if not isinstance(entry, Mapping):
                yield CatalogueProblem(place=where, reason=say("refused.import.part.object"))
                continue
            yield from _entry(cast("Json", entry), own, where, group)
    if not groups:
        kind = "metrics" if "metric" in value else "terms" if "term" in value else "tables"
        if kind == "tables" and "columns" not in value and (others := _unknown_parts(value)):
            is_dbt = _OF_DBT & set(others)
            reason = say("refused.import.part.dbt", parts=names(others), command=code("dbt parse"))
            yield CatalogueProblem(place=place, reason=reason if is_dbt else say("refused.import.part.no_form", parts=names(others)))
            return
        yield from _entry(value, own, place, kind)


def _unknown_parts(value: Json) -> list[str]:
    """What an object holds that no table does: it describes something else, and its `name` is not a table's."""
    return [key for key, part in value.items() if isinstance(part, list | Mapping) and key not in _OF_A_TABLE]


def _entry(entry: Json, source: str, place: str, group: str) -> Iterator[Item]:
    source = str(field(entry, "source") or source)
    if not source:
        yield CatalogueProblem(place=place, reason=say("refused.import.part.no_source", option=code("--source")))
        return
    read = {"metrics": _metric, "terms": _term}.get(group, _table)
    try:
        yield from list(read(entry, source))
    except (ValidationError, TypeError, ValueError, AttributeError) as error:
        yield CatalogueProblem(place=place, reason=_reason(error))


def _table(entry: Json, source: str) -> Iterator[Item]:
    yield from table_nodes(source, read_table(entry), tags=_names(entry.get("tags"))[:50])


def read_table(entry: Json) -> TableDetail:
    """A table of the plain form. Raises `ValidationError` or `ValueError`."""
    if not field(entry, "name"):
        raise ValueError("has no name of a table")
    columns: Any = entry.get("columns") or []
    if isinstance(columns, Mapping):
        columns = [
            {"name": name, **(about if isinstance(about, Mapping) else {"description": about})}
            for name, about in cast("dict[str, Any]", columns).items()
        ]
    schema, _, name = str(field(entry, "name")).rpartition(".")
    return TableDetail(
        name=name,
        schema_name=str(field(entry, "schema_name") or schema),
        columns=tuple(_column(column) for column in columns),
        description=_description(entry),
        primary_key=_names(entry.get("primary_key")),
        unique=tuple(_names(columns) for columns in entry.get("unique") or ()),
        foreign_keys=tuple(_foreign_key(key) for key in entry.get("foreign_keys") or ()),
        partitioned_by=_names(entry.get("partitioned_by")),
        rows=field(entry, "rows"),
        is_view=entry.get("is_view") or False,
        definition=entry.get("sql"),
    )  # pyright: ignore[reportArgumentType] pydantic checks what comes from outside


def _column(entry: Any) -> ColumnDetail:
    if isinstance(entry, str):
        return ColumnDetail(name=entry)
    if not isinstance(entry, Mapping) or not field(cast("Json", entry), "name"):
        raise ValueError("a column has no name")
    column = cast("Json", entry)
    values = [_text(value) for value in column.get("values") or () if value is not None]
    minimum, maximum = field(column, "minimum"), field(column, "maximum")
    return ColumnDetail(
        name=str(field(column, "name")),
        type=_text(field(column, "type")),
        description=_description(column),
        nullable=column.get("nullable"),
        values=tuple(values) if len(values) <= MOST_VALUES else (),
        minimum=None if minimum is None else _text(minimum),
        maximum=None if maximum is None else _text(maximum),
        distinct=column.get("distinct"),
        nulls=field(column, "nulls"),
    )


def _foreign_key(entry: Any) -> ForeignKey:
    if isinstance(entry, str) and (found := _WRITTEN_KEY.match(entry)):
        return ForeignKey(columns=_names(found["columns"]), table=found["table"], references=_names(found["others"]))
    if not isinstance(entry, Mapping):
        raise ValueError("a foreign key is neither an object nor FOREIGN KEY (...) REFERENCES ...")
    key = cast("Json", entry)
    other = key.get("table") or key.get("references_table") or key.get("referenced_table") or key.get("ref_table")
    columns = _names(key.get("columns") or key.get("column"))
    references = key.get("references") or key.get("referenced_columns") or key.get("ref_columns") or key.get("ref_column")
    if isinstance(references, Mapping):
        named = cast("Json", references)
        other, references = named.get("table", other), named.get("columns")
    if not other or not columns:
        raise ValueError("a foreign key names no table or no columns")
    return ForeignKey(columns=columns, table=str(other), references=_names(references) or columns)


def _metric(entry: Json, source: str) -> Iterator[Item]:
    name = _text(field(entry, "name"))
    if not name:
        raise ValueError("has no name of a metric")
    content = says(
        name=name, description=_description(entry), unit=_text(entry.get("unit")), **_computed(entry),
        synonyms=list(_names(entry.get("synonyms"))), tables=list(_names(entry.get("tables"))),
    )  # fmt: skip
    node = Node(NodeKind.METRIC, source, name, content)
    yield node
    for table in _names(entry.get("tables")):
        yield Edge(EdgeKind.MEASURES, node.id, node_id(NodeKind.TABLE, source, table), source)
    for column in _names(entry.get("columns")):
        yield Edge(EdgeKind.MEASURES, node.id, node_id(NodeKind.COLUMN, source, column), source)


def _computed(entry: Json) -> Json:
    """How it is computed, and who answers for that."""
    texts = {part: _text(entry.get(part)).strip() for part in ("formula", "grain", "owner")}
    return {**texts, "restriction": _restriction(entry)}


def _restriction(entry: Json) -> str:
    """In the grammar, or SQL as far as the grammar can say it; what it cannot say is kept, and asked about."""
    written = _text(field(entry, "restriction")).strip()
    tables = _names(entry.get("tables"))
    conditions = grammar_conditions(written, tables[0].rpartition(".")[2] if len(tables) == 1 else "") if written else None
    return written if conditions is None else " ".join(conditions)


def _term(entry: Json, source: str) -> Iterator[Item]:
    name = _text(field(entry, "name"))
    if not name:
        raise ValueError("has no term")
    yield from term_nodes(
        source, name, _description(entry), synonyms=_names(entry.get("synonyms")), tables=_names(entry.get("tables")),
        columns=_names(entry.get("columns")), **_computed(entry),
    )  # fmt: skip


def term_nodes(
    source: str, name: str, description: str, *, synonyms: Iterable[str] = (), tables: Iterable[str] = (), columns: Iterable[str] = (),
    **computed: str,
) -> Iterator[Item]:  # fmt: skip
    """A term, and what it is another name of. `computed`: its formula, restriction, grain, owner."""
    node = Node(NodeKind.TERM, source, name, says(name=name, description=description, synonyms=list(synonyms), **computed))
    yield node
    for table in tables:
        yield Edge(EdgeKind.SYNONYM, node.id, node_id(NodeKind.TABLE, source, table), source)
    for column in columns:
        yield Edge(EdgeKind.SYNONYM, node.id, node_id(NodeKind.COLUMN, source, column), source)


def _description(entry: Json) -> str:
    text = _text(field(entry, "description"))
    return text_of_html(text) if "</" in text else text


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else str(value)


def _names(value: Any) -> tuple[str, ...]:
    if not value:
        return ()
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(str(part) for part in cast("Iterable[Any]", value))


def _reason(error: Exception) -> Statement:
    if isinstance(error, ValidationError):  # its text has the value, which may be long
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return say("refused.import.part.field", field=Name(text=where), fault=passage(str(first["msg"])))
    return say("refused.import.part.unread", reason=reason_of(error))
