"""Stores a user's files as a bundle: they are read safely, hashed on the way, and stored completely or not at all."""

import hashlib
import os
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tarfile import TarError
from typing import IO
from uuid import uuid4

from contracts import statements
from contracts.base import clean_text
from contracts.bundles import RefusedFile
from contracts.spark import LogRefusal
from contracts.statements import Sayable, Statement, as_value, say
from workers.blackboard.engine import Database
from workers.bundles.files import needing_room
from workers.bundles.keys import blob_key, manifest_key
from workers.bundles.limits import CHUNK_BYTES, BundleLimits
from workers.bundles.manifest import Manifest, StoredFile
from workers.bundles.owners import give
from workers.bundles.store import Store, open_store, stage_bytes, staging_folder
from workers.engines.counts import exactly
from workers.engines.spark.eventlog.bundles import Bundle, FileBundle, PassedOver, open_bundle
from workers.engines.spark.eventlog.limits import Meter, ReadLimits
from workers.errors import UnreadableLog
from workers.settings import Settings

NAME_CHARS = 1_000
DAMAGED = (zipfile.BadZipFile, TarError, zlib.error, EOFError, NotImplementedError, OSError)
"""Errors while reading one file: damage in the archive, missing permission, a disk failure."""


Progress = Callable[[int, int], None]
"""Called with the bytes that were read and the files that were stored so far."""


def store_bundle(paths: Sequence[Path], store: Store, limits: BundleLimits, *, progress: Progress | None = None) -> Manifest:
    """Store the files at these paths (folders, archives, single files) as one bundle and return its manifest, whose `ref` names it.
    Single files that cannot be read are left out and listed in `refused`. Raises `UnreadableLog` if the whole bundle is refused: a name or
    link that leads out, an archive bomb, too much data, or nothing to read. Then nothing is stored. Raises `StoreUnavailable` if the store
    does not answer or is full. The bundle then has no reference; files that were already stored are reused by the next upload."""
    with staging_folder(store) as folder:
        intake = _Intake(folder, limits, progress)
        for path in paths:
            intake.take(path, prefix=f"{path.name}/" if len(paths) > 1 else "")
        manifest = intake.manifest()
        for number, (digest, staged) in enumerate(intake.staged.items(), start=1):
            store.put(blob_key(digest), staged)
            if progress is not None:
                progress(intake.bytes, number)
        store.put(manifest_key(manifest.digest), stage_bytes(folder, manifest.to_bytes()))  # last, when all files it names exist
    return manifest


def bring(db: Database, settings: Settings, paths: Sequence[Path], *, owner: str, progress: Progress | None = None) -> Manifest:
    """Store these files as a bundle that this owner may name. Raises what `store_bundle` raises."""
    manifest = store_bundle(paths, open_store(settings), BundleLimits.of(settings), progress=progress)
    give(db, manifest.ref, owner)
    return manifest


class _Damaged(Exception):
    """A file cannot be read to its end."""


