"""Atomic writes of files under names that Bullpen chooses, with an error if the disk is full."""

import errno
import os
import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from contracts.statements import passage, quote, say
from workers.bundles.limits import CHUNK_BYTES
from workers.errors import StoreUnavailable

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers for: the disk is full, the quota is used up, the file is larger than this process may write."""

UNSAFE = re.compile(r"[^\w.\-+=@ ]")
PART_CHARS = 200


@contextmanager
def needing_room(folder: Path) -> Generator[None]:
    """Wraps writing below a folder. Raises `StoreUnavailable` if there is no room."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise StoreUnavailable.of(say("bundles.refused.no_room", folder=quote(str(folder)), reason=passage(str(error.strerror)))) from error


def write_whole(target: Path, chunks: Iterable[bytes]) -> None:
    """Write a file beside the target, flush it to the disk, and rename it. If `chunks` raises, no file is left. Raises `StoreUnavailable`
    if there is no room."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{uuid4().hex}.draft")
    try:
        with needing_room(target.parent), draft.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()


def files_below(path: Path) -> Generator[tuple[Path, os.stat_result]]:
    """The files at and below a path with their state, while another process may be removing them: what is gone is left out."""
    below = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
    for file in below if path.is_dir() else [path]:
        with suppress(FileNotFoundError):
            yield file, file.stat()


def link_or_copy(source: Path, target: Path) -> None:
    """Hard-link the file under another name, or copy it if the file system has no hard links."""
    try:
        os.link(source, target)
    except OSError:
        with source.open("rb") as file:
            write_whole(target, iter(lambda: file.read(CHUNK_BYTES), b""))


def safe_name(name: str) -> str:
    """A name from a server as a path below a folder of ours. No part of it leads upwards or is hidden."""
    parts = [UNSAFE.sub("_", part)[:PART_CHARS].lstrip(".") or "_" for part in name.split("/") if part not in ("", ".")]
    return "/".join(parts) or "_"
