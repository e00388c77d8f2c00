"""Reads a string that holds a single expression of SQL: `F.expr("sum(x) over (partition by k)")`, `df.filter("a > 1")`."""

from sqlglot import exp

from workers.engines.sql.operations.clauses import partition_of
from workers.engines.sql.operations.scope import columns
from workers.engines.sql.operations.statements import expression

EXPRESSION_CHARS = 20_000


def expression_columns(text: str) -> tuple[str, ...]:
    """The columns it names, each once; none if it cannot be read."""
    tree = _tree(text)
    return tuple(dict.fromkeys(column.name for column in columns(tree))) if tree is not None else ()


def expression_windows(text: str) -> tuple[tuple[str, ...], ...]:
    """What each window in it is partitioned by."""
    tree = _tree(text) if "over" in text.lower() else None
    found = tree.find_all(exp.Window) if tree is not None else ()
    return tuple(tuple(column.name for expression in partition_of(window, {}) for column in columns(expression)) for window in found)


def _tree(text: str) -> exp.Expr | None:
    try:
        return expression(text) if len(text) <= EXPRESSION_CHARS else None
    except RecursionError:
        return None
