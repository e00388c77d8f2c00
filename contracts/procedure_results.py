"""What a run of a procedure has found so far, and what its steps yield: tables, rows with a problem, comparisons, charts."""

from typing import Literal

from contracts.base import Contract, Json, Text
from contracts.procedures import ChartType, Condition, Phrase, Sides, StepId

Cell = str | int | float | bool | None
"""A value of a table."""


class HeldTable(Contract):
    """A table that a call yielded."""

    step: StepId
    level: Text = ""
    key: Text
    columns: tuple[Text, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    row_count: int = 0
    """Rows of the whole table; more than `rows` has if it was too large to hold."""
    has_more: bool = False
    """There are more rows than `row_count`, and nobody counted them: a limit of the source ended the result."""

    @property
    def is_cut(self) -> bool:
        """Whether some rows are not at hand."""
        return self.has_more or self.row_count > len(self.rows)

    def as_objects(self) -> list[Json]:
        """The rows as JSON objects."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Progress(Contract):
    """How far a procedure is."""

    results: dict[StepId, Json] = {}
    """What the steps yielded."""
    tables: dict[StepId, HeldTable] = {}
    """The tables of the calls."""
    gates: dict[StepId, bool] = {}
    """The user's word at each gate that was answered."""
    params: Json = {}
    """What the user filled in."""


class Wishes(Contract):
    """What a message asks for, read with the vocabulary."""

    topic: Text = ""
    wanted: tuple[Text, ...] = ()
    """Columns that the message names, and what it names in the place of a column that nothing is known of."""
    unknown: tuple[Text, ...] = ()
    """Those of `wanted` that are not columns."""
    named: tuple[Text, ...] = ()
    """Columns that the latest message names, also when it is a follow-up."""
    asked: tuple[StepId, ...] = ()
    """Steps that the user asks for."""
    chart_type: ChartType = ChartType.GROUPED_BAR
    no_chart: Text = ""
    """A type of chart that the message names and that is not drawn."""
    words: Text = ""
    """The message itself. Empty in jobs of older releases."""
    asked_alone: bool = False
    """The message asks for a step before the main line, and for nothing else: the main line does not begin."""


class Problem(Contract):
    """A row that has a problem."""

    key: Text
    value: int | float | None = None
    kind: Text = ""


class Reason(Contract):
    """A condition by which rows have a problem."""

    condition: Condition
    keys: tuple[Text, ...] = ()


class NoNumber(Contract):
    """Rows of which a column that is compared with a number holds none."""

    column: Text
    keys: tuple[Text, ...]
    texts: tuple[Text, ...] = ()
    """Some of what it holds instead. None: the cells are empty."""


class Cut(Contract):
    """Rows of a table that are not at hand: nothing can be said of them."""

    held: int
    all: int | None = None
    """None: nobody counted them."""


class Found(Contract):
    """What is wrong in a table."""

    kind: Literal["found"] = "found"
    level: Text = ""
    column: Text = ""
    rows: int
    problems: tuple[Problem, ...] = ()
    """The worst first."""
    by: dict[Text, tuple[Text, ...]] = {}
    """Kind of problem → keys."""
    reasons: tuple[Reason, ...] = ()
    """Where a row has a problem by one of several conditions: those that hold, with their rows."""
    unjudged: tuple[NoNumber, ...] = ()
    """The rows that could not be compared with a limit: they have neither a problem nor none."""
    cut: Cut | None = None
    """Where only some rows of the table were judged."""
    missing: tuple[Text, ...] = ()
    """Columns that the step names and no row has: nothing was judged by them."""
    repeated: tuple[Text, ...] = ()
    """Keys that several rows have."""


class Changed(Contract):
    """A row before and after."""

    key: Text
    column: Text = ""
    """Where it is not the column that is compared."""
    before: int | float
    after: int | float


class Compared(Contract):
    """Two tables, before and after."""

    kind: Literal["compared"] = "compared"
    level: Text = ""
    column: Text
    rows: int
    """Rows in both tables."""
    among: int
    """Rows over which the means are taken."""
    mean_before: float | None = None
    mean_after: float | None = None
    still: tuple[Text, ...] = ()
    is_judged: bool = True
    """Whether the procedure says what a problem is; where it does not, nothing is said of what still is one."""
    worse: tuple[Changed, ...] = ()
    """The largest change first."""
    better: int = 0
    """Rows that got better."""
    labels: Sides = Sides()
    is_of_all: bool = False
    """Whether the means are taken over all rows, and not over those with a problem."""
    cut: Cut | None = None
    """Where only some rows of a table were compared."""
    missing: tuple[Text, ...] = ()
    """Columns that the step names and no row has."""
    unjudged: tuple[NoNumber, ...] = ()
    """The rows that do not have a number in both tables: they are neither better nor worse."""
    repeated: tuple[Text, ...] = ()
    """Keys whose rows have different numbers: they are left out."""

    @property
    def is_whole(self) -> bool:
        """Whether every row was compared, so that "none" can be said."""
        return self.cut is None and not self.unjudged and not self.repeated


class Drawn(Contract):
    """Figures to draw."""

    kind: Literal["drawn"] = "drawn"
    type: ChartType
    title: Phrase = {}
    key: Text
    column: Text
    rows: tuple[Changed, ...] = ()
    has_after: bool = True
    labels: Sides = Sides()
    missing: Text = ""
    """What the message names and the tables do not have. If it is a column of the vocabulary, nothing is drawn."""
    columns: tuple[Text, ...] = ()
    """The columns that could be drawn instead of the missing one."""
    unjudged: tuple[NoNumber, ...] = ()
    """The rows that are not drawn, since they do not have a number in each table."""
    repeated: tuple[Text, ...] = ()
    """Keys whose rows have different numbers: they are not drawn."""
    cut: Cut | None = None
    """Where only some rows of a table are at hand."""
