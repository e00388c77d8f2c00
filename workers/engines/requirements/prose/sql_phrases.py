"""Definitions in SQL, as data engineers write them: `count(distinct uid)`, `price / nullif(seats, 0)`, `case when ... end`.

A text is parsed, never used: what comes out is an expression over columns that are known. A part that is not on the list here makes the
whole text unread."""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from contracts.pipelines.analysis import WindowColumn
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, Sorting, ValueType
from contracts.queries import TimeUnit

LOOKS_LIKE = re.compile(r"\w\s*\(|\|\||\bcase\b|<>|!=|[<>=]=?|\b(?:is|in|like|between|and|or|not)\b|::|[*/+]|\s-\s", re.IGNORECASE)
"""Signs of SQL in a text that nothing else has read."""
MOST_CHARACTERS = 400
_BINARY: Mapping[type[exp.Expr], Function] = {
    exp.Add: Function.PLUS, exp.Sub: Function.MINUS, exp.Mul: Function.TIMES, exp.Div: Function.OVER, exp.EQ: Function.EQUAL,
    exp.NEQ: Function.NOT_EQUAL, exp.GT: Function.GREATER, exp.GTE: Function.GREATER_EQUAL, exp.LT: Function.LESS,
    exp.LTE: Function.LESS_EQUAL, exp.And: Function.AND, exp.Or: Function.OR,
}  # fmt: skip
_ONE: Mapping[type[exp.Expr], Function] = {exp.Lower: Function.LOWER, exp.Upper: Function.UPPER, exp.Abs: Function.ABSOLUTE}
_AGGREGATES: Mapping[type[exp.Expr], Function] = {
    exp.Sum: Function.SUM, exp.Avg: Function.AVERAGE, exp.Min: Function.MINIMUM, exp.Max: Function.MAXIMUM,
}  # fmt: skip
_RANKINGS: Mapping[type[exp.Expr], Function] = {
    exp.RowNumber: Function.ROW_NUMBER, exp.Rank: Function.RANK, exp.DenseRank: Function.DENSE_RANK,
}  # fmt: skip
_WINDOWED: Mapping[type[exp.Expr], Function] = {
    **_AGGREGATES, exp.Count: Function.COUNT, exp.Lag: Function.LAG, exp.Lead: Function.LEAD,
}  # fmt: skip
_TYPES = {
    "DATE": ValueType.DATE, "TIMESTAMP": ValueType.TIMESTAMP, "TIMESTAMPNTZ": ValueType.TIMESTAMP, "DATETIME": ValueType.TIMESTAMP,
    "INT": ValueType.INTEGER, "BIGINT": ValueType.INTEGER,
    "DOUBLE": ValueType.DECIMAL, "FLOAT": ValueType.DECIMAL, "DECIMAL": ValueType.DECIMAL, "TEXT": ValueType.TEXT,
    "VARCHAR": ValueType.TEXT,
}  # fmt: skip
_UNITS = {"DAY": TimeUnit.DAY, "MONTH": TimeUnit.MONTH, "QUARTER": TimeUnit.QUARTER, "YEAR": TimeUnit.YEAR, "WEEK": TimeUnit.WEEK}

Column = Callable[[str], Expression | None]
"""The value that a name stands for; None: nothing, or several."""
Literal = Callable[[str, ColumnOf], Constant | None]
"""A constant as a column compares it."""
Aggregate = Callable[[Function, Expression | None, Expression | None], Expression | None]
"""What an aggregate of rows becomes: its function, its value and the condition on the rows."""
Windowed = Callable[[WindowColumn], Expression | None]
"""What a value over the rows around becomes."""


class NotOurs(Exception):
    """A part that is not on the list."""


def parsed(text: str) -> exp.Expr | None:
    """The tree of an expression; None: the text is none."""
    body = text.strip().rstrip(";")
    if len(body) > MOST_CHARACTERS or not LOOKS_LIKE.search(body) or re.search(r"[，。；：（）]|--|/\*", body):
        return None
    try:
        tree = sqlglot.parse_one(f"SELECT {body}", read="duckdb")
    except (SqlglotError, RecursionError, ValueError):
        return None
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or any(tree.args.get(part) for part in ("from_", "where", "joins")):
        return None
    found = tree.expressions[0]
    return None if isinstance(found, exp.Alias | exp.Star) or found.find(exp.Select) is not None else found


def is_test(tree: exp.Expr) -> bool:
    """Whether an expression is a condition."""
    inner = tree.this if isinstance(tree, exp.Paren) else tree
    return isinstance(inner, exp.Predicate | exp.Connector | exp.Not | exp.In | exp.Between | exp.Is)


def has_aggregate(tree: exp.Expr) -> bool:
    """Whether it holds an aggregate of rows, which a value over the rows around is not."""
    return any(not isinstance(item.parent, exp.Window) for item in tree.find_all(exp.AggFunc))


def has_division(tree: exp.Expr) -> bool:
    """Whether it divides."""
    return tree.find(exp.Div) is not None


