"""Expressions in words. What has no words is shown as code."""

from collections.abc import Callable

from sqlglot import exp

from contracts.statements import Join, Listing, Statement, Value, code, count, listing, name, quote, say, say_member
from workers.engines.sql.explain.context import Context
from workers.engines.sql.explain.vocabulary import (
    DAY,
    MEASURES,
    NEIGHBOURS,
    NUMBERINGS,
    OPERATORS,
    PART_FORMATS,
    PART_NAMES,
    UNIT_NAMES,
    Measure,
    NumberPart,
    Unit,
)
from workers.engines.sql.repair.dates import unit_of, whole
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.repair.mend_clauses import null_rank


def words(node: exp.Expr, context: Context) -> Value:
    """An expression in words."""
    for kind, describe in DESCRIBED:
        if isinstance(node, kind) and not has_more(node) and (found := describe(node, context)) is not None:
            return found
    return code(printed(node, context.dialect))


SAID = {
    "this", "expression", "expressions", "alias", "table", "db", "catalog", "ifs", "default", "true", "false", "unit", "decimals", "format",
    "separator", "start", "end", "step", "to", "partition_by", "order", "spec",
}  # fmt: skip
"""Arguments of nodes that some words read."""


def has_more(node: exp.Expr) -> bool:
    """Whether a node has an argument that no words read. Queries and conditions have their own words."""
    if isinstance(node, (exp.Query, *CONDITIONS)):
        return False
    return any(
        name not in SAID and (isinstance(value, exp.Expr) or (isinstance(value, list) and value != [])) for name, value in node.args.items()
    )


def all_words(nodes: list[exp.Expr], context: Context, join: Join = Join.AND) -> Listing:
    """Expressions in words, one after the other."""
    return listing(*(words(node, context) for node in nodes), join=join)


def _column(node: exp.Expr, context: Context) -> Value | None:
    if isinstance(node, exp.Column):
        return say("sql_explain.all_columns") if isinstance(node.this, exp.Star) else name(context.column(node))
    return None


def _literal(node: exp.Expr, _: Context) -> Value:
    if isinstance(node, exp.Boolean):
        return name("TRUE" if node.this else "FALSE")
    return quote(node.name) if isinstance(node, exp.Literal) and node.is_string and not DAY.fullmatch(node.name) else name(node.name)


def _negative(node: exp.Expr, context: Context) -> Value | None:
    number = whole(node)
    return name(f"-{node.this.name}") if number is not None or isinstance(node.this, exp.Literal) else None


def _measure(node: exp.Expr, context: Context) -> Value | None:
    measure = MEASURES.get(type(node))
    if measure is None or not isinstance(node.this, exp.Expr):
        return None
    if measure is Measure.SUM and (condition := _counted_condition(node.this)) is not None:
        return say("sql_explain.rows_where", condition=context.condition(condition, context))
    value = words(node.this, context)
    value = say("sql_explain.in_brackets", value=value) if isinstance(node.this, exp.Binary) else value
    return say_member("sql_explain.measure", measure, value=value)


def _counted_condition(node: exp.Expr) -> exp.Expr | None:
    """Of `CASE WHEN c THEN 1 [ELSE 0] END`: c."""
    ifs: list[exp.Expr] = node.args.get("ifs") or []
    if not isinstance(node, exp.Case) or node.this is not None or len(ifs) != 1 or whole(ifs[0].args.get("true")) != 1:
        return None
    default = node.args.get("default")
    return ifs[0].this if default is None or isinstance(default, exp.Null) or whole(default) == 0 else None


def _count(node: exp.Expr, context: Context) -> Value:
    inner = node.this
    if isinstance(inner, exp.Distinct):
        return say_member("sql_explain.measure", Measure.COUNT_DISTINCT, value=all_words(inner.expressions, context))
    if inner is None or isinstance(inner, exp.Star) or whole(inner) is not None:
        return say("sql_explain.rows")
    default = inner.args.get("default")
    if (condition := _counted_condition(inner)) is not None and not isinstance(default, exp.Literal):
        return say("sql_explain.rows_where", condition=context.condition(condition, context))
    return say_member("sql_explain.measure", Measure.COUNT, value=words(inner, context))


def _truth(node: exp.Expr, context: Context) -> Value:
    return context.condition(node, context)


def _operation(node: exp.Expr, context: Context) -> Value | None:
    sign = OPERATORS.get(type(node))
    if sign is None:
        return None
    days = [_julian_day(side) for side in (node.this, node.expression)]
    if isinstance(node, exp.Sub) and days[0] is not None and days[1] is not None:
        between = {"later": words(days[0], context), "earlier": words(days[1], context)}
        return say("sql_explain.difference", unit=say_member("sql_explain.units", Unit.DAY), **between)
    return say("sql_explain.operation", left=_operand(node.this, context), sign=name(sign), right=_operand(node.expression, context))


