"""Which columns of which tables the outputs of a query are computed from."""

from collections.abc import Iterator

from sqlglot import exp

from workers.engines.sql.names import Output, Resolved, ResolvedColumn, Scope, Source
from workers.engines.sql.trees import within

Origin = tuple[str, str]
"""(table as it is written, column). The column `*` is any column; the table is empty where it cannot be said."""

DEEPEST = 200
"""Queries in queries beyond this are not followed: a recursive CTE reads itself."""


class Origins:
    """Follows columns of one statement to tables."""

    def __init__(self, resolved: Resolved) -> None:
        self._resolved = resolved
        self._known: dict[tuple[int, str], tuple[Origin, ...]] = {}
        self._by_query: dict[int, Scope] = {}
        for scope in resolved.scopes:
            self._by_query.setdefault(id(scope.node), scope)
        self._depth = 0

    def of_output(self, scope: Scope, place: int) -> tuple[Origin, ...]:
        """Of an output by its place, from 0; of a set operation: of all its sides."""
        if scope.branches:
            sides = [self.of_output(branch, place) for branch in scope.branches]
            return tuple(dict.fromkeys(origin for side in sides for origin in side))
        if place >= len(scope.outputs):
            return self._of_star(scope)
        return self._of_item(scope.outputs[place])

    def of_expression(self, node: exp.Expr) -> tuple[Origin, ...]:
        """Of any expression of the statement."""
        return tuple(dict.fromkeys(self._in_expression(node)))

    def _of_star(self, scope: Scope) -> tuple[Origin, ...]:
        stars = [output for output in scope.outputs if output.is_star]
        return tuple(dict.fromkeys(origin for output in stars for origin in self._of_item(output)))

    def _of_item(self, output: Output) -> tuple[Origin, ...]:
        if output.is_star and output.source is not None:
            return self._of_column(output.source, "*")
        if output.source is not None:
            return self._of_column(output.source, output.column)
        return self.of_expression(output.node) if output.node is not None else ()

    def _in_expression(self, node: exp.Expr) -> Iterator[Origin]:
        if isinstance(node, exp.Query):
            yield from self._in_query(node)
            return
        for inner in within(node):
            if isinstance(inner, exp.Column):
                found = self._resolved.column(inner)
                if found is not None:
                    yield from self._of_resolved(found)
            elif isinstance(inner, exp.Query):
                yield from self._in_query(inner)
            elif isinstance(inner, exp.Star) and isinstance(inner.parent, exp.Count):
                yield from self._counted(inner)

    def _in_query(self, node: exp.Query) -> Iterator[Origin]:
        inner = node.this if isinstance(node, exp.Subquery) else node
        while isinstance(inner, exp.Subquery):
            inner = inner.this
        scope = self._by_query.get(id(inner))
        for place in range(len(scope.outputs) if scope else 0):
            yield from self.of_output(scope, place) if scope else ()

    def _counted(self, star: exp.Star) -> Iterator[Origin]:
        select = star.find_ancestor(exp.Select)
        scope = self._by_query.get(id(select)) if select is not None else None
        for source in scope.sources.values() if scope else ():
            yield from self._of_column(source, "*")

    def _of_resolved(self, found: ResolvedColumn) -> Iterator[Origin]:
        if found.alias_of is not None:
            yield from self._of_item(found.alias_of)
        elif found.source is not None and found.also and found.name.lower() not in found.scope.merged:
            yield "", found.name
        elif found.source is not None:
            for source in (found.source, *found.also):
                yield from self._of_column(source, found.name)

    def _of_column(self, source: Source, column: str) -> tuple[Origin, ...]:
        if source.is_table:
            names = source.table.columns if source.table is not None else ()
            written = next((known.name for known in names if known.name.lower() == column.lower()), column)
            return ((source.table_name, written),)
        key = (id(source), column.lower())
        if key not in self._known:
            self._known[key] = ()
            self._known[key] = self._followed(source, column)
        return self._known[key]

    def _followed(self, source: Source, column: str) -> tuple[Origin, ...]:
        if source.is_function:
            return self.of_expression(source.node)
        scope = source.scope
        if scope is None or self._depth > DEEPEST:
            return ()
        self._depth += 1
        try:
            if column == "*":
                every = [self.of_output(scope, place) for place in range(len(scope.outputs))]
                return tuple(dict.fromkeys(origin for origins in every for origin in origins))
            place = _place(source, scope, column)
            if place is not None:
                return self.of_output(scope, place)
            stars = [output for output in _flat(scope) if output.is_star and output.source is not None]
            if len(stars) == 1 and stars[0].source is not None:
                return self._of_column(stars[0].source, column)
            return (("", column),) if stars else ()
        finally:
            self._depth -= 1


def _flat(scope: Scope) -> Iterator[Output]:
    if scope.branches:
        for branch in scope.branches:
            yield from _flat(branch)
    else:
        yield from scope.outputs


def _place(source: Source, scope: Scope, column: str) -> int | None:
    names = [output.name.lower() for output in scope.outputs]
    for place, alias in enumerate(source.column_aliases[: len(names)]):
        names[place] = alias.lower()
    return names.index(column.lower()) if column.lower() in names else None
