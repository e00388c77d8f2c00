"""Outer joins: undone by a filter, counted where nothing was found, null where zero is asked for, rows lost by an inner join."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import code, name
from workers.engines.sql.conditions import conjuncts, has_spine, is_not_null, rejects_null, sources_in, where_of
from workers.engines.sql.names import Scope, Source
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.suspicion import Edit, Meant, Suspicion
from workers.engines.sql.script import Part, Script
from workers.engines.sql.shape import has_key_in, join_columns
from workers.engines.sql.trees import parts_of, within


def outer_join_undone(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A WHERE, or an inner join behind it, that rejects the rows for which the outer join found nothing."""
    for part, scope in script.scopes():
        for source in _optional(scope):
            rejecting = [node for node in where_of(scope) if rejects_null(part, node, source)]
            if rejecting and source.join is not None:
                condition = " AND ".join(node.sql(script.dialect) for node in rejecting)
                yield Suspicion(
                    Defect.OUTER_JOIN_UNDONE,
                    part,
                    rejecting[0],
                    {"condition": code(condition), "table": name(_named(source)), "clause": code("WHERE")},
                    meant=[_moved(part, rejecting, source.join)],
                    blocks=_keeps_unmatched(part, scope, source, wanted),
                )
            yield from _undone_by_join(script, part, scope, source, wanted)


def _undone_by_join(script: Script, part: Part, scope: Scope, source: Source, wanted: Wanted) -> Iterator[Suspicion]:
    sources = list(scope.sources.values())
    for later in sources[sources.index(source) + 1 :]:
        join = later.join
        if join is None or later.is_optional or str(join.kind).upper() == "CROSS" or str(join.side).upper():
            continue
        if any(rejects_null(part, node, source) for node in conjuncts(join.args.get("on"))):
            yield Suspicion(
                Defect.OUTER_JOIN_UNDONE,
                part,
                join,
                {"condition": code(join.sql(script.dialect).strip()), "table": name(_named(source)), "clause": code("JOIN")},
                meant=[Meant(part, ((join, _left),))],
                blocks=_keeps_unmatched(part, scope, source, wanted) or _keeps_unmatched(part, scope, later, wanted),
            )


def _left(join: exp.Expr) -> None:
    join.set("side", "LEFT")
    join.set("kind", None)


def _optional(scope: Scope) -> list[Source]:
    return [source for source in scope.sources.values() if source.join is not None and str(source.join.side).upper() == "LEFT"]


def _named(source: Source) -> str:
    return source.table_name or source.alias


def _keeps_unmatched(part: Part, scope: Scope, source: Source, wanted: Wanted) -> bool:
    """The query itself, or the requirement, shows that rows without a match are wanted."""
    if wanted.zeros or wanted.every:
        return True
    select = scope.select
    if select is None:
        return False
    for item in select.expressions:
        for node in item.find_all(exp.Coalesce):
            if any(found is source for found in sources_in(part, node)):
                return True
    return False


def _moved(part: Part, nodes: Sequence[exp.Expr], join: exp.Join) -> Meant:
    """The conditions become part of the join."""
    wanted = [node.copy() for node in nodes]

    def extend(copy: exp.Expr) -> None:
        on = copy.args.get("on")
        copy.set("on", exp.and_(*([on.copy()] if isinstance(on, exp.Expr) else []), *(node.copy() for node in wanted)))

    return Meant(part, ((join, extend), *((node, lambda _: exp.true()) for node in nodes)))


