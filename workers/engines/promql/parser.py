"""PromQL as text, read."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from contracts.base import clean_text
from contracts.logs import Matcher, MatchOp
from contracts.statements import Statement, code, count, name, say
from workers.engines.promql.expressions import (
    COMPARISONS,
    SETS,
    Binary,
    Call,
    Enclosed,
    Expression,
    Group,
    Negated,
    Number,
    Quoted,
    Selector,
    Shift,
    Subquery,
    Type,
)
from workers.engines.promql.functions import AGGREGATIONS, FUNCTIONS, takes

_T = TypeVar("_T")

CHARS_MAX = 20_000
"""Characters of an expression that is read at all."""
DEPTH_MAX = 60
"""Brackets and operators within each other."""
OPERATORS_MAX = 100
"""Operators of an expression: each makes its tree a level deeper, and the tree is walked by calls."""

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+|#[^\n]*)"
    r"|(?P<duration>(?:\d{1,18}(?:ms|[smhdwy]))+(?![A-Za-z0-9_]))"
    r"|(?P<number>0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_.]))"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_:]*)"
    r"|(?P<mark>==|!=|>=|<=|=~|!~|[-+*/%^(){}\[\],=<>@:])"
)
_PART = re.compile(r"(\d+)(ms|[smhdwy])")
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000, "y": 31_536_000_000}
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"', "'": "'"}
_POWER = {"or": 1, "and": 2, "unless": 2, **dict.fromkeys(COMPARISONS, 3), "+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "atan2": 5, "^": 6}
_RIGHT = frozenset({"^"})
_SIGN = 5
"""A sign binds as multiplication does: -2^2 is -(2^2)."""


class PromQLSyntaxError(Exception):
    """The text is not PromQL; `what` says why, of the place `at`."""

    def __init__(self, what: Statement, at: int) -> None:
        super().__init__(what.code)
        self.what, self.at = what, at


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def parse_promql(text: str) -> Expression:
    """The expression. Raises `PromQLSyntaxError`."""
    reader = _Reader(text)
    found = reader.expression(0)
    reader.end()
    return found


def parse_matchers(text: str) -> tuple[Matcher, ...]:
    """The matchers of a selector without a metric, `{host=~"db1.*"}`. Raises `PromQLSyntaxError`."""
    reader = _Reader(text)
    found = reader.matchers()
    reader.end()
    return found


def _tokens(text: str) -> list[_Token]:
    if len(text) > CHARS_MAX:
        raise PromQLSyntaxError(say("promql.problem.long", limit=count(CHARS_MAX, exact=True)), 0)
    found, at = list[_Token](), 0
    while at < len(text):
        if text[at] in "\"'`":
            token, at = _quoted(text, at)
            found.append(token)
            continue
        made = _TOKEN.match(text, at)
        if made is None:
            raise PromQLSyntaxError(say("promql.problem.character", character=code(text[at])), at)
        if made.lastgroup != "space":
            found.append(_Token(made.lastgroup or "", made[0], at))
        at = made.end()
    return [*found, _Token("end", "", len(text))]


def _quoted(text: str, start: int) -> tuple[_Token, int]:
    mark, at, made = text[start], start + 1, list[str]()
    while at < len(text) and text[at] != mark:
        if text[at] == "\\" and mark != "`":
            escaped = text[at + 1 : at + 2]
            if escaped not in _ESCAPES or not escaped:
                raise PromQLSyntaxError(say("promql.problem.escape", text=code(text[at : at + 2])), at)
            made.append(_ESCAPES[escaped])
            at += 2
            continue
        made.append(text[at])
        at += 1
    if at >= len(text):
        raise PromQLSyntaxError(say("promql.problem.open_text"), start)
    return _Token("text", clean_text("".join(made)), start), at + 1


class _Reader:
    """Reads from a place on."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0
        self._operators = 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _is(self, text: str) -> bool:
        return self._next.text == text and self._next.kind in ("mark", "name")

    def _has(self, text: str) -> bool:
        """Whether this is next; it is taken then."""
        found = self._is(text)
        self._at += found
        return found

    def _need(self, text: str) -> None:
        if not self._has(text):
            raise self._unexpected(code(text))

    def _kind(self, kind: str) -> str:
        if self._next.kind != kind:
            raise self._unexpected(name(kind))
        return self._take().text

    def _unexpected(self, wanted: object) -> PromQLSyntaxError:
        found = code(self._next.text) if self._next.kind != "end" else say("promql.problem.end")
        return PromQLSyntaxError(say("promql.problem.expected", expected=wanted, found=found), self._next.at)  # pyright: ignore[reportArgumentType] code or name

    def end(self) -> None:
        """Raises unless all is read."""
        if self._next.kind != "end":
            raise self._unexpected(say("promql.problem.end"))

    def expression(self, least: int) -> Expression:
        """Operators that bind at least so."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise PromQLSyntaxError(say("promql.problem.deep", limit=count(DEPTH_MAX, exact=True)), self._next.at)
        left = self._signed()
        while (power := _POWER.get(self._next.text, 0)) > least and self._next.kind in ("mark", "name"):
            left = self._joined(left, self._take(), power)
        self._depth -= 1
        return left

    def _signed(self) -> Expression:
        if self._has("-"):
            return self._of(Negated(self.expression(_SIGN)), (Type.SCALAR, Type.VECTOR))
        if self._has("+"):
            return self._of(self.expression(_SIGN), (Type.SCALAR, Type.VECTOR))
        return self._behind(self._atom())

    def _joined(self, left: Expression, op: _Token, power: int) -> Expression:
        self._operators += 1
        if self._operators > OPERATORS_MAX:
            raise PromQLSyntaxError(say("promql.problem.operators", limit=count(OPERATORS_MAX, exact=True)), op.at)
        is_bool = op.text in COMPARISONS and self._has("bool")
        on = self._group("on", "ignoring")
        many = self._group("group_left", "group_right", may_be_bare=True) if on else None
        right = self.expression(power - (op.text in _RIGHT))
        kinds = (left.type, right.type)
        allowed = (Type.VECTOR,) if op.text in SETS else (Type.SCALAR, Type.VECTOR)
        both_scalar = kinds == (Type.SCALAR, Type.SCALAR)
        if any(kind not in allowed for kind in kinds) or (both_scalar and op.text in COMPARISONS and not is_bool):
            raise PromQLSyntaxError(say("promql.problem.operands", op=code(op.text)), op.at)
        return Binary(op.text, left, right, Type.SCALAR if both_scalar else Type.VECTOR, is_bool, on, many)

    def _group(self, *words: str, may_be_bare: bool = False) -> Group | None:
        if self._next.kind != "name" or self._next.text not in words:
            return None
        word = self._take().text
        if may_be_bare and not self._is("("):
            return Group(word, ())
        self._need("(")
        labels = self._list(lambda: self._kind("name"), ")")
        return Group(word, tuple(labels))

    def _list(self, read: Callable[[], _T], end: str) -> list[_T]:
        found: list[_T] = []
        while not self._has(end):
            found.append(read())
            if not self._has(","):
                self._need(end)
                break
        return found

    def _atom(self) -> Expression:
        token = self._next
        match token.kind:
            case "number":
                return Number(self._take().text)
            case "text":
                return Quoted(self._take().text)
            case "name":
                return self._named()
            case _:
                pass
        if self._has("("):
            inner = self.expression(0)
            self._need(")")
            return Enclosed(inner)
        if self._is("{"):
            found = self.matchers()
            if not any(_narrows(matcher) for matcher in found):
                raise PromQLSyntaxError(say("promql.problem.no_matcher"), token.at)
            return Selector("", found)
        raise self._unexpected(say("promql.problem.an_expression"))

    def _named(self) -> Expression:
        token = self._take()
        if token.text.lower() in ("inf", "nan") and not self._is("{"):
            return Number(token.text)
        aggregation = AGGREGATIONS.get(token.text)
        if aggregation and (self._is("(") or self._next.text in ("by", "without")):
            group = self._group("by", "without")
            self._need("(")
            arguments = self._list(lambda: self.expression(0), ")")
            group = group or self._group("by", "without")
            return self._call(token, arguments, aggregation, group)
        if self._has("("):
            if token.text not in FUNCTIONS:
                raise PromQLSyntaxError(say("promql.problem.function", name=name(token.text)), token.at)
            return self._call(token, self._list(lambda: self.expression(0), ")"), FUNCTIONS[token.text], None)
        return Selector(token.text, self.matchers() if self._is("{") else ())

    def _call(self, token: _Token, arguments: list[Expression], form: tuple[str, Type], group: Group | None) -> Call:
        if not takes(form[0], tuple(argument.type for argument in arguments)):
            raise PromQLSyntaxError(say("promql.problem.arguments", name=name(token.text)), token.at)
        return Call(token.text, tuple(arguments), form[1], group)

    def matchers(self) -> tuple[Matcher, ...]:
        """In curly brackets."""
        self._need("{")
        return tuple(self._list(self._matcher, "}"))

    def _matcher(self) -> Matcher:
        label = self._kind("name")
        if self._next.text not in [op.value for op in MatchOp] or ":" in label:
            raise self._unexpected(code("="))
        return Matcher(label=label, op=MatchOp(self._take().text), value=self._kind("text"))

    def _behind(self, of: Expression) -> Expression:
        """A range, a subquery, an offset and a moment behind an expression."""
        while True:
            if self._is("["):
                of = self._ranged(of)
            elif self._is("offset") or self._is("@"):
                of = self._shifted(of)
            else:
                return of

    def _ranged(self, of: Expression) -> Expression:
        at = self._take().at
        range_ms = _milliseconds(self._kind("duration"))
        if self._has(":"):
            step = _milliseconds(self._take().text) if self._next.kind == "duration" else 0
            self._need("]")
            if of.type not in (Type.SCALAR, Type.VECTOR):
                raise PromQLSyntaxError(say("promql.problem.range"), at)
            return Subquery(of, range_ms, step)
        self._need("]")
        if not isinstance(of, Selector) or of.range_ms or not range_ms or of.shift != Shift():
            raise PromQLSyntaxError(say("promql.problem.range"), at)
        return replace(of, range_ms=range_ms)

    def _shifted(self, of: Expression) -> Expression:
        token = self._take()
        if not isinstance(of, Selector | Subquery | Enclosed):
            raise PromQLSyntaxError(say("promql.problem.shift"), token.at)
        if token.text == "offset":
            sign = -1 if self._has("-") else 1
            return replace(of, shift=replace(of.shift, offset_ms=sign * _milliseconds(self._kind("duration"))))
        if self._next.text in ("start", "end"):
            at = self._take().text
            self._need("(")
            self._need(")")
            return replace(of, shift=replace(of.shift, at=f"{at}()"))
        sign = "-" if self._has("-") else ""
        return replace(of, shift=replace(of.shift, at=sign + self._kind("number")))

    def _of(self, expression: Expression, kinds: tuple[Type, ...]) -> Expression:
        if expression.type not in kinds:
            raise PromQLSyntaxError(say("promql.problem.operands", op=code("-")), self._next.at)
        return expression


def _milliseconds(text: str) -> int:
    return sum(int(number) * _UNIT_MS[unit] for number, unit in _PART.findall(text))


def _narrows(matcher: Matcher) -> bool:
    return (matcher.op is MatchOp.EQUAL and matcher.value != "") or (
        matcher.op is MatchOp.MATCHES and matcher.value not in ("", ".*")
    )  # fmt: skip
