"""The keys of an artefact store, and the errors for missing or damaged objects."""

import hashlib
import re
from collections.abc import Iterable, Iterator

from contracts.statements import Value, code, quote, say
from workers.errors import NotFound, StoreUnavailable

BLOBS, BUNDLES = "blobs", "bundles"
DIGEST = re.compile(r"[0-9a-f]{64}")


def blob_key(digest: str) -> str:
    """The key of a file's bytes."""
    return f"{BLOBS}/{digest[:2]}/{digest}"


def manifest_key(digest: str) -> str:
    """The key of a bundle's manifest."""
    return f"{BUNDLES}/{digest[:2]}/{digest}.json"


def digest_of(key: str) -> str:
    """The sha256 inside a key."""
    return key.rpartition("/")[2].partition(".")[0]


def checked(key: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Pass the bytes through. Raises `StoreUnavailable` at their end if their hash is not that of the key."""
    seen = hashlib.sha256()
    for chunk in chunks:
        seen.update(chunk)
        yield chunk
    if seen.hexdigest() != digest_of(key):
        raise StoreUnavailable.of(say("bundles.refused.wrong_content", key=quote(key)))


def gone(what: Value) -> NotFound:
    """The error for a missing object or bundle."""
    return NotFound.of(say("bundles.refused.gone", what=what, replay=code("bullpen replay")))