def counted_unmatched(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """COUNT(*) in a group of an outer join counts 1 where nothing was found."""
    for part, scope in script.scopes():
        select, optional = scope.select, _optional(scope)
        if select is None or not optional or select.args.get("group") is None or _asks_for_unmatched(scope):
            continue
        optional = [source for source in optional if not has_key_in(script, part, source, join_columns(part, scope, source))]
        if not optional or not _is_row_of_group(script, part, scope):
            continue
        for node in _aggregates(select):
            if (
                _counts_rows(part, node, optional)
                and not _is_filtered(part, node, optional)
                and (column := _join_column(part, optional[0]))
            ):
                yield Suspicion(
                    Defect.COUNTED_UNMATCHED,
                    part,
                    node,
                    {
                        "count": code(node.sql(script.dialect)),
                        "table": name(_named(optional[0])),
                        "column": code(column.sql(script.dialect)),
                    },
                    meant=[Meant(part, ((node, _counting(column)),))],
                )


def _is_row_of_group(script: Script, part: Part, scope: Scope) -> bool:
    """Each group is one row of the only table that is not joined by an outer join: it is grouped by that table's key."""
    needed = [source for source in scope.sources.values() if not source.is_optional]
    if len(needed) != 1 or scope.select is None:
        return False
    keys = [key if not isinstance(key, exp.Literal) else _item(scope.select, key) for key in scope.select.args["group"].expressions]
    owners = {id(source) for key in keys for source in sources_in(part, key)}
    columns = frozenset(column.name.lower() for key in keys for column in key.find_all(exp.Column))
    return owners == {id(needed[0])} and has_key_in(script, part, needed[0], columns)


def _item(select: exp.Select, number: exp.Literal) -> exp.Expr:
    place = int(number.name) if number.name.isdigit() else 0
    return select.expressions[place - 1].unalias() if 0 < place <= len(select.expressions) else number


def _asks_for_unmatched(scope: Scope) -> bool:
    return any(isinstance(node, exp.Is) and not is_not_null(node) for node in where_of(scope))


def _is_filtered(part: Part, node: exp.Expr, optional: list[Source]) -> bool:
    """Counts only rows in which something is asked of the outer table's columns: an unmatched row has nothing there."""
    return isinstance(node.parent, exp.Filter) and any(source in optional for source in sources_in(part, node.parent.expression))


def _counts_rows(part: Part, node: exp.Expr, optional: list[Source]) -> bool:
    inner = node.this
    if isinstance(node, exp.Sum):
        return isinstance(inner, exp.Literal)
    if not isinstance(node, exp.Count):
        return False
    if isinstance(inner, exp.Star | exp.Literal):
        return True
    return isinstance(inner, exp.Column) and all(source not in optional for source in sources_in(part, inner))


def _join_column(part: Part, source: Source) -> exp.Expr | None:
    join = source.join
    if join is None:
        return None
    for node in conjuncts(join.args.get("on")):
        for side in (node.this, node.args.get("expression")) if isinstance(node, exp.EQ) else ():
            if isinstance(side, exp.Column) and sources_in(part, side) == [source]:
                return side
    using = parts_of(join, "using")
    return exp.column(using[0].name, table=source.alias) if using else None


def _counting(column: exp.Expr) -> Edit:
    def change(node: exp.Expr) -> exp.Expr:
        return exp.Count(this=column.copy())

    return change


def _aggregates(select: exp.Select) -> Iterator[exp.Expr]:
    for item in (*select.expressions, *([select.args["having"]] if select.args.get("having") else ())):
        for node in within(item):
            if isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window):
                yield node


def null_instead_of_zero(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A sum over an outer join is null, not 0, where nothing was found; so is a column of an aggregated query that is joined."""
    if not wanted.zeros or not script.parts:
        return
    part = script.parts[-1]
    scope = part.resolved.root
    if scope is None or scope.select is None:
        return
    for item in scope.select.expressions:
        inner = item.unalias()
        if inner.find(exp.Coalesce, exp.Case) is not None or not _is_null_sum(part, inner):
            continue
        yield Suspicion(
            Defect.NULL_INSTEAD_OF_ZERO,
            part,
            inner,
            {"column": name(item.alias_or_name), "expression": code(inner.sql(script.dialect))},
            meant=[Meant(part, ((inner, lambda node: exp.func("COALESCE", node.copy(), exp.Literal.number(0))),))],
        )


def _is_null_sum(part: Part, node: exp.Expr) -> bool:
    found = sources_in(part, node)
    if isinstance(node, exp.Sum):
        return any(source.is_optional for source in found)
    if isinstance(node, exp.Column) and found and found[0].is_optional and found[0].scope is not None:
        output = found[0].scope.output(node.name)
        return output is not None and output.node is not None and output.node.find(exp.Sum, exp.Count) is not None
    return False


def rows_lost(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Every one of something is to have a row, and an inner join leaves out those without a match."""
    target = script.target
    if not (wanted.every or wanted.calendar_days or wanted.zeros) or target is None or not target.key or not script.parts:
        return
    part = script.parts[-1]
    scope = part.resolved.root
    if scope is None or scope.select is None:
        return
    first = next(iter(scope.sources.values()), None)
    outputs = [output for column in target.key if (output := scope.output(column)) is not None]
    if first is None or not any(output.source is first or (output.node and first in sources_in(part, output.node)) for output in outputs):
        return
    for source in list(scope.sources.values())[1:]:
        join = source.join
        if join is None or source.is_optional or str(join.side).upper() or str(join.kind).upper() == "CROSS" or join.args.get("on") is None:
            continue
        if _always_matches(script, part, scope, source):
            continue
        yield Suspicion(
            Defect.ROWS_LOST,
            part,
            join,
            {"table": name(_named(source)), "kept": name(_named(first)), "condition": code(join.sql(script.dialect).strip())},
            meant=[Meant(part, ((join, _left),))],
            blocks=_must_stay(script, first),
        )


def _must_stay(script: Script, source: Source) -> bool:
    """The request names the table of which every row stays, or the script itself makes the list, as days one by one. Words of a
    requirement may restrict the rows in the same breath, so they alone only warn."""
    if source.table is None:
        node = source.scope.node if source.scope is not None else None
        around = node.find_ancestor(exp.With) if node is not None else None
        return node is not None and (has_spine(node) or (around is not None and bool(around.args.get("recursive"))))
    kept = script.target.keeps_all.lower() if script.target is not None else ""
    return kept in (source.table.name.lower(), source.table.full_name.lower())


def _always_matches(script: Script, part: Part, scope: Scope, source: Source) -> bool:
    """It is joined by its key along a reference, so every row finds one."""
    if source.table is None or not has_key_in(script, part, source, join_columns(part, scope, source)):
        return False
    others = [other.table for other in scope.sources.values() if other is not source and other.table is not None]
    wanted_table = source.table.full_name.lower()
    return any(reference.table == wanted_table for table in others for reference in script.facts.of(table).references)
