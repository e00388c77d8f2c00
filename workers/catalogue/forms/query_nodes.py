"""Queries as nodes and edges: what they read and write, on which columns they join, what they compute from what."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlglot import exp

from contracts.base import Json
from contracts.catalogue import CatalogueProblem, EdgeKind, NodeKind
from contracts.queries import QueryPlan
from contracts.statements import count, say
from contracts.tables import TableDetail
from workers.catalogue.forms.table_nodes import table_nodes
from workers.catalogue.nodes import Edge, Node, node_id, says
from workers.catalogue.store import Item
from workers.engines.sql.lineage import column_edges, script_lineage, source_tables, target_table
from workers.engines.sql.names import Resolved, Source, resolve
from workers.engines.sql.trees import parse, parse_statement
from workers.saying.reasons import reason_of

LONGEST = 100_000
"""Characters of a statement that is read."""

_MOST_PARTS = 50
"""Columns, joins and filters that are kept of one query."""

Pair = tuple[str, tuple[str, ...], str, tuple[str, ...]]
"""Left table, its columns, right table, its columns."""


class Tables:
    """The known tables of a source by their names. Only those that a statement mentions are handed to the SQL engine."""

    def __init__(self, tables: Sequence[TableDetail]) -> None:
        self._by_name: defaultdict[str, list[TableDetail]] = defaultdict(list)
        for table in tables:
            self._by_name[table.name.lower()].append(table)

    def mentioned(self, tree: exp.Expr) -> list[TableDetail]:
        """Those that may be meant in a statement."""
        names = dict.fromkeys(node.name.lower() for node in tree.find_all(exp.Table))
        return [table for name in names for table in self._by_name.get(name, ())]

    def full_name(self, written: str) -> str:
        """The full name of a table as it is written in a statement; as it is written where it is not known."""
        parts = written.lower().split(".")
        candidates = self._by_name.get(parts[-1], [])
        fitting = [table for table in candidates if len(parts) == 1 or table.schema_name.lower() in ("", parts[-2])]
        return fitting[0].full_name if fitting else written

    def knows(self, name: str) -> bool:
        """Whether there is such a table."""
        return any(table.full_name == name for table in self._by_name.get(name.rpartition(".")[2].lower(), ()))


@dataclass
class QueryReader:
    """Reads queries of one source; what they say together comes last (`together`)."""

    source: str
    dialect: str
    tables: Tables
    joins: Counter[Pair] = field(default_factory=Counter[Pair])
    derived: defaultdict[tuple[str, str, str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """(target table, its column, source table, its column) → queries. Without columns: the tables."""
    queries: dict[str, Json] = field(default_factory=dict[str, Json])

    def read(self, sql: str, place: str, *, question: str = "", summary: str = "", runs: int = 1) -> Iterator[Item]:
        """One statement. Adds to what the queries say together; yields problems only, since the same query may come again."""
        if len(sql) > LONGEST:
            yield CatalogueProblem(place=place, reason=say("refused.import.part.long", most=count(LONGEST, exact=True)))
            return
        try:
            content = self._content(sql, runs)
        except Exception as error:  # somebody else's statement and a parser: after any error the other statements are read
            yield CatalogueProblem(place=place, reason=say("refused.import.part.unread", reason=reason_of(error, 200)))
            return
        if content is None:
            return
        key = query_key(content["sql"])
        if (known := self.queries.get(key)) is not None:
            known["runs"] += runs
        else:
            self.queries[key] = content
        if question:
            self.queries[key]["question"] = question
        if summary:
            self.queries[key].setdefault("summary", summary)

    def read_lineage(self, script: str) -> None:
        """What a whole script computes, tables in between left out. Raises what a parser raises."""
        found = script_lineage(script, self._mentioned(script), self.dialect)
        for edge in found.columns:
            if edge.source_table and edge.target_table and edge.source_column != "*":
                target, origin = self.tables.full_name(edge.target_table), self.tables.full_name(edge.source_table)
                self.derived[target, edge.target_column, origin, edge.source_column].add(query_key(script))
                self.derived[target, "", origin, ""].add(query_key(script))
        for target in found.targets:
            for origin in found.sources:
                if origin.lower() != target.lower():
                    self.derived[self.tables.full_name(target), "", self.tables.full_name(origin), ""].add(query_key(script))

    def _mentioned(self, script: str) -> list[TableDetail]:
        return list(dict.fromkeys(table for tree in parse(script, self.dialect) for table in self.tables.mentioned(tree)))

    def _content(self, sql: str, runs: int) -> Json | None:
        tree = parse_statement(sql, self.dialect)
        if not isinstance(tree, exp.Query | exp.Insert | exp.Create | exp.Merge | exp.Update):
            return None  # nothing is read: DDL without a query, GRANT, SET
        resolved = resolve(tree, self.tables.mentioned(tree), self.dialect)
        read = tuple(dict.fromkeys(self.tables.full_name(name) for name in source_tables(resolved)))
        target = target_table(resolved)
        if not read:
            return None
        joins = list(_joins(resolved, self.tables))
        for pair in joins:
            self.joins[pair] += runs
        columns = dict.fromkeys(
            f"{self.tables.full_name(found.source.table_name)}.{found.name}"
            for found in resolved.columns
            if found.source is not None and found.source.is_table
        )
        return says(
            sql=sql.strip(),
            summary=_comment(sql),
            tables=list(read),
            target=self.tables.full_name(target) if target else "",
            columns=list(columns)[:_MOST_PARTS],
            joins=[_joined(pair) for pair in joins][:_MOST_PARTS],
            filters=list(_filters(resolved.tree))[:_MOST_PARTS],
            lineage=[f"{e.target_column} = {e.source_table}.{e.source_column}" for e in column_edges(resolved, sql)][:_MOST_PARTS],
            runs=runs,
        )

    def together(self) -> Iterator[Item]:
        """The queries, the joins that they make, and what they compute from what."""
        for key, content in self.queries.items():
            node = Node(NodeKind.QUERY, self.source, key, content)
            yield node
            for table in content["tables"]:
                yield Edge(EdgeKind.REFERENCES, node.id, node_id(NodeKind.TABLE, self.source, table), self.source)
            if target := content.get("target"):
                yield Edge(EdgeKind.DERIVES, node_id(NodeKind.TABLE, self.source, target), node.id, self.source)
        for (left, columns, right, others), queries in self.joins.items():
            label = f"{','.join(columns)}={','.join(others)}"
            about = {"columns": list(columns), "references": list(others), "evidence": "queries", "queries": queries}
            yield Edge(EdgeKind.REFERENCES, self._table(left), self._table(right), self.source, label, about)
        yield from self._unknown_tables()
        for (target, column, origin, origin_column), queries in self.derived.items():
            start = self._column(target, column) if column else self._table(target)
            end = self._column(origin, origin_column) if origin_column else self._table(origin)
            yield Edge(EdgeKind.DERIVES, start, end, self.source, "", {"queries": sorted(queries)[:20]})

    def _unknown_tables(self) -> Iterator[Item]:
        """Tables that nothing but these queries says anything about, so that lineage has a place to lead to."""
        columns: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for target, column, origin, origin_column in self.derived:
            for table, name in ((target, column), (origin, origin_column)):
                if not self.tables.knows(table):
                    columns[table] |= {name: None} if name else {}
        for table, names in columns.items():
            schema, _, name = table.rpartition(".")
            detail = TableDetail.model_validate({"name": name, "schema_name": schema, "columns": [{"name": column} for column in names]})
            yield from table_nodes(self.source, detail)

    def _table(self, name: str) -> str:
        return node_id(NodeKind.TABLE, self.source, name)

    def _column(self, table: str, column: str) -> str:
        return node_id(NodeKind.COLUMN, self.source, f"{table}.{column}")


def query_key(sql: str) -> str:
    """The key of a query: its text without differences of white space."""
    return hashlib.sha256(" ".join(sql.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def confirmed_nodes(
    source: str, question: str, sql: str, tables: Sequence[str], *, owner: str, at: datetime, plan: QueryPlan | None = None
) -> Iterator[Item]:
    """A query that a user confirmed. What it reads is taken from `tables`: it has been run, so nothing is guessed. `plan`: of which it was
    made."""
    content = says(
        sql=sql.strip(), question=question.strip()[:10_000], tables=list(dict.fromkeys(tables)), confirmed_by=owner,
        confirmed_at=at.isoformat(), runs=1, plan=plan.to_json() if plan is not None else None,
    )  # fmt: skip
    node = Node(NodeKind.QUERY, source, query_key(sql), content)
    yield node
    for table in dict.fromkeys(tables):
        yield Edge(EdgeKind.REFERENCES, node.id, node_id(NodeKind.TABLE, source, table), source)
        yield Edge(EdgeKind.ANSWERS, node.id, node_id(NodeKind.TABLE, source, table), source)


def _joins(resolved: Resolved, tables: Tables) -> Iterator[Pair]:
    """Equalities between columns of two tables, those of the same two together."""
    found: defaultdict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    sources: dict[int, Source] = {}
    for equality in resolved.tree.find_all(exp.EQ):
        left, right = (resolved.column(side) if isinstance(side, exp.Column) else None for side in (equality.left, equality.right))
        if left is None or right is None or left.source is None or right.source is None or left.source is right.source:
            continue
        if not (left.source.is_table and right.source.is_table):
            continue
        if (tables.full_name(left.source.table_name), left.name) > (tables.full_name(right.source.table_name), right.name):
            left, right = right, left
        first, second = left.source, right.source
        if first is not None and second is not None:
            sources |= {id(first): first, id(second): second}
            found[id(first), id(second)].append((left.name, right.name))
    for (first, second), columns in found.items():
        pairs = list(dict.fromkeys(columns))
        yield (
            tables.full_name(sources[first].table_name), tuple(left for left, _ in pairs),
            tables.full_name(sources[second].table_name), tuple(right for _, right in pairs),
        )  # fmt: skip


def _joined(pair: Pair) -> str:
    left, columns, right, others = pair
    return " AND ".join(f"{left}.{column} = {right}.{other}" for column, other in zip(columns, others, strict=True))


def _filters(tree: exp.Expr) -> Iterator[str]:
    """Conditions of WHERE and HAVING that are not joins."""
    for clause in tree.find_all(exp.Where, exp.Having):
        for condition in clause.this.flatten() if isinstance(clause.this, exp.And) else [clause.this]:
            if not (isinstance(condition, exp.EQ) and isinstance(condition.left, exp.Column) and isinstance(condition.right, exp.Column)):
                yield condition.sql()[:300]


def _comment(sql: str) -> str:
    """The comment before a statement: what its author calls it."""
    lines: list[str] = []
    for line in sql.strip().splitlines():
        if not line.strip().startswith("--"):
            break
        lines.append(line.strip().lstrip("- "))
    return " ".join(lines)[:500]
