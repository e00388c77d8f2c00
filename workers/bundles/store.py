"""The artefact store: users' files, stored under the hash of their content, in a folder or on a file system that fsspec supports."""

import os
import shutil
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Protocol
from uuid import uuid4

from contracts.statements import quote, say
from workers.bundles.cache import LocalCache
from workers.bundles.files import write_whole
from workers.bundles.keys import DIGEST, digest_of, gone, manifest_key
from workers.bundles.manifest import REF_PREFIX, Manifest
from workers.bundles.object_store import ObjectStore
from workers.settings import Settings

STALE_STAGING_S = 86_400.0
"""Age after which the files of an unfinished upload are removed: an upload that is a day old was interrupted."""


class Store(Protocol):
    """Objects under keys that Bullpen generates. Each is written once, atomically."""

    def has(self, key: str) -> bool:
        """Whether the object exists."""
        ...

    def put(self, key: str, file: Path) -> None:
        """Store a file of the staging folder. The file may be moved away. If the object already exists, its time `kept_at` is renewed."""
        ...

    def open(self, key: str) -> IO[bytes]:
        """A seekable file for reading the object. Raises `NotFound`."""
        ...

    def path(self, key: str) -> Path:
        """A file on this machine with the object's content. Raises `NotFound`."""
        ...

    def keys(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Keys below `BLOBS` or `BUNDLES`, with sizes in bytes."""
        ...

    def kept_at(self, key: str) -> datetime | None:
        """The approximate time when the object was stored. None if it does not exist."""
        ...

    def remove(self, key: str) -> None:
        """Remove the object. A missing object is not an error."""
        ...

    def staging(self) -> Path:
        """A folder on this machine from which `put` can take files cheaply."""
        ...


class FolderStore:
    """An artefact store in a folder that all workers of the fleet can access."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def has(self, key: str) -> bool:
        """Whether it is there."""
        return self._at(key).is_file()

    def put(self, key: str, file: Path) -> None:
        """Rename the file within the folder."""
        target = self._at(key)
        with suppress(FileNotFoundError):
            os.utime(target)
            return
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.chmod(0o600)  # only the account of the fleet reads users' logs and scripts
        file.replace(target)

    def open(self, key: str) -> IO[bytes]:
        """The file."""
        return self.path(key).open("rb")

    def path(self, key: str) -> Path:
        """The stored file itself."""
        if not self.has(key):
            raise gone(quote(key))
        return self._at(key)

    def keys(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Keys of complete files."""
        for path in (self._root / prefix).glob("??/*"):
            if DIGEST.fullmatch(digest_of(path.name)):
                yield path.relative_to(self._root).as_posix(), path.stat().st_size

    def kept_at(self, key: str) -> datetime | None:
        """The file's modification time."""
        try:
            return datetime.fromtimestamp(self._at(key).stat().st_mtime, UTC)
        except FileNotFoundError:
            return None

    def remove(self, key: str) -> None:
        """The file."""
        self._at(key).unlink(missing_ok=True)

    def staging(self) -> Path:
        """A folder beside the objects."""
        return self._root / "staging"

    def _at(self, key: str) -> Path:
        return self._root / key


def open_store(settings: Settings) -> Store:
    """The store of this deployment."""
    place = settings.artefact_store
    if place is None or "://" not in place:
        return FolderStore(settings.data_dir / "artefacts" if place is None else Path(place).expanduser())
    if place.startswith(("file://", "local://")):
        return FolderStore(Path(place.partition("://")[2]))
    return ObjectStore(place, open_cache(settings))


def open_cache(settings: Settings) -> LocalCache:
    """The cache of this machine."""
    return LocalCache(settings.data_dir / "artefact-cache", settings.artefact_cache_bytes)


def read_manifest(store: Store, ref: str) -> Manifest:
    """The manifest of a reference `sha256:...`. Raises `NotFound`."""
    digest = ref.removeprefix(REF_PREFIX)
    if not DIGEST.fullmatch(digest) or not store.has(manifest_key(digest)):
        raise gone(say("bundles.refused.bundle", ref=quote(ref[:80])))
    with store.open(manifest_key(digest)) as file:
        return Manifest.model_validate_json(file.read())


@contextmanager
def staging_folder(store: Store) -> Generator[Path]:
    """A temporary folder for one upload. It also removes the files of interrupted uploads."""
    clear_staging(store)
    folder = store.staging() / uuid4().hex
    folder.mkdir(mode=0o700, parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clear_staging(store: Store) -> None:
    """Remove files that interrupted uploads left on this machine at least a day ago."""
    for left in store.staging().glob("*"):
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < time.time() - STALE_STAGING_S:
                shutil.rmtree(left, ignore_errors=True)


def stage_bytes(folder: Path, content: bytes) -> Path:
    """Write a file with this content to the staging folder."""
    path = folder / uuid4().hex
    write_whole(path, [content])
    return path
