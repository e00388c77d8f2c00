"""Builds the catalogue of a bundle: the kind of each file, and which files are parts of one log."""

import hashlib
from collections.abc import Sequence

from contracts.bundles import Artefact, Catalogue
from workers.bundles.keys import blob_key
from workers.bundles.manifest import Manifest, StoredFile
from workers.bundles.registry import Kinds, kind_of
from workers.bundles.shipped import EVENT_LOG
from workers.bundles.store import Store
from workers.engines.spark.eventlog.bundles import archive_in, head_of
from workers.engines.spark.eventlog.grouping import LogGroup, group_logs, is_marker
from workers.engines.spark.eventlog.limits import Meter, ReadLimits
from workers.engines.spark.eventlog.sources import HEAD_BYTES, ROLLING_PART, Head
from workers.errors import UnreadableLog

KIND_BYTES = 1 << 16
"""Bytes at the beginning of a file from which its kind is recognised."""

MEMBERS_SEEN = 50
"""Files of an inner archive that are looked at. If none of them is a log, the archive is not a log."""


def catalogue_of(ref: str, manifest: Manifest, store: Store, kinds: Kinds) -> Catalogue:
    """Builds the catalogue. Reads only the beginning of every file."""
    artefacts: dict[str, Artefact] = {}
    logs: list[Head] = []
    for file in manifest.files:
        head, is_archive = _head(file, store)
        kind, told_by = kind_of(file.name, head[:KIND_BYTES], kinds)
        artefacts[file.name] = Artefact(name=file.name, kind=kind.name, told_by=told_by, size_bytes=file.size_bytes, sha256=file.sha256)
        is_part = told_by == "content" or ROLLING_PART.search(file.name)  # the newest part of a running application may be empty
        if kind.name == EVENT_LOG.name and is_part and not is_archive:
            logs.append(Head.of(file.name, head))
    files = {file.name: file for file in manifest.files}
    for group in group_logs(logs, list(files)):
        parts = [files[part] for part in (*group.parts, *_markers(group, files))]
        for part in parts:
            artefacts.pop(part.name, None)
        artefacts[group.name] = _of_parts(group.name, parts)
    return Catalogue(
        bundle=ref,
        kept=manifest.ref,
        content_hash=manifest.files_hash,
        artefacts=tuple(artefact for _, artefact in sorted(artefacts.items())),
        refused=manifest.refused,
    )


def digest_of_parts(parts: Sequence[StoredFile]) -> str:
    """The name that identifies a log in several parts."""
    return hashlib.sha256("".join(part.sha256 for part in parts).encode()).hexdigest()


def _markers(group: LogGroup, files: dict[str, StoredFile]) -> list[str]:
    """The empty marker files of a log in parts, which say whether the application has ended. They belong to the log."""
    folders = {part.rpartition("/")[0] for part in group.parts}
    return [name for name, file in files.items() if not file.size_bytes and is_marker(name) and name.rpartition("/")[0] in folders]


def _of_parts(name: str, parts: Sequence[StoredFile]) -> Artefact:
    return Artefact(
        name=name,
        kind=EVENT_LOG.name,
        size_bytes=sum(part.size_bytes for part in parts),
        sha256=digest_of_parts(parts),
        parts=tuple(part.name for part in parts),
    )


def _head(file: StoredFile, store: Store) -> tuple[bytes, bool]:
    """The decompressed beginning of a file, or of the log inside an archive, and whether it is an archive. Empty if the file is damaged."""
    if not file.size_bytes:
        return b"", False
    limits, key = ReadLimits(), blob_key(file.sha256)
    try:
        with store.open(key) as opened:
            head = head_of(opened, HEAD_BYTES, Meter(file.size_bytes, limits))
        if not Head.of(file.name, head).is_archive:
            return head, False
        return _head_of_log(file, store, limits), True
    except UnreadableLog:
        return b"", False


def _head_of_log(file: StoredFile, store: Store, limits: ReadLimits) -> bytes:
    archive = archive_in(lambda: store.open(blob_key(file.sha256)), file.size_bytes, limits)
    if archive is None:
        return b""
    meter = Meter(file.size_bytes, limits)
    for name, member in archive.read(archive.in_order()[:MEMBERS_SEEN]):
        head = head_of(member, KIND_BYTES, meter)
        if Head.of(name, head).is_log:
            return head
    return b""
