"""Numbers: integer division, averages that leave out nulls, and bounds that the requirement sets otherwise."""

import re
from collections.abc import Iterator

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import Value, code, name
from workers.engines.sql.review.duckdb import INTEGER_DIVISION, is_integer
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.suspicion import Meant, Suspicion
from workers.engines.sql.script import Part, Script

FLIPPED: dict[type[exp.Expr], type[exp.Expr]] = {exp.GT: exp.GTE, exp.GTE: exp.GT, exp.LT: exp.LTE, exp.LTE: exp.LT}
STRICT_AS = {">": (exp.GT, exp.LTE), "<=": (exp.GT, exp.LTE), ">=": (exp.GTE, exp.LT), "<": (exp.GTE, exp.LT)}
"""The comparisons that cut where the words do: more than 30 is `> 30`, and what is not is `<= 30`."""
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


def integer_division(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The quotient of two integers loses what is behind the point."""
    if script.dialect not in INTEGER_DIVISION:
        return
    for part in script.parts:
        for node in part.tree.find_all(exp.Div):
            if not is_integer(node.this, part, script) or not is_integer(node.expression, part, script):
                continue
            if (node.find(exp.Column) is None and node.find(exp.Count) is None) or node.find_ancestor(exp.Floor, exp.Group) is not None:
                continue
            is_share = any(inner.find(exp.Count, exp.Sum) is not None for inner in (node.this, node.expression))
            yield Suspicion(
                Defect.INTEGER_DIVISION,
                part,
                node,
                {"division": code(node.sql(script.dialect))},
                meant=[Meant(part, ((node, _real),))],
                blocks=is_share or _is_of_decimals(node),
            )


def _is_of_decimals(node: exp.Expr) -> bool:
    """The quotient of a column is used as a number with decimals: cast to one, rounded to some, or combined with one. Alone it may be meant
    to lose them, as whole kilograms of grams."""
    inner = node
    while isinstance(inner.parent, exp.Paren | exp.Mul | exp.Div | exp.Add | exp.Sub | exp.Cast | exp.Round | exp.AggFunc):
        inner = inner.parent
        if isinstance(inner, exp.Cast) and inner.to.is_type(*exp.DataType.REAL_TYPES):
            return True
        if isinstance(inner, exp.Avg) or (isinstance(inner, exp.Round) and inner.args.get("decimals") is not None):
            return True
        if isinstance(inner, exp.Mul):
            return True
        if any("." in literal.name and not literal.is_string for literal in inner.find_all(exp.Literal)):
            return True
    return False


def _real(node: exp.Expr) -> None:
    node.set("this", exp.cast(node.this.copy(), "double"))


def null_ignored(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """An average leaves out rows in which its column is null; where zero is asked for, they count."""
    if not wanted.zeros:
        return
    for part in script.parts:
        for node in part.tree.find_all(exp.Avg):
            if isinstance(node.this, exp.Column) and script.may_be_null(part, node.this) and not isinstance(node.parent, exp.Window):
                yield Suspicion(
                    Defect.NULL_IGNORED,
                    part,
                    node,
                    {"column": name(node.this.name), "aggregate": code(node.sql(script.dialect))},
                    meant=[Meant(part, ((node, _with_zeros),))],
                    blocks=False,
                )


def _with_zeros(node: exp.Expr) -> None:
    node.set("this", exp.func("COALESCE", node.this.copy(), exp.Literal.number(0)))


def boundary(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The requirement says more than, and the script also takes what is equal; or the other way round."""
    for sign, value in wanted.bounds:
        same = [other for other, number in wanted.bounds if number == value]
        if any(STRICT_AS[other] != STRICT_AS[sign] for other in same):
            continue
        for part in script.parts:
            for node in part.tree.find_all(*FLIPPED):
                if type(node) in STRICT_AS[sign] or not _compares_with(node, value) or node.find(exp.Column, exp.AggFunc) is None:
                    continue
                yield Suspicion(
                    Defect.BOUNDARY,
                    part,
                    node,
                    {"condition": code(node.sql(script.dialect)), "value": code(f"{sign} {value:g}")},
                    meant=[Meant(part, ((node, _flip),))],
                )


def _compares_with(node: exp.Expr, value: float) -> bool:
    """It compares with this number, or with an interval of this number of units, on either side."""
    side = next((side for side in (node.expression, node.this) if side.find(exp.Column) is None), exp.Null())
    interval = node.find(exp.Interval)
    if interval is not None:
        text = f"{interval.this.name if isinstance(interval.this, exp.Expr) else ''} {interval.args.get('unit') or ''}".lower()
        found = re.search(r"\d+(?:\.\d+)?", text)
        return found is not None and float(found[0]) in (value, value * 60, value * 3600, value / 60)
    literal = side if isinstance(side, exp.Literal) else side.find(exp.Literal)
    if literal is None or not re.fullmatch(r"\d+(?:\.\d+)?", literal.name):
        return False
    return float(literal.name) in {value, *(value * scale for scale in SECONDS.values() if value * scale != 0)}


def _flip(node: exp.Expr) -> exp.Expr:
    return FLIPPED[type(node)](this=node.this.copy(), expression=node.expression.copy())


def groups_weighed_alike(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """An average of averages or of ratios of groups, and distinct counts of groups that are added up. Either may be meant so: only a
    definition in `totals` decides, and then the review tries that."""
    defined = {column.lower() for column, _ in script.target.totals} if script.target is not None else set[str]()
    for part, scope in script.scopes():
        for output in scope.outputs if scope.select is not None else ():
            for node in output.node.find_all(exp.Avg, exp.Sum) if output.node is not None else ():
                inner = [made for column in node.this.find_all(exp.Column) if (made := _made_by_group(part, column)) is not None]
                if output.name.lower() in defined or isinstance(node.parent, exp.Window):
                    continue
                if isinstance(node, exp.Avg) and any(_is_ratio(made) for made in (node.this, *inner)):
                    defect = Defect.AVERAGE_OF_AVERAGES
                elif isinstance(node, exp.Sum) and any(_is_in_groups(script, part, made) for made in inner):
                    defect = Defect.DISTINCT_ADDED
                else:
                    continue
                if inner:
                    values: dict[str, Value] = {"expression": code(node.sql(script.dialect)), "column": name(output.name)}
                    yield Suspicion(defect, part, node, values, blocks=False)


def _is_ratio(node: exp.Expr) -> bool:
    """An average, or a quotient of what is not the same number for all."""
    return node.find(exp.Avg) is not None or any(div.expression.find(exp.Column, exp.AggFunc) is not None for div in node.find_all(exp.Div))


def _is_in_groups(script: Script, part: Part, made: exp.Expr) -> bool:
    """A distinct count of what may be in several groups: a key of a table is in one, where the groups are of columns of the same table."""
    select = made.find_ancestor(exp.Select)
    if not isinstance(made, exp.Count) or not isinstance(made.this, exp.Distinct) or select is None:
        return False
    group = select.args.get("group")
    columns = [*made.this.expressions, *(group.expressions if isinstance(group, exp.Group) else ())]
    found = [part.resolved.column(column) if isinstance(column, exp.Column) else None for column in columns]
    source = found[0].source if found[0] is not None else None
    if source is None or source.table is None or any(column is None or column.source is not source for column in found):
        return True
    return not script.facts.of(source.table).has_key_in(frozenset({made.this.expressions[0].name.lower()}))


def _made_by_group(part: Part, column: exp.Column) -> exp.Expr | None:
    """The aggregate that a column of a query in the FROM is; None: it is not an aggregate."""
    found = part.resolved.column(column)
    scope = found.source.scope if found is not None and found.source is not None else None
    output = scope.output(column.name) if scope is not None else None
    node = output.node.unalias() if output is not None and output.node is not None else None
    return node if node is not None and node.find(exp.AggFunc) is not None and node.find(exp.Window) is None else None
