"""Lineage against what the tests of a lineage tool assert: exact sets of tables, and of edges between columns."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.lineage import lineage as sqlglot_lineage  # pyright: ignore[reportUnknownVariableType] its schema has no type

from contracts.tables import ColumnDetail, TableDetail
from tests.evals.libraries.json_lines import read_lines
from tests.evals.libraries.sql.measurement import Measured, Measurement
from workers.engines.sql.lineage import script_lineage
from workers.engines.sql.trees import NotParsed, dialect_of, parse
from workers.kinds.base import Bench

Edges = frozenset[tuple[str, str, str, str]]
"""(source table, source column, target table, target column), lower case."""
Names = frozenset[str]

READS = re.compile(r"\b(?:from|join|using)\s+([\w.`\"\[\]]+)", re.IGNORECASE)
WRITES = re.compile(
    r"\b(?:insert\s+(?:into|overwrite)(?:\s+table)?|create\s+(?:table|view)(?:\s+if\s+not\s+exists)?|merge\s+into|update)\s+([\w.`\"\[\]]+)",
    re.IGNORECASE,
)


def measure_lineage(bench: Bench, data: Path) -> Measured:
    """Ours, sqlglot's own for columns, and two regular expressions for tables."""
    tables, columns = list(read_lines(data / "etl/table_lineage.jsonl")), list(read_lines(data / "etl/column_lineage.jsonl"))
    known = _known(data / "etl/column_lineage_metadata.json")
    wrong: dict[str, list[str]] = {name: [] for name in ("tables", "tables_regex", "columns", "columns_sqlglot")}
    for case in tables:
        gold = (_clean(case["sources"]), _clean(case["targets"]))
        found = script_lineage(case["sql"], (), case["dialect"])
        if (_clean(found.sources), _clean(found.targets)) != gold:
            wrong["tables"].append(case["id"])
        if (_clean(READS.findall(case["sql"])), _clean(WRITES.findall(case["sql"]))) != gold:
            wrong["tables_regex"].append(case["id"])
    for case in columns:
        gold_edges = _gold(case)
        if _ours(case, known) != gold_edges:
            wrong["columns"].append(case["id"])
        if _sqlglot(case, known) != gold_edges:
            wrong["columns_sqlglot"].append(case["id"])
    return Measured(
        {
            "lineage_columns_exact": 1 - len(wrong["columns"]) / len(columns),
            "lineage_columns_exact_sqlglot": 1 - len(wrong["columns_sqlglot"]) / len(columns),
            "lineage_tables_exact": 1 - len(wrong["tables"]) / len(tables),
            "lineage_tables_exact_regex": 1 - len(wrong["tables_regex"]) / len(tables),
        },
        {"lineage_columns": len(columns), "lineage_tables": len(tables)},
        {"lineage_columns_exact": tuple(wrong["columns"]), "lineage_tables_exact": tuple(wrong["tables"])},
    )


def _known(path: Path) -> tuple[TableDetail, ...]:
    found: Mapping[str, list[str]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return tuple(
        TableDetail(
            name=name.rpartition(".")[2],
            schema_name=name.rpartition(".")[0],
            columns=tuple(ColumnDetail(name=column) for column in columns),
        )
        for name, columns in found.items()
    )


def _clean(names: Any) -> Names:
    return frozenset(re.sub(r"[`\"\[\]]", "", name).lower().removeprefix("<default>.") for name in names)


def _gold(case: Mapping[str, Any]) -> Edges:
    return frozenset(
        ((source[1] or "").lower(), source[0].lower(), (target[1] or "").lower(), target[0].lower())
        for source, target in case["column_lineage"] or ()
    )


def _ours(case: Mapping[str, Any], known: tuple[TableDetail, ...]) -> Edges:
    tables = known if case.get("needs_metadata") else ()
    found = script_lineage(case["sql"], tables, case["dialect"], lateral_aliases=bool(case.get("lateral_alias_reference")))
    return frozenset(
        (edge.source_table.lower(), edge.source_column.lower(), edge.target_table.lower(), edge.target_column.lower())
        for edge in found.columns
    )


def _sqlglot(case: Mapping[str, Any], known: tuple[TableDetail, ...]) -> Edges:
    """The lineage that sqlglot has for queries, and the table that the statement writes: the trivial method."""
    nested: dict[str, dict[str, dict[str, str]]] = {}
    for table in known if case.get("needs_metadata") else ():
        nested.setdefault(table.schema_name, {})[table.name] = {column.name: "text" for column in table.columns}
    edges = set[tuple[str, str, str, str]]()
    try:
        for tree in parse(case["sql"], case["dialect"]):
            target = tree.find(exp.Table)
            query = tree.expression if isinstance(tree, exp.Insert | exp.Create) else tree
            if not isinstance(query, exp.Query) or target is None:
                continue
            written = target.sql().lower() if query is not tree else ""
            for select in query.named_selects:
                node = sqlglot_lineage(select, query.copy(), schema=nested, dialect=dialect_of(case["dialect"]) or None)
                for leaf in node.walk():
                    if not leaf.downstream and isinstance(leaf.expression, exp.Table):
                        bare = ".".join(part.name for part in leaf.expression.parts).lower()
                        edges.add((bare, leaf.name.rpartition(".")[2].strip('"').lower(), written, select.lower()))
    except (NotParsed, SqlglotError, ValueError, KeyError, AttributeError):
        return frozenset()
    return frozenset(edges)


LINEAGE = Measurement("lineage", "etl/column_lineage.jsonl", measure_lineage)
