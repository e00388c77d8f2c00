"""A search of a log, and what was read from it."""

from datetime import datetime
from enum import StrEnum

from pydantic import ConfigDict

from contracts.base import Contract, Text
from contracts.logs import LabelName, LogExpression, Nanoseconds
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


class LogReading(Contract):
    """A search of a log, as it is understood. Fields of readings that an older version stored are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    question: Text
    is_metric: bool
    """Numbers; else lines."""
    log: Text = ""
    """The log that is searched, where several may be."""
    step_ns: Nanoseconds | None = None
    """A number is wanted for every step of the time, such as every minute; None: for the whole of it."""
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
