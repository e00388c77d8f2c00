"""Reads files of skills: only regular files inside the skill's folder, up to a maximum size."""

import errno
from pathlib import Path

from contracts.statements import count, quote, say, size
from workers.skills.skill import Unusable

MAX_BYTES = 512 * 1024
"""Size of one file. It is seven times the size of a large skill; a larger file is there by mistake."""

_HEAD_BYTES = 8_192


def read_text(root: Path, path: Path) -> str:
    """The text of a file in a folder, without a byte order mark and with `\\n` line ends. Raises `Unusable`."""
    return as_text(read_bytes(root, path))


def is_binary(root: Path, path: Path) -> bool:
    """Whether a file is a picture, an archive or the like: its beginning has a NUL. Raises `Unusable`."""
    return b"\x00" in _read(root, path, _HEAD_BYTES)


def read_bytes(root: Path, path: Path) -> bytes:
    """The bytes of a regular file whose real place is inside the folder. Raises `Unusable`."""
    raw = _read(root, path, MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise Unusable(say("skills.problem.too_large", most=size(MAX_BYTES)))
    return raw


def _read(root: Path, path: Path, most: int) -> bytes:
    try:
        inside = path.resolve(strict=True)
        if not _is_inside(inside, root.resolve(strict=True)):
            raise Unusable(say("skills.problem.link_out"))
        if not inside.is_file():
            raise Unusable(say("skills.problem.not_a_file"))
        with inside.open("rb") as file:
            return file.read(most)
    except FileNotFoundError:
        raise Unusable(say("skills.problem.missing")) from None
    except (RuntimeError, ValueError):  # a link that leads to itself; a NUL in the name
        raise Unusable(say("skills.problem.link_circle")) from None
    except OSError as error:
        if error.errno == errno.ELOOP:  # as newer Pythons say it
            raise Unusable(say("skills.problem.link_circle")) from None
        raise Unusable(say("skills.problem.unreadable", error=quote(error.strerror or type(error).__name__))) from None


def as_text(raw: bytes) -> str:
    """Bytes as text with `\\n` line ends. Raises `Unusable` with the line that is not UTF-8."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Unusable(say("skills.problem.not_utf8", byte=count(error.start, exact=True)), line) from None
    if "\x00" in text:
        raise Unusable(say("skills.problem.nul"), text[: text.index("\x00")].count("\n") + 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_inside(path: Path, root: Path) -> bool:
    """Whether a real path is inside a skill's folder. Kubernetes mounts a ConfigMap as links into a folder `..data` beside the files."""
    if path.is_relative_to(root):
        return True
    return path.is_relative_to(root.parent) and path.relative_to(root.parent).parts[0].startswith("..")
