"""Pointers: light index cards that a search answers with. A pointer says what was found and where, in one line, and carries the
keys (names of tools) that open its details; what a step may call is decided where the tool runs, not by the pointer."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from contracts.base import Contract

MOST_POINTERS = 20
"""How many pointers a search returns by default."""

POINTER_CAP = 50
"""The largest number of pointers that a search can be asked for."""


class Pointer(Contract):
    """The fields that all kinds of pointers have."""

    place: str
    """The address of what was found, in the form that the tool that opens it takes: an id, or names joined by dots."""
    line: str
    """What it is, in one line."""
    score: float = Field(ge=0, le=1)
    """The relevance: 1 means first in every ranking of the search. Comparable only within one answer."""
    keys: tuple[str, ...] = ()
    """Tools that open its details. Empty if there are no further details."""


class TablePointer(Pointer):
    """A table or view of a source."""

    kind: Literal["table"] = "table"
    catalog: str = ""
    schema_name: str = ""
    table: str
    description: str = ""


class ColumnPointer(Pointer):
    """A column of a table."""

    kind: Literal["column"] = "column"
    catalog: str = ""
    schema_name: str = ""
    table: str
    column: str
    data_type: str = ""
    description: str = ""


class ValueDomainPointer(Pointer):
    """The values that a column may have; self-contained, so it has no keys."""

    kind: Literal["value_domain"] = "value_domain"
    code: str
    name: str
    data_type: str = ""
    values: tuple[str, ...] = ()


class SqlPointer(Pointer):
    """A query that was run before."""

    kind: Literal["sql"] = "sql"
    sql_id: str
    summary: str
    sources: tuple[str, ...] = ()
    """Tables that it reads."""
    target: str = ""
    """The table that it writes; empty if it writes none."""


class MetricPointer(Pointer):
    """A figure with an agreed definition."""

    kind: Literal["metric"] = "metric"
    name: str
    unit: str = ""


class DocumentPointer(Pointer):
    """A section of a document."""

    kind: Literal["document"] = "document"
    title: str
    heading: str = ""


class TicketPointer(Pointer):
    """A solved incident. Its cause is left out: a role that ranks causes must not see the answer in its input."""

    kind: Literal["ticket"] = "ticket"
    ticket_id: str


class ExperiencePointer(Pointer):
    """A piece of advice from a skill pack."""

    kind: Literal["experience"] = "experience"
    experience_id: str
    title: str


class SourcePointer(Pointer):
    """A database or a folder of files that the owner may query. Its place is its name."""

    kind: Literal["source"] = "source"
    dialect: str = ""
    """As sqlglot names it."""


class ServicePointer(Pointer):
    """A service beside the sources: a server of tools, a simulator, a log store. Its place is its name."""

    kind: Literal["service"] = "service"


class SkillPointer(Pointer):
    """A version of a skill. Its place is the name and the beginning of the version's hash: `capacity@1f3a9c0b77de`."""

    kind: Literal["skill"] = "skill"
    skill: str


AnyPointer = Annotated[
    TablePointer
    | ColumnPointer
    | ValueDomainPointer
    | SqlPointer
    | MetricPointer
    | DocumentPointer
    | TicketPointer
    | ExperiencePointer
    | SourcePointer
    | ServicePointer
    | SkillPointer,
    Field(discriminator="kind"),
]
"""A pointer of any kind, as a deliverable stores it."""

POINTERS: TypeAdapter[tuple[AnyPointer, ...]] = TypeAdapter(tuple[AnyPointer, ...])
"""Reads and writes pointers of mixed kinds."""
