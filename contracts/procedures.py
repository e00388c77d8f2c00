"""Procedures: the steps of a skill as data.

A procedure is the file `procedure.yaml` beside a skill's `SKILL.md`. Each step does one thing: it calls a tool, asks the user for
parameters, waits at a gate for the user's yes, says a fixed sentence, finds what is wrong in a table, compares two tables, or draws a
chart. Arguments and conditions are JMESPath expressions over what is known so far.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from contracts.base import Contract, Text
from contracts.statements import LanguageCode
from contracts.tools import ToolName

MOST_STEPS = 60
MOST_EXPRESSION = 10_000
"""Characters of an expression: a statement with several common table expressions has some thousand."""

ANY_LANGUAGE = "und"
"""The BCP 47 code for "not determined": the text is the same in every language."""

StepId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
"""The name of a step: its result is `results.NAME` in expressions."""

Expression = Annotated[Text, Field(min_length=1, max_length=MOST_EXPRESSION)]
"""A JMESPath expression."""

Word = Annotated[Text, Field(min_length=1, max_length=60)]


def _in_any_language(value: object) -> object:
    return {ANY_LANGUAGE: value} if isinstance(value, str) else value


Phrase = Annotated[dict[LanguageCode, Annotated[Text, Field(min_length=1, max_length=2_000)]], BeforeValidator(_in_any_language)]
"""A text in one or several languages. A plain text is the same in each."""


def in_language(phrase: Phrase, language: str) -> str:
    """The text in a language, or else in English, or else in the first that there is. Empty for no text."""
    for code in (language, language.split("-")[0].split("_")[0], ANY_LANGUAGE, "en"):
        if code in phrase:
            return phrase[code]
    return next(iter(phrase.values()), "")


class Named(Contract):
    """A name in the data, and the words that people use for it."""

    name: Text = Field(min_length=1, max_length=80)
    label: Phrase = {}
    words: tuple[Word, ...] = ()

    def spoken(self) -> tuple[str, ...]:
        """Every word for it, the name itself included."""
        labels = (part for label in self.label.values() for part in (label, label.partition("(")[0].strip()))
        return tuple(dict.fromkeys(word for word in (*self.words, *labels, self.name) if word))


class ColumnName(Named):
    """A column of a table."""

    better: Literal["high", "low"] | None = None
    """Which values are good ones, so that "the worst" has a meaning."""
    noticeable: float | None = Field(default=None, ge=0)
    """The smallest change that counts, in the column's unit. Default: the comparison's share."""


class Vocabulary(Contract):
    """How people speak of the data: with it a message is read without a model."""

    topics: tuple[Named, ...] = ()
    """Kinds of problems; `topic` in expressions is the name of the one that the message is about."""
    columns: tuple[ColumnName, ...] = ()
    values: tuple[Named, ...] = ()
    """Values of columns: `weak_coverage`."""
    levels: tuple[Named, ...] = ()
    """What a row of a table is: a cell, a grid."""
    several: Text = ""
    """The topic of a message that names several."""
    ignore: tuple[Word, ...] = ()
    """Words that say nothing about what is to be analysed: "analyse", "please"."""


class StepBase(Contract):
    """What all steps have."""

    id: StepId
    title: Phrase = {}
    when: Expression | None = None
    """The step is passed over unless this is true."""
    asked: tuple[Word, ...] = ()
    """The step is only done when the user asks for it with one of these words. Empty: it is part of the main line."""


class Choice(Contract):
    """An argument that a model may fill."""

    options: Expression
    """A list. A model takes some of it."""
    least: Expression | None = None
    """Those that are taken in any case."""


class TableSpec(Contract):
    """The table in a result: `results.STEP.rows` in later expressions. The user gets all of it, a model the first five rows."""

    rows: Expression | None = None
    """Over the result alone: a list of objects, or of lists of cells where the result has `columns`."""
    reference: Expression | None = None
    """Over the result alone: where all the rows are, if the result holds only the first. `pages` reads them."""
    pages: ToolName | None = None
    """The tool that reads rows: it takes `reference`, `offset` and `limit`, and answers with `columns`, `rows` and `row_count`."""
    key: Text
    """The column that names a row."""
    level: Text = ""
    """What a row is, in the words of the vocabulary's levels."""
    hidden: bool = False
    """The rows are only for expressions: they are not shown, and no question is answered from them."""


class CallStep(StepBase):
    """Call a tool."""

    kind: Literal["call"] = "call"
    call: ToolName
    arguments: dict[Text, Expression] = {}
    choose: dict[Text, Choice] = {}
    """Arguments that a model may fill; without one, the expression in `arguments` does."""
    table: TableSpec | None = None
    chart: Expression | None = None
    """Over the result alone: a chart in the form of `contracts/charts.py`."""
    says: Expression | None = None
    """Over the result alone: sentences of the tool that the user should read."""


class FormField(Contract):
    """A parameter that the user fills."""

    name: Text
    label: Phrase = {}
    type: Literal["text", "number", "date"] = "text"
    """What a value has to be. A number may have a decimal comma; a date becomes `2026-11-30`."""
    options: Expression | None = None
    """A list of texts, or of objects with `value` and `label`."""


