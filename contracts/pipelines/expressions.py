"""Expressions over the columns of a step's inputs, as typed values. Code prints them as SQL of a dialect; they hold no SQL."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Discriminator, Field

from contracts.base import Contract, Text
from contracts.queries import DatePart, TimeUnit


class ValueType(StrEnum):
    """The type of a constant, or the type to which a value is converted."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    NULL = "null"


class Function(StrEnum):
    """What is computed from the arguments."""

    PLUS = "plus"
    MINUS = "minus"
    TIMES = "times"
    OVER = "over"
    """Division with digits; null where the divisor is 0."""
    ABSOLUTE = "absolute"
    ROUND = "round"

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    SAME = "same"
    """Equal, and null equals null."""
    LESS = "less"
    LESS_EQUAL = "less_equal"
    GREATER = "greater"
    GREATER_EQUAL = "greater_equal"
    IS_NULL = "is_null"
    NOT_NULL = "not_null"
    IN = "in"
    """The first argument equals one of the others."""
    CONTAINS = "contains"
    STARTS_WITH = "starts_with"
    ENDS_WITH = "ends_with"
    LIKE = "like"
    AND = "and"
    OR = "or"
    NOT = "not"

    COALESCE = "coalesce"
    CASE = "case"
    """Condition and value in turn; a last argument without a condition is the value where no condition holds."""
    LOWER = "lower"
    UPPER = "upper"
    TRIM = "trim"
    CONCAT = "concat"
    SUBSTRING = "substring"
    """Text, first character from 1, number of characters."""

    CONVERT = "convert"
    """To `type` of the call."""
    CUT = "cut"
    """A moment cut to the call's `unit`."""
    PART = "part"
    """The call's `part` of a moment."""
    ADD_TIME = "add_time"
    """A moment and a number of the call's `unit`."""
    DAYS_BETWEEN = "days_between"
    """Days from the second argument to the first."""
    SECONDS_BETWEEN = "seconds_between"

    COUNT = "count"
    """Of rows without an argument, of values that are not null with one."""
    COUNT_DISTINCT = "count_distinct"
    SUM = "sum"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"

    ROW_NUMBER = "row_number"
    RANK = "rank"
    DENSE_RANK = "dense_rank"
    LAG = "lag"
    LEAD = "lead"


AGGREGATES = frozenset({Function.COUNT, Function.COUNT_DISTINCT, Function.SUM, Function.AVERAGE, Function.MINIMUM, Function.MAXIMUM})
"""Functions of a group of rows."""


class ColumnOf(Contract):
    """A column of an input of the step."""

    kind: Literal["column"] = "column"
    step: Text
    """The id of the step whose output has it."""
    name: Text


class Constant(Contract):
    """A constant."""

    kind: Literal["constant"] = "constant"
    type: ValueType
    value: Text = ""
    """As text: `2024-05-01`, `0.5`, `true`."""


class Call(Contract):
    """A function of other expressions."""

    kind: Literal["call"] = "call"
    function: Function
    arguments: tuple["Expression", ...] = ()
    type: ValueType | None = None
    unit: TimeUnit | None = None
    part: DatePart | None = None


Expression = Annotated[ColumnOf | Constant | Call, Discriminator("kind")]
"""A value of a row, or an aggregate of a group."""

Call.model_rebuild()


class NamedExpression(Contract):
    """A column of a step's output."""

    name: Text = Field(min_length=1)
    value: Expression


class Sorting(Contract):
    """What rows are ordered by."""

    value: Expression
    descending: bool = False
