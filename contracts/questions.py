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


class UsedDefinition(Contract):
    """A definition of a word, as an answer rests on it."""

    name: Text
    text: Text
    """Its formula, its restriction, and what is said beside them."""
    place: Text = ""
    """Where the catalogue has it, `shop.revenue`; empty: it was given in the conversation."""


class Meaning(Contract):
    """One of the formulas that a word may stand for."""

    formula: Text
    restriction: Text = ""
    """Conditions of the grammar that hold for every part of the formula."""

    @property
    def text(self) -> str:
        """In one line."""
        return f"{self.formula} {self.restriction}".strip()


class OpenWord(Contract):
    """A word of a question whose definitions differ, or whose description says what its formula does not."""

    name: Text
    source: Text = ""
    """Whose word it is, where one that was read of a source is asked about."""
    place: Text = ""
    """Where the catalogue has its first definition."""
    says: tuple[Text, ...] = ()
    """What is said of it beside the formulas, as it is written."""
    meanings: tuple[Meaning, ...] = ()
    """What it may stand for, in a fixed order."""
    differs: bool = False
    """Its definitions compute different figures."""
    digest: str = ""
    """Of all definitions of the word: a choice among others does not count."""


class Reading(Contract):
    """A question as a plan, with what the plan takes it to mean."""

    plan: QueryPlan
    understood: tuple[Statement, ...]
    """Tables, columns, filters, time range, grouping and order, for the user to check."""
    definitions: tuple[UsedDefinition, ...] = ()
    """Those of the words that it uses."""


class QuestionReading(Contract):
    """What a question means, as far as it could be read."""

    verdict: Verdict
    readings: tuple[Reading, ...] = ()
    """One for `answered`, two or three for `ambiguous`, the best first."""
    unplaced: tuple[Text, ...] = ()
    """Words of the question that nothing in the catalogue accounts for."""
    remarks: tuple[Statement, ...] = ()
    """Why there is no single reading, or what should be known about it."""
    open_word: OpenWord | None = None
    """The first word of the question of which it has to be asked what it means; `readings` has one for each of its meanings."""
    answerable: float
    """How likely the question can be answered from these tables at all, 0 to 1: what it speaks of is there."""


class ConfirmedExample(Contract):
    """A question whose answer a user has confirmed."""

    question: Text
    plan: QueryPlan
