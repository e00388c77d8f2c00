"""Reading files and folders of the user, on the user's machine: bounded, as text."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from contracts.statements import Name, count, passage, say
from workers.errors import InvalidInput, NotFound

MOST_BYTES = 200 << 20
"""Of one file."""

MOST_FILES = 20_000
"""Of one folder."""


def read_text(path: Path) -> str:
    """The text of a file: UTF-8, or else GB18030. Raises `NotFound` or `InvalidInput`."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InvalidInput.of(
                say(
                    "refused.import.large",
                    path=Name(text=str(path)),
                    size=Name(text=f"{size >> 20:,} MB"),
                    most=Name(text=f"{MOST_BYTES >> 20} MB"),
                )
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFound.of(say("refused.tickets.no_file", file=Name(text=str(path)))) from None
    except OSError as error:
        raise InvalidInput.of(
            say("refused.file.unreadable", file=Name(text=str(path)), reason=passage(error.strerror or str(error)))
        ) from None
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InvalidInput.of(say("refused.import.encoding", file=Name(text=str(path))))


def files_in(path: Path, endings: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """The file itself, or the files of a folder with one of these endings, each with its name within the folder. Links that lead out of
    the folder are left alone. Raises `NotFound` or `InvalidInput`."""
    if path.is_file():
        yield path.name, path
        return
    if not path.is_dir():
        raise NotFound.of(say("refused.import.no_path", path=Name(text=str(path))))
    root = path.resolve()
    found = sorted(_walk(root))
    chosen = [file for file in found if file.suffix.lower() in endings and file.resolve().is_relative_to(root)]
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
