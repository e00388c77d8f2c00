"""Pages of jobs, the newest first, narrowed by filters.

Ids sort by the time they were made (UUIDv7), so a page ends with an id, the next one begins below it, and a time is a bound of
ids. Each filter is a condition of its own: a statement holds only those that are asked for. It is planned each time, for these
values: a plan for any status and any limit reads every job.

A search for a text has no index, because none that every Postgres has finds parts of words in every language. It reads the
requests of `EXAMINED` jobs a page, and the page says where it stopped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus
from contracts.statements import Sayable, read_stored
from workers.blackboard.engine import Database, Row
from workers.reading.jobs import message_in
from workers.reading.values import Value

EXAMINED = 2_000
"""Jobs whose requests are searched for a text before a page ends. 2,000 take about 30 ms."""

RECENT_FAILURES = 200
"""Failed jobs whose errors are offered to filter by. 200 take about 7 ms, with each page of the list."""

ABOUT_CHARACTERS = 200

_CONDITIONS: dict[str, LiteralString] = {
    "before": "j.id < %(before)s",
    "status": "j.status = %(status)s",
    "kind": "j.kind = %(kind)s",
    "owner": "j.owner = %(owner)s",
    "session_id": "j.session_id = %(session_id)s",
    "since": "j.id >= %(since)s",
    "until": "j.id < %(until)s",
}

_COLUMNS: LiteralString = """
  j.id, j.kind, j.status, j.owner, j.session_id, j.priority, j.engine, j.error, j.forked_from, j.created_at, j.updated_at, j.finished_at
"""

_FILES: LiteralString = """
  (SELECT string_agg(f.name, ', ') FROM (
     SELECT a.value->>'name' AS name FROM (
       SELECT b.content->'artefacts' AS artefacts FROM deliverables b WHERE b.job_id = j.id AND b.stage = 'bundle'
       ORDER BY b.version DESC LIMIT 1
     ) c, jsonb_array_elements(CASE WHEN jsonb_typeof(c.artefacts) = 'array' THEN c.artefacts ELSE '[]'::jsonb END)
       WITH ORDINALITY AS a(value, place) ORDER BY a.place LIMIT 4) f)
"""
"""The first files of a job's bundle, once they were catalogued: what a request without words is known by."""

_NAMED: LiteralString = """
  (SELECT c.content->>'about' FROM deliverables c WHERE c.job_id = j.id AND c.stage = 'classification' ORDER BY c.version DESC LIMIT 1)
"""
"""What a job with files is known by, once they were looked at: the name of the application, and its scripts."""

_ABOUT: LiteralString = (
    """
  COALESCE(NULLIF(i.content->>'description', ''), NULLIF(i.content->>'requirement', ''), NULLIF(i.content->>'question', ''),
           NULLIF(i.content->>'text', ''), NULLIF(i.content->>'title', ''), NULLIF("""
    + _NAMED
    + """, ''), """
    + _FILES
    + """, NULLIF(i.content->>'spec', ''), NULLIF(i.content->>'bundle', ''), '')
"""
)
"""The words of a request, by the fields that hold them in one kind or another; else its title, what its files are known by, their names,
its specification, or where its files are."""

_INPUT: LiteralString = "LEFT JOIN deliverables i ON i.job_id = j.id AND i.stage = 'input' AND i.pinned"

_MARKS: LiteralString = """
  (SELECT count(*) FROM requests r WHERE r.job_id = j.id AND r.target = 'human' AND r.response IS NULL AND NOT r.void) AS questions,
  EXISTS (SELECT 1 FROM deliverables p WHERE p.job_id = j.id AND p.pinned AND p.stage <> 'input')
    OR COALESCE((SELECT true FROM requests e WHERE e.job_id = j.id AND e.asker = 'operator' AND e.kind = 'replay'
                  AND e.payload ? 'edit' LIMIT 1), false) AS by_person,
  CASE WHEN j.forked_from IS NOT NULL THEN (
    SELECT jsonb_build_object('stage', f.target, 'edit', COALESCE(f.payload->'edit', '{}'::jsonb)) FROM requests f
     WHERE f.job_id = j.id AND f.asker = 'operator' AND f.kind = 'replay' AND f.rev = 1 ORDER BY f.id DESC LIMIT 1) END AS fork
"""


