"""A LogQL text, read by recursive descent. It says where the text stops being LogQL; what has no meaning is the checker's part."""

from math import isfinite
from typing import Literal, cast

from contracts.logs import (
    Binary,
    BinaryMatching,
    Grouping,
    LabelReplace,
    Literally,
    LogExpression,
    LogQuery,
    RangeAggregation,
    Stage,
    VectorAggregation,
    VectorOf,
)
from contracts.statements import code, say, term
from workers.engines.logql.cursor import Cursor
from workers.engines.logql.names import PRECEDENCE, RANGE_FUNCTIONS, RIGHT_TO_LEFT, VECTOR_FUNCTIONS
from workers.engines.logql.pipeline_parser import parse_selector, parse_stages
from workers.engines.logql.tokens import Kind, LogQLSyntaxError, Token

_Op = Literal["or", "and", "unless", "==", "!=", ">", ">=", "<", "<=", "+", "-", "*", "/", "%", "^"]


def parse_logql(text: str) -> LogExpression:
    """The query. Raises `LogQLSyntaxError`."""
    cursor = Cursor(text)
    found = _expression(cursor, 0)
    if cursor.token.kind is not Kind.END:
        raise cursor.unexpected()
    return found


def _expression(cursor: Cursor, weakest: int) -> LogExpression:
    left = _primary(cursor)
    while (binding := PRECEDENCE.get(cursor.token.text)) is not None and cursor.token.kind in (Kind.MARK, Kind.NAME) and binding >= weakest:
        op = cursor.take().text
        cursor.joined()
        is_bool = cursor.take_if("bool") is not None
        matching = _matching(cursor)
        with cursor.deeper():
            right = _expression(cursor, binding if op in RIGHT_TO_LEFT else binding + 1)
        left = Binary(op=cast("_Op", op), left=left, right=right, is_bool=is_bool, matching=matching)
    return left


def _matching(cursor: Cursor) -> BinaryMatching | None:
    which = cursor.take_if("on", "ignoring")
    if which is None:
        return None
    labels = cursor.names_in_parentheses()
    group = cursor.take_if("group_left", "group_right")
    include = cursor.names_in_parentheses() if group is not None and cursor.token.text == "(" else ()
    side: Literal["left", "right"] | None = None if group is None else "left" if group.text == "group_left" else "right"
    return BinaryMatching(labels=labels, is_ignoring=which.text == "ignoring", group=side, include=include)


def _primary(cursor: Cursor) -> LogExpression:
    token = cursor.token
    if token.kind is Kind.MARK and token.text == "(":
        with cursor.deeper():
            cursor.take()
            inner = _expression(cursor, 0)
            cursor.expect(")")
        return inner
    if token.kind is Kind.MARK and token.text == "{":
        return LogQuery(matchers=parse_selector(cursor), stages=parse_stages(cursor))
    if token.kind is Kind.NUMBER or token.text in ("+", "-"):
        return Literally(value=_number(cursor))
    if token.kind is Kind.NAME:
        return _call(cursor)
    raise cursor.unexpected(term("logs.word.query"))


def _number(cursor: Cursor) -> float:
    sign = cursor.take_if("+", "-")
    token = cursor.expect_kind(Kind.NUMBER)
    if not isfinite(token.value):
        raise LogQLSyntaxError(say("logs.problem.number_size", text=code(token.text[:40])), token.start, token.end)
    return -token.value if sign is not None and sign.text == "-" else token.value


def _call(cursor: Cursor) -> LogExpression:
    token = cursor.take()
    name = token.text
    if name in RANGE_FUNCTIONS:
        return _range_aggregation(cursor, name)
    if name in VECTOR_FUNCTIONS:
        return _vector_aggregation(cursor, name)
    if name == "vector":
        cursor.expect("(")
        value = _number(cursor)
        cursor.expect(")")
        return VectorOf(value=value)
    if name == "label_replace":
        return _label_replace(cursor)
    raise LogQLSyntaxError(say("logs.problem.function", name=code(name)), token.start, token.end)


def _label_replace(cursor: Cursor) -> LabelReplace:
    cursor.expect("(")
    with cursor.deeper():
        inner = _expression(cursor, 0)
    texts: list[str] = []
    for _ in range(4):
        cursor.expect(",")
        texts.append(cursor.expect_kind(Kind.TEXT).text)
    cursor.expect(")")
    target, replacement, source, pattern = texts
    return LabelReplace(of=inner, target=target, replacement=replacement, source=source, pattern=pattern)


def _vector_aggregation(cursor: Cursor, name: str) -> VectorAggregation:
    grouping = _grouping(cursor)
    cursor.expect("(")
    parameter: float | None = None
    with cursor.deeper():
        if cursor.has_parameter():
            parameter = _number(cursor)
            cursor.expect(",")
        inner = _expression(cursor, 0)
    cursor.expect(")")
    if grouping is None:
        grouping = _grouping(cursor)
    return VectorAggregation(function=name, parameter=parameter, of=inner, grouping=grouping)


def _grouping(cursor: Cursor) -> Grouping | None:
    which = cursor.take_if("by", "without")
    if which is None:
        return None
    return Grouping(labels=cursor.names_in_parentheses(), is_without=which.text == "without")


class _Range:
    """What a range aggregation looks at, as it is read: the parts come in several orders."""

    def __init__(self) -> None:
        self.matchers: LogQuery = LogQuery()
        self.stages: tuple[Stage, ...] = ()
        self.window: Token | None = None
        self.offset_ns = 0


def _range_aggregation(cursor: Cursor, name: str) -> RangeAggregation:
    cursor.expect("(")
    parameter: float | None = None
    if cursor.has_parameter():
        parameter = _number(cursor)
        cursor.expect(",")
    found = _Range()
    with cursor.deeper():
        _log_range(cursor, found)
    if found.window is None:
        raise cursor.unexpected(term("logs.word.range"))
    cursor.expect(")")
    return RangeAggregation(
        function=name, parameter=parameter, log=LogQuery(matchers=found.matchers.matchers, stages=found.stages),
        range_ns=int(found.window.value), offset_ns=found.offset_ns, grouping=_grouping(cursor),
    )  # fmt: skip


def _log_range(cursor: Cursor, found: _Range) -> None:
    if cursor.token.text == "(" and cursor.token.kind is Kind.MARK:
        with cursor.deeper():
            cursor.take()
            _log_range(cursor, found)
            cursor.expect(")")
    else:
        found.matchers = LogQuery(matchers=parse_selector(cursor))
        found.stages = parse_stages(cursor)
    if cursor.take_if("[") is None:
        return
    if found.window is not None:
        raise cursor.unexpected(code(")"))
    found.window = cursor.expect_kind(Kind.DURATION)
    cursor.expect("]")
    if cursor.take_if("offset") is not None:
        sign = cursor.take_if("-")
        found.offset_ns = int(cursor.expect_kind(Kind.DURATION).value) * (1 if sign is None else -1)
    found.stages += parse_stages(cursor)
