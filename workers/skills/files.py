"""Reading a pack's files: only regular ones inside its folder, only so large, only text."""

from pathlib import Path

MAX_BYTES = 512 * 1024
"""Of one file: twenty times what a well-filled pack has; more is no pack."""


class Unusable(Exception):
    """A file or pack that is left out; the message says why, for its author."""


def read_text(folder: Path, path: Path) -> str:
    """The text of a file of a folder, a mark of byte order removed and lines ended by `\\n`. Raises `Unusable`."""
    try:
        inside = path.resolve(strict=True)
        if not inside.is_relative_to(folder.resolve(strict=True)):
            raise Unusable("leads out of the folder by a link")
        if not inside.is_file():
            raise Unusable("is no regular file")
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
        raise Unusable("holds a NUL character, so it is no text")
    return text.replace("\r\n", "\n").replace("\r", "\n")
