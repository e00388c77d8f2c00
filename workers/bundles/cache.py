"""A size-bounded cache folder on this machine, for data that can be restored: blobs of a remote store, assembled logs, catalogues."""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from workers.bundles.files import files_below, write_whole

IN_USE_S = 600.0
"""Seconds since the last use during which an entry is never removed, since a process may be about to open it."""


class LocalCache:
    """Files and folders under hexadecimal keys that Bullpen generates; user text is never part of a key. Safe to share between processes.
    It may be deleted at any time; the content is then made again."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.folder = folder
        self._max_bytes = max_bytes

    def file(self, key: str, make: Callable[[], Iterable[bytes]]) -> Path:
        """The file under a key. If it is missing, it is created atomically."""
        path = self.folder / "files" / key
        if not self._touched(path):
            write_whole(path, make())
            self._make_room()
        return path

    def folder_of(self, key: str, fill: Callable[[Path], None]) -> Path:
        """The folder under a key. If it is missing, it is created and filled."""
        path = self.folder / "folders" / key
        if self._touched(path):
            return path
        draft = self.folder / "drafts" / uuid4().hex
        draft.mkdir(parents=True)
        try:
            fill(draft)
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                draft.rename(path)
            except OSError:  # another process created the same folder first
                if not path.is_dir():
                    raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        self._make_room()
        return path

    def recall(self, key: object) -> Any:
        """The JSON value under a key. None if there is no value."""
        path = self._note(key)
        try:
            value = json.loads(path.read_bytes())
        except (OSError, ValueError):
            return None
        self._touched(path)
        return value

    def remember(self, key: object, value: Any) -> None:
        """Store a JSON value."""
        write_whole(self._note(key), [json.dumps(value).encode()])

    def _note(self, key: object) -> Path:
        return self.folder / "files" / "notes" / hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()

    def _touched(self, path: Path) -> bool:
        try:
            os.utime(path)
        except OSError:
            return False
        return True

    def _make_room(self) -> None:
        """Remove the least recently used entries until the rest fits."""
        entries = sorted(self._entries())
        held = sum(size for _, size, _ in entries)
        spared = time.time() - IN_USE_S
        for used_at, size, path in entries:
            if held <= self._max_bytes or used_at > spared:
                break
            held -= size
            _remove(path)

    def _entries(self) -> Iterable[tuple[float, int, Path]]:
        """Each entry with the time of its last use and its bytes. Other processes may be removing some of them."""
        yield from ((state.st_mtime, state.st_size, path) for path, state in files_below(self.folder / "files"))
        for folder in (self.folder / "folders").glob("*"):
            with suppress(FileNotFoundError):
                yield folder.stat().st_mtime, sum(state.st_size for _, state in files_below(folder)), folder


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(FileNotFoundError):
        path.unlink()
