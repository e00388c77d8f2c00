"""Shape: which columns make a row of a relation unique, from keys, GROUP BY, DISTINCT and joins."""

from collections.abc import Sequence

from sqlglot import exp

from workers.engines.sql.conditions import conjuncts, sources_in, where_of
from workers.engines.sql.names import Scope, Source
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import parts_of

MOST_KEYS = 8
"""Keys of a relation beyond this are not followed."""

Keys = list[frozenset[str]]
"""Sets of columns, in lower case, each of which makes a row unique. An empty set: there is one row at most."""


def source_keys(script: Script, part: Part, source: Source) -> Keys:
    """The keys of a FROM item, by its columns."""
    if source.table is not None:
        return list(script.facts.of(source.table).keys)
    if source.scope is None:
        return []
    keys = scope_keys(script, part, source.scope)
    if not source.column_aliases:
        return keys
    names = dict(
        zip((output.name.lower() for output in source.scope.outputs), (alias.lower() for alias in source.column_aliases), strict=False)
    )
    return [frozenset(names.get(column, column) for column in key) for key in keys]


def has_key_in(script: Script, part: Part, source: Source, columns: frozenset[str]) -> bool:
    """No two rows of a FROM item have the same values of these columns."""
    return any(key <= columns for key in source_keys(script, part, source))


def surely_repeats(script: Script, part: Part, source: Source, columns: frozenset[str]) -> bool:
    """Several rows of a FROM item may share these columns, and something says so: a key that needs more columns, a reference,
    statistics."""
    if has_key_in(script, part, source, columns):
        return False
    if source.table is not None:
        return script.facts.of(source.table).surely_repeats(columns)
    return bool(columns) and bool(source_keys(script, part, source))


def join_repeats(script: Script, part: Part, scope: Scope, source: Source) -> bool:
    """Several rows of a FROM item may have the values by which it is joined: statistics, another key or a reference say so."""
    return surely_repeats(script, part, source, join_columns(part, scope, source))


def join_columns(part: Part, scope: Scope, source: Source, among: Sequence[Source] | None = None) -> frozenset[str]:
    """The columns of a FROM item that are set equal to something else: by its join, by USING, or by the WHERE. `among`: only to what is
    known of these."""
    found = set[str]()
    conditions = [*where_of(scope)]
    for other in scope.sources.values():
        if other.join is not None:
            conditions += conjuncts(other.join.args.get("on"))
    for node in conditions:
        if not isinstance(node, exp.EQ):
            continue
        for side, opposite in ((node.this, node.expression), (node.expression, node.this)):
            others = sources_in(part, opposite)
            is_own = isinstance(side, exp.Column) and sources_in(part, side) == [source] and source not in others
            if is_own and (among is None or all(other in among for other in others)):
                found.add(side.name.lower())
    merged = {column: sources for column, sources in scope.merged.items() if source in sources}
    return frozenset(found.union(column for column, sources in merged.items() if among is None or any(o in among for o in sources)))


def scope_keys(script: Script, part: Part, scope: Scope) -> Keys:
    """The keys of what a query yields, by the names of its outputs."""
    select = scope.select
    if select is None:
        every = frozenset(name.lower() for name in scope.columns or ())
        is_distinct = isinstance(scope.node, exp.Union) and bool(scope.node.args.get("distinct"))
        return [every] if is_distinct and every else []
    if select.args.get("distinct"):
        on = select.args["distinct"].args.get("on")
        if isinstance(on, exp.Tuple):
            return _named(part, scope, [on.expressions])
        columns = scope.columns
        return [frozenset(name.lower() for name in columns)] if columns else []
    group = select.args.get("group")
    if isinstance(group, exp.Group):
        return _group_keys(part, scope, group)
    if any(item.find(exp.AggFunc) is not None and item.find(exp.Window) is None for item in select.expressions):
        return [frozenset()]
    ranked = _ranked_first(part, scope)
    return [*_named(part, scope, [ranked] if ranked else []), *_row_keys(script, part, scope)][:MOST_KEYS]


def _group_keys(part: Part, scope: Scope, group: exp.Group) -> Keys:
    select = scope.select
    if select is None or group.args.get("rollup") or group.args.get("cube") or group.args.get("grouping_sets"):
        return []
    keys = list[exp.Expr]()
    for node in group.expressions:
        if isinstance(node, exp.Literal) and node.name.isdigit() and int(node.name) <= len(select.expressions):
            keys.append(select.expressions[int(node.name) - 1].unalias())
        else:
            keys.append(node)
    return _named(part, scope, [keys])


def _named(part: Part, scope: Scope, keys: list[list[exp.Expr]]) -> Keys:
    """Keys by output names; a key of which a column is not yielded is lost."""
    found: Keys = []
    for key in keys:
        names = [_output_of(part, scope, node) for node in key]
        if all(name is not None for name in names):
            found.append(frozenset(name for name in names if name is not None))
    return found


def _output_of(part: Part, scope: Scope, node: exp.Expr) -> str | None:
    resolved = part.resolved.column(node)
    if resolved is not None and resolved.alias_of is not None:
        return resolved.alias_of.name.lower()
    for output in scope.outputs:
        if output.node is not None and output.node.unalias() == node:
            return output.name.lower()
        if output.node is None and output.source is not None and output.column.lower() == node.name.lower():
            same = output.source is resolved.source if resolved is not None else output.source.alias == getattr(node, "table", None)
            if same:
                return output.name.lower()
    return None


def _ranked_first(part: Part, scope: Scope) -> list[exp.Expr] | None:
    """`.. WHERE rn = 1` over ROW_NUMBER() OVER (PARTITION BY k): k is unique."""
    where = scope.node.args.get("where")
    if len(scope.sources) != 1 or not isinstance(where, exp.Where):
        return None
    source = next(iter(scope.sources.values()))
    if source.scope is None:
        return None
    for node in where.find_all(exp.EQ):
        if isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Literal) and node.expression.name == "1":
            output = source.scope.output(node.this.name)
            window = output.node.unalias() if output is not None and output.node is not None else None
            if isinstance(window, exp.Window) and isinstance(window.this, exp.RowNumber):
                names = [_output_of(part, source.scope, key) for key in parts_of(window, "partition_by")]
                if names and all(names):
                    return [exp.column(str(name), table=source.alias or None) for name in names]
    return None


def _row_keys(script: Script, part: Part, scope: Scope) -> Keys:
    """Of a query without aggregates: a key of one source stays a key if every other source has at most one row for each of its rows."""
    sources = list(scope.sources.values())
    found: Keys = []
    for source in sources:
        others = [other for other in sources if other is not source]
        if all(has_key_in(script, part, other, join_columns(part, scope, other)) for other in others):
            for key in source_keys(script, part, source):
                names = [_yielded(part, scope, source, column) for column in sorted(key)]
                if all(names):
                    found.append(frozenset(str(name) for name in names))
    return found


def _yielded(part: Part, scope: Scope, source: Source, column: str) -> str | None:
    for output in scope.outputs:
        if output.node is None:
            if output.source is source and output.column.lower() == column:
                return output.name.lower()
            continue
        inner = output.node.unalias()
        resolved = part.resolved.column(inner)
        if resolved is not None and resolved.source is source and resolved.name.lower() == column:
            return output.name.lower()
    return None