def _operand(node: exp.Expr, context: Context) -> Value:
    """One side of an operation, in brackets where its words could be taken for those of the whole."""
    value = words(node, context)
    is_long = isinstance(node, exp.AggFunc | exp.Case | exp.Coalesce | exp.Window | exp.Nullif | exp.Round | exp.Extract)
    return say("sql_explain.in_brackets", value=value) if is_long else value


def _julian_day(node: exp.Expr) -> exp.Expr | None:
    """Of `JULIANDAY(x)`: x; of its least or largest value, that of x."""
    if isinstance(node, exp.Min | exp.Max) and (inner := _julian_day(node.this)) is not None:
        return type(node)(this=inner.copy())
    is_day = isinstance(node, exp.Anonymous) and node.name.upper() == "JULIANDAY" and len(node.expressions) == 1
    return node.expressions[0] if is_day else None


def _series(node: exp.Expr, context: Context) -> Value | None:
    start, end, step = node.args.get("start"), node.args.get("end"), node.args.get("step")
    if not isinstance(start, exp.Expr) or not isinstance(end, exp.Expr):
        return None
    bounds = {"start": words(start, context), "end": words(end, context)}
    if isinstance(step, exp.Expr):
        return say("sql_explain.series_by", step=words(step, context), **bounds)
    return say("sql_explain.series", **bounds)


def _paren(node: exp.Expr, context: Context) -> Value:
    inner = words(node.this, context)
    is_plain = isinstance(node.this, exp.Column | exp.Literal | exp.AggFunc | exp.Subquery)
    return inner if is_plain else say("sql_explain.in_brackets", value=inner)


def _joined_text(node: exp.Expr, context: Context) -> Value:
    parts = node.flatten() if isinstance(node, exp.DPipe) else node.expressions
    return say("sql_explain.text_of", parts=all_words(list(parts), context))


def _case(node: exp.Expr, context: Context) -> Value:
    default = node.args.get("default")
    cases: list[Value] = []
    ifs: list[exp.Expr] = node.args.get("ifs") or []
    for item in ifs:
        test = item.this if node.this is None else exp.EQ(this=node.this.copy(), expression=item.this.copy())
        value = words(item.args["true"], context)
        cases.append(say("sql_explain.case_if", value=value, condition=context.condition(test, context)))
    last = (
        say("sql_explain.case_else", value=words(default, context)) if isinstance(default, exp.Expr) else say("sql_explain.case_else_empty")
    )
    return listing(*cases, last, join=Join.CLAUSES)


def _if(node: exp.Expr, context: Context) -> Value | None:
    if isinstance(node.parent, exp.Case):
        return None
    first = say("sql_explain.case_if", value=words(node.args["true"], context), condition=context.condition(node.this, context))
    other = node.args.get("false")
    last = say("sql_explain.case_else", value=words(other, context)) if isinstance(other, exp.Expr) else say("sql_explain.case_else_empty")
    return listing(first, last, join=Join.CLAUSES)


def _coalesce(node: exp.Expr, context: Context) -> Value:
    if len(node.expressions) == 1:
        return say("sql_explain.or_if_empty", value=words(node.this, context), other=words(node.expressions[0], context))
    return say("sql_explain.first_of", values=all_words([node.this, *node.expressions], context, Join.PLAIN))


def _null_if(node: exp.Expr, context: Context) -> Value:
    return say("sql_explain.null_if", value=words(node.this, context), other=words(node.expression, context))


def _round(node: exp.Expr, context: Context) -> Value:
    digits = whole(node.args.get("decimals")) or 0
    return say("sql_explain.rounded", value=words(node.this, context), n=count(digits))


def _part(node: exp.Expr, context: Context) -> Value | None:
    unit = unit_of(node.this).lower()
    if unit not in PART_NAMES:
        return None
    return say_member("sql_explain.part", NumberPart(unit), value=words(node.expression, context))


def _trunc(node: exp.Expr, context: Context) -> Value | None:
    unit = unit_of(node.args.get("unit")).lower()
    if unit not in UNIT_NAMES:
        return None
    if isinstance(node.this, exp.CurrentDate | exp.CurrentTimestamp):
        return say_member("sql_explain.this", Unit(unit))
    return say_member("sql_explain.trunc", Unit(unit), value=words(node.this, context))


