"""Whom a server runs as. Postgres refuses to run as root, so root lends it an unprivileged account."""

import os
import pwd
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workers.local.errors import ServerStartFailed

_CANDIDATES = ("bullpen", "postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """An unprivileged user of this machine."""

    name: str
    uid: int
    gid: int

    def can_read(self, path: Path) -> bool:
        """Whether it may enter every folder above `path`, and read `path` (for a folder: enter it too)."""
        path = path.resolve()
        wanted = os.R_OK | os.X_OK if path.is_dir() else os.R_OK
        return self.can_enter(path.parent) and self._allows(path, wanted)

    def can_enter(self, folder: Path) -> bool:
        """Whether it may pass through `folder` and every folder above it."""
        folder = folder.resolve()
        return all(self._allows(each, os.X_OK) for each in (folder, *folder.parents))

    def _allows(self, path: Path, wanted: int) -> bool:
        facts = path.stat()
        if facts.st_uid == self.uid:
            mode = facts.st_mode >> 6
        elif facts.st_gid == self.gid:
            mode = facts.st_mode >> 3
        else:
            mode = facts.st_mode
        return stat.S_IMODE(mode) & 0o7 & wanted == wanted


def unprivileged_account(data: Path) -> Account | None:
    """None if we are not root; else the owner of `data`, or for new data the first account that exists here.

    Raises `ServerStartFailed` if there is none.
    """
    if os.geteuid() != 0:
        return None
    if data.exists() and (owner := data.stat().st_uid) != 0:
        return Account(name=str(owner), uid=owner, gid=data.stat().st_gid)
    for name in _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid)
    raise ServerStartFailed(
        f"Postgres does not run as root, and this machine has none of the accounts {', '.join(_CANDIDATES)}. "
        "Add one (`useradd --system bullpen`), or run Bullpen as a normal user."
    )


def hand_over(folder: Path, account: Account) -> None:
    """Make the account the owner of a folder and all that is in it."""
    os.chown(folder, account.uid, account.gid)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(parent, name), account.uid, account.gid, follow_symlinks=False)


@contextmanager
def way_to(folder: Path, account: Account | None) -> Generator[tuple[Path, tuple[int, ...]], None, None]:
    """A path by which a child of that account reaches its own `folder`, and the descriptors it must inherit.

    Below a closed folder (root's 0700 home, say) the child gets the folder already opened: `/proc/self/fd/N`
    leads there without a look at what lies above. So the data stays where the user wants it, and no folder is
    opened to others.
    """
    folder = folder.resolve()
    if account is None or account.can_enter(folder.parent):
        yield folder, ()
        return
    if not Path("/proc/self/fd").is_dir():
        raise ServerStartFailed(
            f"Account {account.name} cannot reach {folder}: a folder above it is closed. Choose a data "
            "folder below one that is open to all (such as /var/lib), or run Bullpen as a normal user."
        )
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield Path(f"/proc/self/fd/{fd}"), (fd,)
    finally:
        os.close(fd)
