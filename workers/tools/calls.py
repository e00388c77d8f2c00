"""The rows of calls. A call with an effect finds the result that an earlier attempt of its step got."""

import threading
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.events import EventKind
from contracts.tools import CallOutcome, Effect, Granted
from workers.blackboard.engine import Database, jsonb

MESSAGE_CHARACTERS = 500

_NEXT: LiteralString = """
INSERT INTO tool_calls (step_id, number, attempt, tool, effect, arguments_hash, outcome, message, duration_ms)
SELECT %(step_id)s, COALESCE(max(number), 0) + 1, %(attempt)s, %(tool)s, %(effect)s, %(arguments_hash)s, %(outcome)s, %(message)s,
       %(duration_ms)s
  FROM tool_calls WHERE step_id = %(step_id)s
ON CONFLICT DO NOTHING RETURNING number
"""
"""Two attempts of a step may write at the same time while the older does not know yet that it lost its lease; the later insert finds
its number taken and is repeated."""

_EARLIER: LiteralString = """
UPDATE tool_calls SET attempt = %(attempt)s
 WHERE (step_id, number) = (
   SELECT step_id, number FROM tool_calls
    WHERE step_id = %(step_id)s AND tool = %(tool)s AND arguments_hash = %(arguments_hash)s AND number <> ALL (%(taken)s)
      AND outcome IN ('started', 'answered', 'unavailable')
    ORDER BY number LIMIT 1)
RETURNING number, outcome, result
"""
"""The first such call that this attempt has not made or taken over yet: of several equal calls, the first finds the first. The
statement may be repeated after a lost connection, since `taken` only grows with an answer that arrived."""

_END: LiteralString = """
UPDATE tool_calls SET outcome = %(outcome)s, message = %(message)s, result = %(result)s, duration_ms = %(duration_ms)s
 WHERE step_id = %(step_id)s AND number = %(number)s
"""

_REFUSED: LiteralString = """
WITH j AS (
  UPDATE jobs SET rev = rev + 1, decided_rev = CASE WHEN decided_rev = rev THEN rev + 1 ELSE decided_rev END
   WHERE id = %(job_id)s RETURNING id, rev)
INSERT INTO events (job_id, rev, kind, stage, step_id, detail)
SELECT j.id, j.rev, %(kind)s, %(stage)s, %(step_id)s, %(detail)s FROM j
"""
"""The boss has nothing to decide on it."""

_GRANTED: LiteralString = """
INSERT INTO tool_grants (step_id, attempt, granted) VALUES (%(step_id)s, %(attempt)s, %(granted)s)
ON CONFLICT (step_id, attempt) DO UPDATE SET granted = EXCLUDED.granted
"""


@dataclass(frozen=True, slots=True)
class Begun:
    """A call with an effect whose row exists."""

    number: int
    result: Json | None = None
    """What an earlier attempt got. None: the call has to be made."""
    is_unknown: bool = False
    """An earlier attempt began this call, and nobody knows whether it was done."""


class CallLog:
    """The calls of one attempt of a step."""

    def __init__(self, db: Database, *, job_id: UUID, step_id: UUID, stage: str, attempt: int) -> None:
        self._db = db
        self._job_id = job_id
        self._stage = stage
        self._of: dict[str, Any] = {"step_id": step_id, "attempt": attempt}
        self._taken: list[int] = []
        """Numbers of the calls with an effect that this attempt made or took over."""
        self._lock = threading.Lock()

    def granted(self, granted: tuple[Granted, ...]) -> None:
        """Record what the step may call."""
        self._db.statement(_GRANTED, {**self._of, "granted": jsonb([item.to_json() for item in granted])})

    def begin(self, tool: str, effect: Effect, arguments_hash: str) -> Begun:
        """Record that a call with an effect begins, or take over the same call of an earlier attempt."""
        with self._lock:
            row = None
            if self._of["attempt"] > 1:
                values = {**self._of, "tool": tool, "arguments_hash": arguments_hash, "taken": self._taken}
                row = self._db.row(_EARLIER, values)
            if row is None:
                begun = Begun(self._insert(tool, effect, arguments_hash, CallOutcome.STARTED, None, None))
            else:
                is_done = row["outcome"] == CallOutcome.ANSWERED
                begun = Begun(row["number"], row["result"] if is_done else None, is_unknown=not is_done)
            self._taken.append(begun.number)
            return begun

    def taken(self, number: int) -> None:
        """The journal had the answer of this call: an equal call that comes later is another one."""
        with self._lock:
            self._taken.append(number)

    def end(self, number: int, outcome: CallOutcome, *, message: str = "", result: Json | None = None, duration_ms: int) -> None:
        """Record how a call that was begun ended."""
        values = {"number": number, "outcome": outcome.value, "message": message[:MESSAGE_CHARACTERS] or None, "duration_ms": duration_ms}
        self._db.statement(_END, {**self._of, **values, "result": None if result is None else jsonb(result)})

    def record(self, tool: str, effect: Effect, arguments_hash: str, outcome: CallOutcome, message: str, duration_ms: int) -> int:
        """Record a call without an effect, or a call that was not made. Its number."""
        return self._insert(tool, effect, arguments_hash, outcome, message[:MESSAGE_CHARACTERS] or None, duration_ms)

    def refused(self, tool: str, message: str) -> None:
        """Write the event of a refused call."""
        detail = {"tool": tool, "message": message[:MESSAGE_CHARACTERS]}
        values = {"job_id": self._job_id, "stage": self._stage, "kind": EventKind.TOOL_REFUSED.value, "detail": jsonb(detail)}
        self._db.statement(_REFUSED, {**self._of, **values})

    def _insert(
        self, tool: str, effect: Effect, arguments_hash: str, outcome: CallOutcome, message: str | None, duration_ms: int | None
    ) -> int:
        values = {
            **self._of, "tool": tool, "effect": effect.value, "arguments_hash": arguments_hash, "outcome": outcome.value,
            "message": message, "duration_ms": duration_ms,
        }  # fmt: skip
        while True:
            row = self._db.row(_NEXT, values)
            if row is not None:
                return row["number"]


def list_calls(db: Database, job_id: UUID) -> list[dict[str, Any]]:
    """The calls of a job's steps, in order: stage, number, attempt, tool, effect, outcome, message, milliseconds."""
    return db.statement(
        "SELECT s.stage, c.step_id, c.number, c.attempt, c.tool, c.effect, c.arguments_hash, c.outcome, c.message, c.duration_ms, "
        "c.started_at FROM tool_calls c JOIN steps s ON s.id = c.step_id WHERE s.job_id = %(job_id)s ORDER BY c.started_at, c.number",
        {"job_id": job_id},
    )


def list_grants(db: Database, job_id: UUID) -> list[dict[str, Any]]:
    """What the steps of a job were granted: stage, step, attempt, tools with their places."""
    return db.statement(
        "SELECT s.stage, g.step_id, g.attempt, g.granted, g.granted_at FROM tool_grants g JOIN steps s ON s.id = g.step_id "
        "WHERE s.job_id = %(job_id)s ORDER BY g.granted_at",
        {"job_id": job_id},
    )
