"""Tables as they are known: names, types, comments, keys and what is known of the values. The catalogue yields them; the SQL engine
and the roles that write or review SQL read them."""

from enum import StrEnum

from contracts.base import Contract, Text

MOST_VALUES = 50
"""A column with more distinct values than this has no `values`: it is not a domain."""


class ColumnDetail(Contract):
    """A column of a table or view."""

    name: Text
    type: Text = ""
    """As the source names it, with its parameters: `decimal(12,2)`. Empty: unknown."""
    description: Text = ""
    holds: Text = ""
    """What a column of text holds, where each of its values is one in ISO 8601 without an offset: `date` or `timestamp`. `text`: a column
    that is declared as one of times, and has other values too. Empty: other texts, or unknown."""
    nullable: bool | None = None
    """None: unknown."""
    values: tuple[Text, ...] = ()
    """All values that the column has, as text, when they are few. Empty: unknown or many."""
    minimum: Text | None = None
    maximum: Text | None = None
    distinct: int | None = None
    """Number of distinct values, null not counted. None: unknown."""
    nulls: int | None = None
    """Number of rows in which it is null. None: unknown."""

    @property
    def holds_times(self) -> bool:
        """Whether it is a column of text of which each value is a time."""
        return self.holds not in ("", "text")

    @property
    def holds_no_times(self) -> bool:
        """Whether it is declared as a column of times, and has other values too."""
        return self.holds == "text"


class ForeignKey(Contract):
    """Columns whose values are those of a key of another table."""

    columns: tuple[Text, ...]
    table: Text
    """The other table, by its full name."""
    references: tuple[Text, ...]


class TableDetail(Contract):
    """A table or view."""

    name: Text
    schema_name: Text = ""
    """Empty: the source has no schemas, or it is not known."""
    columns: tuple[ColumnDetail, ...]
    description: Text = ""
    primary_key: tuple[Text, ...] = ()
    unique: tuple[tuple[Text, ...], ...] = ()
    """Other sets of columns of which no two rows have the same values."""
    foreign_keys: tuple[ForeignKey, ...] = ()
    partitioned_by: tuple[Text, ...] = ()
    rows: int | None = None
    """Number of rows, exact or estimated. None: unknown."""
    is_view: bool = False
    definition: Text | None = None
    """The query of a view, in the source's dialect."""

    @property
    def full_name(self) -> str:
        """`schema.name`, or the name alone where there is no schema."""
        return f"{self.schema_name}.{self.name}" if self.schema_name else self.name


class JoinEvidence(StrEnum):
    """Why two tables may be joined on some columns, the strongest first."""

    DECLARED = "declared"
    """A foreign key says so."""
    QUERIES = "queries"
    """Queries that were run before do it."""
    NAMES = "names"
    """The columns have the same name, and their values fit each other."""


class JoinPath(Contract):
    """Two tables and the columns on which their rows belong together."""

    left: Text
    """A table by its full name."""
    left_columns: tuple[Text, ...]
    right: Text
    right_columns: tuple[Text, ...]
    evidence: JoinEvidence
    queries: int = 0
    """How many queries join them so."""