def _moved(node: exp.Expr, context: Context) -> Value | None:
    unit, number = unit_of(node.args.get("unit")).lower(), whole(node.expression)
    if unit not in UNIT_NAMES:
        return None
    if number is None:
        amount = say("sql_explain.operation_unit", value=words(node.expression, context), unit=say_member("sql_explain.units", Unit(unit)))
        return say("sql_explain.after", amount=amount, value=words(node.this, context))
    amount = say_member("sql_explain.amount", Unit(unit), n=count(abs(number), exact=True))
    if number < 0:
        return say("sql_explain.before", amount=amount, value=words(node.this, context))
    return say("sql_explain.after", amount=amount, value=words(node.this, context))


def _difference(node: exp.Expr, context: Context) -> Value | None:
    unit = (unit_of(node.args.get("unit")) or "DAY").lower()
    if unit not in UNIT_NAMES or not isinstance(node.args.get("expression"), exp.Expr):
        return None
    between = {"later": words(node.this, context), "earlier": words(node.expression, context)}
    return say("sql_explain.difference", unit=say_member("sql_explain.units", Unit(unit)), **between)


def _format(node: exp.Expr, context: Context) -> Value:
    part = PART_FORMATS.get(node.args["format"].name)
    if part is not None:
        return say_member("sql_explain.part", part, value=words(node.this, context))
    if node.args["format"].name == "%Y-%m":
        return say("sql_explain.year_and_month", value=words(node.this, context))
    return say("sql_explain.formatted", value=words(node.this, context), format=code(node.args["format"].name))


def _is_day(node: exp.Expr) -> bool:
    """Whether a value is a day already, without a time."""
    if isinstance(node, exp.DateAdd):
        return _is_day(node.this) and unit_of(node.args.get("unit")) not in {"SECOND", "MINUTE", "HOUR"}
    return isinstance(node.unnest(), exp.TimestampTrunc | exp.Literal | exp.CurrentDate)


def _cast(node: exp.Expr, context: Context) -> Value:
    inner = words(node.this, context)
    kind = node.to.this if isinstance(node, exp.Cast) and not node.to.expressions else None
    if kind is exp.DataType.Type.DATE:
        return inner if _is_day(node.this) else say_member("sql_explain.measure", Measure.AS_DATE, value=inner)
    if kind in exp.DataType.TEMPORAL_TYPES:
        return inner if _is_day(node.this) else say_member("sql_explain.measure", Measure.AS_TIME, value=inner)
    if kind in exp.DataType.TEXT_TYPES:
        return say_member("sql_explain.measure", Measure.AS_TEXT, value=inner)
    if kind in exp.DataType.FLOAT_TYPES:
        return say_member("sql_explain.measure", Measure.AS_NUMBER, value=inner)
    return code(printed(node, context.dialect))


def _today(_: exp.Expr, __: Context) -> Value:
    return say("sql_explain.today")


def _now(_: exp.Expr, __: Context) -> Value:
    return say("sql_explain.now")


def _null(_: exp.Expr, __: Context) -> Value:
    return say("sql_explain.nothing")


def _interval(node: exp.Expr, _: Context) -> Value | None:
    unit, number = unit_of(node.args.get("unit")).lower(), whole(node.this)
    return say_member("sql_explain.amount", Unit(unit), n=count(number, exact=True)) if unit in UNIT_NAMES and number is not None else None


def _subquery(node: exp.Expr, context: Context) -> Value | None:
    query = node.this if isinstance(node, exp.Subquery) else node
    return say("sql_explain.result_of", number=name(context.numbers.of(query))) if isinstance(query, exp.Query) else None


def _text_list(node: exp.Expr, context: Context) -> Value:
    inner = node.this.this if isinstance(node.this, exp.Order) else node.this
    inner = inner.expressions[0] if isinstance(inner, exp.Distinct) else inner
    separator = node.args.get("separator")
    return say(
        "sql_explain.text_list", value=words(inner, context), separator=quote(separator.name if isinstance(separator, exp.Expr) else ",")
    )


def _filtered(node: exp.Expr, context: Context) -> Value:
    return say("sql_explain.only_where", value=words(node.this, context), condition=context.condition(node.expression.this, context))


def _window(node: exp.Expr, context: Context) -> Value:
    value = _window_value(node.this, context)
    parts: list[Value] = []
    partition: list[exp.Expr] = node.args.get("partition_by") or []
    order = node.args.get("order")
    if partition:
        parts.append(say("sql_explain.within_each", keys=all_words(partition, context)))
    if isinstance(order, exp.Order):
        parts.append(say("sql_explain.in_order_of", keys=order_words(order, context)))
    if isinstance(frame := node.args.get("spec"), exp.Expr):
        parts.append(code(printed(frame, context.dialect)))
    return (
        say("sql_explain.window", value=value, scope=listing(*parts, join=Join.PLAIN))
        if parts
        else say("sql_explain.over_all", value=value)
    )


