"""Reading files and folders of the user, on the user's machine: bounded, as text."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

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
            raise InvalidInput(f"{path} has {size >> 20:,} MB; {MOST_BYTES >> 20} MB is the most for one file. Split it.")
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.") from None
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {error.strerror or error}.") from None
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InvalidInput(f"{path} is neither UTF-8 nor GB18030 text.")


def files_in(path: Path, endings: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """The file itself, or the files of a folder with one of these endings, each with its name within the folder. Links that lead out of
    the folder are left alone. Raises `NotFound` or `InvalidInput`."""
    if path.is_file():
        yield path.name, path
        return
    if not path.is_dir():
        raise NotFound(f"There is no file or folder {path}.")
    root = path.resolve()
    found = sorted(_walk(root))
    chosen = [file for file in found if file.suffix.lower() in endings and file.resolve().is_relative_to(root)]
    if len(chosen) > MOST_FILES:
        raise InvalidInput(f"{path} has {len(chosen):,} files; {MOST_FILES:,} are the most for one import. Import its folders one by one.")
    for file in chosen:
        yield file.relative_to(root).as_posix(), file


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in ("node_modules", "__pycache__")]
        yield from (Path(folder, name) for name in names if not name.startswith("."))
