"""dbt's `manifest.json` and `catalog.json`: models, sources, seeds and snapshots as tables, with tests as keys and refs as lineage."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from contracts.base import Json
from contracts.catalogue import CatalogueProblem, EdgeKind, NodeKind
from contracts.statements import Name, code, say
from contracts.tables import MOST_VALUES, ColumnDetail, ForeignKey, TableDetail
from workers.catalogue.forms.dbt_metrics import Metrics, NoFormula
from workers.catalogue.forms.files import read_text
from workers.catalogue.forms.loose_json import as_list, as_mapping, mappings
from workers.catalogue.forms.query_nodes import QueryReader, Tables
from workers.catalogue.forms.table_nodes import table_nodes
from workers.catalogue.nodes import Edge, Node, node_id, says
from workers.catalogue.store import Item
from workers.errors import InvalidInput, NotFound
from workers.saying.reasons import reason_of

_MOST_ABOVE = 6
"""Folders between a file of a dbt project and its root."""
_REF = re.compile(r"(?:ref|source)\(([^()]*)\)")
_PLAIN = re.compile(r"[\w$#]+")
_QUOTES = ('""', "``", "[]")
_DBT, _DBT_UTILS = (None, "dbt"), (None, "dbt_utils")
_PACKAGES = {**dict.fromkeys(("unique", "not_null", "accepted_values", "relationships"), _DBT), "unique_combination_of_columns": _DBT_UTILS}
"""Generic tests that are understood, each with the packages whose test it is: another package's test of that name says something else."""
_UNQUOTED = str.maketrans("", "", '"`[]')
_NOT_KEPT = frozenset({"snowflake", "bigquery", "redshift", "databricks", "spark", "athena", "trino"})
"""Adapters of databases that take a key and do not hold a row to it."""
_TABLES = ("model", "seed", "snapshot", "source")


def read_dbt(folder: Path, source: str) -> Iterator[Item]:
    """The project behind a `target` folder, behind its manifest, or of a folder. Raises `NotFound` or `InvalidInput`."""
    manifest_path = folder / "manifest.json" if folder.is_dir() else folder
    if not manifest_path.is_file() and (project := project_of(folder)):
        manifest_path = project / "target" / "manifest.json"
    if not manifest_path.is_file():
        raise NotFound.of(say("refused.import.no_manifest", file=Name(text=str(manifest_path)), command=code("dbt docs generate")))
    manifest, catalog = read_manifest(manifest_path), {}
    if (catalog_path := manifest_path.with_name("catalog.json")).is_file():
        catalog = read_manifest(catalog_path)
    nodes = {**members_of(manifest, "nodes"), **members_of(manifest, "sources")}
    if not nodes:
        raise InvalidInput.of(say("refused.import.not_manifest", file=Name(text=manifest_path.name)))
    known = {**members_of(catalog, "nodes"), **members_of(catalog, "sources")}
    names = {unique: full_name(node) for unique, node in nodes.items() if node.get("resource_type") in _TABLES and not _is_ephemeral(node)}
    adapter = str(as_mapping(manifest.get("metadata")).get("adapter_type") or "")
    tests = promises_of(nodes, names, adapter)
    tables: list[TableDetail] = []
    for unique in names:
        try:
            tables.append(_table(nodes[unique], known.get(unique, {}), tests.get(unique, {})))
        except (TypeError, ValueError, AttributeError) as error:
            yield CatalogueProblem(place=unique, reason=say("refused.import.part.unread", reason=reason_of(error, 200)))
            continue
        yield from table_nodes(source, tables[-1], tags=[str(tag) for tag in as_list(nodes[unique].get("tags"))][:50])
    yield from _lineage(nodes, names, source, tables, adapter)
    metrics = Metrics(manifest, names)
    for unique, metric in members_of(manifest, "metrics").items():
        yield from _metric(metric, unique, source, names, metrics)


def project_of(path: Path) -> Path | None:
    """The folder of the dbt project that a path is in; None: it is in none."""
    return next((folder for folder in (path, *path.resolve().parents[:_MOST_ABOVE]) if (folder / "dbt_project.yml").is_file()), None)