class AskStep(StepBase):
    """Ask the user for parameters; the job waits."""

    kind: Literal["form"] = "form"
    ask: Phrase
    tool: ToolName
    """The tool that needs them."""
    known: dict[Text, Expression] = {}
    missing: tuple[FormField, ...] = Field(min_length=1)


class GateStep(StepBase):
    """Say a sentence to the letter, and go on only after the user's yes."""

    kind: Literal["gate"] = "gate"
    gate: Phrase
    yes: Phrase = {}
    """What the user may say: shown as a suggestion."""
    no: Phrase = {}


class SayStep(StepBase):
    """Say a sentence to the letter."""

    kind: Literal["say"] = "say"
    say: Phrase


def _number_or_text(value: object) -> object:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


Threshold = Annotated[float | Expression, BeforeValidator(_number_or_text)]
"""A number, or an expression for one: `params.limit`."""


class Condition(Contract):
    """A column below or above a limit, or equal to a value. In a result the limits are numbers."""

    column: Text
    below: Threshold | None = None
    above: Threshold | None = None
    equals: Text | None = None


class FindSpec(Contract):
    """Which rows have a problem."""

    rows: Expression
    key: Text
    level: Text = ""
    any: tuple[Condition, ...] = ()
    """A row has a problem when one of these holds; with `by`, when its value is not one of `healthy`."""
    column: Text | None = None
    """By which the worst is named."""
    by: Text | None = None
    """A column with the kind of problem: rows are counted by its values."""
    healthy: tuple[Text, ...] = ("", "none")


class FindStep(StepBase):
    """Find what is wrong in a table."""

    kind: Literal["find"] = "find"
    find: FindSpec


class Sides(Contract):
    """What the two tables of a comparison are called."""

    before: Phrase = {}
    """Default: before."""
    after: Phrase = {}
    """Default: after."""


class CompareSpec(Contract):
    """Two tables of the same things, before and after."""

    before: Expression
    after: Expression
    key: Text
    level: Text = ""
    column: Expression
    """The column that is compared, as an expression: `'rsrp_dbm'`."""
    after_suffix: Text = ""
    """What the column's name ends with in the rows after."""
    among: Expression | None = None
    """Keys of the rows over which means are taken; default: all."""
    also: tuple[Text, ...] = ()
    """Other columns in which a row may have got worse."""
    problems: tuple[Condition, ...] = ()
    """What is still a problem afterwards, for the conditions of this column."""
    noticeable: float = Field(default=0.05, ge=0)
    """Share of the larger amount below which a change counts as none."""
    labels: Sides = Sides()


class CompareStep(StepBase):
    """Compare two tables: means, what is still a problem, and what got worse."""

    kind: Literal["compare"] = "compare"
    compare: CompareSpec


class ChartType(StrEnum):
    """How figures are drawn."""

    GROUPED_BAR = "grouped_bar_chart"
    LINE = "line_chart"
    STACKED_BAR = "stacked_bar_chart"
    SCATTER = "scatter_plot"
    HEATMAP = "heatmap"
    TABLE = "table"


class ChartSpec(Contract):
    """A chart of two tables of the same things, or of one."""

    type: Expression = "chart_type"
    title: Phrase = {}
    key: Text
    column: Expression
    before: Expression
    after: Expression | None = None
    after_suffix: Text = ""
    among: Expression | None = None
    labels: Sides = Sides()


class ChartStep(StepBase):
    """Draw a chart."""

    kind: Literal["chart"] = "chart"
    chart: ChartSpec


class SuggestionSpec(Contract):
    """Something that the user may say next."""

    text: Phrase
    when: Expression | None = None
    values: Text | None = None
    """A column's value: the suggestion shows the rows of this kind of problem."""
    worst: int = Field(default=0, ge=0, le=50)
    """The suggestion shows this many of the worst rows. 0: it is read as a message."""


class SuggestStep(StepBase):
    """What the user may say next. It is not a stage of a job: suggestions are collected for the answer."""

    kind: Literal["suggest"] = "suggest"
    suggest: tuple[SuggestionSpec, ...] = Field(min_length=1)
    several: bool = False
    """The user may choose more than one."""


Step = Annotated[CallStep | AskStep | GateStep | SayStep | FindStep | CompareStep | ChartStep | SuggestStep, Field(discriminator="kind")]


class Procedure(Contract):
    """The steps of a skill."""

    vocabulary: Vocabulary = Vocabulary()
    topic: Text = ""
    """The topic of a message that names none."""
    about: Expression | None = None
    """What is looked at, for the first line of every answer: the name of the area."""
    let: dict[StepId, Expression] = {}
    """Names for expressions that several steps use."""
    steps: tuple[Step, ...] = Field(min_length=1, max_length=MOST_STEPS)

    def step(self, id: str) -> Step | None:
        """The step of this name."""
        return next((step for step in self.steps if step.id == id), None)
