"""Under which keys an artefact store holds what, and what is said when it does not."""

import hashlib
import re
from collections.abc import Iterable, Iterator

from workers.errors import NotFound, StoreUnavailable

BLOBS, BUNDLES = "blobs", "bundles"
DIGEST = re.compile(r"[0-9a-f]{64}")


def blob_key(digest: str) -> str:
    """Of a file's bytes."""
    return f"{BLOBS}/{digest[:2]}/{digest}"


def manifest_key(digest: str) -> str:
    """Of a bundle's manifest."""
    return f"{BUNDLES}/{digest[:2]}/{digest}.json"


def digest_of(key: str) -> str:
    """The sha256 that a key is made of."""
    return key.rpartition("/")[2].partition(".")[0]


def checked(key: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes. Raises `StoreUnavailable` at their end when they are not those of the key."""
    seen = hashlib.sha256()
    for chunk in chunks:
        seen.update(chunk)
        yield chunk
    if seen.hexdigest() != digest_of(key):
        raise StoreUnavailable(
            f"The artefact store gave {key!r} with other bytes than were kept. Read again; if it stays so, upload again."
        )


def gone(what: str) -> NotFound:
    """The error for an object or bundle that is not there."""
    return NotFound(
        f"The artefact store that this process sees does not hold {what}. All workers and the uploader must have the same "
        "BULLPEN_ARTEFACT_STORE, a folder or URL that each of them reaches. Mend that, upload the same files again (their reference stays "
        "the same), and `bullpen replay` the job."
    )
