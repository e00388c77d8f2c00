"""Which files of the artefact store no job needs any more, and their removal. A file that two bundles share stays with the last of them.

A bundle is needed while a job names it, or a submission in quarantine that may still be taken. One that nobody names is spared for
the age given, and at least for a day: it may be an upload whose job is about to be submitted, or files that another upload has just found
to be there already (`put` renews their age). Manifests go before the files they name, so that a bundle that can be named is whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from workers.blackboard.engine import Database
from workers.bundles.keys import BLOBS, BUNDLES, digest_of
from workers.bundles.manifest import REF_PREFIX
from workers.bundles.store import Store, clear_staging, read_manifest

SPARED = timedelta(days=1)

_NAMED = """
SELECT DISTINCT ref FROM (
  SELECT unnest(ARRAY[d.content->>'bundle', d.content->>'kept']) AS ref
    FROM deliverables d JOIN jobs j ON j.id = d.job_id
   WHERE d.content ?| ARRAY['bundle', 'kept']
     AND NOT (j.status IN ('succeeded', 'failed', 'cancelled') AND j.finished_at < %(before)s)
  UNION ALL
  SELECT (regexp_matches(encode(body, 'escape'), 'sha256:[0-9a-f]{64}', 'g'))[1] FROM quarantine WHERE state = 'new') told
 WHERE ref LIKE 'sha256:%%'
"""
"""Jobs that a purge of the same age deletes, or has deleted, do not count."""


@dataclass(slots=True)
class Freed:
    """What went, or would go. Two bundles may share a file, which counts once."""

    bundles: int = 0
    files: int = 0
    bytes: int = 0


def purge_store(db: Database, store: Store, age: timedelta, *, dry_run: bool = False) -> Freed:
    """Remove what no job names that ended less than `age` ago or goes on. Raises `StoreUnavailable`, and `ConfigurationError` where
    nothing may be removed. One store belongs to one database: files that only another's jobs name would go."""
    before = datetime.now(UTC) - age
    named = {row["ref"].removeprefix(REF_PREFIX) for row in db.statement(_NAMED, {"before": before})}
    oldest = min(before, datetime.now(UTC) - SPARED)
    done, needed = Freed(), set[str]()
    for key, _ in _unneeded(store, BUNDLES, named, needed, oldest):
        done.bundles += 1
        if not dry_run:
            store.remove(key)
    used = {file.sha256 for digest in needed for file in read_manifest(store, REF_PREFIX + digest).files}
    for key, size in _unneeded(store, BLOBS, used, set(), oldest):
        done.files += 1
        done.bytes += size
        if not dry_run:
            store.remove(key)
    if not dry_run:
        clear_staging(store)
    return done


def _unneeded(store: Store, prefix: str, wanted: set[str], needed: set[str], oldest: datetime) -> Iterator[tuple[str, int]]:
    """Keys and sizes of what is neither wanted nor young; the digests of the rest are added to `needed`."""
    for key, size in store.keys(prefix):
        digest = digest_of(key)
        kept_at = None if digest in wanted else store.kept_at(key)
        if kept_at is not None and kept_at < oldest:
            yield key, size
        else:
            needed.add(digest)
