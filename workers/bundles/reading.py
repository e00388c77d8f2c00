"""One artefact read: its facts from the cache where another step has read it, else by the parser of its kind."""

import structlog

from contracts.base import content_hash
from contracts.bundles import Artefact
from contracts.statements import name, say, size
from workers.blackboard.engine import Database
from workers.bundles.facts import can_be_kept, from_bytes, to_bytes
from workers.bundles.opening import OpenBundle
from workers.bundles.registry import Kinds
from workers.engines.artefacts.kinds import MIB, ArtefactKind, Parsed

log = structlog.get_logger()

KEPT_BYTES = 32 * MIB
"""Of one artefact's facts, compressed: larger ones are parsed again rather than kept."""

ALL_BYTES = 2 << 30
"""Of the whole cache, compressed; beyond it the least recently used go."""

_FIND = """
UPDATE artefact_facts SET used_at = now()
 WHERE sha256 = %(sha256)s AND kind = %(kind)s AND parser = %(parser)s AND read_as = %(read_as)s RETURNING facts
"""

_KEEP = """
WITH kept AS (
  INSERT INTO artefact_facts (sha256, kind, parser, read_as, facts, size_bytes)
  VALUES (%(sha256)s, %(kind)s, %(parser)s, %(read_as)s, %(facts)s, %(size)s)
  ON CONFLICT (sha256, kind, parser, read_as) DO UPDATE SET facts = excluded.facts, size_bytes = excluded.size_bytes, used_at = now()),
aged AS (
  SELECT sha256, kind, parser, read_as, sum(size_bytes) OVER (ORDER BY used_at DESC, sha256, kind, parser, read_as) AS held
    FROM artefact_facts)
DELETE FROM artefact_facts f USING aged a
 WHERE a.held > %(room)s AND (f.sha256, f.kind, f.parser, f.read_as) = (a.sha256, a.kind, a.parser, a.read_as)
"""
"""The row just written is not among those that may go."""


def read_artefact(db: Database | None, bundle: OpenBundle, artefact: Artefact, kinds: Kinds, *, attempt: str | None = None) -> Parsed:
    """What an artefact says. Never raises for what stands in it: that is `problem`. Without a database nothing is remembered. Raises
    `NotFound` and `StoreUnavailable` when its bytes cannot be had."""
    kind = kinds.get(artefact.kind)
    if kind is None:
        return Parsed(problem=say("bundles.problem.foreign_kind", kind=name(artefact.kind)))
    if artefact.size_bytes > kind.max_bytes:
        return Parsed(problem=say("bundles.problem.too_large", size=size(artefact.size_bytes), limit=size(kind.max_bytes)))
    key = {
        "sha256": artefact.sha256,
        "kind": kind.name,
        "parser": f"{kind.parser or 'text'}/{kind.version}",
        "read_as": content_hash([artefact.name, attempt]),
    }
    row = db.row(_FIND, key) if db is not None else None
    known = from_bytes(bytes(row["facts"])) if row is not None else None
    if known is not None:
        return known
    parsed, is_final = _parse(bundle, artefact, kind, attempt)
    if db is not None and is_final and can_be_kept(parsed):
        facts = to_bytes(parsed)
        if len(facts) <= KEPT_BYTES:
            db.statement(_KEEP, {**key, "facts": facts, "size": len(facts), "room": ALL_BYTES - len(facts)})
    return parsed


def _parse(bundle: OpenBundle, artefact: Artefact, kind: ArtefactKind, attempt: str | None) -> tuple[Parsed, bool]:
    """What the parser makes of it, and whether it would make the same again."""
    source = bundle.source(artefact.name, attempt=attempt)
    try:
        return kind.parse(source), True
    except Exception as error:  # a parser may be a stranger's; its fault must not end the job
        log.exception("parser_failed", kind=kind.name, parser=kind.parser)
        failed = say("bundles.problem.parser_failed", parser=name(kind.parser or kind.name), error=name(type(error).__name__))
        return Parsed(problem=failed), False
