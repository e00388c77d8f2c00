"""Conditions in words."""

import re
from enum import StrEnum
from functools import reduce

from sqlglot import exp

from contracts.statements import Join, Value, code, name, quote, say, say_member
from workers.engines.sql.explain.context import Context
from workers.engines.sql.explain.words import all_words, words
from workers.engines.sql.repair.dialects import printed

DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Comparison(StrEnum):
    """How two values are compared."""

    EQ = "eq"
    NEQ = "neq"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    SAME = "same"
    """Two columns that are equal."""
    AFTER = "after"
    SINCE = "since"
    BEFORE = "before"
    UNTIL = "until"


OF_TIME = {
    Comparison.GT: Comparison.AFTER,
    Comparison.GTE: Comparison.SINCE,
    Comparison.LT: Comparison.BEFORE,
    Comparison.LTE: Comparison.UNTIL,
}
"""How dates are compared."""

COMPARISONS: dict[type[exp.Expr], Comparison] = {
    exp.EQ: Comparison.EQ,
    exp.NEQ: Comparison.NEQ,
    exp.GT: Comparison.GT,
    exp.GTE: Comparison.GTE,
    exp.LT: Comparison.LT,
    exp.LTE: Comparison.LTE,
}


def condition(node: exp.Expr, context: Context) -> Value:
    """A condition in words."""
    if isinstance(node, exp.Paren):
        return condition(node.this, context)
    if isinstance(node, exp.And):
        return all_hold([_bracketed(item, context) for item in node.flatten()])
    if isinstance(node, exp.Or):
        return reduce(
            lambda left, right: say("sql_explain.or", left=left, right=right), [_bracketed(item, context) for item in node.flatten()]
        )
    if isinstance(node, exp.Not):
        return _negated(node.this, context)
    if (comparison := COMPARISONS.get(type(node))) is not None:
        return _compared(comparison, node.this, node.expression, context)
    return _other(node, context)


def _compared(comparison: Comparison, left: exp.Expr, right: exp.Expr, context: Context) -> Value:
    if isinstance(right, exp.Boolean) and comparison in {Comparison.EQ, Comparison.NEQ}:
        is_true = bool(right.this) is (comparison is Comparison.EQ)
        value = words(left, context)
        return say("sql_explain.is_true", value=value) if is_true else say("sql_explain.is_false", value=value)
    if _is_time(right) or _is_time(left):
        comparison = OF_TIME.get(comparison, comparison)
    elif comparison is Comparison.EQ and isinstance(left, exp.Column) and isinstance(right, exp.Column):
        comparison = Comparison.SAME
    return say_member("sql_explain.compare", comparison, left=words(left, context), right=words(right, context))


def _is_time(node: exp.Expr) -> bool:
    if isinstance(node, exp.Literal):
        return node.is_string and DATE.match(node.name) is not None
    node = node.unnest()
    if isinstance(node, exp.Cast):
        return node.to.this in {exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP}
    return isinstance(node, exp.CurrentDate | exp.CurrentTimestamp | exp.DateAdd | exp.TimestampTrunc)


def all_hold(conditions: list[Value]) -> Value:
    """Conditions that must all hold."""
    return reduce(lambda left, right: say("sql_explain.and", left=left, right=right), conditions)


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The conditions that must all hold."""
    node = node.unnest() if isinstance(node, exp.Paren) else node
    return list(node.flatten()) if isinstance(node, exp.And) else [node]


def _bracketed(node: exp.Expr, context: Context) -> Value:
    """A condition inside of another one, in brackets where its parts could be taken for those of the outer one."""
    inner = node.unnest()
    found = condition(inner, context)
    return say("sql_explain.in_brackets", value=found) if isinstance(inner, exp.And | exp.Or) else found


def _negated(node: exp.Expr, context: Context) -> Value:
    node = node.unnest()
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return say("sql_explain.is_known", value=words(node.this, context))
    if isinstance(node, exp.In):
        return _among(node, context, is_negated=True)
    if isinstance(node, exp.Exists):
        return say("sql_explain.not_exists", number=name(context.numbers.of(_query(node.this))))
    if isinstance(node, exp.Column):
        return say("sql_explain.is_false", value=words(node, context))
    return say("sql_explain.not", condition=condition(node, context))


def _other(node: exp.Expr, context: Context) -> Value:
    if isinstance(node, exp.Is):
        if isinstance(node.expression, exp.Null):
            return say("sql_explain.is_empty", value=words(node.this, context))
        return _compared(Comparison.EQ, node.this, node.expression, context)
    if isinstance(node, exp.Between):
        low, high = words(node.args["low"], context), words(node.args["high"], context)
        return say("sql_explain.between", value=words(node.this, context), low=low, high=high)
    if isinstance(node, exp.In):
        return _among(node, context, is_negated=False)
    if isinstance(node, exp.Like | exp.ILike):
        return _like(node, context)
    if isinstance(node, exp.RegexpLike | exp.RegexpILike):
        return say("sql_explain.matches", value=words(node.this, context), pattern=code(printed(node.expression, context.dialect)))
    if isinstance(node, exp.Exists):
        return say("sql_explain.exists", number=name(context.numbers.of(_query(node.this))))
    if isinstance(node, exp.Column):
        return say("sql_explain.is_true", value=words(node, context))
    return words(node, context) if not isinstance(node, exp.Predicate) else code(printed(node, context.dialect))


def _query(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Subquery) else node


def _among(node: exp.In, context: Context, *, is_negated: bool) -> Value:
    value, query = words(node.this, context), node.args.get("query")
    if isinstance(query, exp.Expr):
        number = name(context.numbers.of(_query(query)))
        return (
            say("sql_explain.not_in_query", value=value, number=number)
            if is_negated
            else say("sql_explain.in_query", value=value, number=number)
        )
    values = all_words(node.expressions, context, Join.OR)
    return (
        say("sql_explain.not_one_of", value=value, values=values) if is_negated else say("sql_explain.one_of", value=value, values=values)
    )


def _like(node: exp.Expr, context: Context) -> Value:
    value, pattern = words(node.this, context), node.expression
    found: Value = say("sql_explain.like", value=value, pattern=words(pattern, context))
    if isinstance(pattern, exp.Literal):
        text = pattern.name
        inner = text.strip("%")
        if inner and not any(sign in inner for sign in "%_\\"):
            if text.startswith("%") and text.endswith("%"):
                found = say("sql_explain.contains", value=value, text=quote(inner))
            elif text.endswith("%"):
                found = say("sql_explain.begins_with", value=value, text=quote(inner))
            elif text.startswith("%"):
                found = say("sql_explain.ends_with", value=value, text=quote(inner))
            else:
                found = say_member("sql_explain.compare", Comparison.EQ, left=value, right=quote(inner))
    return say("sql_explain.any_case", condition=found) if isinstance(node, exp.ILike) else found
