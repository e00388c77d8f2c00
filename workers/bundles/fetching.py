"""Copies the content of a URL to this machine, within limits: one file, or all files of a folder in an object store."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from contracts import statements
from contracts.spark import LogRefusal
from contracts.statements import say
from workers.bundles.files import needing_room, safe_name
from workers.bundles.filesystems import answers, file_system
from workers.bundles.history_server import Days, HistoryServer, serves_history
from workers.bundles.history_urls import HistoryAddress, history_address
from workers.bundles.limits import CHUNK_BYTES, BundleLimits
from workers.bundles.web import HTTP, WebFile
from workers.engines.counts import exactly
from workers.errors import InvalidInput, NotFound, StoreUnavailable, UnreadableLog

SETTING = "BULLPEN_BUNDLE_URLS"

STATE = ("ETag", "etag", "LastModified", "mtime", "updated", "generation", "created", "size", "name")
"""Fields of a file's description that show a change of the file."""


class Remote(Protocol):
    """The files behind an allowed URL. Raises `NotFound`, `StoreUnavailable`, and `InvalidInput` for files that this deployment may not
    read."""

    def state(self) -> list[Any] | None:
        """A value that changes with the files. None if changes cannot be detected without fetching the files."""
        ...

    def copy_to(self, folder: Path) -> Path:
        """Copy the files and return the path of the copy. Raises `UnreadableLog` if they are too large, even if the server reported a
        smaller size."""
        ...


def remote(url: str, limits: BundleLimits, within_s: float, allow: Callable[[str], str], days: Days) -> Remote:
    """The client for the server of a URL. `within_s`: seconds for the whole transfer. `allow`: raises `InvalidInput` for a URL that the
    deployment does not allow. `days`: of which days a history server's applications are meant."""
    if not url.lower().startswith(HTTP):
        return RemoteFiles(url, limits, within_s)
    address = history_address(url)
    if address is None and url.endswith("/") and serves_history(HistoryAddress(url), allow, within_s):
        address = HistoryAddress(url)
    return WebFile(url, limits, within_s) if address is None else HistoryServer(address, allow, limits, within_s, days)


class RemoteFiles:
    """A file, or a folder with everything below it, on a file system that fsspec supports."""

    def __init__(self, url: str, limits: BundleLimits, within_s: float) -> None:
        self._where = repr(url[:200])
        self._limits = limits
        self._within_s = within_s
        self._fs, self._path = file_system(url, SETTING)

    def state(self) -> list[Any]:
        """Names, sizes, and times or tags."""
        return [[str(info.get(field)) for field in STATE] for info in self._infos()]

    def copy_to(self, folder: Path) -> Path:
        """Copy the files one after the other, in the order of their names."""
        infos = self._infos()
        is_folder = len(infos) != 1 or infos[0]["name"].strip("/") != self._path.strip("/")
        left, until = self._limits.bytes, time.monotonic() + self._within_s
        for info in infos:
            name = info["name"][len(self._path) :] if is_folder else info["name"].rpartition("/")[2]
            target = folder / "files" / safe_name(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            left = self._copy(info["name"], target, left, until)
        return folder / "files" if is_folder else next((folder / "files").iterdir())

    def _infos(self) -> list[dict[str, Any]]:
        """Descriptions of the file, or of all files in the folder, sorted by name."""
        with self._answers():
            info: dict[str, Any] = self._fs.info(self._path)
            if info["type"] == "file":
                return [{**info, "name": self._path}]
            files: dict[str, dict[str, Any]] = {}
            for each in self._below():
                files[each["name"]] = each
                if len(files) > self._limits.files:
                    raise UnreadableLog(LogRefusal.TOO_LARGE, say("spark.refused.too_many_files", limit=exactly(self._limits.files)))
        if not files:
            raise self._gone()
        return [info for _, info in sorted(files.items())]

    def _below(self) -> Iterator[dict[str, Any]]:
        """Walk folder by folder, so that the caller can stop early."""
        for _, _, files in self._fs.walk(self._path, detail=True, on_error="raise"):
            yield from files.values()

    def _copy(self, name: str, target: Path, left: int, until: float) -> int:
        with self._answers(), needing_room(target.parent), self._fs.open(name, "rb") as source, target.open("wb") as file:
            while data := source.read(CHUNK_BYTES):
                left -= len(data)
                if left < 0:
                    raise UnreadableLog(LogRefusal.TOO_LARGE, say("bundles.refused.too_large", what=statements.name(self._where)))
                if time.monotonic() > until:
                    where, within = statements.name(self._where), statements.seconds(self._within_s)
                    raise StoreUnavailable.of(say("bundles.refused.slow_files", where=where, within=within))
                file.write(data)
        return left

    def _gone(self) -> NotFound:
        return NotFound.of(say("bundles.refused.nothing", where=statements.name(self._where)))

    def _answers(self) -> AbstractContextManager[None]:
        where = statements.name(self._where)
        refused = InvalidInput.of(say("bundles.refused.no_right", where=where))
        return answers(self._gone(), refused, say("bundles.refused.silent", where=where))
