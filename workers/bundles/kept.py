"""The cache of values derived from artefacts, in the table `artefact_facts`. A value's key is the content that it is derived from.

Equal keys have equal values, so several workers may write a row at the same time. Any row may be deleted at any time; its value is
then computed again.
"""

from dataclasses import asdict, dataclass

from workers.blackboard.engine import Database
from workers.engines.artefacts.kinds import MIB

KEPT_BYTES = 32 * MIB
"""Largest compressed size of a cached value. Larger values are computed again each time."""

ALL_BYTES = 2 << 30
"""Largest compressed size of the whole cache. Beyond it, the least recently used values are deleted."""

_FIND = """
UPDATE artefact_facts SET used_at = now()
 WHERE sha256 = %(sha256)s AND kind = %(kind)s AND parser = %(parser)s AND read_as = %(read_as)s RETURNING facts
"""

_KEEP = """
INSERT INTO artefact_facts (sha256, kind, parser, read_as, facts, size_bytes)
VALUES (%(sha256)s, %(kind)s, %(parser)s, %(read_as)s, %(facts)s, %(size)s)
ON CONFLICT (sha256, kind, parser, read_as) DO UPDATE SET facts = excluded.facts, size_bytes = excluded.size_bytes, used_at = now()
"""

_MAKE_ROOM = """
WITH aged AS (
  SELECT sha256, kind, parser, read_as, sum(size_bytes) OVER (ORDER BY used_at DESC, sha256, kind, parser, read_as) AS held
    FROM artefact_facts)
DELETE FROM artefact_facts f USING aged a
 WHERE a.held > %(room)s AND (f.sha256, f.kind, f.parser, f.read_as) = (a.sha256, a.kind, a.parser, a.read_as)
"""
"""It runs before a row is written, so that this row cannot be deleted."""


@dataclass(frozen=True, slots=True)
class Key:
    """All inputs of a value."""

    sha256: str
    """Hash of the artefact's bytes. For a value derived from several artefacts, the hash of their keys."""
    kind: str
    """The artefact's kind, or the name of the derived value."""
    parser: str
    """The code that made the value, with its version."""
    read_as: str = ""
    """Hash of the other inputs."""


def recall(db: Database | None, key: Key) -> bytes | None:
    """The cached value of a key. None without a database."""
    row = db.row(_FIND, asdict(key)) if db is not None else None
    return bytes(row["facts"]) if row is not None else None


def keep(db: Database | None, key: Key, value: bytes) -> None:
    """Store a value if it is not too large, and delete the least recently used values beyond the size limit."""
    if db is not None and len(value) <= KEPT_BYTES:
        db.statement(_MAKE_ROOM, {"room": ALL_BYTES - len(value)})
        keep_beside(db, key, value)


def keep_beside(db: Database | None, key: Key, value: bytes) -> None:
    """Store a small value that belongs to a larger value, without enforcing the size limit: that reads every row of the cache, and is done
    when the larger value is stored."""
    if db is not None:
        db.statement(_KEEP, {**asdict(key), "facts": value, "size": len(value)})