def _window_value(node: exp.Expr, context: Context) -> Value:
    if (numbering := NUMBERINGS.get(type(node))) is not None:
        return say_member("sql_explain.numbering", numbering)
    reads_on = isinstance(node, exp.LastValue) and isinstance(node.parent, exp.Expr) and not node.parent.args.get("spec")
    if (neighbour := NEIGHBOURS.get(type(node))) is not None and not has_more(node) and not node.args.get("default") and not reads_on:
        return say_member("sql_explain.neighbour", neighbour, value=words(node.this, context))
    return words(node, context)


def order_words(order: exp.Expr, context: Context) -> Value:
    """The items of an ORDER BY in words."""
    items, found = list(order.expressions), list[Value]()
    for item, following in zip(items, [*items[1:], None], strict=True):
        rank = null_rank(item)
        if rank is not None and following is not None and following.this == rank:
            continue
        before = null_rank(items[items.index(item) - 1]) if item is not items[0] else None
        ordered = _ordered(item, context)
        if before is not None and before == item.this:
            is_first = bool(items[items.index(item) - 1].args.get("desc"))
            ordered = say("sql_explain.nulls_first", ordered=ordered) if is_first else say("sql_explain.nulls_last", ordered=ordered)
        found.append(ordered)
    return listing(*found, join=Join.PLAIN)


def _ordered(item: exp.Expr, context: Context) -> Statement:
    value = words(_by_number(item.this, context), context)
    is_down = bool(item.args.get("desc"))
    text = printed(item, context.dialect).upper()
    ordered = say("sql_explain.downwards", value=value) if is_down else say("sql_explain.upwards", value=value)
    if text.endswith("NULLS LAST"):
        return say("sql_explain.nulls_last", ordered=ordered)
    return say("sql_explain.nulls_first", ordered=ordered) if text.endswith("NULLS FIRST") else ordered


def _by_number(node: exp.Expr, context: Context) -> exp.Expr:
    """`ORDER BY 2`: the second column."""
    number = whole(node)
    if number is None or context.select is None or not 1 <= number <= len(context.select.selects):
        return node
    item = context.select.selects[number - 1]
    return exp.column(item.alias) if isinstance(item, exp.Alias) else item


def grouped_words(nodes: list[exp.Expr], context: Context) -> Listing:
    """The items of a GROUP BY in words; an alias or a number by what it stands for."""
    return all_words([_spelt_out(_by_number(node, context), context) for node in nodes], context)


def _spelt_out(node: exp.Expr, context: Context) -> exp.Expr:
    if not isinstance(node, exp.Column) or node.table or context.select is None:
        return node
    found = next(
        (item.this for item in context.select.selects if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower()), None
    )
    return found if found is not None else node


CONDITIONS = (
    exp.Predicate, exp.And, exp.Or, exp.Not, exp.In, exp.Between, exp.Is, exp.Like, exp.ILike, exp.Exists, exp.EQ, exp.NEQ, exp.GT, exp.GTE,
    exp.LT, exp.LTE, exp.RegexpLike, exp.RegexpILike,
)  # fmt: skip

DESCRIBED: tuple[tuple[type[exp.Expr] | tuple[type[exp.Expr], ...], Callable[[exp.Expr, Context], Value | None]], ...] = (
    (exp.Column, _column),
    (exp.Star, lambda _, __: say("sql_explain.all_columns")),
    ((exp.Literal, exp.Boolean), _literal),
    (exp.Null, _null),
    (exp.Neg, _negative),
    (exp.Window, _window),
    (exp.Filter, _filtered),
    (exp.Count, _count),
    (exp.GroupConcat, _text_list),
    (tuple(MEASURES), _measure),
    (tuple(OPERATORS), _operation),
    (exp.Paren, _paren),
    ((exp.DPipe, exp.Concat), _joined_text),
    (exp.Case, _case),
    (exp.If, _if),
    ((exp.GenerateSeries, exp.ExplodingGenerateSeries), _series),
    (exp.Coalesce, _coalesce),
    (exp.Nullif, _null_if),
    (exp.Round, _round),
    (exp.Extract, _part),
    ((exp.TimestampTrunc, exp.DateTrunc), _trunc),
    (exp.DateAdd, _moved),
    ((exp.DateDiff, exp.TimestampDiff), _difference),
    (exp.TimeToStr, _format),
    (exp.Cast, _cast),
    (exp.CurrentDate, _today),
    (exp.CurrentTimestamp, _now),
    (exp.Interval, _interval),
    ((exp.Subquery, exp.Select, exp.SetOperation), _subquery),
    (CONDITIONS, _truth),
    (exp.Alias, lambda node, context: words(node.this, context)),
    ((exp.TsOrDsToDate, exp.TsOrDsToTimestamp), lambda node, context: words(node.this, context)),
)
"""How kinds of expressions are described; the first that fits decides."""
