"""Finding nodes and FROM items while names are resolved."""

from collections.abc import Iterator

from sqlglot import exp

from workers.engines.sql.names.model import Scope, Source
from workers.engines.sql.trees import within


def target_of(node: object) -> exp.Table | None:
    """The table that a statement writes, with or without a list of columns."""
    if isinstance(node, exp.Schema):
        node = node.this
    return node if isinstance(node, exp.Table) and not isinstance(node.this, exp.Func) else None


def columns_and_queries(node: exp.Expr) -> Iterator[exp.Column | exp.Query]:
    """The columns of an expression, and its nested queries as a whole."""
    if isinstance(node, exp.Query):
        yield node
        return
    for inner in within(node):
        if isinstance(inner, exp.Column | exp.Query):
            yield inner


def find_source(scope: Scope, node: exp.Column) -> Source | None:
    """The FROM item that the qualifier of a column names: by alias, or by the name of a table without one."""
    if found := scope.sources.get(node.table.lower()):
        return found
    written = ".".join(part.name for part in node.parts[:-1]).lower()
    names = [source for source in scope.sources.values() if source.table_name and source.node.alias == ""]
    return next((source for source in names if source.table_name.lower().endswith(written)), None)


def visible_from(scope: Scope) -> Iterator[Source]:
    """The FROM items of a query and of those around it, the nearest first."""
    around: Scope | None = scope
    while around is not None:
        yield from around.sources.values()
        around = around.outer
