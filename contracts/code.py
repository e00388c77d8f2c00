"""What is known beside the event log: the scripts as their syntax trees tell them, and the tables' metadata."""

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
    """A statement inside a program; what it does stands before it, as operations of its own, if it can be read."""
    ACTION = "action"
    WRITE = "write"


class ScriptOperation(Contract):
    """One call or SQL clause of the script that makes or uses a table, in the order in which they are made."""

    number: int = Field(ge=0)
    kind: OperationKind
    line: int = Field(ge=1)
    column: int = Field(default=0, ge=0)
    text: Text = ""
    """As the script has it, on one line and cut."""
    columns: tuple[Text, ...] = ()
    """The keys, or the columns chosen, without the name of a table."""
    origins: tuple[ColumnRef, ...] = ()
    """These columns, each with the table that the script says it comes from; the table is empty where the script does not say."""
    tables: tuple[Text, ...] = ()
    """What has flowed into it."""
    functions: tuple[Text, ...] = ()
    """Aggregates (`sum`, `collect_list`) or the user's own functions."""
    variable: Text = ""
    """What the result is assigned to, in the end of its chain."""
    count: int | None = None
    """Partitions asked for."""
    is_broadcast: bool = False
    """A join of which a side is marked for broadcast."""
    hints: tuple[Text, ...] = ()
    """What the script tells the optimiser about it, in capitals: `BROADCAST`, `SKEW`, `MERGE`."""
    inputs: tuple[int, ...] = ()
    """Numbers of the operations whose results it works on."""
    artefact: Text = ""
    """The script it stands in, where several are read together."""


class ScriptFacts(Contract):
    """A script in PySpark, Scala or SQL, read and not run; or several of a job, one after the other."""

    language: str = "python"
    """`python`, `scala` or `sql`; empty for several scripts."""
    operations: tuple[ScriptOperation, ...] = ()
    functions: tuple[Text, ...] = ()
    """Those it defines."""
    settings: dict[str, Text] = {}
    """`spark.*` settings it makes, as far as they are constants."""
    unreadable: Sayable | None = None
    """Why it has no syntax tree, or which parts of it have none; the operations are those of the other parts."""


class HotKey(Contract):
    """One of a column's most frequent values."""

    value: Text | None
    """None: null."""
    rows: int = Field(ge=0)
    share: float = Field(ge=0, le=1)


class ColumnKeys(Contract):
    """How a column's values are spread."""

    distinct: int | None = Field(default=None, ge=0)
    top: tuple[HotKey, ...] = ()
    """Most frequent first."""


class TableFacts(Contract):
    """One table as its metadata describes it."""

    name: Text
    rows: int | None = Field(default=None, ge=0)
    size_bytes: int | None = Field(default=None, ge=0)
    columns: dict[str, Text] = {}
    """Name → type."""
    keys: dict[str, ColumnKeys] = {}
