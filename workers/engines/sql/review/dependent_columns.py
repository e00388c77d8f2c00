"""Columns that a grouping by a table's key decides: some dialects let a query select them, DuckDB wants them in its GROUP BY."""

from collections.abc import Iterator

from sqlglot import exp

from workers.engines.sql.names import KnownTables
from workers.engines.sql.script import Script
from workers.engines.sql.trees import parts_of, table_name

DIALECTS = frozenset({"postgres", "mysql", "sqlite"})
"""Where a grouping by the primary key decides all columns of its table (SQL:1999, feature T301)."""
_OUTPUTS = ("expressions", "having", "order", "qualify")


def with_dependent_columns(tree: exp.Expr, script: Script) -> None:
    """Group by the columns that the key in a GROUP BY decides as well: the groups stay as they are. Columns have their qualifiers."""
    if script.dialect not in DIALECTS:
        return
    known = KnownTables(script.tables)
    for select in list(tree.find_all(exp.Select)):
        group = select.args.get("group")
        if (
            isinstance(group, exp.Group)
            and group.expressions
            and not any(group.args.get(name) for name in ("rollup", "cube", "grouping_sets"))
        ):
            for column in _decided(select, group, known):
                group.append("expressions", column.copy())


def _decided(select: exp.Select, group: exp.Group, known: KnownTables) -> Iterator[exp.Column]:
    by = {_place(item) for item in (_grouped(item, select) for item in group.expressions) if isinstance(item, exp.Column)}
    keyed = {alias for alias, key in _keys(select, known) if key and all((alias, column) in by for column in key)}
    for name in _OUTPUTS:
        for output in parts_of(select, name) if name == "expressions" else [select.args.get(name)]:
            for column in output.find_all(exp.Column) if isinstance(output, exp.Expr) else ():
                if _place(column)[0] in keyed and _place(column) not in by and column.find_ancestor(exp.AggFunc, exp.Select) is select:
                    by.add(_place(column))
                    yield column


def _grouped(item: exp.Expr, select: exp.Select) -> exp.Expr:
    """What a GROUP BY names: by a number the output at that place."""
    if not (isinstance(item, exp.Literal) and not item.is_string):
        return item
    outputs = parts_of(select, "expressions")
    place = int(item.name) if item.name.isdigit() else 0
    return outputs[place - 1].unalias() if 0 < place <= len(outputs) else item


def _keys(select: exp.Select, known: KnownTables) -> Iterator[tuple[str, list[str]]]:
    """Alias and key of each table that is read."""
    joins = [join.this for join in parts_of(select, "joins")]
    start = select.args.get("from_") or select.args.get("from")
    for node in [start.this if isinstance(start, exp.From) else None, *joins]:
        if isinstance(node, exp.Table) and (found := known.find(table_name(node))) is not None:
            yield node.alias_or_name.lower(), [column.lower() for column in found.primary_key]


def _place(column: exp.Column) -> tuple[str, str]:
    return column.table.lower(), column.name.lower()
