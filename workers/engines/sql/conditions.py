"""Conditions as the rules read them: the parts joined by AND, negation, and which of them reject nulls."""

from collections.abc import Iterator

from sqlglot import exp

from workers.engines.sql.names import Scope, Source
from workers.engines.sql.script import Part
from workers.engines.sql.trees import within

COMPARING = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.ILike)


def conjuncts(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The parts of a condition that all must hold."""
    if isinstance(node, exp.Where | exp.Having | exp.Qualify | exp.Paren):
        node = node.this
    if isinstance(node, exp.And):
        yield from conjuncts(node.this)
        yield from conjuncts(node.expression)
    elif isinstance(node, exp.Expr):
        yield node


def where_of(scope: Scope) -> list[exp.Expr]:
    """The parts of a query's WHERE."""
    return list(conjuncts(scope.node.args.get("where")))


def is_negated(node: exp.Expr) -> bool:
    """A NOT is directly around it."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, exp.Not)


def is_not_null(node: exp.Expr) -> bool:
    """`x IS NOT NULL`, which the dialects' parsers hold in two forms."""
    if not isinstance(node, exp.Is) or not isinstance(node.expression, exp.Null):
        return False
    return bool(node.args.get("negate")) is not is_negated(node)


def sources_in(part: Part, node: exp.Expr) -> list[Source]:
    """The FROM items whose columns an expression names, without those in nested queries."""
    found = [part.resolved.column(inner) for inner in within(node) if isinstance(inner, exp.Column)]
    sources = [column.source for column in found if column is not None and column.source is not None]
    return list({id(source): source for source in sources}.values())


def rejects_null(part: Part, node: exp.Expr, source: Source) -> bool:
    """The condition is never true for a row in which all columns of the source are null."""
    inner = node.this if isinstance(node, exp.Not) else node
    if not isinstance(inner, COMPARING):
        return False
    sides = [inner.this] if isinstance(inner, exp.Between | exp.In) else [inner.this, inner.args.get("expression")]
    return any(isinstance(side, exp.Expr) and _passes_null(part, side, source) for side in sides)


def _passes_null(part: Part, node: exp.Expr, source: Source) -> bool:
    if node.find(exp.Coalesce, exp.Case, exp.If, exp.AggFunc) is not None or isinstance(node, exp.Query):
        return False
    return any(found is source for found in sources_in(part, node))


def has_spine(scope_tree: exp.Expr) -> bool:
    """The script makes or reads a list of days."""
    if any(with_.args.get("recursive") for with_ in scope_tree.find_all(exp.With)):
        return True
    if scope_tree.find(exp.GenerateSeries, exp.GenerateDateArray, exp.GenerateTimestampArray, exp.ExplodingGenerateSeries) is not None:
        return True
    names = {table.name.lower() for table in scope_tree.find_all(exp.Table)} | {
        node.name.lower() for node in scope_tree.find_all(exp.Anonymous)
    }
    return any(
        word in name
        for name in names
        for word in ("calendar", "dates", "dim_date", "date_dim", "spine", "generate_series", "range", "days")
    )
