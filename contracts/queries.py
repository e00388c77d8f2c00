"""A query as a plan: what is read, joined, filtered, counted and ordered, as typed values. Code writes the SQL from it.

The plan is the contract between the reader of a question (rules, or a model that fills in this JSON) and the code that checks and
builds. It holds no SQL. Columns are written as `source.column`, where `source` is the alias of one of the plan's sources.
"""

from datetime import date, datetime
from enum import StrEnum

from pydantic import Field, NonNegativeInt, PositiveInt

from contracts.base import Contract, Text
from contracts.tables import JoinEvidence, JoinPath


class Aggregate(StrEnum):
    """How the values of a group become a single value."""

    COUNT = "count"
    """Rows, or values of the column that are not null."""
    COUNT_DISTINCT = "count_distinct"
    SUM = "sum"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"


class TimeUnit(StrEnum):
    """A unit of the calendar to which a moment is cut."""

    DAY = "day"
    WEEK = "week"
    """From Monday."""
    WEEK_FROM_SUNDAY = "week_from_sunday"
    WEEK_FROM_SATURDAY = "week_from_saturday"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class DatePart(StrEnum):
    """A part of a moment, as a number."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    DAY = "day"
    WEEKDAY = "weekday"
    """1 for Monday to 7 for Sunday."""
    HOUR = "hour"


class Arithmetic(StrEnum):
    """What is done with two columns of a row."""

    PLUS = "plus"
    MINUS = "minus"
    TIMES = "times"
    OVER = "over"
    DAYS_SINCE = "days_since"
    """Days from the second column to the first."""


class Operator(StrEnum):
    """How a condition compares."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    GREATER = "greater"
    GREATER_EQUAL = "greater_equal"
    LESS = "less"
    LESS_EQUAL = "less_equal"
    IN = "in"
    NOT_IN = "not_in"
    CONTAINS = "contains"
    """Text that contains the value, in upper or lower case."""
    NOT_CONTAINS = "not_contains"
    STARTS_WITH = "starts_with"
    IS_NULL = "is_null"
    NOT_NULL = "not_null"
    IS_TRUE = "is_true"
    IS_FALSE = "is_false"


class JoinKind(StrEnum):
    """What happens to rows that have no partner."""

    INNER = "inner"
    LEFT = "left"


class Relation(StrEnum):
    """What is done with two aggregates."""

    RATIO = "ratio"
    """The first divided by the second; null where the second is 0."""
    DIFFERENCE = "difference"
    CHANGE = "change"
    """(first - second) / second."""


class Source(Contract):
    """A table that is read."""

    table: Text
    """Its full name."""
    alias: Text
    """The name by which columns refer to it."""


class PlanJoin(Contract):
    """A source joined to the ones before it."""

    left: Text
    """An alias."""
    left_columns: tuple[Text, ...]
    right: Text
    right_columns: tuple[Text, ...]
    kind: JoinKind = JoinKind.INNER
    evidence: JoinEvidence = JoinEvidence.NAMES

    @classmethod
    def along(cls, path: JoinPath, left: str, right: str) -> "PlanJoin":
        """The join of a known path, by the aliases of its two tables."""
        return cls(left=left, left_columns=path.left_columns, right=right, right_columns=path.right_columns, evidence=path.evidence)


class Condition(Contract):
    """A condition on rows. Conditions are joined by AND; those with the same `alternative` above 0 by OR."""

    column: Text
    operator: Operator
    values: tuple[Text, ...] = ()
    """As text; the column's type says how they are compared."""
    aggregate: Aggregate | None = None
    """Instead of `values`: compared with this aggregate of the column over the rows that the other conditions leave."""
    part: DatePart | None = None
    """Compared is this part of the column."""
    ignores_case: bool = False
    alternative: NonNegativeInt = 0


class Measure(Contract):
    """A value of a row, or an aggregate of it over a group."""

    column: Text = ""
    """Empty only with `count`: rows are counted."""
    operator: Arithmetic | None = None
    operand: Text = ""
    """The second column of `operator`."""
    unit: TimeUnit | None = None
    """The column is cut to this unit."""
    part: DatePart | None = None
    aggregate: Aggregate | None = None
    where: tuple[Condition, ...] = ()
    """Only rows for which all of them hold go into the aggregate."""


class Selected(Contract):
    """A column of the result."""

    label: Text = ""
    """Its name in the result. Empty: the database names it."""
    value: Measure
    relation: Relation | None = None
    other: Measure | None = None
    """The second aggregate of `relation`."""
    in_percent: bool = False
    share_of_total: bool = False
    """Divided by the sum of the same value over all groups."""


class Ordering(Contract):
    """What the rows are ordered by: a column of the result by its position, or a value of its own."""

    position: PositiveInt | None = None
    """1 for the first selected."""
    value: Measure | None = None
    descending: bool = False


class GroupCondition(Contract):
    """A condition on groups."""

    value: Measure
    operator: Operator
    values: tuple[Text, ...]


class Related(Contract):
    """Rows of another table that must exist for a row, or must not."""

    table: Text
    """Its full name."""
    source: Text
    """The alias to which it is related."""
    source_columns: tuple[Text, ...]
    columns: tuple[Text, ...]
    exists: bool = True
    conditions: tuple[Condition, ...] = ()
    """Their columns are written `table.column`, with the table's name without its schema."""


class Period(Contract):
    """A half-open range of time: `start` belongs to it, `end` does not."""

    column: Text
    start: date | datetime | None = None
    end: date | datetime | None = None


class QueryPlan(Contract):
    """A query that reads. Grouped by `group_by`; without it, aggregates are over all rows."""

    sources: tuple[Source, ...] = Field(min_length=1)
    joins: tuple[PlanJoin, ...] = ()
    selected: tuple[Selected, ...] = Field(min_length=1)
    filters: tuple[Condition, ...] = ()
    related: tuple[Related, ...] = ()
    periods: tuple[Period, ...] = ()
    group_by: tuple[Measure, ...] = ()
    """Columns, cut to a unit where they say so; no aggregates."""
    having: tuple[GroupCondition, ...] = ()
    order_by: tuple[Ordering, ...] = ()
    limit: PositiveInt | None = None
    is_distinct: bool = False
