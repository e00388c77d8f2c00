"""What became of a statement that a database refused."""

from contracts.base import Contract, Text
from contracts.sql_errors import SqlError
from contracts.statements import Statement


class RepairEdit(Contract):
    """A stretch of the statement and what takes its place."""

    start: int
    """Offset in the original statement, from 0."""
    before: Text
    after: Text


class RepairTry(Contract):
    """A changed statement that was tried and refused."""

    sql: Text
    changes: tuple[Statement, ...]
    error: Text
    """The first line of the engine's message."""


class SqlRepair(Contract):
    """The smallest change that was found with which the statement runs, or what is lacking."""

    original: Text
    dialect: Text
    """Of the engine that is to run it."""
    sql: Text | None = None
    """The repaired statement, which passed the engine's dry run. None: no change was found."""
    error: SqlError | None = None
    """What was wrong with the original; None: nothing."""
    written_in: Text = ""
    """The dialect in which the original turned out to be written, if it is not `dialect`."""
    changes: tuple[Statement, ...] = ()
    """What was changed and why, in order."""
    edits: tuple[RepairEdit, ...] = ()
    tried: tuple[RepairTry, ...] = ()
    dry_runs: int = 0
    lacking: Statement | None = None
    """Why there is no repaired statement, and what would help."""
