"""What the parts of a question amount to, before it is known which column of which table each word means."""

from dataclasses import dataclass

from contracts.queries import Aggregate, Arithmetic, Operator, Relation
from contracts.times import TimeRange
from workers.engines.questions.items import Item


@dataclass(frozen=True, slots=True)
class MeasurePart:
    """A count or an aggregate."""

    aggregate: Aggregate
    of: Item | None = None
    """A column; or a table, whose rows are counted."""
    operator: Arithmetic | None = None
    operand: Item | None = None
    is_distinct: bool = False
    label: str = ""
    where: tuple["ConditionPart", ...] = ()
    over: "MeasurePart | None" = None
    """The second aggregate of a relation."""
    relation: Relation | None = None
    in_percent: bool = False
    is_share: bool = False
    """Of the total of all groups."""
    is_done: bool = False
    """Rows of what was done, where how much was done may be meant instead: `sold the most`."""
    is_implied: bool = False
    """Without a word for its aggregate: the freight of each month, which must be a column that is added up, or the orders of each month,
    which must not be the name of a quantity as well."""


@dataclass(frozen=True, slots=True)
class ConditionPart:
    """A condition on rows."""

    operator: Operator
    column: Item | None = None
    values: tuple[Item, ...] = ()
    """Values of the data, or numbers."""
    aggregate: Aggregate | None = None
    alternative: int = 0
    is_weekend: bool | None = None
    is_event: bool = False
    """Whether something happened: it has a meaning only where the column is known to be empty in some rows."""
    is_never: bool = False
    """Denied of all rows of a thing: `buyers who never returned`."""
    may_mean_all: bool = False
    """Of several values joined by `and`: of a thing with many rows, all of them may be meant as well as any."""

    @property
    def is_list(self) -> bool:
        """Whether several values of a column are named."""
        return self.operator in (Operator.IN, Operator.NOT_IN) and len(self.values) > 1


@dataclass(frozen=True, slots=True)
class AbsencePart:
    """Rows of a table that must not exist, or must."""

    table: Item
    exists: bool = False
    range: TimeRange | None = None
    """The time within which there must be none: `no orders in 2026`."""


@dataclass(frozen=True, slots=True)
class GroupCountPart:
    """A condition on the number of rows of a table that belong to a group."""

    table: Item
    operator: Operator
    value: str


@dataclass(frozen=True, slots=True)
class GroupPart:
    """What the rows are grouped by: columns, tables, units of time."""

    of: tuple[Item, ...]
    is_spoken_of_each: bool = True
    is_per: bool = False
    """Spoken of as `per`: an average per order is one number for all orders, or one for each of them."""


@dataclass(frozen=True, slots=True)
class OrderPart:
    """What the result is ordered by; without an item, by what is measured."""

    by: Item | MeasurePart | None
    descending: bool


@dataclass(frozen=True, slots=True)
class TopPart:
    """The first rows of an order."""

    limit: int
    by: Item | MeasurePart | None
    descending: bool
    word: str = ""
    """The superlative, where it is a table's own: `the longest river`."""
    is_latest: bool = False
    """By the time of the rows."""


@dataclass(frozen=True, slots=True)
class PeriodPart:
    """A range of time, for the column that says when."""

    range: TimeRange | None
    column: Item | None = None
    near: Item | None = None
    """The table after which the words about time come: `customers that ordered in 2026`."""
