"""What each item of a FROM is."""

from collections.abc import Callable, Iterator
from typing import cast

from sqlglot import exp

from workers.engines.sql.names.known import KnownTables
from workers.engines.sql.names.model import NameProblem, NameProblemKind, Output, Scope, Source
from workers.engines.sql.trees import parts_of, place_of, table_name

Ctes = dict[str, Scope]
"""The CTEs that are visible, by name in lower case."""
ReadQuery = Callable[[exp.Expr, Scope | None, Ctes], Scope]
"""Resolves a nested query: its node, the query around it, the visible CTEs."""


class Sources:
    """Fills the sources of scopes."""

    def __init__(self, known: KnownTables, read_query: ReadQuery) -> None:
        self.known = known
        self.tables: list[Source] = []
        """All mentions of tables, in order."""
        self.arguments: list[tuple[exp.Expr, Scope]] = []
        """Arguments of table functions, whose columns belong to the scope around them."""
        self.problems: list[NameProblem] = []
        self._read_query = read_query

    def add_from(self, select: exp.Expr, scope: Scope, ctes: Ctes) -> None:
        """The FROM, the joins and the lateral views of a query or statement."""
        first = select.args.get("from_")
        if isinstance(first, exp.From):
            self.add(first.this, scope, ctes, None)
        self._add_joins(select, scope, ctes)
        for lateral in cast("list[exp.Expr]", select.args.get("laterals") or []):
            self.add(lateral, scope, ctes, None)

    def add(self, node: exp.Expr, scope: Scope, ctes: Ctes, join: exp.Join | None) -> Source | None:
        """One item, with the joins that hang on it."""
        if isinstance(node, exp.Subquery) and not isinstance(node.this, exp.Query):
            self.add(node.this, scope, ctes, join)
            made = None
        else:
            made = self._source(node, scope, ctes)
            made.join = join
            made.is_optional = join is not None and str(join.side).upper() in ("LEFT", "FULL")
            if join is not None and str(join.side).upper() in ("RIGHT", "FULL"):
                for earlier in scope.sources.values():
                    earlier.is_optional = True
            if join is not None:
                _merge(join, made, scope)
            scope.sources.setdefault((made.alias or f"#{len(scope.sources)}").lower(), made)
        self._add_joins(node, scope, ctes)
        return made

    def table(self, node: exp.Table, *, is_read: bool = True) -> Source:
        """A mention of a table."""
        name = table_name(node)
        source = Source(node.alias_or_name, node, name, self.known.find(name), column_aliases=_column_aliases(node))
        if is_read:
            self.tables.append(source)
        if source.table is None and self.known.tables:
            place = place_of(exp.Table(**{key: node.args.get(key) for key in ("this", "db", "catalog")}).copy())
            self.problems.append(NameProblem(NameProblemKind.UNKNOWN_TABLE, name, place, self.known.nearest(name), node=node))
        return source

    def _add_joins(self, node: exp.Expr, scope: Scope, ctes: Ctes) -> None:
        for join in cast("list[exp.Join]", node.args.get("joins") or []):
            self.add(join.this, scope, ctes, join)
            for part in (join.args.get("on"), join.args.get("match_condition")):
                if isinstance(part, exp.Expr):
                    self.arguments.append((part, scope))

    def _source(self, node: exp.Expr, scope: Scope, ctes: Ctes) -> Source:
        aliases = _column_aliases(node)
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Func):
            cte = ctes.get(node.name.lower()) if not node.args.get("db") else None
            if cte is not None:
                return Source(node.alias_or_name, node, scope=cte, column_aliases=aliases)
            return self.table(node)
        if isinstance(node, exp.Subquery):
            return Source(node.alias, node, scope=self._read_query(node, scope, ctes), column_aliases=aliases)
        if isinstance(node, exp.Values):
            return Source(node.alias, node, scope=_values(node, scope), column_aliases=aliases)
        inner = node.this if isinstance(node, exp.Lateral) else None
        if isinstance(inner, exp.Subquery):
            return Source(node.alias, node, scope=self._read_query(inner, scope, ctes), column_aliases=aliases)
        self.arguments.append((node, scope))
        if not aliases and isinstance(node, exp.Unnest) and node.alias:
            aliases = (node.alias,)
        return Source(node.alias or (aliases[0] if aliases else ""), node, column_aliases=aliases, is_function=True)


def _values(node: exp.Values, outer: Scope) -> Scope:
    rows = node.expressions
    cells = rows[0].expressions if rows and isinstance(rows[0], exp.Tuple) else []
    return Scope(node, outer, outputs=[Output(f"column{number}", cell) for number, cell in enumerate(cells, 1)])


def _column_aliases(node: exp.Expr) -> tuple[str, ...]:
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return ()
    return tuple(_identifiers(alias.args.get("columns") or []))


def _identifiers(nodes: list[exp.Expr]) -> Iterator[str]:
    for node in nodes:
        yield node.name


def _merge(join: exp.Join, made: Source, scope: Scope) -> None:
    using = [node.name for node in parts_of(join, "using")]
    if str(join.args.get("method") or "").upper() == "NATURAL":
        ours = {name.lower() for source in scope.sources.values() for name in source.columns or ()}
        using = [name for name in made.columns or () if name.lower() in ours]
    for name in using:
        earlier = [source for source in scope.sources.values() if source.has(name)] or [
            source for source in scope.sources.values() if source.has(name) is None
        ]
        merged = scope.merged.setdefault(name.lower(), earlier[:1])
        merged.append(made)
