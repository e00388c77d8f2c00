"""Files that appear whole or not at all."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def write_whole(target: Path, chunks: Iterable[bytes]) -> None:
    """Write a file beside the target, flush it to the disk, and rename it. Nothing is left when the chunks raise."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{uuid4().hex}.draft")
    try:
        with draft.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()


def link_or_copy(source: Path, target: Path, chunk_bytes: int = 1 << 20) -> None:
    """The same file under another name; a copy where the file system does not link."""
    try:
        os.link(source, target)
    except OSError:
        with source.open("rb") as file:
            write_whole(target, iter(lambda: file.read(chunk_bytes), b""))
