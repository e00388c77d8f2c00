"""Conditions that say when something happened to a row: `received in 1994 after the commit date`, 晚于承诺日收到, `ordered before 1995-03-15`."""

# ruff: noqa: E501 patterns

import re
from typing import Protocol

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function
from workers.engines.requirements.prose.scope import Scope
from workers.engines.sql.build_values import TEMPORAL

_ADVERBIAL = r"\s+(?=(?:in|on|during|after|before|since|until|between|from|not before|not after|on or before|on or after)\s)"
_VERB = r"(?:(?:was|were|been|is|are)\s+)?(?P<verb>[a-z]+(?:ed|en|id|nt|ht|ade|old|ing))"
_SIGN_FIRST = re.compile(r"(?P<sign>不早于|不晚于|早于|晚于|先于|迟于)\s*(?P<rest>.+)")
_SIGN_LAST = re.compile(r"(?:在\s*)?(?P<at>.+?)\s*(?P<sign>之前|以前|之后|以后|当日或之前|当日或之后)\s*(?P<verb>[\u3400-\u9fff]{2,4})")
_SIGNS = {
    "早于": Function.LESS, "先于": Function.LESS, "之前": Function.LESS, "以前": Function.LESS, "晚于": Function.GREATER, "迟于": Function.GREATER,
    "之后": Function.GREATER, "以后": Function.GREATER, "不早于": Function.GREATER_EQUAL, "不晚于": Function.LESS_EQUAL,
    "当日或之前": Function.LESS_EQUAL, "当日或之后": Function.GREATER_EQUAL,
}  # fmt: skip
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Reader(Protocol):
    """Reads values and conditions over a scope."""

    scope: Scope

    def value(self, text: str) -> Expression | None:
        """A value of a row."""
        ...

    def condition(self, text: str) -> Expression | None:
        """A condition on a row."""
        ...

    def bound(self, text: str, column: ColumnOf) -> Expression | None:
        """A constant as the column compares it."""
        ...


def happened(body: str, reader: Reader) -> Expression | None:
    """The condition, if every word of it has a part in it."""
    return _several_times(body, reader) or _sign_first(body, reader)


def moment_of(words: str, scope: Scope) -> ColumnOf | None:
    """The moment that a verb names: of the row, else of the nearest row that it refers to."""
    verb = re.sub(r"^(?:(?:was|were|been|is|are)\s+|(?:被|已)\s*)", "", words.strip(), flags=re.IGNORECASE)
    if not re.fullmatch(r"[A-Za-z]+|[\u3400-\u9fff]{2,4}", verb):
        return None
    return scope.moment(verb) or scope.beginning(verb) or scope.moment_above(verb)


def _several_times(body: str, reader: Reader) -> Expression | None:
    """`received in 1994 after the commit date`: each adverbial is a condition of the same verb."""
    first, *rest = re.split(_ADVERBIAL, body, flags=re.IGNORECASE)
    verb = re.fullmatch(_VERB, first.strip(), re.IGNORECASE)
    if verb is None or len(rest) < 2:
        return None
    tests = [reader.condition(f"{verb['verb']} {part.strip()}") for part in rest]
    known = [test for test in tests if test is not None]
    return _all(known) if len(known) == len(tests) else None


def _sign_first(body: str, reader: Reader) -> Expression | None:
    """晚于承诺日收到, 1995-03-15之后发货."""
    if found := _SIGN_LAST.fullmatch(body):
        return _compared(found["sign"], found["at"], found["verb"], reader)
    found = _SIGN_FIRST.fullmatch(body)
    if found is None:
        return None
    rest = found["rest"]
    tests = [_compared(found["sign"], rest[:-length], rest[-length:], reader) for length in (2, 3, 4) if len(rest) > length]
    return next((test for test in tests if test is not None), None)


def _compared(sign: str, at: str, verb: str, reader: Reader) -> Expression | None:
    moment = moment_of(verb, reader.scope)
    if moment is None:
        return None
    other = reader.bound(at, moment) if _DATE.fullmatch(at.strip()) else reader.value(at)
    if other is None or (isinstance(other, ColumnOf) and (other == moment or not TEMPORAL.search(reader.scope.type_of(other)))):
        return None
    return Call(function=_SIGNS[sign], arguments=(moment, other)) if not isinstance(other, Call) else None


def _all(tests: list[Expression]) -> Expression:
    made = tests[0]
    for test in tests[1:]:
        made = Call(function=Function.AND, arguments=(made, test))
    return made
