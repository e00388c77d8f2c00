"""A chart as a small subset of Vega-Lite: a mark, what its channels show, and the data inside. No addresses, no expressions."""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from contracts.base import Contract, Text
from contracts.statements import Bytes, Count, Number, Ratio, Seconds, Share, Shown, Statement, Usd, Value, count, say

MOST_ROWS = 1_000
"""Rows of data in a chart: two years of days, and a document stays small."""

MOST_SERIES = 8
"""The number of colours that a reader can distinguish."""

FieldName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]


class Mark(StrEnum):
    """How a row of data is drawn."""

    BAR = "bar"
    LINE = "line"
    POINT = "point"
    HEAT = "heat"
    """A field for each name of x and each series, whose shade shows the quantity."""


class Measure(StrEnum):
    """What the numbers of a channel measure."""

    NUMBER = "number"
    COUNT = "count"
    BYTES = "bytes"
    SECONDS = "seconds"
    SHARE = "share"
    RATIO = "ratio"
    USD = "usd"


class Channel(Contract):
    """What an axis or the colour shows."""

    field: FieldName
    type: Literal["nominal", "quantitative"] = "nominal"
    title: Shown
    measure: Measure = Measure.NUMBER
    """The unit of a quantitative channel."""


class Chart(Contract):
    """A chart with its data."""

    kind: Literal["chart"] = "chart"
    title: Shown
    mark: Mark = Mark.BAR
    x: Channel
    y: Channel
    color: Channel | None = None
    """A nominal channel that splits the data into series."""
    is_stacked: bool = False
    """The bars of a name are drawn behind one another, not side by side."""
    partial: tuple[Text, ...] = Field(default=(), max_length=2)
    """The values of x, times of a line or of bars, whose periods the data cover only in part: the first, the last or both."""
    left_out: int = 0
    """Rows that are not drawn, since a picture of all cannot be read."""
    moments: tuple[datetime, ...] = Field(default=(), max_length=MOST_ROWS)
    """When the x of each row is, so that a line has room for times without a row. Empty: x is no time, or only its order is known."""
    data: tuple[dict[FieldName, float | Text], ...] = Field(max_length=MOST_ROWS)

    @model_validator(mode="after")
    def _is_drawable(self) -> "Chart":
        """Each row has a value of the right type for each channel; y is a quantity, and a bar has a name."""
        if self.y.type != "quantitative":
            raise ValueError("y shows a quantity")
        if self.mark in (Mark.BAR, Mark.HEAT) and self.x.type != "nominal":
            raise ValueError("the x of bars and of heat is nominal")
        if self.is_stacked and self.mark is not Mark.BAR:
            raise ValueError("only bars are stacked")
        if self.color is not None and self.color.type != "nominal":
            raise ValueError("colour is nominal")
        for row in self.data:
            for channel in self.channels():
                value = row.get(channel.field)
                if value is None or isinstance(value, str) != (channel.type == "nominal"):
                    raise ValueError(f"each row needs a {channel.type} value of {channel.field}")
        if self.moments and len(self.moments) != len(self.data):
            raise ValueError("each row has a moment, or none has")
        if len(self.series()) > MOST_SERIES:
            raise ValueError(f"a chart shows {MOST_SERIES} series at most")
        return self

    def channels(self) -> tuple[Channel, ...]:
        """The channels in use."""
        return (self.x, *((self.color,) if self.color else ()), self.y)

    def series(self) -> tuple[str, ...]:
        """The names of the series in the order of the data; a chart without colours has one series without a name."""
        if self.color is None:
            return ("",)
        return tuple(dict.fromkeys(str(row[self.color.field]) for row in self.data))

    def partial_ends(self) -> Iterator[tuple[dict[str, float | str], ...]]:
        """For each series and each incomplete end: its two outer rows, in the order of the data."""
        for series in self.series():
            rows = [row for row in self.data if self.color is None or str(row[self.color.field]) == series]
            if len(rows) > 1 and rows[0][self.x.field] in self.partial:
                yield rows[0], rows[1]
            if len(rows) > 1 and rows[-1][self.x.field] in self.partial:
                yield rows[-2], rows[-1]

    def shown(self, row: dict[str, float | str], channel: Channel) -> Shown:
        """A value of a row as a text or quantity."""
        value = row[channel.field]
        return value if isinstance(value, str) else as_value(value, channel.measure)

    def texts(self) -> Iterator[Shown]:
        """Titles and data."""
        yield self.title
        yield from (channel.title for channel in self.channels())
        yield from (self.shown(row, channel) for row in self.data for channel in self.channels())


def more_rows(rows: int) -> Statement:
    """The note that there are more rows than a medium shows."""
    return say("saying.chart.more", n=count(rows))


def as_value(value: float, measure: Measure) -> Value:
    """A number of a chart as the quantity that it is."""
    match measure:
        case Measure.BYTES:
            return Bytes(value=value)
        case Measure.SECONDS:
            return Seconds(value=value)
        case Measure.SHARE:
            return Share(value=value)
        case Measure.RATIO:
            return Ratio(value=value)
        case Measure.USD:
            return Usd(value=value)
        case Measure.COUNT:
            return Count(value=round(value))
        case Measure.NUMBER:
            return Number(value=value)
