"""What happened to a job after a revision, with the state that it led to.

Events are numbered by the job's revisions without a gap. Retention may have removed the ones that a reader asks for: then the
tail says so by a `Gap`. The reader takes the job's facts at `Gap.snapshot_rev` or later, and goes on from there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.jobs import FINISHED, JobStatus
from contracts.statements import Sayable, read_stored
from workers.blackboard.engine import Row
from workers.reading.jobs import message_in, no_job
from workers.reading.snapshot import Reader
from workers.reading.values import Value

EVENTS_AT_ONCE = 1_000

_TAIL: LiteralString = """
SELECT j.id, j.kind, j.status, j.rev, j.decided_rev, j.error, j.admitted, q.waiting,
       e.rev AS event_rev, e.kind AS event_kind, e.stage, e.step_id, e.detail, e.at
  FROM jobs j CROSS JOIN LATERAL (
    SELECT count(*) > 0 AS waiting FROM requests WHERE job_id = j.id AND target = 'human' AND response IS NULL AND NOT void) q
  LEFT JOIN LATERAL (
    SELECT rev, kind, stage, step_id, detail, at FROM events WHERE job_id = j.id AND rev > %(after)s ORDER BY rev LIMIT %(limit)s) e ON true
 WHERE j.id = %(id)s ORDER BY e.rev
"""


_TAILS: LiteralString = """
SELECT j.id, j.kind, j.status, j.rev, j.decided_rev, j.error, j.admitted, q.waiting, w.after,
       e.rev AS event_rev, e.kind AS event_kind, e.stage, e.step_id, e.detail, e.at
  FROM unnest(%(ids)s::uuid[], %(afters)s::bigint[]) AS w(id, after) JOIN jobs j ON j.id = w.id CROSS JOIN LATERAL (
    SELECT count(*) > 0 AS waiting FROM requests WHERE job_id = j.id AND target = 'human' AND response IS NULL AND NOT void) q
  LEFT JOIN LATERAL (
    SELECT rev, kind, stage, step_id, detail, at FROM events WHERE job_id = j.id AND rev > w.after ORDER BY rev LIMIT %(limit)s) e ON true
 ORDER BY j.id, e.rev
"""


_SAID: LiteralString = """
SELECT COALESCE(detail->'says', detail->'summary') AS summary, COALESCE(detail->'notes', '[]'::jsonb) AS notes FROM events
 WHERE job_id = %(job_id)s AND step_id = %(step_id)s AND (detail ? 'says' OR detail ? 'summary' OR jsonb_typeof(detail->'notes') = 'array')
 ORDER BY rev DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class JobState(Value):
    """How a job is, in short."""

    id: UUID
    kind: str
    status: JobStatus
    rev: int
    decided_rev: int
    error: Sayable | None
    admitted: bool
    waiting: bool
    """A question is open, even if other steps still run."""

    def has_ended(self, *, until_question: bool = False) -> bool:
        """Whether no further event comes without a human. With `until_question`, an open question counts even if other steps run."""
        if self.status in FINISHED:
            return True
        decided = self.status == JobStatus.WAITING_HUMAN and self.rev == self.decided_rev
        return self.waiting and (decided or until_question)


@dataclass(frozen=True, slots=True)
class EventFacts(Value):
    """One thing that happened."""

    job_id: UUID
    rev: int
    kind: str
    """One of `contracts.events.EventKind`; a newer release may write others."""
    stage: str | None
    step_id: UUID | None
    detail: Json
    at: datetime


@dataclass(frozen=True, slots=True)
class Gap(Value):
    """Events that were removed before they were read."""

    after: int
    """What the reader had."""
    next_rev: int | None
    """The first event that is still there; None: there is none."""
    snapshot_rev: int
    """The revision of the job now. Its facts replace what was missed up to here."""


@dataclass(frozen=True, slots=True)
class EventTail(Value):
    """The events after a revision, and the job as it was when they were read."""

    state: JobState
    events: tuple[EventFacts, ...]
    gap: Gap | None
    more: bool
    """There are more events than were asked for; ask again after `last_rev`."""

    @property
    def last_rev(self) -> int:
        """What to ask after next time."""
        return self.events[-1].rev if self.events else self.state.rev


def read_events(read: Reader, job_id: UUID, after: int = 0, *, limit: int = EVENTS_AT_ONCE) -> EventTail:
    """What happened after revision `after`. Raises `NotFound`."""
    rows = read.statement(_TAIL, {"id": job_id, "after": after, "limit": limit + 1})
    if not rows:
        raise no_job(job_id)
    return _tail(rows, after, limit)


def read_tails(read: Reader, after: Mapping[UUID, int]) -> dict[UUID, EventTail]:
    """What happened to many jobs, each after a revision of its own, in one statement. Jobs that there are not are left out."""
    rows = read.statement(_TAILS, {"ids": list(after), "afters": list(after.values()), "limit": EVENTS_AT_ONCE + 1})
    return {job_id: _tail(list(own), after[job_id], EVENTS_AT_ONCE) for job_id, own in groupby(rows, key=itemgetter("id"))}


def read_step_said(read: Reader, job_id: UUID, step_id: UUID) -> tuple[Sayable | None, tuple[Sayable, ...]]:
    """The summary of a step and the notes on its reasoning as its last event has them, for readers of any language. Without: it has none,
    or, of notes, only texts."""
    row = read.row(_SAID, {"job_id": job_id, "step_id": step_id})
    if row is None:
        return None, ()
    return read_stored(row["summary"]) if row["summary"] else None, tuple(read_stored(note) for note in row["notes"])


def _tail(rows: list[Row], after: int, limit: int) -> EventTail:
    first = rows[0]
    error = message_in(first["error"])
    state = JobState(
        first["id"], first["kind"], JobStatus(first["status"]), first["rev"], first["decided_rev"], error, first["admitted"],
        first["waiting"],
    )  # fmt: skip
    events = tuple(_event(row) for row in rows[:limit] if row["event_rev"] is not None)
    return EventTail(state, events, _gap(after, state, events), more=len(rows) > limit)


def _event(row: Row) -> EventFacts:
    return EventFacts(row["id"], row["event_rev"], row["event_kind"], row["stage"], row["step_id"], row["detail"], row["at"])


def _gap(after: int, state: JobState, events: tuple[EventFacts, ...]) -> Gap | None:
    """A reader from the future (of a database that was restored since) has to start from a snapshot as well."""
    missed = events[0].rev > after + 1 if events else state.rev != after
    return Gap(after, events[0].rev if events else None, state.rev) if missed else None
