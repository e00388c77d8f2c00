"""What a URL names, copied to this machine within bounds: one file, or all files of a folder of an object store."""

import re
from pathlib import Path
from typing import Any

import fsspec.core  # pyright: ignore[reportMissingTypeStubs] it ships none

from contracts.tuning import LogRefusal
from workers.bundles.store import CHUNK_BYTES
from workers.bundles.upload import BundleLimits
from workers.errors import BullpenError, ConfigurationError, NotFound, StoreUnavailable, UnreadableLog

HTTP = ("http://", "https://")
NO_REDIRECTS = {"allow_redirects": False}
"""A server that is allowed may answer with the address of one that is not."""

SAFE_PART = re.compile(r"[^\w.\-+=@ ]")
STATE = ("ETag", "etag", "LastModified", "mtime", "updated", "generation", "created", "size", "name")
"""What file systems tell of a file by which a change is seen."""


class Remote:
    """A URL that was allowed. Raises `NotFound` and `StoreUnavailable`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._fs: Any
        self._path: str
        try:
            self._fs, self._path = fsspec.core.url_to_fs(url, **(NO_REDIRECTS if url.startswith(HTTP) else {}))
        except (ImportError, ValueError) as error:
            raise ConfigurationError(f"BULLPEN_BUNDLE_URLS: {error}. Install what fsspec needs for such URLs on every worker.") from error

    def state(self) -> list[Any]:
        """What changes when the files do: their names, sizes and times or tags."""
        return [[str(info.get(field)) for field in STATE] for info in self._infos()]

    def copy_to(self, folder: Path, limits: BundleLimits) -> Path:
        """Copy it and give the path of the copy. `UnreadableLog` when it is too large, whatever its server says of its size."""
        infos = self._infos()
        if len(infos) > limits.files:
            raise UnreadableLog(LogRefusal.TOO_LARGE, f"It holds more than {limits.files} files. Give the files of one run.")
        is_folder = len(infos) != 1 or infos[0]["name"].strip("/") != self._path.strip("/")
        left = limits.bytes
        for info in infos:
            name = info["name"][len(self._path) :] if is_folder else info["name"].rpartition("/")[2]
            target = folder / "files" / _safe(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            left = self._copy(info["name"], target, left)
        return folder / "files" if is_folder else next((folder / "files").iterdir())

    def _infos(self) -> list[dict[str, Any]]:
        """Of the file, or of all files of the folder, by name."""
        try:
            if self._fs.isfile(self._path):
                return [{**self._fs.info(self._path), "name": self._path}]
            found: dict[str, dict[str, Any]] = self._fs.find(self._path, detail=True)
        except BullpenError:
            raise
        except FileNotFoundError as error:
            raise self._gone() from error
        except Exception as error:  # each of fsspec's file systems has errors of its own
            raise self._silent(error) from error
        if not found:
            raise self._gone()
        return [{**info, "name": name} for name, info in sorted(found.items())]

    def _copy(self, name: str, target: Path, left: int) -> int:
        try:
            with self._fs.open(name, "rb") as source, target.open("wb") as file:
                while data := source.read(CHUNK_BYTES):
                    left -= len(data)
                    if left < 0:
                        raise UnreadableLog(
                            LogRefusal.TOO_LARGE, f"It is larger than what is taken. Give the files of one run. ({self._url[:200]})"
                        )
                    file.write(data)
        except BullpenError:
            raise
        except Exception as error:  # as above
            raise self._silent(error) from error
        return left

    def _gone(self) -> NotFound:
        return NotFound(f"There is nothing at {self._url[:200]!r}. Check the URL.")

    def _silent(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self._url[:200]!r} cannot be read: {type(error).__name__}: {str(error)[:200]}. Check the URL and who may read it."
        )


def _safe(name: str) -> str:
    """A server's names as paths below our folder: no part of them leads upwards or is hidden."""
    parts = [SAFE_PART.sub("_", part)[:200].lstrip(".") or "_" for part in name.split("/") if part not in ("", ".")]
    return "/".join(parts) or "_"
