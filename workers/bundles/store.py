"""The artefact store: what users hand over, kept under the hash of its content. A folder, or anything that fsspec speaks to."""

import os
import shutil
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Protocol
from uuid import uuid4

from workers.bundles.cache import LocalCache
from workers.bundles.files import write_whole
from workers.bundles.keys import DIGEST, digest_of, gone, manifest_key
from workers.bundles.manifest import REF_PREFIX, Manifest
from workers.bundles.object_store import ObjectStore
from workers.settings import Settings

STALE_STAGING_S = 86_400.0
"""An upload of yesterday was interrupted."""


class Store(Protocol):
    """Objects under keys of our own making, written once and whole."""

    def has(self, key: str) -> bool:
        """Whether it is there."""
        ...

    def put(self, key: str, file: Path) -> None:
        """Keep a file of the staging folder, which may be moved away. One that is there already is taken as kept
        anew: `kept_at` is not long ago."""
        ...

    def open(self, key: str) -> IO[bytes]:
        """To be read, from any place in it. Raises `NotFound`."""
        ...

    def path(self, key: str) -> Path:
        """A file on this machine with its content. Raises `NotFound`."""
        ...

    def keys(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Keys below `BLOBS` or `BUNDLES`, with their sizes in bytes."""
        ...

    def kept_at(self, key: str) -> datetime | None:
        """When it was kept, nearly; None when it is not there."""
        ...

    def remove(self, key: str) -> None:
        """Let it go. One that is not there is no error."""
        ...

    def staging(self) -> Path:
        """A folder on this machine that `put` takes from at low cost."""
        ...


class FolderStore:
    """In a folder, which all workers of the fleet see."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def has(self, key: str) -> bool:
        """Whether it is there."""
        return self._at(key).is_file()

    def put(self, key: str, file: Path) -> None:
        """By a rename within the folder."""
        target = self._at(key)
        with suppress(FileNotFoundError):
            os.utime(target)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)

    def open(self, key: str) -> IO[bytes]:
        """The file."""
        return self.path(key).open("rb")

    def path(self, key: str) -> Path:
        """The file itself."""
        if not self.has(key):
            raise gone(repr(key))
        return self._at(key)

    def keys(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Those of whole files."""
        for path in (self._root / prefix).glob("??/*"):
            if DIGEST.fullmatch(digest_of(path.name)):
                yield path.relative_to(self._root).as_posix(), path.stat().st_size

    def kept_at(self, key: str) -> datetime | None:
        """The file's time."""
        try:
            return datetime.fromtimestamp(self._at(key).stat().st_mtime, UTC)
        except FileNotFoundError:
            return None

    def remove(self, key: str) -> None:
        """The file."""
        self._at(key).unlink(missing_ok=True)

    def staging(self) -> Path:
        """Beside the objects."""
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
    """The bundle of a reference `sha256:...`. Raises `NotFound`."""
    digest = ref.removeprefix(REF_PREFIX)
    if not DIGEST.fullmatch(digest) or not store.has(manifest_key(digest)):
        raise gone(f"the bundle {ref[:80]!r}")
    with store.open(manifest_key(digest)) as file:
        return Manifest.model_validate_json(file.read())


@contextmanager
def staging_folder(store: Store) -> Generator[Path]:
    """A folder for one upload, gone afterwards; what interrupted uploads left behind goes too."""
    clear_staging(store)
    folder = store.staging() / uuid4().hex
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clear_staging(store: Store) -> None:
    """Remove what interrupted uploads left on this machine a day ago or longer."""
    for left in store.staging().glob("*"):
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < time.time() - STALE_STAGING_S:
                shutil.rmtree(left, ignore_errors=True)


def stage_bytes(folder: Path, content: bytes) -> Path:
    """A file of the staging folder with this content."""
    path = folder / uuid4().hex
    write_whole(path, [content])
    return path
