"""Reads a pack's files: only regular text files inside its folder, up to a maximum size."""

from pathlib import Path

MAX_BYTES = 512 * 1024
"""Size of one file. It is twenty times the size of a large pack; a larger file is there by mistake."""


class Unusable(Exception):
    """A file or pack that is left out. The message tells its author why."""


def read_text(folder: Path, path: Path) -> str:
    """The text of a file in a folder, without a byte order mark and with `\\n` line endings. Raises `Unusable`."""
    try:
        inside = path.resolve(strict=True)
        if not inside.is_relative_to(folder.resolve(strict=True)):
            raise Unusable("leads out of the folder by a link")
        if not inside.is_file():
            raise Unusable("is not a regular file")
        with inside.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise Unusable("is missing") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise Unusable(f"cannot be read: {getattr(error, 'strerror', None) or 'its links lead in a circle'}") from None
    if len(raw) > MAX_BYTES:
        raise Unusable(f"is larger than {MAX_BYTES // 1024} KiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unusable(f"is not UTF-8 (byte {error.start})") from None
    if "\x00" in text:
        raise Unusable("holds a NUL character, so it is not text")
    return text.replace("\r\n", "\n").replace("\r", "\n")
