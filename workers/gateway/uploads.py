"""Files from a request, written to a folder as they arrive: memory stays flat, and no name leads out of the folder."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from fastapi import HTTPException, Request
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect

from contracts.statements import Statement, name, quote, say, size
from workers.bundles.files import needing_room
from workers.errors import InvalidInput
from workers.gateway.bodies import within
from workers.kinds.paths import safe_path

PIECE_BYTES = 1 << 20
"""Bytes that are collected for one write to the disk; an upload holds about as many in memory."""
MOST_PARTS = 2_000
"""Most files of a form, and most of its other fields."""


async def receive(request: Request, target: Path, *, most: int, allowed: int | None = None) -> int:
    """Write the body to a file; its size. Raises 413 for more than `most` bytes, 400 for an upload that broke off. `allowed`: the bytes
    of the whole upload, of which this is a part."""
    request = Request(request.scope, within(request, most, too_large(allowed or most)))
    total, waiting = 0, bytearray()
    with needing_room(target.parent), target.open("wb") as file, complete():
        async for piece in request.stream():
            total += len(piece)
            waiting += piece
            if len(waiting) >= PIECE_BYTES:
                await asyncio.to_thread(file.write, waiting)
                waiting = bytearray()
        await asyncio.to_thread(file.write, waiting)
    return total


async def received_form(request: Request, folder: Path, *, most: int) -> list[str]:
    """Write the files of a form into a folder; their names. Raises `InvalidInput`, 413 for more than `most` bytes, and 400 for an upload
    that broke off."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise InvalidInput.of(say("refused.no_form"))
    request = Request(request.scope, within(request, most, too_large(most)))
    with complete():
        async with request.form(max_files=MOST_PARTS, max_fields=MOST_PARTS) as form:
            return await _keep_parts(form, folder)


def too_large(most: int) -> Statement:
    """Why an upload of more bytes than `most` is refused."""
    return say("refused.files_too_large", most=size(most), setting=name("BULLPEN_BUNDLE_BYTES"))


@contextmanager
def complete() -> Generator[None]:
    """An upload that breaks off in this block becomes 400."""
    try:
        yield
    except ClientDisconnect:
        raise HTTPException(400, say("refused.upload_broke_off")) from None


async def _keep_parts(form: FormData, folder: Path) -> list[str]:
    """Write the files of a form into a folder, each under the relative path that it names; their names. Raises `InvalidInput`."""
    kept: list[str] = []
    for _, part in form.multi_items():
        if not isinstance(part, UploadFile):
            continue
        path = safe_path(part.filename or "file")
        target = await asyncio.to_thread(place_for, folder, path)
        if target.exists():
            raise InvalidInput.of(say("refused.file_twice", file=quote(str(path))))
        await asyncio.to_thread(_copy, part.file, target)
        kept.append(str(path))
    if not kept:
        raise InvalidInput.of(say("refused.no_file_in_form"))
    return kept


def _copy(source: IO[bytes], target: Path) -> None:
    with needing_room(target.parent), target.open("wb") as file:
        while piece := source.read(PIECE_BYTES):
            file.write(piece)


def place_for(folder: Path, path: PurePosixPath) -> Path:
    """Where a file of this path is written, with the folders that lead there. Raises `InvalidInput` if one of them is a file, or if the
    path is a folder already."""
    target = folder / path
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput.of(say("refused.file_twice", file=quote(str(path)))) from None
    if target.is_dir():
        raise InvalidInput.of(say("refused.file_twice", file=quote(str(path))))
    return target
