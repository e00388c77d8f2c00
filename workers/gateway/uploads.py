"""Files from a request, written to a folder as they arrive: memory stays flat, and no name leads out of the folder."""

import asyncio
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from fastapi import HTTPException, Request
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect

from contracts.base import clean_text
from workers.bundles.files import needing_room
from workers.errors import InvalidInput

PIECE_BYTES = 1 << 20
NAME_CHARACTERS = 200
MOST_PARTS = 2_000


async def receive(pieces: AsyncIterator[bytes], target: Path, *, most: int) -> int:
    """Write a body to a file; its size. Raises 413 for more than `most` bytes."""
    size, waiting = 0, bytearray()
    with needing_room(target.parent), target.open("wb") as file:
        async for piece in pieces:
            size += len(piece)
            if size > most:
                raise HTTPException(413, f"The upload has more than {most:,} bytes (BULLPEN_BUNDLE_BYTES). Leave out what is not needed.")
            waiting += piece
            if len(waiting) >= PIECE_BYTES:
                await asyncio.to_thread(file.write, waiting)
                waiting = bytearray()
        await asyncio.to_thread(file.write, waiting)
    return size


async def received_form(request: Request, folder: Path, *, most: int) -> list[str]:
    """Write the files of a form into a folder; their names. Raises `InvalidInput`, 413 for more than `most` bytes, and 400 for an upload
    that broke off."""
    check_announced(request, most)
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise InvalidInput("Send the files as a form: multipart/form-data, each as a part with a file name.")
    with complete():
        async with request.form(max_files=MOST_PARTS, max_fields=MOST_PARTS) as form:
            return await keep_parts(form, folder)


def check_announced(request: Request, most: int) -> None:
    """Raises 413 for an upload that says that it is larger than it may be."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise HTTPException(413, f"The upload has {announced} bytes; {most:,} are allowed (BULLPEN_BUNDLE_BYTES).")


@contextmanager
def complete() -> Generator[None]:
    """An upload that breaks off in this block becomes 400."""
    try:
        yield
    except ClientDisconnect:
        raise HTTPException(400, "The upload ended before its last byte. Nothing was kept; send it again.") from None


async def keep_parts(form: FormData, folder: Path) -> list[str]:
    """Write the files of a form into a folder, each under the relative path that it names; their names. Raises `InvalidInput`."""
    kept: list[str] = []
    for _, part in form.multi_items():
        if not isinstance(part, UploadFile):
            continue
        target = folder / safe_path(part.filename or "file")
        if target.exists():
            raise InvalidInput(f"Two files are called {str(safe_path(part.filename or 'file'))!r}. Give each its own name.")
        await asyncio.to_thread(_copy, part.file, target)
        kept.append(str(safe_path(part.filename or "file")))
    if not kept:
        raise InvalidInput("The form holds no file. Send each as a part with a file name.")
    return kept


def _copy(source: IO[bytes], target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with needing_room(target.parent), target.open("wb") as file:
        while piece := source.read(PIECE_BYTES):
            file.write(piece)


def safe_path(name: str) -> PurePosixPath:
    """A relative path from outside. Raises `InvalidInput` when it would lead out of a folder, or is not a name."""
    cleaned = clean_text(name).replace("\\", "/")
    parts = [part for part in cleaned.split("/") if part not in ("", ".")]
    has_drive = bool(parts) and len(parts[0]) == 2 and parts[0][1] == ":"
    printable = all(part.isprintable() and len(part.encode("utf-8", "replace")) <= NAME_CHARACTERS for part in parts)
    if not parts or cleaned.startswith("/") or ".." in parts or has_drive or not printable or len(parts) > 20:
        raise InvalidInput(f"{name[:80]!r} is not the name of a file: no absolute path, no `..`, no control characters.")
    return PurePosixPath(*parts)
