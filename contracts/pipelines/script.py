"""What the developer of `etl` yields for a job: its SQL, where each column comes from, and what it was adapted from."""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.pipelines.analysis import Origin
from contracts.pipelines.workflow import JobId
from contracts.statements import Sayable

LEAST_CHARACTERS = 20
"""A script that is shorter, or does not begin as SQL that reads or writes, is refused (BEHAVIOURS 1.4)."""


class ColumnLineage(Contract):
    """A column of the target and the columns that it is computed from."""

    column: Text
    origins: tuple[tuple[Text, Text], ...] = ()
    """Table by its full name, column. Empty: a constant, or a count of rows."""


class Adapted(Contract):
    """A known query from which the script was made."""

    place: Text
    """As `get_query` takes it."""
    sql: Text
    confirmed: bool = False
    diff: Text = ""
    """Unified diff from the query to the script's SELECT."""


class SqlScript(Contract):
    """The script of a job."""

    job: JobId
    dialect: Text
    statements: tuple[Text, ...]
    """In the order in which they run, each without a semicolon. Running all of them again leaves the target as it is."""
    target: Text
    reads: tuple[Text, ...] = ()
    """Tables that it reads and does not make itself."""
    temporary: tuple[Text, ...] = ()
    """Tables that it makes and drops."""
    lineage: tuple[ColumnLineage, ...] = ()
    says: tuple[Sayable, ...] = ()
    """What it does, in words."""
    adapted: Adapted | None = None
    written_by: Origin = Origin.RULES
    issues: tuple[Sayable, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)

    @property
    def sql(self) -> str:
        """The whole script."""
        return "".join(f"{statement};\n\n" for statement in self.statements).rstrip("\n") + "\n"
