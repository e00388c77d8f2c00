"""Findings: what is worth saying of the result of a query, each with its figures."""

from enum import StrEnum

from contracts.base import Contract, Text
from contracts.statements import Statement


class FindingKind(StrEnum):
    """What a finding is about."""

    TREND = "trend"
    SHIFT = "shift"
    """A level that changed once and stayed."""
    OUTLIER = "outlier"
    CYCLE = "cycle"
    """Hours of a day, days of a week, months of a year."""
    CHANGE = "change"
    """The last point against the one before, or the first."""
    EXTREME = "extreme"
    """Who has most and least."""
    SHARE = "share"
    """What part of the whole a few have."""
    GAP = "gap"
    """Nulls, empty results, points in time that are missing."""


class Finding(Contract):
    """Something that is in the rows. It says what is there, never why."""

    kind: FindingKind
    quantity: Text = ""
    """The column that it is about."""
    text: Statement
