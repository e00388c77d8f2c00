"""What was understood of a question about data: the readings, and the words that have no place."""

from enum import StrEnum

from contracts.base import Contract, Text
from contracts.queries import QueryPlan
from contracts.statements import Statement


class Verdict(StrEnum):
    """What can be done with a question."""

    ANSWERED = "answered"
    """There is a single reading, and every word that matters is part of it."""
    AMBIGUOUS = "ambiguous"
    """There are several readings; the user chooses."""
    UNPLACED = "unplaced"
    """Some words, or the way they go together, have no place in the plan. Nothing is executed."""


class Reading(Contract):
    """A question as a plan, with what the plan takes it to mean."""

    plan: QueryPlan
    understood: tuple[Statement, ...]
    """Tables, columns, filters, time range, grouping and order, for the user to check."""


class QuestionReading(Contract):
    """What a question means, as far as it could be read."""

    verdict: Verdict
    readings: tuple[Reading, ...] = ()
    """One for `answered`, two or three for `ambiguous`, the best first."""
    unplaced: tuple[Text, ...] = ()
    """Words of the question that nothing in the catalogue accounts for."""
    remarks: tuple[Statement, ...] = ()
    """Why there is no single reading, or what should be known about it."""
    answerable: float
    """How likely the question can be answered from these tables at all, 0 to 1: what it speaks of is there."""


class ConfirmedExample(Contract):
    """A question whose answer a user has confirmed."""

    question: Text
    plan: QueryPlan
