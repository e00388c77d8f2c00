"""Nulls in conditions: NOT IN over a null, comparisons with NULL, changes to or from null that are not seen."""

from collections.abc import Iterator

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import code, name
from workers.engines.sql.conditions import is_negated, is_not_null, where_of
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.suspicion import Edit, Meant, Rounds, Suspicion
from workers.engines.sql.script import Part, Script


def null_not_in(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """`x NOT IN (SELECT y ..)` is never true once y is null."""
    for part in script.parts:
        for node in part.tree.find_all(exp.In):
            query = node.args.get("query")
            if not is_negated(node) or not isinstance(query, exp.Query):
                continue
            inner = query.unnest()
            items = inner.expressions if isinstance(inner, exp.Select) else []
            if len(items) != 1 or not script.may_be_null(part, items[0].unalias()) or _filters_null(inner, items[0].unalias()):
                continue
            base = script.base_column(part, items[0].unalias())
            yield Suspicion(
                Defect.NULL_NOT_IN,
                part,
                node,
                {
                    "column": name(items[0].unalias().name),
                    "left": code(node.this.sql(script.dialect)),
                    "table": name(base[0].full_name if base else ""),
                },
                meant=[Meant(part, ((node, _without_null),))],
                needs_nulls_in=((base[0].full_name.lower(), base[1]),) if base else (),
            )


def _filters_null(query: exp.Expr, column: exp.Expr) -> bool:
    where = query.args.get("where")
    if not isinstance(where, exp.Where):
        return False
    found = {node.this.name.lower() for node in where.find_all(exp.Is) if is_not_null(node)}
    found |= {
        side.name.lower() for node in where.find_all(exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE) for side in (node.this, node.expression)
    }
    return column.name.lower() in found


def _without_null(node: exp.Expr) -> exp.Expr | None:
    query = node.args["query"].unnest().copy()
    inner = exp.alias_(exp.Subquery(this=query), "_in", table=["_value"])
    kept = exp.select("_value").from_(inner).where("NOT _value IS NULL")
    node.set("query", exp.Subquery(this=kept))
    return None


def null_filtered(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """`x <> 'a'` leaves out rows in which x is null, and the requirement speaks of missing values of x."""
    for part, scope in script.scopes() if wanted.nulls_near else ():
        for node in where_of(scope):
            column = excluded_from(node)
            if column is None or not script.may_be_null(part, column) or not _is_spoken_of(column.name, wanted.nulls_near):
                continue
            base = script.base_column(part, column)
            yield Suspicion(
                Defect.NULL_FILTERED,
                part,
                node,
                {"column": name(column.name), "condition": code(node.sql(script.dialect))},
                meant=[Meant(part, ((node, or_null(column)),))],
                needs_nulls_in=((base[0].full_name.lower(), base[1]),) if base else (),
            )


def excluded_from(node: exp.Expr) -> exp.Column | None:
    """The column of `x <> 'a'` and of `x NOT IN ('a', 'b')`."""
    inner = node.this if isinstance(node, exp.Not) else node
    is_list = isinstance(node, exp.Not) and isinstance(inner, exp.In) and not inner.args.get("query")
    if not isinstance(node, exp.NEQ) and not is_list:
        return None
    return inner.this if isinstance(inner.this, exp.Column) else None


def _is_spoken_of(column: str, words: str) -> bool:
    return any(len(word) > 2 and word in words for word in {column.lower(), *column.lower().split("_")})


def or_null(column: exp.Expr) -> Edit:
    """The condition holds as well where the column is null."""

    def change(node: exp.Expr) -> exp.Expr:
        return exp.paren(exp.or_(node.copy(), exp.Is(this=column.copy(), expression=exp.Null())))

    return change


def null_compared(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """`x = NULL` is never true."""
    for part in script.parts:
        for node in part.tree.find_all(exp.EQ, exp.NEQ):
            if not any(isinstance(side, exp.Null) for side in (node.this, node.expression)) or _is_assignment(node):
                continue
            column = node.this if isinstance(node.expression, exp.Null) else node.expression
            base = script.base_column(part, column)
            yield Suspicion(
                Defect.NULL_COMPARED,
                part,
                node,
                {"column": code(column.sql(script.dialect)), "condition": code(node.sql(script.dialect))},
                meant=[Meant(part, ((node, _is_null),))],
                needs_nulls_in=((base[0].full_name.lower(), base[1]),) if base else (),
            )


def _is_assignment(node: exp.Expr) -> bool:
    return isinstance(node.parent, exp.Update) and node.arg_key == "expressions"


def _is_null(node: exp.Expr) -> exp.Expr:
    column = node.this if isinstance(node.expression, exp.Null) else node.expression
    made = exp.Is(this=column.copy(), expression=exp.Null())
    return exp.not_(made) if isinstance(node, exp.NEQ) else made


def null_change(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Old and new values compared by `<>`, or by `=` where no equal row may exist: null is neither equal to anything nor different."""
    for part in script.parts:
        if not isinstance(part.tree, exp.Update | exp.Merge | exp.Insert | exp.Delete):
            continue
        for node in part.tree.find_all(exp.NEQ, exp.EQ):
            if _is_assignment(node) or not _may_both_be_null(script, part, node) or not _reads_target(script, part, node):
                continue
            if isinstance(node, exp.EQ) and not _inside_not_exists(node):
                continue
            columns = [side.name for side in (node.this, node.expression)]
            yield Suspicion(
                Defect.NULL_CHANGE,
                part,
                node,
                {
                    "column": name(columns[0]),
                    "condition": code(node.sql(script.dialect)),
                    "sign": code("<>" if isinstance(node, exp.NEQ) else "="),
                },
                meant=[Meant(part, ((node, _null_safe),))],
                rounds=Rounds.REPLACED,
                needs_nulls_in=tuple(
                    (base[0].full_name.lower(), base[1])
                    for side in (node.this, node.expression)
                    if (base := script.base_column(part, side))
                ),
            )


def _may_both_be_null(script: Script, part: Part, node: exp.Expr) -> bool:
    sides = (node.this, node.expression)
    return all(isinstance(side, exp.Column) and script.may_be_null(part, side) for side in sides)


def _reads_target(script: Script, part: Part, node: exp.Expr) -> bool:
    written = script.written.lower().rpartition(".")[2]
    bases = [script.base_column(part, side) for side in (node.this, node.expression)]
    return any(base is not None and base[0].name.lower() == written for base in bases)


def _inside_not_exists(node: exp.Expr) -> bool:
    exists = node.find_ancestor(exp.Exists)
    return exists is not None and is_negated(exists)


def _null_safe(node: exp.Expr) -> exp.Expr:
    kind = exp.NullSafeNEQ if isinstance(node, exp.NEQ) else exp.NullSafeEQ
    return kind(this=node.this.copy(), expression=node.expression.copy())