def read_manifest(path: Path) -> Json:
    """`manifest.json` or `catalog.json`. Raises `NotFound` or `InvalidInput`."""
    try:
        value: Any = json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise InvalidInput.of(say("refused.import.no_json", file=Name(text=str(path)))) from None
    if not isinstance(value, dict):
        raise InvalidInput.of(say("refused.import.no_object", file=Name(text=str(path))))
    return cast("Json", value)


def members_of(value: Json, name: str) -> dict[str, Json]:
    """The mappings in a part of a mapping, by their keys."""
    return {key: as_mapping(member) for key, member in as_mapping(value.get(name)).items() if isinstance(member, Mapping)}


def full_name(node: Json) -> str:
    """The name of the table that a node is, with its schema."""
    name = str(node.get("alias") or node.get("identifier") or node.get("name") or "")
    return f"{node['schema']}.{name}" if node.get("schema") else name


def _table(node: Json, known: Json, tests: Mapping[str, Any]) -> TableDetail:
    schema, _, name = full_name(node).rpartition(".")
    described = {column.lower(): about for column, about in members_of(node, "columns").items()}
    typed = {column.lower(): about for column, about in members_of(known, "columns").items()}
    ordered = sorted(typed, key=lambda column: (int(typed[column].get("index") or 0), column)) or list(described)
    columns = [_column(name, described.get(name, {}), typed.get(name, {}), tests) for name in dict.fromkeys([*ordered, *described])]
    stats = as_mapping(as_mapping(known.get("stats")).get("num_rows") or as_mapping(known.get("stats")).get("row_count"))
    rows = stats.get("value")
    return TableDetail(
        name=name,
        schema_name=schema,
        columns=tuple(columns),
        description=str(node.get("description") or ""),
        primary_key=tuple(tests.get("primary_key", ())),
        unique=(*((column,) for column in tests.get("unique", ())), *tests.get("together", ())),
        foreign_keys=tuple(
            ForeignKey(columns=columns, table=other, references=fields) for columns, other, fields in tests.get("references", ())
        ),
        rows=int(rows) if isinstance(rows, int | float) else None,
        is_view=as_mapping(node.get("config")).get("materialized") == "view",
    )


def _column(name: str, described: Json, typed: Json, tests: Mapping[str, Any]) -> ColumnDetail:
    values = [str(value) for value in as_mapping(tests.get("values")).get(name, ())]
    return ColumnDetail(
        name=str(typed.get("name") or described.get("name") or name),
        type=str(typed.get("type") or described.get("data_type") or ""),
        description=str(described.get("description") or typed.get("comment") or ""),
        nullable=False if name in tests.get("not_null", ()) else None,
        values=tuple(values) if len(values) <= MOST_VALUES else (),
    )


def promises_of(nodes: Mapping[str, Json], names: Mapping[str, str], adapter: str = "") -> dict[str, dict[str, Any]]:
    """What the generic tests and the constraints of enforced contracts promise of each model: unique, not_null, accepted_values,
    relationships. `names`: tables by their id. `adapter`: of the database, as the manifest names it."""
    found: defaultdict[str, dict[str, Any]] = defaultdict(
        lambda: {"unique": [], "together": [], "not_null": set[str](), "values": {}, "references": [], "primary_key": []}
    )
    for node in nodes.values():
        if (test := as_mapping(node.get("test_metadata"))) and is_of_all_rows(as_mapping(node.get("config"))):
            _tests(found, node, test, names)
    for unique, node in nodes.items():
        if unique in names and _enforces(node):
            _constrained(found[unique], node, names, are_keys_held=adapter not in _NOT_KEPT)
    for promised in found.values():
        keys = [column for column in promised["unique"] if column in promised["not_null"]]
        promised["primary_key"] = promised["primary_key"] or keys[:1]
    for promised in found.values():  # a relationship says that values are there, not that they are there once
        promised["references"] = [
            (columns, names[other], fields)
            for columns, other, fields in promised["references"]
            if other in found and (fields in [(each,) for each in found[other]["unique"]] or fields == tuple(found[other]["primary_key"]))
        ]
    return dict(found)


