"""Reading files and folders of the user, on the user's machine: bounded, as text."""

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from contracts.statements import Name, count, passage, say
from workers.engines.embedded.process import EngineFailed, Limits, open_child
from workers.engines.encodings import is_binary, read_surely
from workers.errors import InvalidInput, NotFound

MOST_BYTES = 200 << 20
"""Of one file."""

_HEAD = 1 << 16
"""Bytes by which a binary file is known."""

MOST_FILES = 20_000
"""Of one folder."""


@dataclass
class FileTexts:
    """Reads the texts of an import."""

    encoding: str = ""
    """Of all files, as a person says it; empty: recognised from each text."""
    guessed: dict[str, str] = field(default_factory=dict[str, str])
    """File → the encoding in which it was read, where neither it nor a person says so."""

    def read(self, path: Path, *, max_bytes: int = MOST_BYTES) -> str:
        """The text of a file of at most `max_bytes`. Raises `NotFound` or `InvalidInput`."""
        data = _bytes(path, max_bytes)
        if not self.encoding and is_binary(data[:_HEAD]):
            raise InvalidInput.of(say("refused.text.binary", file=Name(text=str(path))))
        read = read_surely(data, path, self.encoding)
        if read.is_guess and not self.encoding:
            self.guessed[path.name] = read.encoding
        return read.text


def read_text(path: Path) -> str:
    """The text of a file, in the encoding that it is in. Raises `NotFound` or `InvalidInput`."""
    return FileTexts().read(path)


def sheets_of(path: Path) -> list[tuple[str, str]]:
    """The sheets of a workbook with their rows as CSV; a process with limits opens it. Raises `NotFound` or `InvalidInput`."""
    _bytes(path)
    with tempfile.TemporaryDirectory(prefix="bullpen-sheets-") as folder:
        try:
            with open_child(Limits(written_bytes=MOST_BYTES), {"engine": "sheets", "path": str(path.resolve()), "to": folder}):
                named: list[str] = json.loads(Path(folder, "names").read_text("utf-8"))
                return [(name, Path(folder, str(place)).read_text("utf-8")) for place, name in enumerate(named)]
        except EngineFailed as error:
            raise InvalidInput.of(say("refused.source.no_workbook", reason=passage(str(error)))) from None


def _bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    try:
        size = path.stat().st_size
        if size > most:
            raise InvalidInput.of(
                say(
                    "refused.import.large",
                    path=Name(text=str(path)),
                    size=Name(text=f"{size >> 20:,} MB"),
                    most=Name(text=f"{most >> 20} MB"),
                )
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound.of(say("refused.tickets.no_file", file=Name(text=str(path)))) from None
    except OSError as error:
        raise InvalidInput.of(
            say("refused.file.unreadable", file=Name(text=str(path)), reason=passage(error.strerror or str(error)))
        ) from None


def files_in(path: Path, endings: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """The file itself, or the files of a folder with one of these endings, each with its name within the folder. Links that lead out of
    the folder or to another file of it are left alone. Raises `NotFound` or `InvalidInput`."""
    if path.is_file():
        yield path.name, path
        return
    if not path.is_dir():
        raise NotFound.of(say("refused.import.no_path", path=Name(text=str(path))))
    root = path.resolve()
    found = sorted(_walk(root), key=lambda file: (file.is_symlink(), file))  # a link to a file beside it is that file
    named = {file.resolve(): file for file in reversed(found) if file.suffix.lower() in endings}
    chosen = sorted(file for real, file in named.items() if real.is_relative_to(root))
    if len(chosen) > MOST_FILES:
        raise InvalidInput.of(
            say("refused.import.many", path=Name(text=str(path)), n=count(len(chosen), exact=True), most=count(MOST_FILES, exact=True))
        )
    for file in chosen:
        yield file.relative_to(root).as_posix(), file


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in ("node_modules", "__pycache__")]
        yield from (Path(folder, name) for name in names if not name.startswith("."))
