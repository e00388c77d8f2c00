"""What resolving the names of a statement yields: its queries, what they read, and where each column comes from."""

from dataclasses import dataclass, field
from enum import StrEnum

from sqlglot import exp

from contracts.tables import TableDetail
from workers.engines.sql.trees import Place


class NameProblemKind(StrEnum):
    """What is wrong with a name."""

    UNKNOWN_TABLE = "unknown_table"
    UNKNOWN_COLUMN = "unknown_column"
    UNKNOWN_QUALIFIER = "unknown_qualifier"
    """`x.id` where nothing in the FROM is called x."""
    AMBIGUOUS_COLUMN = "ambiguous_column"


@dataclass(frozen=True)
class NameProblem:
    """A name that means nothing here, or more than one thing."""

    kind: NameProblemKind
    name: str
    """As it is written, with its qualifier."""
    place: Place | None
    nearest: tuple[str, ...] = ()
    """What may have been meant, the likeliest first. Of an ambiguous column: all that it may mean, as `alias.column`."""
    elsewhere: tuple[str, ...] = ()
    """Of an unknown column: known tables that have a column of exactly this name."""
    node: exp.Expr | None = field(default=None, compare=False, repr=False)
    """The node of `Resolved.tree`."""


@dataclass(eq=False)
class Source:
    """Something that a FROM names: a table, a CTE, a query in brackets, a table function."""

    alias: str
    """The name by which its columns are reached; empty where it has none."""
    node: exp.Expr
    table_name: str = ""
    """Of a table: its name as it is written. Empty: not a table."""
    table: TableDetail | None = None
    """Of a table that is known."""
    scope: "Scope | None" = None
    """Of a CTE or a query in brackets: that query."""
    column_aliases: tuple[str, ...] = ()
    join: exp.Join | None = None
    """The join that brings it in; None: the first of the FROM, or a comma."""
    is_optional: bool = False
    """An outer join may fill its columns with nulls."""
    is_function: bool = False

    @property
    def is_table(self) -> bool:
        """It is a table or view, known or not."""
        return bool(self.table_name)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """Its columns in order; None: not known."""
        if self.table is not None:
            found: tuple[str, ...] | None = tuple(column.name for column in self.table.columns)
        elif self.scope is not None:
            found = self.scope.columns
        else:
            found = self.column_aliases if self.column_aliases and self.is_function else None
        if found is not None and self.column_aliases:
            return (*self.column_aliases, *found[len(self.column_aliases) :])
        return found

    def has(self, column: str) -> bool | None:
        """Whether it has a column; None: not known."""
        columns = self.columns
        if columns is not None:
            return column.lower() in (name.lower() for name in columns)
        if self.scope is not None and any(output.name.lower() == column.lower() for output in self.scope.outputs):
            return True
        return None


@dataclass(eq=False)
class Output:
    """A column that a query yields."""

    name: str
    """`*`: all columns of `source`, which are not known."""
    node: exp.Expr | None = None
    """What computes it; None: an expanded star."""
    source: Source | None = None
    """Of a star: whose column it is."""
    column: str = ""
    """Of an expanded star: the column of `source`."""

    @property
    def is_star(self) -> bool:
        """It stands for columns that are not known."""
        return self.name == "*" and self.source is not None


@dataclass(eq=False)
class Scope:
    """A query, or a statement that changes a table, and what it reads."""

    node: exp.Expr
    outer: "Scope | None" = None
    sources: dict[str, Source] = field(default_factory=dict[str, Source])
    """By alias in lower case, in the order of the text."""
    outputs: list[Output] = field(default_factory=list[Output])
    branches: list["Scope"] = field(default_factory=list["Scope"])
    """Of a set operation: its two sides."""
    merged: dict[str, list[Source]] = field(default_factory=dict[str, list[Source]])
    """Columns of USING and natural joins, in lower case: the sources that have them."""
    alias: str = ""
    """Of a CTE: its name."""
    ctes: dict[str, "Scope"] = field(default_factory=dict[str, "Scope"], repr=False)
    """The CTEs that it may name, by name in lower case."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of its outputs; None where a star hides some."""
        if any(output.is_star for output in self.outputs):
            return None
        return tuple(output.name for output in self.outputs)

    @property
    def select(self) -> exp.Select | None:
        """Its node, if it is a plain SELECT."""
        return self.node if isinstance(self.node, exp.Select) else None

    def output(self, name: str) -> Output | None:
        """An output by its name."""
        return next((output for output in self.outputs if output.name.lower() == name.lower()), None)


@dataclass(eq=False)
class ResolvedColumn:
    """A column that a statement names, and what it is."""

    node: exp.Column
    scope: Scope
    """The query in which it is written."""
    name: str
    source: Source | None = None
    """None: not found, or another output of the same query (`alias_of`)."""
    alias_of: Output | None = None
    is_assigned: bool = False
    """It is set by an UPDATE, where a qualifier is not allowed."""
    is_outer: bool = False
    """It belongs to a query around this one: the query is correlated."""
    also: tuple[Source, ...] = ()
    """Further sources that it may belong to: of a USING join, or, where their columns are not known, all that are possible."""

    @property
    def table(self) -> TableDetail | None:
        """The known table whose column it is."""
        return self.source.table if self.source else None


@dataclass(eq=False)
class Resolved:
    """A statement with its names resolved."""

    tree: exp.Expr
    """A copy of the statement in which every column that was found has its qualifier."""
    dialect: str
    root: Scope | None
    """The statement's query, or the scope of an UPDATE, DELETE or MERGE; None: it has none."""
    scopes: list[Scope]
    """All queries, the inner ones before those that read them."""
    tables: list[Source]
    """Every mention of a table that is read, in order."""
    target: Source | None
    """The table that the statement writes."""
    columns: list[ResolvedColumn]
    problems: list[NameProblem]
    by_node: dict[int, ResolvedColumn] = field(default_factory=dict[int, ResolvedColumn], repr=False)

    def column(self, node: exp.Expr) -> ResolvedColumn | None:
        """What a column of `tree` is."""
        return self.by_node.get(id(node))