class _Intake:
    """An upload in progress."""

    def __init__(self, folder: Path, limits: BundleLimits, progress: Progress | None) -> None:
        self._folder = folder
        self._progress = progress
        self._limits = limits
        self._read = ReadLimits(file_bytes=limits.bytes, expanded_bytes=limits.bytes, members=limits.files)
        self._files: dict[str, StoredFile] = {}
        self._refused: dict[str, RefusedFile] = {}
        self.bytes = 0
        self.staged: dict[str, Path] = {}

    def take(self, path: Path, prefix: str) -> None:
        """Add all files at a path. If the upload has several paths, a single file that is refused is left out."""
        passed_over: PassedOver = {}
        try:
            bundle = open_bundle(path, self._read, passed_over=passed_over)
        except UnreadableLog as error:
            if not prefix or error.reason is not LogRefusal.TOO_LARGE or not path.is_file():
                raise
            self._refuse(path.name, error.reason, error.refusal)
            return
        except OSError as error:
            raise UnreadableLog(LogRefusal.UNREADABLE, _named(path.name, _unopened(error))) from error
        prefix = "" if isinstance(bundle, FileBundle) else prefix
        for name, size in passed_over.items():
            sizes = {"size": statements.size(size), "limit": statements.size(self._limits.bytes)}
            self._refuse(prefix + name, LogRefusal.TOO_LARGE, say("bundles.refused.large_file", **sizes))
        self._take_all(bundle, prefix)

    def _take_all(self, bundle: Bundle, prefix: str) -> None:
        """Read all files. A file that cannot be opened is refused, and reading continues with the next file."""
        meter = Meter(bundle.stored_bytes, self._read)
        left = bundle.in_order()
        while left:
            try:
                for name, file in bundle.read(list(left)):
                    left.pop(0)
                    self._take_one(prefix + name, file, meter)
                left = []
            except OSError as error:
                self._refuse(prefix + left.pop(0), LogRefusal.UNREADABLE, _unopened(error))

    def _take_one(self, name: str, file: IO[bytes], meter: Meter) -> None:
        label = _label(name)
        if len(label) > NAME_CHARS or label in self._files:
            reason = LogRefusal.UNSAFE_PATH if len(label) > NAME_CHARS else LogRefusal.DUPLICATE_PART
            self._refuse(label, reason, say("bundles.refused.long_name") if len(label) > NAME_CHARS else say("bundles.refused.same_name"))
            return
        try:
            staged, digest, size = self._copy(file, meter)
        except _Damaged as error:
            self._refuse(label, LogRefusal.BROKEN_ARCHIVE, say("bundles.refused.damaged", error=statements.quote(str(error))))
            return
        if digest in self.staged:
            staged.unlink()
        self.staged.setdefault(digest, staged)
        self._files[label] = StoredFile(name=label, size_bytes=size, sha256=digest)

    def _copy(self, file: IO[bytes], meter: Meter) -> tuple[Path, str, int]:
        """Stream a file into the staging folder. Raises `UnreadableLog` if the bundle becomes too large, or the file is an archive bomb."""
        seen, size = hashlib.sha256(), 0
        staged = self._folder / uuid4().hex
        with needing_room(self._folder), staged.open("wb") as target:
            while data := _read(file):
                meter.add(len(data))
                size += len(data)
                if self.bytes + size > self._limits.bytes:
                    raise UnreadableLog(
                        LogRefusal.TOO_LARGE,
                        say("bundles.refused.large_bundle", limit=statements.size(self._limits.bytes)),
                    )
                seen.update(data)
                target.write(data)
                if self._progress is not None:
                    self._progress(self.bytes + size, 0)
            target.flush()
            os.fsync(target.fileno())  # an object must be complete even after a power failure
        self.bytes += size
        return staged, seen.hexdigest(), size

    def _refuse(self, name: str, reason: LogRefusal, message: Statement) -> None:
        label = _label(name)[:NAME_CHARS]
        self._refused[label] = RefusedFile(name=label, refusal=reason, message=message)

    def manifest(self) -> Manifest:
        """The manifest. Raises `UnreadableLog` if no file was stored, or too many."""
        if not self._files:
            first = next(iter(self._refused.values()), None)
            if first is None:
                raise UnreadableLog(LogRefusal.NOT_FOUND, say("bundles.refused.empty"))
            raise UnreadableLog(first.refusal, _named(first.name, first.message))
        if len(self._files) > self._limits.files:
            raise UnreadableLog(LogRefusal.TOO_LARGE, say("spark.refused.too_many_files", limit=exactly(self._limits.files)))
        return Manifest(
            files=tuple(file for _, file in sorted(self._files.items())), refused=tuple(file for _, file in sorted(self._refused.items()))
        )


def _read(file: IO[bytes]) -> bytes:
    try:
        return file.read(CHUNK_BYTES)
    except DAMAGED as error:
        raise _Damaged(clean_text(str(error))[:200] or type(error).__name__) from error


def _named(file: str, why: Sayable) -> Statement:
    return say("bundles.refused.file", file=statements.name(file), why=as_value(why))


def _unopened(error: OSError) -> Statement:
    return say("bundles.refused.unopened", error=statements.quote(error.strerror or type(error).__name__))


def _label(name: str) -> str:
    """The name of a file in the bundle: its original name without `.` components. It is never used as a path."""
    return "/".join(part for part in clean_text(name).split("/") if part not in ("", ".")) or "_"
