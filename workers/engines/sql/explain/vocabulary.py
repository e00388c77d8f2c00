"""The words that an explanation has for functions, operators and units."""

import re
from enum import StrEnum

from sqlglot import exp


class Measure(StrEnum):
    """Functions of one value."""

    SUM = "sum"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    DEVIATION = "deviation"
    VARIANCE = "variance"
    MEDIAN = "median"
    LENGTH = "length"
    LOWER = "lower"
    UPPER = "upper"
    TRIM = "trim"
    ABSOLUTE = "absolute"
    FLOOR = "floor"
    CEILING = "ceiling"
    AS_DATE = "as_date"
    AS_TIME = "as_time"
    AS_TEXT = "as_text"
    AS_NUMBER = "as_number"
    LAST_OF_MONTH = "last_of_month"


MEASURES: dict[type[exp.Expr], Measure] = {
    exp.Sum: Measure.SUM,
    exp.Avg: Measure.AVERAGE,
    exp.Min: Measure.MINIMUM,
    exp.Max: Measure.MAXIMUM,
    exp.Stddev: Measure.DEVIATION,
    exp.StddevSamp: Measure.DEVIATION,
    exp.Variance: Measure.VARIANCE,
    exp.Median: Measure.MEDIAN,
    exp.Length: Measure.LENGTH,
    exp.Lower: Measure.LOWER,
    exp.Upper: Measure.UPPER,
    exp.Abs: Measure.ABSOLUTE,
    exp.Floor: Measure.FLOOR,
    exp.Ceil: Measure.CEILING,
    exp.LastDay: Measure.LAST_OF_MONTH,
}


class Unit(StrEnum):
    """Units of time."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class DatePart(StrEnum):
    """Parts of a date as a number."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DOW = "dow"
    DOY = "doy"
    EPOCH = "epoch"


class Numbering(StrEnum):
    """Window functions without a value."""

    ROW_NUMBER = "row_number"
    RANK = "rank"
    DENSE_RANK = "dense_rank"
    SHARE_BELOW = "share_below"


class Neighbour(StrEnum):
    """Window functions that look at another row."""

    LAG = "lag"
    LEAD = "lead"
    FIRST_VALUE = "first_value"
    LAST_VALUE = "last_value"


NUMBERINGS: dict[type[exp.Expr], Numbering] = {
    exp.RowNumber: Numbering.ROW_NUMBER,
    exp.Rank: Numbering.RANK,
    exp.DenseRank: Numbering.DENSE_RANK,
    exp.PercentRank: Numbering.SHARE_BELOW,
}
NEIGHBOURS: dict[type[exp.Expr], Neighbour] = {
    exp.Lag: Neighbour.LAG,
    exp.Lead: Neighbour.LEAD,
    exp.FirstValue: Neighbour.FIRST_VALUE,
    exp.LastValue: Neighbour.LAST_VALUE,
}
UNIT_NAMES = frozenset(Unit)
PART_NAMES = frozenset(DatePart)

DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?")
"""A day, or a moment, that is shown without quotation marks."""

OPERATORS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "×", exp.Div: "÷", exp.IntDiv: "÷", exp.Mod: "%"}

PART_FORMATS = {
    "%Y": DatePart.YEAR,
    "%m": DatePart.MONTH,
    "%d": DatePart.DAY,
    "%H": DatePart.HOUR,
    "%w": DatePart.DOW,
    "%j": DatePart.DOY,
    "%W": DatePart.WEEK,
}
"""Formats that hold only a part of a date."""
