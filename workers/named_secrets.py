"""Secrets by name, such as `BULLPEN_SOURCE_SALES_URL`: from the environment of this process, else from the secrets file.

The file is looked at whenever a secret is needed, so that a source that is added while workers run needs no restart. It holds lines
`NAME=value`; a value is the rest of its line as it stands, without quotes. Instead of the file there may be a folder with a file for each
name, which is how Docker and Kubernetes mount secrets.
"""

import os
import re
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from workers.errors import ConfigurationError, InvalidInput, NotFound

PLACE = "BULLPEN_SECRETS"
"""The variable that names the file or folder."""
HOME = "BULLPEN_HOME"
DEFAULT_HOME = Path("~/.local/share/bullpen")
FILE = "secrets.env"
"""Of the data folder, where nothing else is said."""
LONGEST = 20_000
"""Characters of a value. A URL or a key is far shorter; the largest token that a cloud gives has some 16,000."""

_NAME = r"BULLPEN_[A-Z0-9_]{1,120}"
_OTHERS = 0o077
"""The rights of the file that nobody but its owner may have."""

_read: dict[Path, tuple[tuple[int, int, int], dict[str, str]]] = {}
"""What was read, by the file's time, size and inode."""


def secrets_place() -> Path:
    """The file or folder of the secrets; it need not exist."""
    named = os.environ.get(PLACE, "").strip()
    return Path(named).expanduser() if named else Path(os.environ.get(HOME, "").strip() or DEFAULT_HOME).expanduser() / FILE


def secret(name: str) -> str:
    """The value of a name, without space around it; empty where there is none. Raises `ConfigurationError` for a file that others may
    read."""
    return os.environ.get(name, "").strip() or _kept(name)


def kept_secrets() -> Mapping[str, str]:
    """What the file or folder holds, by name."""
    place = secrets_place()
    if place.is_dir():
        return {file.name: _of_folder(file) for file in sorted(place.iterdir()) if re.fullmatch(_NAME, file.name)}
    return _of_file(place)


def keep_secret(name: str, value: str) -> Path:
    """Write a secret into the file, which nobody but its owner may read; the file. Raises `InvalidInput` for a name or a value that does
    not fit, and `ConfigurationError` where secrets are a folder, which somebody else fills."""
    from contracts.statements import Name, say  # as below: each command looks for its language here, and `--help` needs no contract

    if not re.fullmatch(_NAME, name):
        raise InvalidInput.of(say("refused.secret.name", name=Name(text=name[:100]), prefix=Name(text="BULLPEN_")))
    value = value.strip()
    if not value or len(value) > LONGEST or not value.isprintable():
        raise InvalidInput.of(say("refused.secret.value", name=Name(text=name)))
    return _write({**_writable(), name: value})


@contextmanager
def keeping(name: str, value: str) -> Generator[None]:
    """A secret that is kept if what follows works; else it is as it was. Raises what `keep_secret` raises."""
    before = kept_secrets().get(name)
    keep_secret(name, value)
    try:
        yield
    except Exception:
        drop_secret(name)
        if before is not None:
            keep_secret(name, before)
        raise


def drop_secret(name: str) -> None:
    """Remove a secret from the file. Raises `NotFound`."""
    kept = _writable()
    if name not in kept:
        from contracts.statements import Name, say

        raise NotFound.of(say("refused.secret.none", name=Name(text=name[:100]), file=Name(text=str(secrets_place()))))
    _write({known: value for known, value in kept.items() if known != name})


def _kept(name: str) -> str:
    place = secrets_place()
    if place.is_dir():
        return _of_folder(place / name) if re.fullmatch(_NAME, name) else ""
    return _of_file(place).get(name, "")


def _of_folder(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip() if file.is_file() else ""
    except (OSError, ValueError) as error:
        raise _unreadable(file, error) from None


def _of_file(place: Path) -> dict[str, str]:
    try:
        found = place.stat()
        state = (found.st_mtime_ns, found.st_size, found.st_ino)
        if place in _read and _read[place][0] == state:
            return _read[place][1]
        if found.st_mode & _OTHERS:
            from contracts.statements import Name, code, say

            command = code(f"chmod 600 {place}")
            raise ConfigurationError.of(say("refused.secret.open_file", file=Name(text=str(place)), command=command))
        text = place.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise _unreadable(place, error) from None
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line and not line.lstrip().startswith("#"))
    kept = {name.strip(): value.strip() for name, _, value in pairs}
    _read[place] = (state, kept)
    return kept


def _unreadable(file: Path, error: Exception) -> ConfigurationError:
    from contracts.statements import Name, say

    reason = Name(text=(error.strerror if isinstance(error, OSError) else None) or type(error).__name__)
    return ConfigurationError.of(say("refused.secret.unreadable", file=Name(text=str(file)), reason=reason))


def _writable() -> dict[str, str]:
    place = secrets_place()
    if place.is_dir():
        from contracts.statements import Name, say

        raise ConfigurationError.of(say("refused.secret.folder", folder=Name(text=str(place))))
    return _of_file(place)


def _write(kept: Mapping[str, str]) -> Path:
    place = secrets_place()
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, written = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}-")  # made with mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(f"{name}={value}\n" for name, value in kept.items())
        Path(written).replace(place)
    except BaseException:
        Path(written).unlink(missing_ok=True)
        raise
    _read.pop(place, None)
    return place
