"""A question about logs, and what was read from it."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.logs import Conversion, LabelName, LabelTest, LineFilter, LogExpression, Matcher, Nanoseconds, Stage
from contracts.statements import Statement


class FieldForm(StrEnum):
    """The form of the lines that a field is in."""

    JSON = "json"
    LOGFMT = "logfmt"


class LogField(Contract):
    """A field inside the lines, which a parser makes a label of."""

    name: LabelName
    form: FieldForm
    is_number: bool = False
    """Its values are numbers, durations or sizes."""
    unit: Text = ""
    """`duration` or `bytes` when its values carry such a unit."""
    applications: tuple[Text, ...] = ()
    """Of whose lines; empty: of any."""


class LogVocabulary(Contract):
    """What a log is known to have: its labels with their values, and the fields in its lines."""

    labels: dict[LabelName, tuple[Text, ...]]
    fields: tuple[LogField, ...] = ()
    words: tuple[Text, ...] = ()
    """Words that occur in the lines, in lower case. A word of a question that is among them is looked for in the lines."""


class LogReading(Contract):
    """What a question asks for."""

    question: Text
    is_metric: bool
    """Numbers; else lines."""
    matchers: tuple[Matcher, ...] = ()
    filters: tuple[LineFilter, ...] = ()
    parsers: tuple[Stage, ...] = ()
    tests: tuple[LabelTest, ...] = ()
    function: str | None = None
    """The range function of a metric."""
    quantile: float | None = None
    unwrap: LabelName | None = None
    unwrap_as: Conversion = Conversion.NUMBER
    range_ns: Nanoseconds | None = None
    step_ns: Nanoseconds | None = None
    """A number is wanted for every step of the time, such as every minute; None: for the whole of it."""
    group_by: tuple[LabelName, ...] = ()
    top: int | None = Field(default=None, ge=1, le=1_000)
    is_bottom: bool = False
    counts_groups: bool = False
    """How many different ones there are is asked, and not how many lines each has."""
    above: float | None = None
    """Only groups with more than this."""
    start: datetime | None = None
    end: datetime | None = None
    query: LogExpression | None = None
    """None: something is missing."""
    missing: tuple[Statement, ...] = ()
    """What the user must say before there is a query."""
    assumed: tuple[Statement, ...] = ()
    """What was taken for granted, for the user to see."""
    unplaced: tuple[Text, ...] = ()
    """Words that have no part in the query."""
