"""Removes the files of the artefact store that no job needs any more. A file that several bundles share is kept until all of them go.

A bundle is needed while a job names it, or a quarantined submission that may still be accepted. Other bundles are kept for the given
age, and at least for a day: an upload's job may be about to be submitted, or another upload may rely on a file that is already stored
(`put` renews its age). Manifests are removed before the files they name, so that a bundle with a manifest is complete.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from workers.blackboard.engine import Database
from workers.bundles.keys import BLOBS, BUNDLES, digest_of
from workers.bundles.manifest import REF_PREFIX
from workers.bundles.owners import forget
from workers.bundles.store import Store, clear_staging, read_manifest

SPARED = timedelta(days=1)

_NAMED = """
SELECT DISTINCT ref FROM (
  SELECT unnest(ARRAY[d.content->>'bundle', d.content->>'kept']) AS ref
    FROM deliverables d JOIN jobs j ON j.id = d.job_id
   WHERE d.content ?| ARRAY['bundle', 'kept']
     AND NOT (j.status IN ('succeeded', 'failed', 'cancelled') AND j.finished_at < %(before)s)
  UNION ALL
  SELECT (regexp_matches(encode(body, 'escape'), 'sha256:[0-9a-f]{64}', 'g'))[1] FROM quarantine WHERE state = 'new') named
 WHERE ref LIKE 'sha256:%%'
"""
"""Excludes jobs that a purge of the same age deletes."""


@dataclass(slots=True)
class Freed:
    """The number and size of removed files, or of files that would be removed. A shared file counts once."""

    bundles: int = 0
    files: int = 0
    bytes: int = 0


def purge_store(db: Database, store: Store, age: timedelta, *, dry_run: bool = False) -> Freed:
    """Remove files that no running job names and no job that ended less than `age` ago. Raises `StoreUnavailable`, and
    `ConfigurationError` if removal is not allowed. A store must belong to one database: files of another database's jobs would be
    removed."""
    before = datetime.now(UTC) - age
    named = {row["ref"].removeprefix(REF_PREFIX) for row in db.statement(_NAMED, {"before": before})}
    oldest = min(before, datetime.now(UTC) - SPARED)
    done, needed = Freed(), set[str]()
    for key, _ in _unneeded(store, BUNDLES, named, needed, oldest):
        done.bundles += 1
        if not dry_run:
            store.remove(key)
            forget(db, REF_PREFIX + digest_of(key))
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
    """Keys and sizes of objects that are neither needed nor young. The digests of the other objects are added to `needed`."""
    for key, size in store.keys(prefix):
        digest = digest_of(key)
        kept_at = None if digest in wanted else store.kept_at(key)
        if kept_at is not None and kept_at < oldest:
            yield key, size
        else:
            needed.add(digest)
