"""The audit: a row for each statement, written before it runs and completed after it. Each write is a transaction of its own."""

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import UUID

from contracts.base import clean_text
from contracts.sources import STATEMENT_KEPT, Execution, Lock, LockVerdict, Verdict
from workers.blackboard.engine import Database, jsonb
from workers.errors import BullpenError, StatementRefused


@dataclass(slots=True)
class Passage:
    """A statement on its way: the verdicts of its locks, as they come, and what its row is completed with."""

    execution_id: int = 0
    rows: int | None = None
    result_bytes: int | None = None
    duration_ms: int = 0
    """Known when the statement has ended."""
    _verdicts: dict[Lock, LockVerdict] = field(default_factory=dict[Lock, LockVerdict])

    def passed(self, lock: Lock, verdict: Verdict = Verdict.PASSED, reason: str | None = None) -> None:
        """The verdict of a lock."""
        self._verdicts[lock] = LockVerdict(lock=lock, verdict=verdict, reason=reason)

    @property
    def verdicts(self) -> tuple[LockVerdict, ...]:
        """Of all locks."""
        return tuple(self._verdicts.get(lock, LockVerdict(lock=lock, verdict=Verdict.NOT_REACHED)) for lock in Lock)


@contextmanager
def audited(db: Database, source: str, owner: str, statement: str, job_id: UUID | None, step_id: UUID | None) -> Generator[Passage]:
    """A row for the statement that runs in the block, completed when the block ends, however it ends."""
    passage = Passage(begin(db, source, owner, statement, job_id, step_id))
    started = monotonic()
    error: str | None = "The process was interrupted."
    try:
        yield passage
        error = None
    except BullpenError as failure:
        error = str(failure)
        if isinstance(failure, StatementRefused):
            passage.passed(failure.lock, Verdict.REFUSED, error)
        raise
    finally:
        passage.duration_ms = round((monotonic() - started) * 1000)
        rows, used = passage.rows, passage.result_bytes
        end(db, passage.execution_id, passage.verdicts, duration_ms=passage.duration_ms, rows=rows, result_bytes=used, error=error)


def begin(db: Database, source: str, owner: str, statement: str, job_id: UUID | None, step_id: UUID | None) -> int:
    """The id of the new row."""
    rows = db.statement(
        "INSERT INTO source_executions (source, owner, job_id, step_id, statement_hash, statement) VALUES "
        "(%(source)s, %(owner)s, %(job_id)s, %(step_id)s, %(hash)s, %(statement)s) RETURNING id",
        {
            "source": source, "owner": owner, "job_id": job_id, "step_id": step_id,
            "hash": hashlib.sha256(statement.encode("utf-8", "surrogatepass")).hexdigest(),
            "statement": clean_text(statement[:STATEMENT_KEPT]),
        },
    )  # fmt: skip
    return rows[0]["id"]


def end(
    db: Database,
    execution_id: int,
    locks: tuple[LockVerdict, ...],
    *,
    duration_ms: int,
    rows: int | None = None,
    result_bytes: int | None = None,
    error: str | None = None,
) -> None:
    """Complete a row."""
    db.statement(
        "UPDATE source_executions SET locks = %(locks)s, duration_ms = %(duration_ms)s, rows = %(rows)s, result_bytes = %(result_bytes)s, "
        "error = %(error)s WHERE id = %(id)s",
        {
            "id": execution_id, "locks": jsonb([verdict.to_json() for verdict in locks]), "duration_ms": duration_ms, "rows": rows,
            "result_bytes": result_bytes, "error": clean_text(error[:2_000]) if error else None,
        },
    )  # fmt: skip


def list_executions(
    db: Database, *, source: str | None = None, owner: str | None = None, job_id: UUID | None = None, refused: bool = False, limit: int = 50
) -> list[Execution]:
    """The newest first."""
    values: dict[str, Any] = {"source": source, "owner": owner, "job_id": job_id, "refused": refused, "limit": limit}
    with db.session() as connection:  # the plan depends on what is asked for
        found = connection.execute(
            "SELECT id, source, owner, job_id, step_id, statement_hash, statement, started_at, rows, result_bytes, "
            "duration_ms, locks, error "
            "FROM source_executions "
            "WHERE (%(source)s::text IS NULL OR source = %(source)s) AND (%(owner)s::text IS NULL OR owner = %(owner)s) "
            "AND (%(job_id)s::uuid IS NULL OR job_id = %(job_id)s) AND (NOT %(refused)s OR error IS NOT NULL) "
            "ORDER BY id DESC LIMIT %(limit)s",
            values,
        ).fetchall()
    return [Execution.model_validate(row) for row in found]
