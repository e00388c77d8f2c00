"""What is known from sources other than the event log: the scripts, read from their syntax trees, and the tables' metadata."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.statements import Sayable
from contracts.verdicts import ColumnRef


class OperationKind(StrEnum):
    """What a call in the script does to a table."""

    READ = "read"
    JOIN = "join"
    GROUP = "group"
    WINDOW = "window"
    SORT = "sort"
    DISTINCT = "distinct"
    REPARTITION = "repartition"
    COALESCE = "coalesce"
    CACHE = "cache"
    FILTER = "filter"
    SELECT = "select"
    MAP = "map"
    """The user's own function over rows or partitions."""
    UNION = "union"
    PROCESS = "process"
    """A user's processor over rows (SCOPE, U-SQL)."""
    REDUCE = "reduce"
    """A user's reducer: rows meet by its keys."""
    COMBINE = "combine"
    """A user's combiner: rows of two sides meet by its keys."""
    SQL = "sql"
    """A SQL statement inside a program. If it can be read, its own operations come before it."""
    ACTION = "action"
    WRITE = "write"


class ScriptOperation(Contract):
    """One call or SQL clause of the script that makes or uses a table, in the order in which they are made."""

    number: int = Field(ge=0)
    kind: OperationKind
    line: int = Field(ge=1)
    """Where a change of it is made: of a window that is specified elsewhere, the line of its specification."""
    column: int = Field(default=0, ge=0)
    text: Text = ""
    """The text of the operation in the script, on one line and cut."""
    used_line: int | None = None
    """Where it is used, if that is another line."""
    columns: tuple[Text, ...] = ()
    """The keys, or the columns chosen, without the name of a table."""
    origins: tuple[ColumnRef, ...] = ()
    """The same columns, each with the table that the script names for it; the table is empty if the script names none."""
    tables: tuple[Text, ...] = ()
    """The tables that flow into it."""
    functions: tuple[Text, ...] = ()
    """Aggregates (`sum`, `collect_list`) or the user's own functions."""
    variable: Text = ""
    """The variable to which the result is assigned at the end of its chain."""
    count: int | None = None
    """Number of partitions that the script requests."""
    is_broadcast: bool = False
    """A join with a side that is marked for broadcast."""
    hints: tuple[Text, ...] = ()
    """The optimiser hints that the script gives for it, in capitals: `BROADCAST`, `SKEW`, `MERGE`."""
    inputs: tuple[int, ...] = ()
    """Numbers of the operations whose results are its inputs."""
    artefact: Text = ""
    """The script that contains it, if several are read together."""
    loop_line: int | None = None
    """The line of the innermost loop that makes it again in each turn."""
    loop_text: Text = ""
    """The head of that loop."""
    loop_cell: int | None = None
    """Of a notebook: the cell of that line, which may be another one than the operation's."""
    loop_cell_line: int | None = None
    """Of a notebook: that line within its cell."""
    cell: int | None = None
    """Of a notebook: the number of its cell, counted from 1 over all cells."""
    cell_line: int | None = None
    """Of a notebook: its line within the cell."""


class SettingPlace(Contract):
    """A line of a script that makes a setting."""

    line: int = Field(ge=1)
    artefact: Text = ""
    """The script that contains it, if several are read together."""


class ScriptFacts(Contract):
    """A script in PySpark, Scala or SQL that was parsed but not run, or all scripts of a job in sequence."""

    language: str = "python"
    """`python`, `scala` or `sql`; empty for several scripts."""
    engine: Text = ""
    """The engine that it is written for, if that is one which is not judged."""
    operations: tuple[ScriptOperation, ...] = ()
    functions: tuple[Text, ...] = ()
    """The functions that it defines."""
    settings: dict[str, Text] = {}
    """The `spark.*` settings that it makes, if their values are constants."""
    setting_places: dict[str, SettingPlace] = {}
    """Where it makes each of them, the last time."""
    unreadable: Sayable | None = None
    """Why the script, or which of its parts, could not be parsed. The operations come from the other parts."""


class HotKey(Contract):
    """One of a column's most frequent values."""

    value: Text | None
    """None stands for SQL `NULL`."""
    rows: int = Field(ge=0)
    share: float = Field(ge=0, le=1)


class ColumnKeys(Contract):
    """The distribution of a column's values."""

    distinct: int | None = Field(default=None, ge=0)
    top: tuple[HotKey, ...] = ()
    """Most frequent first."""


class TableFacts(Contract):
    """One table, described by its metadata."""

    name: Text
    rows: int | None = Field(default=None, ge=0)
    size_bytes: int | None = Field(default=None, ge=0)
    columns: dict[str, Text] = {}
    """Name → type."""
    keys: dict[str, ColumnKeys] = {}
