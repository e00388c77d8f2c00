"""A PromQL expression as a value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from contracts.logs import Matcher


class Type(StrEnum):
    """What an expression gives."""

    SCALAR = "scalar"
    VECTOR = "instant vector"
    MATRIX = "range vector"
    STRING = "string"


@dataclass(frozen=True, slots=True)
class Shift:
    """When an expression is looked at, if not at the moment of the query."""

    offset_ms: int = 0
    at: str = ""
    """Behind `@`: seconds since 1970, `start()` or `end()`."""


NOW = Shift()


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    text: str
    type = Type.SCALAR


@dataclass(frozen=True, slots=True)
class Quoted:
    """A text."""

    text: str
    type = Type.STRING


@dataclass(frozen=True, slots=True)
class Selector:
    """The series of a metric that fit all matchers; over a time where there is a range."""

    metric: str
    matchers: tuple[Matcher, ...] = ()
    range_ms: int = 0
    shift: Shift = NOW

    @property
    def type(self) -> Type:
        """A range makes a range vector."""
        return Type.MATRIX if self.range_ms else Type.VECTOR


@dataclass(frozen=True, slots=True)
class Subquery:
    """An expression over a time."""

    of: "Expression"
    range_ms: int
    step_ms: int = 0
    """0: the server's own."""
    shift: Shift = NOW
    type = Type.MATRIX


@dataclass(frozen=True, slots=True)
class Group:
    """Which labels stay of an aggregation, or which of two sides are compared."""

    word: str
    """`by` or `without`, `on` or `ignoring`."""
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an aggregation."""

    name: str
    arguments: tuple["Expression", ...]
    type: Type
    group: Group | None = None


@dataclass(frozen=True, slots=True)
class Binary:
    """Two expressions joined by an operator."""

    op: str
    left: "Expression"
    right: "Expression"
    type: Type
    is_bool: bool = False
    on: Group | None = None
    many: Group | None = None
    """`group_left` or `group_right`, with the labels that it copies."""


@dataclass(frozen=True, slots=True)
class Negated:
    """A minus before an expression."""

    of: "Expression"

    @property
    def type(self) -> Type:
        """As what is negated."""
        return self.of.type


@dataclass(frozen=True, slots=True)
class Enclosed:
    """An expression in brackets."""

    of: "Expression"
    shift: Shift = NOW

    @property
    def type(self) -> Type:
        """As what is in them."""
        return self.of.type


Expression = Number | Quoted | Selector | Subquery | Call | Binary | Negated | Enclosed

COMPARISONS = frozenset({"==", "!=", ">", "<", ">=", "<="})
SETS = frozenset({"and", "or", "unless"})


def parts(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of."""
    yield expression
    match expression:
        case Subquery() | Negated() | Enclosed():
            yield from parts(expression.of)
        case Call():
            for argument in expression.arguments:
                yield from parts(argument)
        case Binary():
            yield from parts(expression.left)
            yield from parts(expression.right)
        case Number() | Quoted() | Selector():
            pass


def narrowed(expression: Expression, matchers: Sequence[Matcher]) -> Expression:
    """The same of the series that fit these matchers too."""
    match expression:
        case Selector():
            return replace(expression, matchers=(*expression.matchers, *(each for each in matchers if each not in expression.matchers)))
        case Subquery() | Negated() | Enclosed():
            return replace(expression, of=narrowed(expression.of, matchers))
        case Call():
            return replace(expression, arguments=tuple(narrowed(argument, matchers) for argument in expression.arguments))
        case Binary():
            return replace(expression, left=narrowed(expression.left, matchers), right=narrowed(expression.right, matchers))
        case Number() | Quoted():
            return expression


def longest_s(expression: Expression) -> float:
    """Seconds that it looks back from its moment, offsets included."""
    match expression:
        case Selector():
            return (expression.range_ms + max(expression.shift.offset_ms, 0)) / 1000
        case Subquery():
            return (expression.range_ms + max(expression.shift.offset_ms, 0)) / 1000 + longest_s(expression.of)
        case Enclosed():
            return longest_s(expression.of) + max(expression.shift.offset_ms, 0) / 1000
        case Negated():
            return longest_s(expression.of)
        case Call():
            return max((longest_s(argument) for argument in expression.arguments), default=0.0)
        case Binary():
            return max(longest_s(expression.left), longest_s(expression.right))
        case Number() | Quoted():
            return 0.0


def is_filter(expression: Expression) -> bool:
    """Whether it gives series only where something holds: `up == 0`, and not `up` or `up == bool 0`."""
    match expression:
        case Enclosed():
            return is_filter(expression.of)
        case Binary(op="and" | "unless"):
            return is_filter(expression.left) or is_filter(expression.right)
        case Binary(op="or"):
            return is_filter(expression.left) and is_filter(expression.right)
        case Binary():
            return expression.op in COMPARISONS and not expression.is_bool and expression.type is Type.VECTOR
        case _:
            return False
