"""The artefact store: what users hand over, kept under the hash of its content. A folder, or anything that fsspec speaks to."""

import hashlib
import re
import shutil
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol
from uuid import uuid4

import fsspec.core  # pyright: ignore[reportMissingTypeStubs] it ships none

from workers.bundles.cache import LocalCache
from workers.bundles.files import write_whole
from workers.bundles.manifest import REF_PREFIX, Manifest
from workers.errors import BullpenError, ConfigurationError, NotFound, StoreUnavailable
from workers.settings import Settings

CHUNK_BYTES = 1 << 20
STALE_STAGING_S = 86_400.0
"""An upload of yesterday was interrupted."""

DIGEST = re.compile(r"[0-9a-f]{64}")


class Store(Protocol):
    """Objects under keys of our own making, written once and whole."""

    def has(self, key: str) -> bool:
        """Whether it is there."""
        ...

    def put(self, key: str, file: Path) -> None:
        """Keep a file of the staging folder, which may be moved away. One that is there already stays as it is."""
        ...

    def open(self, key: str) -> IO[bytes]:
        """To be read, from any place in it. Raises `NotFound`."""
        ...

    def path(self, key: str) -> Path:
        """A file on this machine with its content. Raises `NotFound`."""
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
        if target.is_file():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)

    def open(self, key: str) -> IO[bytes]:
        """The file."""
        return self.path(key).open("rb")

    def path(self, key: str) -> Path:
        """The file itself."""
        if not self.has(key):
            raise _gone(key)
        return self._at(key)

    def staging(self) -> Path:
        """Beside the objects."""
        return self._root / "staging"

    def _at(self, key: str) -> Path:
        return self._root / key


class ObjectStore:
    """Behind fsspec: `s3://`, `gs://`, `memory://`, ... Objects that are read whole come by way of the cache."""

    def __init__(self, url: str, cache: LocalCache) -> None:
        try:
            self._fs, self._root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise ConfigurationError(f"BULLPEN_ARTEFACT_STORE: {error}. Install what fsspec needs for it, or name a folder.") from error
        self._cache = cache

    def has(self, key: str) -> bool:
        """Whether it is there."""
        with _answers(key):
            return bool(self._fs.exists(self._at(key)))

    def put(self, key: str, file: Path) -> None:
        """Under a name of its own first, then moved: an object that is there is whole."""
        if self.has(key):
            return
        draft = self._at(f"staging/{uuid4().hex}")
        with _answers(key):
            self._fs.makedirs(self._at("staging"), exist_ok=True)
            self._fs.makedirs(self._at(key).rpartition("/")[0], exist_ok=True)
            try:
                self._fs.put_file(str(file), draft)
                self._fs.mv(draft, self._at(key))
            except BaseException:
                if self._fs.exists(draft):
                    self._fs.rm(draft)
                raise

    def open(self, key: str) -> IO[bytes]:
        """By reads of the ranges asked for."""
        with _answers(key):
            return self._fs.open(self._at(key), "rb")

    def path(self, key: str) -> Path:
        """A copy in the cache, checked against its hash."""
        digest = key.rpartition("/")[2].partition(".")[0]
        return self._cache.file(key, lambda: _checked(key, digest, self._chunks(key)))

    def _chunks(self, key: str) -> Iterator[bytes]:
        with _answers(key), self._fs.open(self._at(key), "rb") as file:
            while data := file.read(CHUNK_BYTES):
                yield data

    def staging(self) -> Path:
        """In the cache's folder."""
        return self._cache.folder / "staging"

    def _at(self, key: str) -> str:
        return f"{self._root.rstrip('/')}/{key}"


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


def blob_key(digest: str) -> str:
    """Of a file's bytes."""
    return f"blobs/{digest[:2]}/{digest}"


def manifest_key(digest: str) -> str:
    """Of a bundle's manifest."""
    return f"bundles/{digest[:2]}/{digest}.json"


def read_manifest(store: Store, ref: str) -> Manifest:
    """The bundle of a reference `sha256:...`. Raises `NotFound`."""
    digest = ref.removeprefix(REF_PREFIX)
    if not DIGEST.fullmatch(digest) or not store.has(manifest_key(digest)):
        raise NotFound(f"The artefact store holds no bundle {ref[:80]!r}. Upload it again; workers and uploader must share one store.")
    with store.open(manifest_key(digest)) as file:
        return Manifest.model_validate_json(file.read())


@contextmanager
def staging_folder(store: Store) -> Generator[Path]:
    """A folder for one upload, gone afterwards; what interrupted uploads left behind goes too."""
    root = store.staging()
    root.mkdir(parents=True, exist_ok=True)
    for left in root.iterdir():
        if left.stat().st_mtime < time.time() - STALE_STAGING_S:
            shutil.rmtree(left, ignore_errors=True)
    folder = root / uuid4().hex
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def stage_bytes(folder: Path, content: bytes) -> Path:
    """A file of the staging folder with this content."""
    path = folder / uuid4().hex
    write_whole(path, [content])
    return path


def _checked(key: str, digest: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    seen = hashlib.sha256()
    for chunk in chunks:
        seen.update(chunk)
        yield chunk
    if seen.hexdigest() != digest:
        raise StoreUnavailable(
            f"The artefact store gave {key!r} with other bytes than were kept. Read again; if it stays so, upload again."
        )


def _gone(key: str) -> NotFound:
    return NotFound(f"The artefact store no longer holds {key!r}. Upload the bundle again.")


@contextmanager
def _answers(key: str) -> Generator[None]:
    """What a file system raises, in our words."""
    try:
        yield
    except BullpenError:
        raise
    except FileNotFoundError as error:
        raise _gone(key) from error
    except Exception as error:  # each of fsspec's file systems has errors of its own
        told: Any = str(error).splitlines()[:1] or [type(error).__name__]
        raise StoreUnavailable(
            f"The artefact store does not answer: {told[0][:200]}. Check BULLPEN_ARTEFACT_STORE and its server."
        ) from error
