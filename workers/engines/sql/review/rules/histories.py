"""Rows that are valid from a day on: as-of joins, and histories whose ends are counted."""

import re
from collections.abc import Iterator

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import code, name
from workers.engines.sql.conditions import sources_in
from workers.engines.sql.facts import TypeKind
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.rows import TO_NAMES, history_columns
from workers.engines.sql.review.suspicion import Edit, Meant, Suspicion
from workers.engines.sql.script import Part, Script

EXCLUSIVE = re.compile(
    r"day after|exclusive|not included|excluded|first day (?:it|that|on which) \w* ?no|次日|后一天|不含|不包含|右开", re.IGNORECASE
)


def as_of_join(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The latest row on or before a day is asked for, and rows are joined on the same day, or strictly before it."""
    if not wanted.as_of:
        return
    for part, scope in script.scopes():
        for source in scope.sources.values():
            join = source.join
            if join is None or join.args.get("on") is None:
                continue
            for node in join.args["on"].find_all(exp.EQ):
                sides = (node.this, node.expression)
                if any(script.base_column(part, side) is None for side in sides):
                    continue
                if not all(script.kind(part, side) in (TypeKind.DATE, TypeKind.TIMESTAMP) for side in sides):
                    continue
                theirs = next((side for side in sides if sources_in(part, side) == [source]), None)
                ours = next((side for side in sides if side is not theirs), None)
                if theirs is None or ours is None:
                    continue
                yield Suspicion(
                    Defect.AS_OF_JOIN,
                    part,
                    node,
                    {
                        "condition": code(node.sql(script.dialect)),
                        "table": name(source.table_name or source.alias),
                        "column": name(theirs.name),
                    },
                    meant=[Meant(part, ((join, _as_of), (node, _not_later(ours, theirs))))],
                )
    yield from _strictly_before(script)


def _strictly_before(script: Script) -> Iterator[Suspicion]:
    for part in script.parts:
        for node in part.tree.find_all(exp.LT, exp.GT):
            sides = (node.this, node.expression)
            if not all(isinstance(side, exp.Column) and script.kind(part, side) in (TypeKind.DATE, TypeKind.TIMESTAMP) for side in sides):
                continue
            between = {id(source) for side in sides for source in sources_in(part, side)}
            if len(between) == 2 and not _is_end_of_interval(script, part, node, between):
                yield Suspicion(
                    Defect.BOUNDARY,
                    part,
                    node,
                    {"condition": code(node.sql(script.dialect)), "value": code(node.expression.sql(script.dialect))},
                    meant=[Meant(part, ((node, _or_equal),))],
                )


def _is_end_of_interval(script: Script, part: Part, node: exp.Expr, between: set[int]) -> bool:
    """Whether the same tables also have a bound with equality on the other side: from a moment on, and before another."""
    for other in part.tree.find_all(exp.LTE, exp.GTE):
        sides = (other.this, other.expression)
        if all(isinstance(side, exp.Column) and script.kind(part, side) in (TypeKind.DATE, TypeKind.TIMESTAMP) for side in sides):
            same = {id(source) for side in sides for source in sources_in(part, side)} == between
            shared = {side.sql() for side in (node.this, node.expression)} & {side.sql() for side in sides}
            if same and shared:
                return True
    return False


def _or_equal(node: exp.Expr) -> exp.Expr:
    kind = exp.LTE if isinstance(node, exp.LT) else exp.GTE
    return kind(this=node.this.copy(), expression=node.expression.copy())


def _as_of(join: exp.Expr) -> None:
    join.set("method", "ASOF")


def _not_later(ours: exp.Expr, theirs: exp.Expr) -> Edit:
    def change(node: exp.Expr) -> exp.Expr:
        return exp.GTE(this=ours.copy(), expression=theirs.copy())

    return change


def history_bound(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """`day BETWEEN valid_from AND valid_to` where a version ends on the day on which the next one starts: that day fits both."""
    for part in script.parts:
        for node in part.tree.find_all(exp.Between, exp.LTE, exp.GTE):
            high = node.args["high"] if isinstance(node, exp.Between) else node.expression if isinstance(node, exp.LTE) else node.this
            base = script.base_column(part, high) if isinstance(high, exp.Column) else None
            if base is None or base[1] not in TO_NAMES or history_columns([column.name.lower() for column in base[0].columns]) is None:
                continue
            words = f"{script.facts.of(base[0]).columns[base[1]].description} {base[0].description} {script.requirement}"
            yield Suspicion(
                Defect.HISTORY_BOUND,
                part,
                node,
                {"condition": code(node.sql(script.dialect)), "column": name(base[1]), "table": name(base[0].full_name)},
                meant=[Meant(part, ((node, _before_end),))],
                blocks=EXCLUSIVE.search(words) is not None,
            )


def _before_end(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Between):
        low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        return exp.paren(exp.and_(low, exp.LT(this=node.this.copy(), expression=node.args["high"].copy())))
    kind = exp.LT if isinstance(node, exp.LTE) else exp.GT
    return kind(this=node.this.copy(), expression=node.expression.copy())
