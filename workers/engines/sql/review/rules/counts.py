"""Counts after a join that repeats the rows that are counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import code
from workers.engines.sql.conditions import conjuncts, sources_in, where_of
from workers.engines.sql.names import Scope, Source
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.rows import ENTITY_NAME
from workers.engines.sql.review.rules.fan_out import is_reduced
from workers.engines.sql.review.rules.numbering import called, numbered, row_of
from workers.engines.sql.review.suspicion import Meant, Suspicion
from workers.engines.sql.script import Part, Script
from workers.engines.sql.shape import has_key_in, join_columns, join_repeats
from workers.engines.sql.trees import within

UNCHANGED = (exp.Min, exp.Max, exp.AnyValue, exp.LogicalAnd, exp.LogicalOr, exp.Distinct)
"""What gives the same, however often a row comes."""


@dataclass(frozen=True)
class Multiplied:
    """A FROM item that multiplies the rows of the others, and is read for nothing that would show it."""

    by: Source
    counted: Source
    """That of which a row of the others is."""
    others: Sequence[Source]
    is_meant: bool
    """The rows of the join may be what is counted."""


def counted_twice(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """COUNT of a table's key, or of rows, after a join that repeats its rows counts rows of the join."""
    for part, scope in script.scopes():
        select = scope.select
        if select is None or len(scope.sources) < 2:
            continue
        for item in select.expressions:
            for node in within(item):
                if isinstance(node, exp.Count) and not isinstance(node.parent, exp.Window):
                    yield from _suspected(script, wanted, part, scope, node, item.alias if item.unalias() is _around(node) else "")


