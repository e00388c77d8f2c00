"""The account that a server runs as. Postgres refuses to run as root, so root starts it under an unprivileged account."""

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
        """Whether the account may enter every folder above `path`, and read `path`. A folder must also be enterable."""
        path = path.resolve()
        wanted = os.R_OK | os.X_OK if path.is_dir() else os.R_OK
        return self.can_enter(path.parent) and self._allows(path, wanted)

    def can_enter(self, folder: Path) -> bool:
        """Whether the account may enter `folder` and every folder above it."""
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
    """The account for the server on `data`: the folder's owner, or the first candidate that exists. None if we are not root.

    Raises `ServerStartFailed` if no candidate exists.
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
        f"Postgres does not run as root, and none of the accounts {', '.join(_CANDIDATES)} exists on this machine. "
        "Add an account (`useradd --system bullpen`), or run Bullpen as a normal user."
    )


def hand_over(folder: Path, account: Account) -> None:
    """Make the account the owner of a folder and everything in it."""
    os.chown(folder, account.uid, account.gid)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(parent, name), account.uid, account.gid, follow_symlinks=False)


@contextmanager
def way_to(folder: Path, account: Account | None) -> Generator[tuple[Path, tuple[int, ...]], None, None]:
    """A path under which a child process of that account can reach its `folder`, and the file descriptors that it must inherit.

    If a folder above it is closed (for example root's home with mode 0700), the child inherits the opened folder and
    reaches it as `/proc/self/fd/N`, which needs no access to the folders above. So the data stays where the user wants
    it, and no permissions are changed.
    """
    folder = folder.resolve()
    if account is None or account.can_enter(folder.parent):
        yield folder, ()
        return
    if not Path("/proc/self/fd").is_dir():
        raise ServerStartFailed(
            f"Account {account.name} cannot reach {folder}: a folder above it is closed. Choose a data folder "
            "below a folder that everybody may enter (such as /var/lib), or run Bullpen as a normal user."
        )
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield Path(f"/proc/self/fd/{fd}"), (fd,)
    finally:
        os.close(fd)