def _tests(found: Mapping[str, dict[str, Any]], node: Json, test: Json, names: Mapping[str, str]) -> None:
    """Take in what a test promises of its model."""
    about = as_mapping(test.get("kwargs"))
    if _package(node, test) not in _PACKAGES.get(str(test.get("name")), ()):
        return
    reads = [other for other in as_list(as_mapping(node.get("depends_on")).get("nodes")) if other in names]
    on = str(node.get("attached_node") or _tested(str(about.get("model") or ""), reads))
    column = _column_in(about.get("column_name") or node.get("column_name"))
    together = tuple(_column_in(each) for each in as_list(about.get("combination_of_columns")))
    if on not in names or not (column or together) or not all(together):
        return
    promised = found[on]
    match test.get("name"):
        case "unique_combination_of_columns" if together:
            promised["together"].append(together)
        case "unique":
            promised["unique"].append(column)
        case "not_null":
            promised["not_null"].add(column)
        case "accepted_values":
            promised["values"][column] = as_list(about.get("values"))
        case "relationships":
            others = [other for other in reads if other != on]
            if others and (field := _column_in(about.get("field"))):
                promised["references"].append(((column,), others[0], (field,)))
        case _:
            pass


def _package(node: Json, test: Json) -> object:
    """The package whose test it is. A project's own test in the place of dbt's is seen by its macro alone. None: the manifest does not
    say."""
    macros = (str(macro).split(".") for macro in as_list(as_mapping(node.get("depends_on")).get("macros")))
    of_test = (package for _, package, *rest in macros if rest == [f"test_{test.get('name')}"])
    return next(of_test, test.get("namespace"))


def _column_in(written: object) -> str:
    """The column that an argument of a test names, quoted or not; empty for an expression, which promises nothing of any column."""
    text = str(written or "").strip()
    if text[:1] + text[-1:] in _QUOTES:
        return text[1:-1].lower()
    return text.lower() if _PLAIN.fullmatch(text) else ""


def _enforces(node: Json) -> bool:
    """Whether dbt makes the table with the constraints of its contract: a view has none, and without a contract they are words."""
    config = as_mapping(node.get("config"))
    return as_mapping(config.get("contract")).get("enforced") is True and config.get("materialized") not in ("view", "materialized_view")


def _constrained(promised: dict[str, Any], node: Json, names: Mapping[str, str], *, are_keys_held: bool) -> None:
    """Add what the constraints of a model promise, those of its columns too."""
    own = [
        {**rule, "columns": [name]} for name, column in members_of(node, "columns").items() for rule in mappings(column.get("constraints"))
    ]
    for rule in (*own, *mappings(node.get("constraints"))):
        columns = tuple(str(column).lower() for column in as_list(rule.get("columns")))
        match rule.get("type") if columns and (are_keys_held or rule.get("type") == "not_null") else None:
            case "primary_key":
                promised["primary_key"] = list(columns)
                promised["not_null"].update(columns)
            case "unique":
                promised["unique" if len(columns) == 1 else "together"].append(columns[0] if len(columns) == 1 else columns)
            case "not_null":
                promised["not_null"].update(columns)
            case "foreign_key":
                fields = tuple(str(field).lower() for field in as_list(rule.get("to_columns")))
                other = _leads_to(str(rule.get("to") or ""), names)
                if other and len(fields) == len(columns):
                    promised["references"].append((columns, other, fields))
            case _:
                continue


def _tested(model: str, reads: Sequence[str]) -> str:
    """The node that a test is of, which before dbt 1.5, and of a source still, only its argument names: `ref('orders')`."""
    named = [*_REF.finditer(model)]
    last = named[-1][1].rpartition(",")[2].strip(" '\"") if named else ""
    return next((node for node in reads if len(reads) == 1 or node.rpartition(".")[2] == last), "")


