"""Files from a request, written to a folder as they arrive: memory stays flat, and no name leads out of the folder."""

import asyncio
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from fastapi import HTTPException, Request
from starlette.formparsers import MultiPartException, MultiPartParser
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
    form = _Form(request, folder, room)
    with complete(), needing_room(folder):
        try:
            await form.parse()
        except MultiPartException as error:
            raise HTTPException(400, error.message) from None
    if not form.kept:
        raise InvalidInput.of(say("refused.no_file_in_form"))
    return form.kept


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


class _Form(MultiPartParser):
    """Writes the files of a form below a folder, each under the relative path that it names. Starlette's own lie in the temporary folder
    until the whole form is there."""

    def __init__(self, request: Request, folder: Path, room: UploadRoom) -> None:
        super().__init__(request.headers, request.stream(), max_files=MOST_PARTS, max_fields=MOST_PARTS)
        self._folder, self._room = folder, room
        self.kept: list[str] = []
        """The names of the files."""

    def on_headers_finished(self) -> None:
        """A part begins. Raises `InvalidInput` for a name that leads out of the folder."""
        super().on_headers_finished()
        if (part := self._current_part.file) is not None:
            part.file.close()
            path = safe_path(part.filename or "file")
            part.file = cast("BinaryIO", _Arriving(self._folder, path, self._room))
            self.kept.append(str(path))


class _Arriving:
    """A file of a form, for Starlette, which writes its pieces one after the other, and then seeks its beginning, all in a thread."""

    def __init__(self, folder: Path, path: PurePosixPath, room: UploadRoom) -> None:
        self._folder, self._path, self._room = folder, path, room
        self._target: Path | None = None

    def write(self, piece: bytes) -> None:
        """Add a piece. Raises `InvalidInput` where its place is taken, and `StoreUnavailable`."""
        if self._target is None:
            target = place_for(self._folder, self._path)
            if target.exists():
                raise InvalidInput.of(say("refused.file_twice", file=quote(str(self._path))))
            self._target = target
        with self._target.open("ab") as file:  # not held open: a form may have many files
            _write(file, piece, self._room, self._folder)

    def seek(self, _: int) -> None:
        """The file is whole; an empty one is made."""
        self.write(b"")


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
            error.says = Statement.model_validate(as_sent(error.says.to_json(), folder, whole))
        raise


def as_sent(value: Any, folder: Path, whole: str) -> Any:
    """JSON that we made about files below `folder`, with names as `named_as_sent` has them."""
    return _as_sent(value, {str(folder), str(folder.resolve())}, whole)


def _as_sent(value: Any, folders: Collection[str], whole: str) -> Any:
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
