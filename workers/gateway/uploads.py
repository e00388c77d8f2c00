"""Files from a request, written to a folder as they arrive: memory stays flat, and no name leads out of the folder."""

import asyncio
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from fastapi import HTTPException, Request
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect

from contracts.base import Json
from contracts.statements import Statement, name, quote, say, size
from workers.bundles.files import files_below, needing_room
from workers.bundles.store import open_store
from workers.errors import BullpenError, InvalidInput, StoreUnavailable
from workers.gateway.bodies import within
from workers.kinds.paths import safe_path
from workers.settings import Settings

PIECE_BYTES = 1 << 20
"""Bytes that are collected for one write to the disk; an upload holds about as many in memory."""
MOST_PARTS = 2_000
"""Most files of a form, and most of its other fields."""


LEAST_FREE_BYTES = 256 << 20
"""Of the disk, which uploads leave to others."""
COUNT_EVERY_S = 2.0
"""Seconds between two looks at what lies on the disk."""


class UploadRoom:
    """What uploads on their way may take on this machine's disk, all together. Safe to share between threads."""

    def __init__(self, folders: Callable[[], Sequence[Path]], most: int | None) -> None:
        """`folders`: where files wait until they are in the store. `most`: in bytes; None: what the disk has."""
        self._folders = folders
        self._most = most
        self._lock = threading.Lock()
        self._counted_at = float("-inf")
        self._held = 0

    def take(self, size: int, folder: Path) -> None:
        """So many bytes more will be written below this folder. Raises `StoreUnavailable` where they have no room."""
        with self._lock:
            if time.monotonic() > self._counted_at + COUNT_EVERY_S:
                self._held = sum(state.st_size for place in self._folders() for _, state in files_below(place))
                self._counted_at = time.monotonic()
            self._held += size
            has_room = shutil.disk_usage(folder).free > LEAST_FREE_BYTES if self._most is None else self._held <= self._most
        if not has_room:
            raise StoreUnavailable.of(say("refused.uploads_full", setting=name("BULLPEN_UPLOAD_ROOM_BYTES")))


async def receive(request: Request, target: Path, *, room: UploadRoom, most: int, allowed: int | None = None) -> int:
    """Write the body to a file; its size. Raises 413 for more than `most` bytes, 400 for an upload that broke off, and `StoreUnavailable`.
    `allowed`: the bytes of the whole upload, of which this is a part."""
    request = Request(request.scope, within(request, most, too_large(allowed or most)))
    total, waiting = 0, bytearray()
    with needing_room(target.parent), target.open("wb") as file, complete():
        async for piece in request.stream():
            total += len(piece)
            waiting += piece
            if len(waiting) >= PIECE_BYTES:
                await asyncio.to_thread(_write, file, waiting, room, target.parent)
                waiting = bytearray()
        await asyncio.to_thread(_write, file, waiting, room, target.parent)
    return total


def _write(file: IO[bytes], piece: bytes | bytearray, room: UploadRoom, folder: Path) -> None:
    room.take(len(piece), folder)
    file.write(piece)


async def received_form(request: Request, folder: Path, *, room: UploadRoom, most: int) -> list[str]:
    """Write the files of a form into a folder; their names. Raises `InvalidInput`, `StoreUnavailable`, 413 for more than `most` bytes, and
    400 for an upload that broke off."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise InvalidInput.of(say("refused.no_form"))
    request = Request(request.scope, within(request, most, too_large(most)))
    with complete():
        async with request.form(max_files=MOST_PARTS, max_fields=MOST_PARTS) as form:
            return await _keep_parts(form, folder, room)


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


async def _keep_parts(form: FormData, folder: Path, room: UploadRoom) -> list[str]:
    """Write the files of a form into a folder, each under the relative path that it names; their names. Raises `InvalidInput`."""
    kept: list[str] = []
    for _, part in form.multi_items():
        if not isinstance(part, UploadFile):
            continue
        path = safe_path(part.filename or "file")
        target = await asyncio.to_thread(place_for, folder, path)
        if target.exists():
            raise InvalidInput.of(say("refused.file_twice", file=quote(str(path))))
        await asyncio.to_thread(_copy, part.file, target, room)
        kept.append(str(path))
    if not kept:
        raise InvalidInput.of(say("refused.no_file_in_form"))
    return kept


def _copy(source: IO[bytes], target: Path, room: UploadRoom) -> None:
    with needing_room(target.parent), target.open("wb") as file:
        while piece := source.read(PIECE_BYTES):
            _write(file, piece, room, target.parent)


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


@contextmanager
def named_as_sent(folder: Path, whole: str) -> Generator[None]:
    """A refusal in this block names the files below `folder` as their sender does, and the folder itself `whole`: where the server keeps
    an upload is nobody's business outside, and helps nobody to mend the file."""
    try:
        yield
    except BullpenError as error:
        if error.says is not None:
            error.says = Statement.model_validate(_as_sent(error.says.to_json(), {str(folder), str(folder.resolve())}, whole))
        raise


def _as_sent(value: Any, folders: Collection[str], whole: str) -> Any:
    """The values of a statement, as JSON, with names in place of paths."""
    if isinstance(value, dict):
        return {key: _as_sent(part, folders, whole) for key, part in cast("Json", value).items()}
    if isinstance(value, list):
        return [_as_sent(part, folders, whole) for part in cast("list[Any]", value)]
    if isinstance(value, str):
        for folder in folders:
            value = value.replace(f"{folder}/", "").replace(folder, whole)
    return value


def console_uploads(settings: Settings) -> Path:
    """Where files of a browser wait until all of a job's are there."""
    home = settings.data_dir
    return (home if home.is_dir() else Path(tempfile.gettempdir())) / "console-uploads"


def upload_room(settings: Settings) -> UploadRoom:
    """Of a gateway with these settings."""
    return UploadRoom(lambda: (open_store(settings).staging(), console_uploads(settings)), settings.upload_room_bytes)
