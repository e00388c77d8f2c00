"""Files to a gateway and from it, in pieces: memory stays flat."""

import contextlib
import os
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Upload:
    """Files that become one bundle: the body itself is the only file, or each is a part of a form."""

    single: Path | None
    parts: tuple[tuple[str, Path], ...]
    """Name at the gateway → the file. The names of a folder's files are relative to it."""
    is_folder: bool = False
    """The parts are those of a folder, also if there is only one."""
    kept_open: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def of(cls, paths: Sequence[Path | str]) -> "Upload":
        """A file or archive; or a folder; or several files. Raises `FileNotFoundError` and `ValueError`."""
        found = [Path(path).expanduser() for path in paths]
        if missing := [path for path in found if not path.exists()]:
            raise FileNotFoundError(f"There is no file {missing[0]}.")
        if len(found) == 1 and not found[0].is_dir():
            return cls(found[0], ())
        parts = tuple(part for path in found for part in _parts(path))
        if not parts:
            raise ValueError(f"There is no file in {', '.join(map(str, found)) or 'nothing'}.")
        return cls(None, parts)

    @classmethod
    def form_of(cls, path: Path) -> "Upload":
        """A file, or the files of a folder, as parts of a form. Raises `FileNotFoundError` and `ValueError`."""
        found = cls.of([path])
        return replace(found, is_folder=True) if found.single is None else cls(None, ((found.single.name, found.single),))

    def form(self) -> list[Any]:
        """The parts as httpx2 takes them; `close` closes their files."""
        return [("file", (name, self.kept_open.enter_context(path.open("rb")))) for name, path in self.parts]

    def close(self) -> None:
        """Close what was opened."""
        self.kept_open.close()


def _parts(path: Path) -> Iterator[tuple[str, Path]]:
    if not path.is_dir():
        yield path.name, path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            file = Path(folder) / name
            if file.is_file() and not file.is_symlink():
                yield file.relative_to(path).as_posix(), file


def opened(path: Path | str) -> tuple[str, IO[bytes]]:
    """The name of a file, and its content. Raises `FileNotFoundError`."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise FileNotFoundError(f"There is no file {file}.")
    return file.name, file.open("rb")


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file."""
    while piece := file.read(PIECE_BYTES):
        yield piece


async def pieces_later(file: IO[bytes]) -> AsyncIterator[bytes]:
    """The content of a file, read beside the event loop."""
    import asyncio

    while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
        yield piece


@contextlib.contextmanager
def written_whole(to: Path) -> Generator[IO[bytes]]:
    """A file that appears under its name when it is complete; a download that breaks off leaves nothing."""
    part = to.with_name(f".{to.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)
