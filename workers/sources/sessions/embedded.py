"""A session of an embedded engine: a child process that has the file open, and is killed at the end."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from contracts.statements import Name, passage, say
from workers.engines.embedded.process import OUT_OF_MEMORY, Child, EngineFailed, Limits, open_child
from workers.errors import SourceUnavailable
from workers.settings import load_settings
from workers.sources.limits import out_of_memory
from workers.sources.sessions.base import EVERYTHING, Batches, Values, Wanted

SPARE_S = 5.0
"""Processor time of a statement beyond its wall time: the second belt, should nobody be there to end it."""


def memory_bytes() -> int:
    """What the process of one statement may map."""
    return load_settings().statement_memory_mb << 20


class EmbeddedSession:
    """See `Session`."""

    def __init__(self, child: Child) -> None:
        self.child = child

    def run(self, statement: str, values: Values, wanted: Wanted = EVERYTHING) -> Batches:
        """See `Session`."""
        found = self.child.run(statement, dict(values), most_rows=wanted.rows + 1, most_bytes=wanted.bytes)
        return Batches(found.columns, found.types, found.batches(), lambda: found.is_cut)

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of one of our own statements. Raises `EngineFailed`."""
        return self.child.run(statement, list(values), within_s=LOOK_S).rows()

    def cost(self, statement: str, values: Values) -> float | None:
        """No embedded engine estimates it."""
        return None

    def cancel(self) -> None:
        """See `Session`."""
        self.child.kill()


LOOK_S = 60.0
"""Longest statement of ours about a file's schema."""


@contextmanager
def open_session(opening: dict[str, Any], *, engine: str, file: str, timeout_s: float, written_bytes: int) -> Generator[EmbeddedSession]:
    """A session of a file. Raises `SourceUnavailable` when the engine does not open it, or `StatementRefused` when that needs too much."""
    limits = Limits(memory_bytes(), timeout_s + SPARE_S, written_bytes)
    opened = False
    try:
        with open_child(limits, opening) as child:
            opened = True
            yield EmbeddedSession(child)
    except EngineFailed as error:
        if opened:
            raise
        if error.kind == OUT_OF_MEMORY:
            raise out_of_memory(error) from None
        says = say("refused.source.unopened", engine=Name(text=engine), file=Name(text=file), reason=passage(str(error)))
        raise SourceUnavailable.of(says) from None


@contextmanager
def reading_schema(file: str) -> Generator[None]:
    """Errors while a file's schema is read. Raises `SourceUnavailable` or `StatementRefused`."""
    try:
        yield
    except EngineFailed as error:
        if error.kind == OUT_OF_MEMORY:
            raise out_of_memory(error) from None
        raise SourceUnavailable.of(say("refused.source.unread", file=Name(text=file), reason=passage(str(error)))) from None


def brief_of(error: Exception, *, values_hidden: bool) -> str | None:
    """See `SourceEngine`."""
    if not isinstance(error, EngineFailed):
        return None
    return error.kind if values_hidden else str(error)
