"""Paths that come from outside: names of uploads, and of files that a result holds."""

from pathlib import PurePosixPath

from contracts.base import clean_text
from contracts.statements import quote, say
from workers.errors import InvalidInput

NAME_BYTES = 200
"""Most bytes of a part of a name; file systems take 255."""


def safe_path(text: str) -> PurePosixPath:
    """A relative path from outside. Raises `InvalidInput` when it would lead out of a folder, or is not a name."""
    cleaned = clean_text(text).replace("\\", "/")
    parts = [part for part in cleaned.split("/") if part not in ("", ".")]
    has_drive = bool(parts) and len(parts[0]) == 2 and parts[0][1] == ":"
    printable = all(part.isprintable() and len(part.encode("utf-8", "replace")) <= NAME_BYTES for part in parts)
    if not parts or cleaned.startswith("/") or ".." in parts or has_drive or not printable or len(parts) > 20:
        raise InvalidInput.of(say("refused.bad_name", file=quote(text[:80])))
    return PurePosixPath(*parts)