def counted_inside(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The same where the join is in a CTE or a query in brackets, and the count of rows is around it."""
    for part, scope in script.scopes():
        select, source = scope.select, next(iter(scope.sources.values()), None)
        inner = source.scope if source is not None and len(scope.sources) == 1 else None
        if select is None or source is None or inner is None or inner.select is None or len(inner.sources) < 2 or is_reduced(inner.select):
            continue
        if not source.alias or inner.select.find(exp.Star, exp.Window) is not None:
            continue
        for item in select.expressions:
            for node in within(item):
                if (
                    not isinstance(node, exp.Count)
                    or not isinstance(node.this, exp.Star | exp.Literal)
                    or isinstance(node.parent, exp.Window)
                ):
                    continue
                multiplied = _multiplied(script, part, inner, None, item.alias if item.unalias() is _around(node) else "")
                if multiplied is None:
                    continue
                yield Suspicion(
                    Defect.COUNTED_TWICE,
                    part,
                    node,
                    {"count": code(node.sql(script.dialect)), "table": called(multiplied.counted), "joined": called(multiplied.by)},
                    meant=[_once_each(part, inner, node, multiplied.others, source.alias)],
                    blocks=wanted.once or not multiplied.is_meant,
                )


def _suspected(script: Script, wanted: Wanted, part: Part, scope: Scope, node: exp.Count, title: str) -> Iterator[Suspicion]:
    owner = _whose_key(script, part, node)
    if owner is None and not isinstance(node.this, exp.Star | exp.Literal):
        return
    multiplied = _multiplied(script, part, scope, owner, title)
    if owner is not None:
        repeating = [source for source in scope.sources.values() if source is not owner and join_repeats(script, part, scope, source)]
        meant = Meant(part, ((node, _distinctly),))
    elif multiplied is not None:
        owner, repeating = multiplied.counted, [multiplied.by]
        meant = _once_each(part, scope, node, multiplied.others)
    else:
        return
    if repeating:
        yield Suspicion(
            Defect.COUNTED_TWICE,
            part,
            node,
            {"count": code(node.sql(script.dialect)), "table": called(owner), "joined": called(*repeating)},
            meant=[meant],
            blocks=wanted.once or (multiplied is not None and not multiplied.is_meant),
        )


def _around(node: exp.Count) -> exp.Expr:
    return node.parent if isinstance(node.parent, exp.Filter) else node


def _whose_key(script: Script, part: Part, node: exp.Count) -> Source | None:
    """The source whose whole key is counted."""
    column = node.this
    found = part.resolved.column(column) if isinstance(column, exp.Column) else None
    if found is None or found.source is None or found.is_outer:
        return None
    return found.source if has_key_in(script, part, found.source, frozenset({found.name.lower()})) else None


def _multiplied(script: Script, part: Part, scope: Scope, owner: Source | None, title: str) -> Multiplied | None:
    """What multiplies the rows of the others, the last of the text first; None: nothing that the keys prove. `title`: the name of the
    count, which may say what it counts."""
    every = list(scope.sources.values())
    if any(source.is_function or not source.alias for source in every):
        return None
    read = [source for source in every if any(source in sources_in(part, item) for item in _items(scope))]
    for by in sorted(every, key=lambda source: (source not in read, -every.index(source))):
        others = [source for source in every if source is not by]
        counted = next((source for source in others if len(_decided(script, part, scope, source, others)) == len(others)), None)
        if counted is None or counted.is_optional or owner not in (None, counted) or _is_named(by, title):
            continue
        if not _is_joined_by_columns(part, scope, by) or not join_repeats(script, part, scope, by) or _changes(part, scope, by):
            continue
        keys = [column for column in _grouped(scope) if sources_in(part, column) == [counted]]
        if has_key_in(script, part, counted, frozenset(column.name.lower() for column in keys if isinstance(column, exp.Column))):
            continue
        if _is_named(counted, title):
            return Multiplied(by, counted, others, is_meant=False)
        if counted in _decided(script, part, scope, by, every) or (by not in read and every.index(by) < every.index(counted)):
            continue
        is_between = len(_decided(script, part, scope, counted, every)) > 1
        is_one_each = any(isinstance(key, exp.Column) and ENTITY_NAME.search(key.name) for key in keys)
        return Multiplied(by, counted, others, is_meant=not is_between or is_one_each or (by not in read and bool(keys)))
    return None


def _decided(script: Script, part: Part, scope: Scope, first: Source, among: Sequence[Source]) -> list[Source]:
    """Those of which a row of the first has one at most, itself included: by their keys, from one to the next."""
    found = [first]
    while True:
        more = [
            source for source in among
            if source not in found and has_key_in(script, part, source, join_columns(part, scope, source, found))
        ]  # fmt: skip
        if not more:
            return found
        found += more


def _is_named(source: Source, title: str) -> bool:
    return bool(title) and title.lower() in (source.alias.lower(), source.table_name.lower().rpartition(".")[2])


def _is_joined_by_columns(part: Part, scope: Scope, source: Source) -> bool:
    """All that is asked of it is that columns of it equal those of others: no filter chooses one of its rows."""
    conditions = [*where_of(scope)]
    for other in scope.sources.values():
        conditions += conjuncts(other.join.args.get("on")) if other.join is not None else ()
    return all(
        isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)
        for node in conditions
        if source in sources_in(part, node) or any(source in sources_in(part, query) for query in node.find_all(exp.Query))
    )


def _items(scope: Scope) -> list[exp.Expr]:
    select = scope.node
    parts = [select.args.get(name) for name in ("group", "having", "qualify", "order", "distinct")]
    return [*select.expressions, *(part for part in parts if isinstance(part, exp.Expr))]


def _grouped(scope: Scope) -> list[exp.Expr]:
    group, select = scope.node.args.get("group"), scope.select
    if not isinstance(group, exp.Group) or select is None:
        return []
    items = {str(number): item.unalias() for number, item in enumerate(select.expressions, 1)}
    return [items.get(key.name, key) if isinstance(key, exp.Literal) else key for key in group.expressions]


def _changes(part: Part, scope: Scope, source: Source) -> bool:
    """Something beside counts of rows would be otherwise if a row of the source came more often."""
    for item in _items(scope):
        for column in item.find_all(exp.Column):
            found = part.resolved.column(column)
            if found is not None and found.source is source and column.find_ancestor(*UNCHANGED, exp.Select).__class__ not in UNCHANGED:
                return True
    return False


def _distinctly(node: exp.Expr) -> None:
    node.set("this", exp.Distinct(expressions=[node.this.copy()]))


def _once_each(part: Part, scope: Scope, node: exp.Count, others: Sequence[Source], outer: str = "") -> Meant:
    """Rows that differ in nothing but the multiplying item count once. `outer`: what the query of the join is called in the one around it,
    to which it passes the numbers of its rows on."""
    names = [row_of(scope, source) for source in others]

    def count_once(copy: exp.Expr) -> None:
        rows = [exp.column(row, table=outer or source.alias) for row, source in zip(names, others, strict=True)]
        copy.set("this", exp.Distinct(expressions=[exp.Array(expressions=rows)]))

    def pass_on(copy: exp.Expr) -> None:
        for row, source in zip(names, others, strict=True):
            copy.append("expressions", exp.alias_(exp.column(row, table=source.alias), row))

    passing = ((scope.select, pass_on),) if outer and scope.select is not None else ()
    return Meant(part, (*passing, *((source.node, numbered(scope, source)) for source in others), (node, count_once)))
