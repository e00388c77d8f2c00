"""The cache of what was worked out of artefacts, in the table `artefact_facts`: values by the content that they follow from.

Equal keys have equal values, so a row may be written by several workers at the same time, and any row may be deleted at any time: what
it held is then worked out again.
"""

from dataclasses import asdict, dataclass

from workers.blackboard.engine import Database
from workers.engines.artefacts.kinds import MIB

KEPT_BYTES = 32 * MIB
"""Largest value that is kept, compressed. A larger one is worked out again."""

ALL_BYTES = 2 << 30
"""Of the whole cache, compressed; beyond it the least recently used go."""

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
"""The row that is written next is not among those that may go."""


@dataclass(frozen=True, slots=True)
class Key:
    """Everything that a value depends on."""

    sha256: str
    """Of the artefact's bytes; of what follows from several artefacts, of their keys."""
    kind: str
    """The artefact's kind, or the name of what was worked out."""
    parser: str
    """What made the value, with its version."""
    read_as: str = ""
    """Hash of what else the value depends on."""


def recall(db: Database | None, key: Key) -> bytes | None:
    """The value of a key. Without a database nothing is known."""
    row = db.row(_FIND, asdict(key)) if db is not None else None
    return bytes(row["facts"]) if row is not None else None


def keep(db: Database | None, key: Key, value: bytes) -> None:
    """Keep a value, if it is not too large, and let the least recently used ones go."""
    if db is not None and len(value) <= KEPT_BYTES:
        db.statement(_MAKE_ROOM, {"room": ALL_BYTES - len(value)})
        keep_beside(db, key, value)


def keep_beside(db: Database | None, key: Key, value: bytes) -> None:
    """Keep a small value that goes with a larger one. Making room looks at every row of the cache, so it is done for the larger one."""
    if db is not None:
        db.statement(_KEEP, {**asdict(key), "facts": value, "size": len(value)})
