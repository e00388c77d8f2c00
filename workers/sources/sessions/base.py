"""Lock 4: a read-only session of an engine. What every engine's session can do."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from sqlglot import exp

from contracts.statements import Statement
from workers.engines.embedded.values import size_of_row
from workers.sources.schema import KeysByTable, SourceSchema

Values = Mapping[str, str | int | float | bool | None]
"""Values of a statement by name: `:name` in it. They are handed to the engine beside the statement, never put into its text."""

BATCH = 500
"""Rows fetched at once, at most. Limits are looked at after each row, the deadline after each batch."""

FIRST_BATCH = 10
"""Rows fetched before anything is known of their size."""

BATCH_BYTES = 2 << 20
"""Size of a batch, as far as the rows before tell: a driver holds a batch whole before anybody can count it."""


@dataclass(frozen=True, slots=True)
class Batches:
    """A running statement's result."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: Iterator[Sequence[tuple[Any, ...]]]
    is_cut: Callable[[], bool] = lambda: False
    """Whether the engine itself left rows out, since they are longer than was wanted. Known when all rows are read."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much of a result is wanted. A session may hold back what is beyond, and need not."""

    rows: int = 1 << 40
    bytes: int = 1 << 30


EVERYTHING = Wanted()


class Session(Protocol):
    """One connection, for one statement."""

    def run(self, statement: str, values: Values, wanted: Wanted = EVERYTHING) -> Batches:
        """Start a statement. `:name` values have the engine's own form (`print_statement`)."""
        ...

    def cost(self, statement: str, values: Values) -> float | None:
        """The engine's estimate of what the statement costs; None where it gives none."""
        ...

    def cancel(self) -> None:
        """End the running statement at the server. Called from another thread."""
        ...


@dataclass(frozen=True, slots=True)
class Opening:
    """How a session is opened."""

    timeout_s: float
    """The server's own limit, where it has one."""
    read_only: bool = True
    """False for tests of the other locks alone."""
    superuser: bool = False
    """A superuser is let in: the operator insisted."""


class SourceEngine(Protocol):
    """A kind of source, behind its URL."""

    value_form: str
    """How this engine's driver writes a named value, with `{}` for the name."""
    doubles_percent: bool
    """The driver reads `%` in a statement; it has to be written twice."""

    def open(self, opening: Opening) -> AbstractContextManager[Session]:
        """A session that can only read. Raises `SourceUnavailable` or `UnsafeAccount`."""
        ...

    def introspect(self) -> SourceSchema:
        """All tables, views and columns."""
        ...

    def keys(self) -> KeysByTable:
        """Keys, columns that are never null, and numbers of rows, of the tables that have any of these."""
        ...

    def faults(self) -> list[Statement]:
        """What the account could do besides reading. Empty: it can only read."""
        ...

    def brief(self, error: Exception, *, values_hidden: bool) -> str | None:
        """The engine's own error as a line; None: not an error of the engine. `values_hidden`: without any value of a row."""
        ...


_MARK = "\x02{}\x03"
_MARKED = re.compile("\x02([a-z0-9_]+)\x03")


def print_statement(tree: exp.Query, dialect: str, engine: SourceEngine) -> str:
    """The text of a checked tree, without comments, and its named values as the driver takes them."""
    tree = tree.copy()
    for value in list(tree.find_all(exp.Placeholder)):
        value.replace(exp.Var(this=_MARK.format(value.name)))
    text = tree.sql(dialect=dialect, comments=False, normalize_functions=False)
    if engine.doubles_percent:
        text = text.replace("%", "%%")
    return _MARKED.sub(lambda found: engine.value_form.format(found[1]), text)


def in_batches(fetch: Callable[[int], Sequence[tuple[Any, ...]]]) -> Generator[Sequence[tuple[Any, ...]]]:
    """Batches of a DBAPI cursor's `fetchmany`, of about `BATCH_BYTES`."""
    most = FIRST_BATCH
    while rows := fetch(most):
        yield rows
        size = sum(map(size_of_row, rows))
        most = max(1, min(BATCH, BATCH_BYTES * len(rows) // max(1, size)))