_FAILED_STEP: LiteralString = """
LEFT JOIN LATERAL (
  SELECT s.error FROM steps s WHERE s.job_id = j.id AND s.status = 'failed' AND s.error IS NOT NULL ORDER BY s.id DESC LIMIT 1
) w ON j.error->>'code' = 'fleet.error.stages'
"""
_WHY: LiteralString = "left(COALESCE(w.error->'message'->>'code', w.error->>'type', j.error->>'code', j.error#>>'{}'), 200)"
"""Which error it was, of any values: the message of the last step that failed, else the class of its error, else the job's own."""


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs to list. A field set to None does not filter."""

    status: JobStatus | None = None
    kind: str | None = None
    owner: str | None = None
    session_id: UUID | None = None
    text: str | None = None
    """Text that the request contains, ignoring case."""
    since: datetime | None = None
    until: datetime | None = None
    """Submitted at or after, and before."""
    error: str | None = None
    """Failed with this error, by the `key` that `read_errors` gives it."""


@dataclass(frozen=True, slots=True)
class JobLine(Value):
    """A job in a list."""

    id: UUID
    kind: str
    status: JobStatus
    owner: str
    session_id: UUID | None
    priority: int
    engine: str
    error: Sayable | None
    forked_from: UUID | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    questions: int
    """Open questions to the human."""
    about: str
    """The beginning of what was asked, on one line."""
    by_person: bool = False
    """A person wrote or edited what a stage of it holds."""
    fork: Json | None = None
    """Of a fork: the `stage` that it was forked from, and the parameters that the `edit` gave it."""


@dataclass(frozen=True, slots=True)
class ErrorLine(Value):
    """An error that jobs failed with."""

    key: str
    message: Sayable
    """As the newest of these jobs has it."""
    jobs: int


@dataclass(frozen=True, slots=True)
class JobPage(Value):
    """Some jobs, the newest first."""

    jobs: tuple[JobLine, ...]
    next: UUID | None
    """The cursor of the following page; None: there is none."""


def list_jobs(db: Database, which: JobFilter | None = None, *, limit: int = 20, before: UUID | None = None) -> JobPage:
    """A page of jobs; `before` is the cursor of the page before it. A page of a search for a text may have fewer than `limit` jobs,
    even none, and still a `next`; so may a page of jobs with one error."""
    which = which or JobFilter()
    values = {
        "before": before,
        "status": None if which.status is None else which.status.value,
        "kind": which.kind,
        "owner": which.owner,
        "session_id": which.session_id,
        "since": None if which.since is None else first_id_at(which.since),
        "until": None if which.until is None else first_id_at(which.until),
    }
    values = {name: value for name, value in values.items() if value is not None}
    if which.error:
        values.setdefault("status", JobStatus.FAILED.value)
    if which.text or which.error:
        return _search(db, values, {"text": which.text, "error": which.error}, limit)
    rows = _run(db, _list_sql(values), {**values, "limit": limit + 1})
    page = tuple(_line(row) for row in rows[:limit])
    return JobPage(page, page[-1].id if len(rows) > limit else None)


def _run(db: Database, query: LiteralString, values: Mapping[str, object]) -> list[Row]:
    with db.session() as connection:
        return connection.execute(query, values, prepare=False).fetchall()


def first_id_at(at: datetime) -> UUID:
    """The smallest UUIDv7 of a moment: jobs submitted from then on have greater ids."""
    milliseconds = max(0, min(int(at.timestamp() * 1000), (1 << 48) - 1))
    return UUID(int=milliseconds << 80)


def _where(names: Mapping[str, object]) -> LiteralString:
    """The conditions asked for, joined."""
    found: LiteralString = "true"
    for name, condition in _CONDITIONS.items():
        if name in names:
            found = found + " AND " + condition
    return found


def _list_sql(values: Mapping[str, object]) -> LiteralString:
    page: LiteralString = "SELECT * FROM jobs j WHERE " + _where(values) + " ORDER BY j.id DESC LIMIT %(limit)s"  # noqa: S608  made of constants
    return (
        "SELECT " + _COLUMNS + ", left(" + _ABOUT + ", 1000) AS about, " + _MARKS  # noqa: S608  as above
        + " FROM (" + page + ") j " + _INPUT + " ORDER BY j.id DESC"
    )  # fmt: skip


def _search(db: Database, values: Mapping[str, object], sought: Mapping[str, str | None], limit: int) -> JobPage:
    tests: LiteralString = "true"
    if sought["text"]:
        tests = tests + " AND strpos(lower(" + _ABOUT + "), lower(%(text)s)) > 0"
    if sought["error"]:
        tests = tests + " AND " + _WHY + " = %(error)s"
    examined: LiteralString = "SELECT * FROM jobs j WHERE " + _where(values) + " ORDER BY j.id DESC LIMIT %(examined)s"  # noqa: S608  made of constants
    sql: LiteralString = (
        "WITH examined AS MATERIALIZED (" + examined + "), "  # noqa: S608  as above
        "last AS (SELECT count(*) AS examined, (array_agg(id ORDER BY id))[1] AS last FROM examined), "
        "found AS (SELECT j.*, left(" + _ABOUT + ", 1000) AS about FROM examined j " + _INPUT + (_FAILED_STEP if sought["error"] else "")
        + " WHERE " + tests + " ORDER BY j.id DESC LIMIT %(limit)s) "
        "SELECT last.examined, last.last, " + _COLUMNS + ", j.about, " + _MARKS
        + " FROM last LEFT JOIN found j ON true ORDER BY j.id DESC"
    )  # fmt: skip
    rows = _run(db, sql, {**values, **sought, "limit": limit + 1, "examined": EXAMINED})
    there_is_more = rows[0].pop("examined") == EXAMINED
    last: UUID | None = rows[0].pop("last")
    found = [row for row in rows if row["id"] is not None]
    page = tuple(_line({name: value for name, value in row.items() if name not in ("examined", "last")}) for row in found[:limit])
    if len(found) > limit:
        return JobPage(page, page[-1].id)
    return JobPage(page, last if there_is_more else None)


def _line(row: Row) -> JobLine:
    row |= {
        "status": JobStatus(row["status"]),
        "error": message_in(row["error"]),
        "about": " ".join(row["about"].split())[:ABOUT_CHARACTERS],
    }
    return JobLine(**row)


def read_errors(db: Database, owner: str | None = None) -> tuple[ErrorLine, ...]:
    """The errors of the newest `RECENT_FAILURES` jobs that failed (None: of all owners), the most frequent first, at most 20."""
    mine: LiteralString = "" if owner is None else " AND j.owner = %(owner)s"
    sql: LiteralString = (
        "SELECT key, (array_agg(message ORDER BY id DESC))[1] AS message, count(*)::int AS jobs FROM ("  # noqa: S608  made of constants
        "SELECT j.id, " + _WHY + " AS key, COALESCE(w.error->'message', j.error) AS message FROM ("
        "SELECT * FROM jobs j WHERE j.status = 'failed'" + mine + " ORDER BY j.id DESC LIMIT %(examined)s) j " + _FAILED_STEP
        + ") e WHERE key IS NOT NULL GROUP BY key ORDER BY jobs DESC, key LIMIT 20"
    )  # fmt: skip
    rows = _run(db, sql, {"owner": owner, "examined": RECENT_FAILURES})
    return tuple(ErrorLine(row["key"], read_stored(row["message"]), row["jobs"]) for row in rows)


def files_of(db: Database, job_id: UUID) -> str:
    """The names of the first files of a job's bundle, on one line; empty where it has none, or none was catalogued yet."""
    row = db.row("SELECT " + _FILES + " AS files FROM jobs j WHERE j.id = %(id)s", {"id": job_id})  # noqa: S608  constants
    return " ".join(str(row["files"] or "").split())[:ABOUT_CHARACTERS] if row else ""


def first_words(db: Database, sessions: Sequence[UUID]) -> dict[UUID, str]:
    """What was asked first in each of these sessions, on one line."""
    sql: LiteralString = (
        "SELECT DISTINCT ON (j.session_id) j.session_id, left(" + _ABOUT + ", 1000) AS about FROM jobs j " + _INPUT  # noqa: S608  constants
        + " WHERE j.session_id = ANY(%(sessions)s) ORDER BY j.session_id, j.id"
    )  # fmt: skip
    rows = db.statement(sql, {"sessions": list(sessions)})
    return {row["session_id"]: " ".join(row["about"].split())[:ABOUT_CHARACTERS] for row in rows}
