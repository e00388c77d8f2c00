"""The files that a result holds, such as the package of an `etl` job: those that may be written, and their archive."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workers.errors import InvalidInput
from workers.kinds.base import ResultFile
from workers.kinds.paths import safe_path
from workers.kinds.shown import result_files

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every member of an archive: the same files make the same archive."""


def safe_files(kind: str, content: Any) -> tuple[ResultFile, ...]:
    """The files whose paths stay within the folder into which somebody unpacks them; each path once."""
    found: dict[str, ResultFile] = {}
    for file in result_files(kind, content):
        try:
            path = str(safe_path(file.path))
        except InvalidInput:
            continue
        found.setdefault(path, replace(file, path=path))
    return tuple(found.values())


ABOUT = "ABOUT.md"
"""What the files are of: request, ids, versions, and who wrote what."""


def with_page(files: Sequence[ResultFile], about: str) -> tuple[ResultFile, ...]:
    """The files and the page `about` them, unless they bring a file of its name."""
    return (*files, *(() if any(file.path == ABOUT for file in files) else (ResultFile(ABOUT, about),)))


def zipped(files: Sequence[ResultFile], folder: str) -> bytes:
    """A zip file with one folder, in which the files are."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for file in files:
            member = zipfile.ZipInfo(f"{folder}/{file.path}", EARLIEST)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            target.writestr(member, file.text)
    return made.getvalue()
