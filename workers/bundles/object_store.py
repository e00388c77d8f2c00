"""An artefact store in an object store or on another machine, through fsspec: `s3://`, `gs://`, `sftp://`, `memory://` and others."""

import io
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from contracts.statements import Name, quote, say
from workers.bundles.cache import LocalCache
from workers.bundles.filesystems import answers, file_system, is_whole
from workers.bundles.keys import DIGEST, checked, digest_of, gone
from workers.bundles.limits import CHUNK_BYTES
from workers.errors import ConfigurationError

SETTING = "BULLPEN_ARTEFACT_STORE"
RENEWED = timedelta(hours=12)
"""Age after which an object is written again by `put`. It is less than the age that retention spares."""

READ_ONLY = ("http://", "https://", "data:", "github://")


class ObjectStore:
    """An artefact store behind a URL. Objects that are read completely are copied to the local cache."""

    def __init__(self, url: str, cache: LocalCache) -> None:
        if url.lower().startswith(READ_ONLY):
            raise ConfigurationError(f"{SETTING}: {url.partition(':')[0]}: is read-only. Set a folder or an object store.")
        self._fs, self._root = file_system(url, SETTING)
        self._is_whole = is_whole(self._fs)
        self._cache = cache

    def has(self, key: str) -> bool:
        """Whether the object exists."""
        with _answers(key):
            return bool(self._fs.exists(self._at(key)))

    def put(self, key: str, file: Path) -> None:
        """On a file system where a partial file is visible, the object is first written under a temporary name and then moved, so that an
        existing object is always complete. An old object is written again to renew its time."""
        kept_at = self.kept_at(key)
        if kept_at is not None and kept_at > datetime.now(UTC) - RENEWED:
            return
        with _answers(key):
            if self._is_whole:
                self._fs.put_file(str(file), self._at(key))
            else:
                self._put_draft(key, file)

    def _put_draft(self, key: str, file: Path) -> None:
        draft = self._at(f"staging/{uuid4().hex}")
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
        """Reads only the requested ranges."""
        with _answers(key):
            return io.BufferedReader(_Ranges(key, self._fs.open(self._at(key), "rb")), CHUNK_BYTES)

    def path(self, key: str) -> Path:
        """A copy in the cache, verified by its hash."""
        return self._cache.file(key, lambda: checked(key, self._chunks(key)))

    def _chunks(self, key: str) -> Iterable[bytes]:
        with _answers(key), self._fs.open(self._at(key), "rb") as file:
            while data := file.read(CHUNK_BYTES):
                yield data

    def keys(self, prefix: str) -> Iterator[tuple[str, int]]:
        """The server's listing."""
        with _answers(prefix):
            try:
                listing: dict[str, dict[str, Any]] = self._fs.find(self._at(prefix), detail=True)
            except FileNotFoundError:
                listing = {}
            self._fs.invalidate_cache()
        for name, info in listing.items():
            key = f"{prefix}/{name.rpartition(f'/{prefix}/')[2]}"
            if DIGEST.fullmatch(digest_of(key)):
                yield key, int(info["size"])

    def kept_at(self, key: str) -> datetime | None:
        """The object's time on the server."""
        with _answers(key):
            try:
                modified: datetime = self._fs.modified(self._at(key))
            except FileNotFoundError:
                return None
        return modified if modified.tzinfo else modified.replace(tzinfo=UTC)

    def remove(self, key: str) -> None:
        """Remove the object. Copies in caches stay until they are evicted."""
        with _answers(key):
            try:
                self._fs.rm_file(self._at(key))
            except FileNotFoundError:
                return

    def staging(self) -> Path:
        """A folder inside the cache's folder."""
        return self._cache.folder / "staging"

    def _at(self, key: str) -> str:
        return f"{self._root.rstrip('/')}/{key}"


class _Ranges(io.RawIOBase):
    """The bytes of an object, read on demand. Errors of its server are translated to ours."""

    def __init__(self, key: str, file: Any) -> None:
        self._key = key
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        with _answers(self._key):
            data: bytes = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def _answers(key: str) -> Generator[None]:
    refused = ConfigurationError(
        f"The artefact store denies access to {key!r}. Give the credentials in this process's environment the right to list, read and "
        f"write at {SETTING}."
    )
    with answers(gone(quote(key)), refused, say("bundles.refused.store_silent", setting=Name(text=SETTING))):
        yield
