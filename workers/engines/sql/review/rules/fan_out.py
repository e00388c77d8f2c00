"""Joins that repeat rows: before an aggregate, or hidden by DISTINCT."""

from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import code, name
from workers.engines.sql.conditions import sources_in, where_of
from workers.engines.sql.names import Scope, Source
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.rules.numbering import called, numbered, row_of
from workers.engines.sql.review.suspicion import Meant, Suspicion
from workers.engines.sql.script import Part, Script
from workers.engines.sql.shape import has_key_in, join_columns, join_repeats
from workers.engines.sql.trees import parts_of, within


def fan_out(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A sum of one table's column after a join with a table that has several rows for each of its rows."""
    for part, scope in script.scopes():
        select = scope.select
        if select is None or len(scope.sources) < 2:
            continue
        for node in _sums(select):
            owners = sources_in(part, node.this)
            if len(owners) != 1 or owners[0].is_function or not owners[0].alias:
                continue
            repeating = [source for source in scope.sources.values() if source is not owners[0] and _repeats(script, part, scope, source)]
            if not repeating:
                continue
            meant = _once_each(part, node, scope, owners[0])
            yield _fan_out(script, wanted, part, scope, node, owners[0], repeating, meant)


def fan_out_inside(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The same where the join is in a CTE or a query in brackets, and the sum is around it."""
    for part, scope in script.scopes():
        select = scope.select
        for node in _sums(select) if select is not None else ():
            owners = sources_in(part, node.this)
            inner = owners[0].scope if len(owners) == 1 else None
            if inner is None or inner.select is None or len(inner.sources) < 2 or is_reduced(inner.select):
                continue
            owner = _owner_inside(part, node, inner)
            repeating = [source for source in inner.sources.values() if source is not owner and _repeats(script, part, inner, source)]
            if owner is None or not owners[0].alias or not repeating:
                continue
            meant = _once_each(part, node, inner, owner, owners[0].alias)
            yield _fan_out(script, wanted, part, inner, node, owner, repeating, meant)


def _fan_out(
    script: Script, wanted: Wanted, part: Part, scope: Scope, node: exp.Expr, owner: Source, repeating: list[Source], meant: Meant
) -> Suspicion:  # fmt: skip
    """A sum over the rows of `owner`, which the `repeating` sources of the scope multiply."""
    values = {"aggregate": code(node.sql(script.dialect)), "column": name(_columns(node))}
    return Suspicion(
        Defect.FAN_OUT,
        part,
        node,
        {**values, "table": called(owner), "joined": called(*repeating)},
        meant=[meant],
        blocks=any(join_repeats(script, part, scope, source) for source in repeating)
        and not _only_counts(node)
        and (wanted.once or _is_summed_by_mistake(part, scope, owner, repeating)),
    )


def is_reduced(select: exp.Select) -> bool:
    """Whether not every row of the join is one of the query."""
    return any(select.args.get(part) for part in ("group", "distinct", "limit", "qualify")) or select.find(exp.AggFunc) is not None


def _owner_inside(part: Part, node: exp.Expr, inner: Scope) -> Source | None:
    """The source of the inner query whose columns are added up, if it is a single one."""
    found = list[Source]()
    for column in node.find_all(exp.Column):
        output = inner.output(column.name)
        if output is None:
            return None
        if output.node is not None:
            found += sources_in(part, output.node)
        elif output.source is not None:
            found.append(output.source)
    kinds = {id(source): source for source in found}
    owner = next(iter(kinds.values()), None)
    return owner if len(kinds) == 1 and owner is not None and owner.alias and not owner.is_function else None


def _only_counts(node: exp.Expr) -> bool:
    """`SUM(CASE .. THEN 1 ELSE 0 END)` counts rows of the join, which may be meant."""
    case = node.this.find(exp.Case)
    if case is None:
        return False
    results = [branch.args["true"] for branch in parts_of(case, "ifs")]
    return all(isinstance(result, exp.Literal) for result in results)


def _is_summed_by_mistake(part: Part, scope: Scope, owner: Source, repeating: list[Source]) -> bool:
    """The owner comes first and is repeated by a later join. Where the other table comes first, its rows are what is added up, as in
    the cost of each sold car; unless the owner is counted by DISTINCT, so the repetition is known and forgotten for the sum."""
    order = list(scope.sources.values())
    if any(order.index(source) > order.index(owner) for source in repeating):
        return True
    select = scope.select
    counted = [
        node for item in (select.expressions if select else []) for node in item.find_all(exp.Count) if isinstance(node.this, exp.Distinct)
    ]
    return any(owner in sources_in(part, node.this) for node in counted)


def _columns(node: exp.Expr) -> str:
    return ", ".join(dict.fromkeys(column.name for column in node.find_all(exp.Column)))


def _sums(select: exp.Select) -> Iterator[exp.Expr]:
    for item in select.expressions:
        for node in within(item):
            if isinstance(node, exp.Sum | exp.Avg) and not isinstance(node.parent, exp.Window) and _adds_column(node):
                yield node


def _adds_column(node: exp.Expr) -> bool:
    return not isinstance(node.this, exp.Distinct) and node.find(exp.Column) is not None


def _repeats(script: Script, part: Part, scope: Scope, source: Source) -> bool:
    return not source.is_function and not has_key_in(script, part, source, join_columns(part, scope, source))


def _once_each(part: Part, node: exp.Expr, scope: Scope, owner: Source, outer: str = "") -> Meant:
    """Each row of the owner counts once: its rows get numbers, and equal numbers are added up once. `outer`: what the query of the owner
    is called in the one around it, to which it passes the number on."""
    reached = outer or owner.alias
    total = "LIST_AVG" if isinstance(node, exp.Avg) else "LIST_SUM"
    row = row_of(scope, owner)

    def add_once(copy: exp.Expr) -> exp.Expr:
        text = (
            f"{total}(LIST_TRANSFORM(LIST_DISTINCT(LIST({{'k': {reached}.{row}, 'v': _x}}) "
            f"FILTER (WHERE NOT {reached}.{row} IS NULL)), s -> s.v))"
        )
        made: exp.Expr = sqlglot.parse_one(text, read="duckdb")
        for column in list(made.find_all(exp.Column)):
            if column.name == "_x":
                column.replace(copy.this.copy())
        return made

    def pass_on(copy: exp.Expr) -> None:
        copy.append("expressions", exp.alias_(exp.column(row, table=owner.alias), row))

    select = scope.select if outer else None
    passing = ((select, pass_on),) if select is not None and select.find(exp.Star) is None else ()
    return Meant(part, (*passing, (owner.node, numbered(scope, owner)), (node, add_once)))


def distinct_hides_join(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """SELECT DISTINCT over a join from which nothing is taken: the join repeats rows, and DISTINCT hides it."""
    for part, scope in script.scopes():
        select = scope.select
        if select is None or not select.args.get("distinct") or select.find(exp.AggFunc) is not None or len(scope.sources) < 2:
            continue
        used = [source for item in select.expressions for source in sources_in(part, item)]
        used += [source for node in where_of(scope) for source in sources_in(part, node)]
        for source in scope.sources.values():
            if source.join is not None and source not in used and _repeats(script, part, scope, source):
                yield Suspicion(Defect.DISTINCT_HIDES_JOIN, part, source.node, {"table": called(source)}, blocks=False)
