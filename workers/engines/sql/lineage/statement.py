"""What one statement reads and writes: tables, and columns by columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from workers.engines.sql.lineage.columns import Origin, Origins
from workers.engines.sql.lineage.items import item_text
from workers.engines.sql.names import Output, Resolved
from workers.engines.sql.trees import table_name


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """A column that is computed from another one."""

    source_table: str
    """As it is written; empty: it cannot be said."""
    source_column: str
    """`*`: any column, as in COUNT(*) or the star of a table whose columns are not known."""
    target_table: str
    """Empty: the statement is a query."""
    target_column: str


def source_tables(resolved: Resolved) -> tuple[str, ...]:
    """The tables that a statement reads. An UPDATE or MERGE reads its target only where a query in it does."""
    target = resolved.target
    own = {id(target.node)} if target is not None else set[int]()
    if isinstance(resolved.tree, exp.Update | exp.Delete | exp.Merge):
        return tuple(dict.fromkeys(source.table_name for source in resolved.tables if id(source.node) not in own))
    return tuple(dict.fromkeys(source.table_name for source in resolved.tables))


def target_table(resolved: Resolved) -> str:
    """The table that a statement writes; empty: none."""
    into = resolved.tree.find(exp.Into)
    if into is not None and isinstance(into.this, exp.Table):
        return table_name(into.this)
    return resolved.target.table_name if resolved.target is not None else ""


def column_edges(resolved: Resolved, text: str = "") -> tuple[ColumnEdge, ...]:
    """Each column that is written, or that a query yields, and those that it is computed from. `text`: the statement as it was
    written, from which outputs without a name take theirs."""
    target, origins = target_table(resolved), Origins(resolved)
    edges: dict[ColumnEdge, None] = {}
    for column, found in _written(resolved, origins, text):
        for table, name in found:
            edges[ColumnEdge(table, name, target, column)] = None
    return tuple(edges)


def _written(resolved: Resolved, origins: Origins, text: str) -> Iterator[tuple[str, tuple[Origin, ...]]]:
    tree, root = resolved.tree, resolved.root
    if isinstance(tree, exp.Update):
        yield from _assigned(tree, origins)
    elif isinstance(tree, exp.Merge):
        yield from _merged(tree, origins)
    elif isinstance(tree, exp.Delete) or root is None:
        return
    else:
        names = _target_names(resolved)
        for place, output in enumerate(root.outputs):
            name = names[place] if place < len(names) else _output_name(output, text, resolved.dialect)
            yield name, origins.of_output(root, place)


def _target_names(resolved: Resolved) -> list[str]:
    """The columns that an INSERT or a CREATE names, or, where the target is known and has as many as the query, those of the target."""
    tree, root = resolved.tree, resolved.root
    if isinstance(tree.this, exp.Schema):
        return [node.name for node in tree.this.expressions]
    target = resolved.target
    if (
        isinstance(tree, exp.Insert)
        and not tree.args.get("by_name")
        and target is not None
        and target.table is not None
        and root is not None
    ):
        return [column.name for column in target.table.columns] if root.columns is not None else []
    return []


def _output_name(output: Output, text: str, dialect: str) -> str:
    if output.name:
        return output.name
    if output.node is None:
        return ""
    return item_text(output.node, text, dialect) if text else output.node.sql(dialect or None)


def _assigned(tree: exp.Update, origins: Origins) -> Iterator[tuple[str, tuple[Origin, ...]]]:
    for pair in tree.expressions:
        if isinstance(pair, exp.EQ):
            yield from _pairs(pair.this, pair.expression, origins)


def _pairs(left: exp.Expr, right: exp.Expr, origins: Origins) -> Iterator[tuple[str, tuple[Origin, ...]]]:
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
        for column, value in zip(left.expressions, right.expressions, strict=False):
            yield column.name, origins.of_expression(value)
    else:
        for column in left.expressions if isinstance(left, exp.Tuple) else [left]:
            yield column.name, origins.of_expression(right)


def _merged(tree: exp.Merge, origins: Origins) -> Iterator[tuple[str, tuple[Origin, ...]]]:
    for when in cast("list[exp.Expr]", tree.args["whens"].expressions):
        then = when.args.get("then")
        if isinstance(then, exp.Update):
            for pair in then.expressions:
                if isinstance(pair, exp.EQ):
                    yield from _pairs(pair.this, pair.expression, origins)
        elif isinstance(then, exp.Insert) and isinstance(then.this, exp.Tuple) and isinstance(then.args.get("expression"), exp.Tuple):
            yield from _pairs(then.this, then.args["expression"], origins)
