"""The answer of an `analyze` job."""

from enum import StrEnum
from typing import Literal

from contracts.analyze.steps import ActOutcome, CheckItem, State, Suggestion, ToolUse
from contracts.base import Contract, Text
from contracts.charts import Chart
from contracts.procedure_results import Cell, Compared, Found
from contracts.procedures import Phrase
from contracts.statements import LanguageCode, Sayable

SAMPLE_ROWS = 5
"""Rows of a table that a model is shown."""


class Ending(StrEnum):
    """How the answer to a message ends."""

    ANSWERED = "answered"
    WAITS = "waits"
    """The next step needs the user's yes."""
    FAILED = "failed"
    """A tool could not answer."""
    CANCELLED = "cancelled"
    CHECKLIST = "checklist"
    """The skill's steps, for the user to walk."""
    NO_SKILL = "no_skill"


class TableShown(Contract):
    """A table for the user."""

    kind: Literal["table"] = "table"
    title: Sayable
    columns: tuple[Text, ...]
    labels: tuple[Phrase, ...]
    """The columns in words."""
    rows: tuple[tuple[Cell, ...], ...]
    row_count: int
    brief: tuple[int, ...] = ()
    """The columns to show where there is little room. Empty: all."""
    rows_to_model: int = 0
    """Rows that a model was shown."""


class Taken(Contract):
    """A step that was taken for this message."""

    step: Text
    outcome: ActOutcome
    call: ToolUse | None = None
    message: Text = ""


class AnalyzeAnswer(Contract):
    """What the user gets."""

    question: Text
    language: LanguageCode
    skill: Text = ""
    """Its name. Empty: no skill."""
    skill_title: Text = ""
    about: Text = ""
    """What was looked at, as the skill's procedure names it."""
    offers_skills: bool
    ending: Ending
    summary: Text = ""
    """A model's words; every figure in them is one of the findings."""
    says: tuple[Sayable, ...] = ()
    """Sentences by rules."""
    found: tuple[Found, ...] = ()
    compared: tuple[Compared, ...] = ()
    tables: tuple[TableShown, ...] = ()
    charts: tuple[Chart, ...] = ()
    verbatim: tuple[Text, ...] = ()
    """Sentences of the skill, to the letter."""
    checklist: tuple[CheckItem, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    several: bool = False
    """The user may take more than one of them at once."""
    taken: tuple[Taken, ...] = ()
    state: State
