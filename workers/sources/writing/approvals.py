"""Which schemas of a source may be written, and which scripts a human has approved, as rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from contracts.base import content_hash
from contracts.statements import name, quote, say
from workers.blackboard.engine import Database
from workers.errors import Conflict, InvalidInput, NotFound
from workers.sources.registry import get_source


@dataclass(frozen=True, slots=True)
class Approval:
    """A script that may be run once."""

    id: UUID
    source: str
    script_hash: str
    owner: str
    """Whose job it is."""
    approved_by: str
    job_id: UUID | None
    done_at: datetime | None
    """None: it has not run, as far as this side knows; the ledger in the source decides."""


def script_hash(source: str, statements: Sequence[str]) -> str:
    """Of exactly these statements in this order, for exactly this source."""
    return content_hash({"source": source, "statements": list(statements)})


def writable_schemas(db: Database, source: str) -> tuple[str, ...]:
    """The schemas of a source into which approved scripts may write. Empty: none, which is the default."""
    rows = db.statement(
        "SELECT schema_name FROM source_writable_schemas WHERE source = %(source)s ORDER BY schema_name", {"source": source}
    )
    return tuple(row["schema_name"] for row in rows)


def allow_writing(db: Database, source: str, schema: str) -> None:
    """Open a schema to approved scripts. Raises `NotFound` or `InvalidInput`."""
    get_source(db, source)
    if not schema or schema.startswith("pg_") or schema == "information_schema":
        raise InvalidInput.of(say("refused.writing.no_schema", schema=quote(schema)))
    db.statement(
        "INSERT INTO source_writable_schemas (source, schema_name) VALUES (%(source)s, %(schema)s) ON CONFLICT DO NOTHING",
        {"source": source, "schema": schema},
    )


def forbid_writing(db: Database, source: str, schema: str) -> None:
    """Close a schema. Raises `NotFound`."""
    row = db.row(
        "DELETE FROM source_writable_schemas WHERE source = %(source)s AND schema_name = %(schema)s RETURNING source",
        {"source": source, "schema": schema},
    )
    if row is None:
        raise NotFound.of(say("refused.writing.closed_anyway", schema=name(schema), source=name(source)))


def approve_script(db: Database, source: str, hash_: str, *, owner: str, approved_by: str, job_id: UUID | None = None) -> UUID:
    """Keep a human's approval of the script with this hash; it allows one run. A job's approval of the same script is the same one."""
    get_source(db, source)
    approval = uuid4()
    row = db.row(
        "INSERT INTO source_writes (id, source, script_hash, owner, approved_by, job_id) "
        "VALUES (%(id)s, %(source)s, %(hash)s, %(owner)s, %(by)s, %(job)s) "
        "ON CONFLICT (job_id, source, script_hash) DO UPDATE SET source = excluded.source RETURNING id",
        {"id": approval, "source": source, "hash": hash_, "owner": owner, "by": approved_by, "job": job_id},
    )
    if row is None:
        raise Conflict.of(say("refused.writing.not_kept"))
    return row["id"]


def get_approval(db: Database, approval: UUID) -> Approval:
    """Raises `NotFound`."""
    row = db.row(
        "SELECT id, source, script_hash, owner, approved_by, job_id, done_at FROM source_writes WHERE id = %(id)s", {"id": approval}
    )
    if row is None:
        raise NotFound.of(say("refused.writing.no_approval", approval=name(approval)))
    return Approval(**row)


def mark_done(db: Database, approval: UUID) -> None:
    """The script has run and is committed."""
    db.statement("UPDATE source_writes SET done_at = coalesce(done_at, now()) WHERE id = %(id)s", {"id": approval})