def _leads_to(written: str, names: Mapping[str, str]) -> str:
    """The node that the `to` of a constraint means: `ref('customers')`, or its full name once dbt has compiled it; empty: none here."""
    if "(" in written:
        last = written.rpartition("(")[2].rstrip(" )").rpartition(",")[2].strip(" '\"")
        return next((node for node in names if node.rpartition(".")[2] == last), "")
    return next((node for node, name in names.items() if f".{written.translate(_UNQUOTED)}".endswith(f".{name}")), "")


def is_of_all_rows(config: Json) -> bool:
    """Whether a test of this configuration fails at the first row of the whole table that breaks it. Under a condition, switched off, with
    a count of its own, or as a warning it proves nothing of the table."""
    is_of_failures = str(config.get("fail_calc") or "count(*)").replace(" ", "").lower() == "count(*)"
    is_error = str(config.get("severity") or "error").lower() == "error" and str(config.get("error_if") or "!= 0").replace(" ", "") == "!=0"
    return is_error and is_of_failures and config.get("enabled") is not False and not config.get("where")


def _lineage(nodes: Mapping[str, Json], names: Mapping[str, str], source: str, tables: list[TableDetail], dialect: str) -> Iterator[Item]:
    reader = QueryReader(source, dialect, Tables(tables))
    for unique, target in names.items():
        node = nodes[unique]
        start = node_id(NodeKind.TABLE, source, target)
        for other in _read_by(node, nodes, names):
            yield Edge(EdgeKind.DERIVES, start, node_id(NodeKind.TABLE, source, names[other]), source)
        compiled = node.get("compiled_code") or node.get("compiled_sql")
        if isinstance(compiled, str) and compiled.strip():
            try:
                reader.read_lineage(f"CREATE TABLE {target} AS {compiled}")
            except Exception as error:  # somebody else's SQL and a parser: the other models are read
                yield CatalogueProblem(place=unique, reason=say("refused.import.part.lineage", reason=reason_of(error, 200)))
    yield from reader.together()


def _read_by(node: Json, nodes: Mapping[str, Json], names: Mapping[str, str]) -> Iterator[str]:
    """The ids of the tables that a node reads, itself or by an ephemeral model."""
    waiting, seen = [node], set[str]()
    while waiting:
        for other in as_list(as_mapping(waiting.pop().get("depends_on")).get("nodes")):
            if not isinstance(other, str) or other in seen:
                continue
            seen.add(other)
            if other in names:
                yield other
            elif other in nodes and _is_ephemeral(nodes[other]):
                waiting.append(nodes[other])


def _is_ephemeral(node: Json) -> bool:
    """No table: dbt writes its query into those of the models that read it."""
    return as_mapping(node.get("config")).get("materialized") == "ephemeral"


def _metric(metric: Json, unique: str, source: str, names: Mapping[str, str], metrics: Metrics) -> Iterator[Item]:
    name = str(metric.get("label") or metric.get("name") or unique)
    formula, restriction = "", ""
    try:
        if any(metric.get(part) for part in ("type_params", "calculation_method", "expression", "sql")):
            formula, restriction = metrics.formula(metric)
    except NoFormula as without:
        formula = metrics.written(metric)
        yield CatalogueProblem(place=unique, reason=without.reason)
    meta = {**as_mapping(metric.get("meta")), **as_mapping(as_mapping(metric.get("config")).get("meta"))}
    content = says(
        name=name, description=str(metric.get("description") or ""), formula=formula, restriction=restriction,
        owner=str(meta.get("owner") or ""), grain=str(metric.get("time_granularity") or ""), synonyms=[str(metric.get("name") or "")],
    )  # fmt: skip
    node = Node(NodeKind.METRIC, source, name, content)
    yield node
    for other in as_list(as_mapping(metric.get("depends_on")).get("nodes")):
        if other in names:
            yield Edge(EdgeKind.MEASURES, node.id, node_id(NodeKind.TABLE, source, names[other]), source)
