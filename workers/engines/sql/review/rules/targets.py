"""What the script is to produce: its columns, its grain, its types, and partitions of what it reads."""

from collections import Counter
from collections.abc import Iterator

from sqlglot import exp

from contracts.sql_review import Defect, WriteMode
from contracts.statements import code, name, names
from contracts.tables import ColumnDetail
from workers.engines.sql.conditions import where_of
from workers.engines.sql.facts import TypeKind
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.rows import FROM_NAMES
from workers.engines.sql.review.suspicion import Suspicion
from workers.engines.sql.sandbox import Row, Table
from workers.engines.sql.script import Script, find_target

NARROWER = {
    (TypeKind.DECIMAL, TypeKind.INTEGER),
    (TypeKind.TIMESTAMP, TypeKind.DATE),
}


def grain(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Two rows of the result have the same key."""
    target = script.target
    if target is None or not target.key or not script.parts:
        return
    key = [column.lower() for column in target.key]
    versions = FROM_NAMES if target.mode is WriteMode.HISTORY and not set(key) & set(FROM_NAMES) else ()

    def wrong(table: Table) -> list[Row]:
        places = [number for number, column in enumerate(table.columns) if column.lower() in key]
        if len(places) != len(key):
            return []
        places += [number for number, column in enumerate(table.columns) if column.lower() in versions]
        marks = Counter(tuple(row[place] for place in places) for row in table.rows)
        return [row for row in table.rows if marks[tuple(row[place] for place in places)] > 1]

    part = script.parts[-1]
    root = part.resolved.root
    yield Suspicion(
        Defect.GRAIN,
        part,
        root.node if root is not None else part.tree,
        {"table": name(target.table), "key": names(target.key)},
        wrong=wrong,
        blocks=all(script.facts.of(table).keys for table in script.inputs),
    )


def column_missing(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A column that the target is to have is not produced."""
    target = script.target
    if target is None or not target.columns or not script.parts or script.keeps_target:
        return
    part = script.parts[-1]
    root = part.resolved.root
    made = root.columns if root is not None else None
    if made is None:
        return
    missing = [column for column in target.columns if column.lower() not in {name_.lower() for name_ in made}]
    if missing:

        def wrong(table: Table) -> list[Row]:
            return list(table.rows) if any(column.lower() not in {found.lower() for found in table.columns} for column in missing) else []

        node = root.node if root is not None else part.tree
        yield Suspicion(Defect.COLUMN_MISSING, part, node, {"columns": names(missing), "table": name(target.table)}, wrong=wrong)


def truncated(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A value goes into a column of a narrower type."""
    target = find_target(script)
    if target is None:
        return
    facts = script.facts.of(target)
    for part in script.parts:
        tree, root = part.tree, part.resolved.root
        if not isinstance(tree, exp.Insert) or root is None or part.resolved.target is None or part.resolved.target.table is not target:
            continue
        named = (
            [node.name for node in tree.this.expressions]
            if isinstance(tree.this, exp.Schema)
            else [column.name for column in target.columns]
        )
        for column, output in zip(named, root.outputs, strict=False):
            base = script.passed_on(part, output)
            if base is None:
                continue
            kinds = (script.facts.of(base[0]).kind(base[1]), facts.kind(column))
            if kinds in NARROWER:
                yield Suspicion(
                    Defect.TRUNCATED,
                    part,
                    output.node if output.node is not None else root.node,
                    {
                        "column": name(column),
                        "source": name(base[1]),
                        "type": code(_type(facts.columns, column)),
                        "wider": code(_type(script.facts.of(base[0]).columns, base[1])),
                    },
                    widened=((target.full_name.lower(), column.lower(), _type(script.facts.of(base[0]).columns, base[1])),),
                )


def _type(columns: dict[str, ColumnDetail], column: str) -> str:
    found = columns.get(column.lower())
    return found.type if found is not None else ""


def partition_missing(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A partitioned table is read as a whole."""
    for part, scope in script.scopes():
        for source in scope.sources.values():
            table = source.table
            if table is None or not table.partitioned_by or scope.select is None:
                continue
            wanted_columns = {column.lower() for column in table.partitioned_by}
            conditions = [
                *where_of(scope),
                *(other.join.args["on"] for other in scope.sources.values() if other.join and other.join.args.get("on")),
            ]
            used = {found.name.lower() for node in conditions for found in script.columns_in(part, node) if found.source is source}
            if not used & wanted_columns:
                yield Suspicion(
                    Defect.PARTITION_MISSING,
                    part,
                    source.node,
                    {"table": name(table.full_name), "columns": names(table.partitioned_by)},
                    blocks=False,
                )
