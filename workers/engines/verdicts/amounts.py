"""Quantities as values of a sentence."""

from contracts.statements import Bytes, Statement, count, say, size
from contracts.verdicts import Unit


def measured(value: float, unit: Unit) -> Bytes | Statement:
    """What a task or a partition got: bytes, else rows."""
    return size(value) if unit is Unit.BYTES else say("verdicts.rows", n=count(round(value)))