def without_zero(tree: exp.Expr) -> tuple[exp.Expr, bool]:
    """`coalesce(sum(a), 0)`: the aggregate, and that it is 0 where there are no rows."""
    if isinstance(tree, exp.Coalesce) and len(tree.expressions) == 1 and isinstance(tree.this, exp.AggFunc | exp.Filter):
        other = tree.expressions[0]
        if isinstance(other, exp.Literal) and not other.is_string and float(other.name) == 0:
            return tree.this, True
    return tree, False


class SqlPhrase:
    """One tree as an expression."""

    def __init__(
        self,
        column: Column,
        literal: Literal | None = None,
        aggregate: Aggregate | None = None,
        inner: Column | None = None,
        window: Windowed | None = None,
    ) -> None:
        """`inner`: what names within an aggregate stand for."""
        self._column, self._literal, self._aggregate, self._inner, self._window = column, literal, aggregate, inner or column, window

    def read(self, tree: exp.Expr) -> Expression | None:
        """The expression; None where a part of it is not read."""
        try:
            return self._of(tree)
        except (NotOurs, RecursionError):
            return None

    def _of(self, node: exp.Expr) -> Expression:
        kind = type(node)
        if isinstance(node, exp.Paren):
            return self._of(node.this)
        if isinstance(node, exp.Column):
            return self._named(node)
        if isinstance(node, exp.Literal):
            return _constant(node)
        if isinstance(node, exp.Boolean):
            return Constant(type=ValueType.BOOLEAN, value=str(bool(node.this)).lower())
        if isinstance(node, exp.Null):
            return Constant(type=ValueType.NULL)
        if isinstance(node, exp.Window):
            return self._windowed(node)
        if isinstance(node, exp.AggFunc | exp.Filter):
            return self._aggregated(node)
        if kind in _BINARY:
            return self._binary(node, _BINARY[kind])
        if kind in _ONE:
            return Call(function=_ONE[kind], arguments=(self._of(node.this),))
        return self._special(node)

    def _special(self, node: exp.Expr) -> Expression:
        readers = dict[type[exp.Expr], Callable[[Any], Expression]]({
            exp.Is: self._null_test, exp.Not: self._not, exp.In: self._in, exp.Between: self._between, exp.Case: self._case,
            exp.Coalesce: self._coalesce, exp.DPipe: self._concat, exp.Concat: self._concat, exp.Cast: self._cast, exp.Round: self._round,
            exp.DateTrunc: self._cut, exp.TimestampTrunc: self._cut, exp.DateDiff: self._days, exp.Neg: self._minus,
        })  # fmt: skip
        reader = next((read for kind, read in readers.items() if isinstance(node, kind)), None)
        if reader is None:
            raise NotOurs(type(node).__name__)
        return reader(node)

    def _named(self, node: exp.Column) -> Expression:
        found = self._column(f"{node.table}.{node.name}" if node.table else node.name)
        if found is None:
            raise NotOurs(node.name)
        return found

    def _binary(self, node: exp.Expr, function: Function) -> Expression:
        if isinstance(node, exp.Div) and isinstance(node.expression, exp.Nullif):
            return Call(function=Function.OVER, arguments=(self._of(node.this), self._of(node.expression.this)))
        left, right = self._pair(node.this, node.expression)
        return Call(function=function, arguments=(left, right))

    def _pair(self, left: exp.Expr, right: exp.Expr) -> tuple[Expression, Expression]:
        """Two sides, a text constant as the column of the other side compares it."""
        for first, second, is_turned in ((left, right, False), (right, left, True)):
            if isinstance(first, exp.Column) and isinstance(second, exp.Literal) and second.is_string and self._literal is not None:
                column = self._named(first)
                bound = self._literal(f"'{second.name}'", column) if isinstance(column, ColumnOf) else None
                if bound is not None:
                    return (bound, column) if is_turned else (column, bound)
        return self._of(left), self._of(right)

    def _aggregated(self, node: exp.Expr) -> Expression:
        outer, self._column = self._column, self._inner
        try:
            return self._of_rows(node)
        finally:
            self._column = outer

    def _of_rows(self, node: exp.Expr) -> Expression:
        test = self._of(node.expression.this) if isinstance(node, exp.Filter) else None
        inner = node.this if isinstance(node, exp.Filter) else node
        made: Expression | None = None
        if self._aggregate is not None and isinstance(inner, exp.Count):
            what = inner.this
            if isinstance(what, exp.Distinct):
                if len(what.expressions) == 1:
                    made = self._aggregate(Function.COUNT_DISTINCT, self._of(what.expressions[0]), test)
            else:
                made = self._aggregate(Function.COUNT, None if isinstance(what, exp.Star) else self._of(what), test)
        elif self._aggregate is not None and type(inner) in _AGGREGATES and not isinstance(inner.this, exp.Distinct):
            made = self._aggregate(_AGGREGATES[type(inner)], self._of(inner.this), test)
        if made is None:
            raise NotOurs(type(inner).__name__)
        return made

    def _windowed(self, node: exp.Window) -> Expression:
        """`lag(amount) over (partition by city order by month)`, over columns that are known."""
        kind = cast("type[exp.Expr]", type(node.this))
        function, value = _RANKINGS.get(kind), ()
        if function is None:
            function = _WINDOWED.get(kind)
            if (
                function is None
                or node.this.args.get("offset")
                or node.this.args.get("default")
                or isinstance(node.this.this, exp.Distinct)
            ):
                raise NotOurs(type(node.this).__name__)
            value = () if isinstance(node.this.this, exp.Star) else (self._of(node.this.this),)
        order = node.args.get("order")
        sorting = [
            Sorting(value=self._of(item.this), descending=bool(item.args.get("desc"))) for item in (order.expressions if order else ())
        ]
        is_aggregate = kind in _AGGREGATES or isinstance(node.this, exp.Count)
        if node.args.get("spec") is not None or self._window is None or (not is_aggregate and not sorting):
            raise NotOurs("over")
        column = WindowColumn(
            name="value",
            value=Call(function=function, arguments=value),
            partition_by=tuple(self._of(item) for item in node.args.get("partition_by") or ()),
            order_by=tuple(sorting),
        )
        if (made := self._window(column)) is None:
            raise NotOurs("over")
        return made

    # ---- special forms

    def _null_test(self, node: exp.Is) -> Expression:
        if not isinstance(node.expression, exp.Null):
            raise NotOurs
        return Call(function=Function.IS_NULL, arguments=(self._of(node.this),))

    def _not(self, node: exp.Not) -> Expression:
        if isinstance(node.this, exp.Is) and isinstance(node.this.expression, exp.Null):
            return Call(function=Function.NOT_NULL, arguments=(self._of(node.this.this),))
        return Call(function=Function.NOT, arguments=(self._of(node.this),))

    def _in(self, node: exp.In) -> Expression:
        if not node.expressions or node.args.get("query"):
            raise NotOurs
        return Call(function=Function.IN, arguments=(self._of(node.this), *(self._pair(node.this, item)[1] for item in node.expressions)))

    def _between(self, node: exp.Between) -> Expression:
        low, high = self._pair(node.this, node.args["low"]), self._pair(node.this, node.args["high"])
        tests = Call(function=Function.GREATER_EQUAL, arguments=low), Call(function=Function.LESS_EQUAL, arguments=high)
        return Call(function=Function.AND, arguments=tests)

    def _case(self, node: exp.Case) -> Expression:
        parts: list[Expression] = []
        for branch in node.args["ifs"]:
            test = exp.EQ(this=node.this.copy(), expression=branch.this.copy()) if node.this is not None else branch.this
            parts += [self._of(test), self._of(branch.args["true"])]
        if node.args.get("default") is not None and not isinstance(node.args["default"], exp.Null):
            parts.append(self._of(node.args["default"]))
        return Call(function=Function.CASE, arguments=tuple(parts))

    def _coalesce(self, node: exp.Coalesce) -> Expression:
        return Call(function=Function.COALESCE, arguments=tuple(self._of(item) for item in (node.this, *node.expressions)))

    def _concat(self, node: exp.Expr) -> Expression:
        parts = node.expressions if isinstance(node, exp.Concat) else [node.this, node.expression]
        return Call(function=Function.CONCAT, arguments=tuple(self._of(item) for item in parts))

    def _cast(self, node: exp.Cast) -> Expression:
        wanted = _TYPES.get(node.to.this.name if isinstance(node.to.this, exp.DataType.Type) else "")
        if wanted is None:
            raise NotOurs
        value = self._of(node.this)
        if isinstance(value, Constant) and value.type is ValueType.TEXT and wanted in (ValueType.DATE, ValueType.TIMESTAMP):
            return Constant(type=wanted, value=value.value)
        if wanted is ValueType.DATE:
            return Call(function=Function.CUT, arguments=(value,), unit=TimeUnit.DAY)
        return Call(function=Function.CONVERT, arguments=(value,), type=wanted)

    def _round(self, node: exp.Round) -> Expression:
        digits = node.args.get("decimals")
        return Call(function=Function.ROUND, arguments=tuple(self._of(item) for item in (node.this, digits) if item is not None))

    def _cut(self, node: exp.Expr) -> Expression:
        unit = _UNITS.get(str(node.args["unit"].name if isinstance(node.args.get("unit"), exp.Expr) else "").upper())
        if unit is None:
            raise NotOurs
        return Call(function=Function.CUT, arguments=(self._of(node.this),), unit=unit)

    def _days(self, node: exp.DateDiff) -> Expression:
        unit = node.args.get("unit")
        if not isinstance(unit, exp.Expr) or unit.name.upper() != "DAY":  # others are boundaries in one engine, whole units in another
            raise NotOurs
        return Call(function=Function.DAYS_BETWEEN, arguments=(self._of(node.this), self._of(node.expression)))

    def _minus(self, node: exp.Neg) -> Expression:
        value = self._of(node.this)
        if not isinstance(value, Constant):
            raise NotOurs
        return value.model_copy(update={"value": f"-{value.value}"})


def _constant(node: exp.Literal) -> Constant:
    if node.is_string:
        return Constant(type=ValueType.TEXT, value=node.name)
    return Constant(type=ValueType.INTEGER if node.name.isdigit() else ValueType.DECIMAL, value=node.name)
