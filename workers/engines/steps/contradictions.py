"""Conditions that no row can meet: what was read is then not what was meant."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from contracts.pipelines.analysis import AggregateWork, AnalysisStep, DeriveWork, FilterWork
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from workers.engines.steps.expressions import as_text

_TURNED = {
    Function.LESS: Function.GREATER, Function.LESS_EQUAL: Function.GREATER_EQUAL, Function.GREATER: Function.LESS,
    Function.GREATER_EQUAL: Function.LESS_EQUAL, Function.EQUAL: Function.EQUAL,
}  # fmt: skip

Bound = tuple[float | str, bool]
"""A value, and whether it belongs to what is allowed."""


@dataclass
class _Allowed:
    """The values that a column may have."""

    low: list[Bound] = field(default_factory=list[Bound])
    high: list[Bound] = field(default_factory=list[Bound])
    sets: list[frozenset[float | str]] = field(default_factory=list[frozenset[float | str]])
    nulls: set[Function] = field(default_factory=set[Function])

    def is_empty(self) -> bool:
        """Whether nothing is left."""
        if Function.IS_NULL in self.nulls and (Function.NOT_NULL in self.nulls or self.low or self.high or self.sets):
            return True
        if self.sets and not frozenset.intersection(*self.sets):
            return True
        return any(_crossed(low, high) for low in self.low for high in self.high)


def _crossed(low: Bound, high: Bound) -> bool:
    """Whether no value lies between them. A number and a text say nothing about each other."""
    (least, has_least), (most, has_most) = low, high
    if isinstance(least, str) and isinstance(most, str):
        return least > most or (least == most and not (has_least and has_most))
    if isinstance(least, str) or isinstance(most, str):
        return False
    return least > most or (least == most and not (has_least and has_most))


def contradictions(steps: Sequence[AnalysisStep]) -> Iterator[tuple[str, str]]:
    """The steps with conditions that exclude each other, and the column that they are about."""
    for step in steps:
        work = step.work
        tests = [work.where] if isinstance(work, FilterWork) else []
        values = [item.value for item in work.measures] if isinstance(work, AggregateWork) else []
        values += [item.value for item in work.columns] if isinstance(work, DeriveWork) else []
        tests += [test for value in values for test in conditions_in(value)]
        column = next((column for test in tests if (column := contradicted(test))), "")
        if column:
            yield step.id, column


def contradicted(where: Expression) -> str:
    """The column, as text, for which the conditions that must hold together leave no value; empty: none is known."""
    found: dict[str, _Allowed] = {}
    for test in _together(where):
        _note(test, found)
    return next((column for column, allowed in found.items() if allowed.is_empty()), "")


def conditions_in(value: Expression) -> Iterator[Expression]:
    """The conditions that decide which rows a value is worked out from: those of `case when`."""
    if isinstance(value, Call):
        if value.function is Function.CASE:
            yield from value.arguments[: len(value.arguments) - len(value.arguments) % 2 : 2]
        for argument in value.arguments:
            yield from conditions_in(argument)


def _together(where: Expression) -> Iterator[Expression]:
    if isinstance(where, Call) and where.function is Function.AND:
        for argument in where.arguments:
            yield from _together(argument)
    else:
        yield where


def _note(test: Expression, found: dict[str, _Allowed]) -> None:
    if not isinstance(test, Call) or not test.arguments:
        return
    first, *others = test.arguments
    if test.function in (Function.IS_NULL, Function.NOT_NULL) and isinstance(first, ColumnOf):
        _of(first, found).nulls.add(test.function)
        return
    if test.function is Function.IN and isinstance(first, ColumnOf) and all(isinstance(item, Constant) for item in others):
        _of(first, found).sets.append(frozenset(value for item in others if (value := _value(item)) is not None))
        return
    if test.function not in _TURNED or len(others) != 1:
        return
    function = test.function
    if isinstance(first, Constant):
        first, others, function = others[0], [first], _TURNED[function]
    value = _value(others[0])
    if not isinstance(first, ColumnOf | Call) or value is None:
        return
    allowed = _of(first, found)
    if function is Function.EQUAL:
        allowed.sets.append(frozenset((value,)))
    if function in (Function.EQUAL, Function.GREATER, Function.GREATER_EQUAL):
        allowed.low.append((value, function is not Function.GREATER))
    if function in (Function.EQUAL, Function.LESS, Function.LESS_EQUAL):
        allowed.high.append((value, function is not Function.LESS))


def _of(column: Expression, found: dict[str, _Allowed]) -> _Allowed:
    return found.setdefault(as_text(column), _Allowed())


def _value(item: Expression) -> float | str | None:
    """A constant as something that can be ordered. Dates and moments are text of one form."""
    if not isinstance(item, Constant) or item.type is ValueType.NULL:
        return None
    if item.type in (ValueType.INTEGER, ValueType.DECIMAL):
        return float(item.value)
    return item.value
