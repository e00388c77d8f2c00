"""A requirement in prose as far as it has been read: what its rows are, its columns, and what holds for all of them."""

from dataclasses import dataclass, field

from contracts.pipelines.analysis import WindowColumn
from contracts.pipelines.expressions import ColumnOf, Expression, Function, columns_in
from contracts.queries import TimeUnit
from contracts.sql_review import WriteMode
from contracts.statements import Sayable
from contracts.tables import TableDetail
from workers.engines.requirements.prose.scope import Scope

RESULT = "="
"""The step of a column that is one of the target's own, by its name, until the steps are made."""


@dataclass(frozen=True)
class Related:
    """Rows are kept that have partners in another table, or none."""

    rows: "Rows"
    exists: bool


@dataclass(frozen=True)
class Rows:
    """Rows of a table for which conditions hold."""

    table: TableDetail
    where: tuple[Expression, ...] = ()
    related: tuple[Related, ...] = ()


@dataclass(frozen=True)
class Measure:
    """An aggregate of rows. Its columns are those of the scope of its table."""

    rows: Rows
    function: Function
    value: Expression | None = None
    is_zero: bool = False
    """0 where there are no rows. A count always is."""


BY_PARTS = {
    Function.COUNT: Function.SUM, Function.SUM: Function.SUM, Function.MINIMUM: Function.MINIMUM, Function.MAXIMUM: Function.MAXIMUM,
}  # fmt: skip
"""Aggregates that can be worked out part by part, and what puts the parts together."""


@dataclass(frozen=True)
class Previous:
    """A column of the row one period before, of the same group."""

    of: str


@dataclass(frozen=True)
class Share:
    """A column as a part of its sum over all rows, or over those of a group."""

    of: str
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Window:
    """A value over the rows before, by the target's own columns."""

    column: WindowColumn


Later = Expression | Previous | Share | Window
"""A column that is computed from other columns of the target."""


@dataclass(frozen=True)
class AsOf:
    """A row of another table that is valid at a moment: the last one on or before it, among those with the same key."""

    table: TableDetail
    since: str
    """Its column that says from when a row holds."""
    moment: ColumnOf
    keys: tuple[tuple[ColumnOf, str], ...]


@dataclass(frozen=True)
class Spine:
    """One row for each thing and each day."""

    start: str
    end: str
    day: str
    of: tuple[str, ...]
    """Columns of the target that name the thing."""
    moment: ColumnOf


@dataclass(frozen=True)
class Top:
    """The first rows of each group."""

    number: int
    by: str
    is_descending: bool
    groups: tuple[str, ...]
    ties: tuple[tuple[str, bool], ...] = ()
    place: str = ""
    all_equal: bool = False


@dataclass(frozen=True)
class Latest:
    """One row of each key: the first in an order."""

    key: tuple[ColumnOf, ...]
    order: tuple[tuple[ColumnOf, bool], ...]


@dataclass
class Draft:
    """What has been read."""

    table: str
    entity: TableDetail | None = None
    """The target has one row for each row of this table."""
    base: Scope | None = None
    """The scope of the rows that are grouped or taken over."""
    rows: Rows | None = None
    """Which of them."""
    is_grouped: bool = False
    keys: dict[str, Expression] = field(default_factory=dict[str, Expression])
    """Columns that rows are grouped by, or that are taken over."""
    measures: dict[str, Measure] = field(default_factory=dict[str, Measure])
    later: dict[str, Later] = field(default_factory=dict[str, Later])
    order: list[str] = field(default_factory=list[str])
    """The target's columns."""
    units: dict[str, TimeUnit] = field(default_factory=dict[str, TimeUnit])
    """Keys that are moments cut to a unit."""
    parts: tuple[TableDetail, ...] = ()
    """The tables whose rows the base puts together."""
    is_distinct: bool = False
    mode: WriteMode = WriteMode.OVERWRITE
    as_of: AsOf | None = None
    spine: Spine | None = None
    top: Top | None = None
    latest: Latest | None = None
    of_latest: list[Expression] = field(default_factory=list[Expression])
    """Conditions on the latest rows, by columns of the base."""
    having: list[Expression] = field(default_factory=list[Expression])
    """Conditions on the target's own columns, hidden ones too: rows for which they do not hold are left out."""
    only_with_rows: bool = False
    zeros: bool = False
    excluded: list[Rows] = field(default_factory=list[Rows])
    kept: list[Rows] = field(default_factory=list[Rows])
    assumptions: list[Sayable] = field(default_factory=list[Sayable])
    descriptions: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def shown_keys(self) -> list[str]:
        """What tells the rows apart, without columns that are only computed with."""
        return [label for label in self.keys if not label.startswith("part_")]

    @property
    def aggregates_its_rows(self) -> bool:
        """Whether rows of the base are counted, or something of their own is added up: not only something behind or below them."""
        if self.base is None:
            return False
        own = [measure for measure in self.measures.values() if measure.rows.table == self.base.base]
        used = [column for measure in own if measure.value is not None for column in columns_in(measure.value)]
        return any(measure.value is None for measure in own) or any(column.step == self.base.base.name for column in used)

    @property
    def known(self) -> list[str]:
        """Columns that have a definition."""
        return [*self.keys, *self.measures, *self.later]
