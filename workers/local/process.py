"""A server as our own child: started, awaited and stopped so that it cannot outlive its owner.

On Linux the kernel stops the child when its owner dies, however it dies (`PR_SET_PDEATHSIG`). Elsewhere a
child may survive a killed owner; whoever owns its folder next ends it (`orphans.py`).
"""

import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from workers.local.account import Account
from workers.local.errors import DataFolderInUse, ServerStartFailed

log = structlog.get_logger()

LOOPBACK = "127.0.0.1"
_PR_SET_PDEATHSIG = 1
_POLL_S = 0.02
_LOG_LIMIT_BYTES = 10_000_000
# Bound before any fork: the child may not load libraries between fork and exec.
_prctl: Callable[..., int] | None = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


class FolderLock:
    """One owner per folder, by `flock` on `owner.lock` in it. The kernel releases it when the owner dies.

    A process forked from the owner (not one started by `subprocess`) keeps the lock held as long as it lives.
    """

    def __init__(self, folder: Path) -> None:
        """Nothing happens until `acquire`."""
        self.folder = folder
        self._fd: int | None = None

    def acquire(self) -> None:
        """Own the folder from now on; raises `DataFolderInUse` if it has an owner, be it in this process."""
        fd = os.open(self.folder / "owner.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(fd, 20).decode().strip() or "(unknown)"
            os.close(fd)
            raise DataFolderInUse(
                f"{self.folder} is in use by process {owner}. Stop that one first (kill {owner}), or choose another data folder."
            ) from None
        except BaseException:
            os.close(fd)
            raise
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._fd = fd

    def release(self) -> None:
        """Give the folder up. The file stays: removing it could split the lock between two owners."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


@dataclass(frozen=True)
class Launch:
    """How to start one server."""

    name: str
    command: Sequence[str | Path]
    stop_signal: signal.Signals
    """Asks the server for an orderly end; the kernel sends it too when the owner dies."""
    log_path: Path
    account: Account | None = None
    """Whom to run as; None: as the owner."""
    pass_fds: tuple[int, ...] = ()
    env: Mapping[str, str] | None = None
    """The whole environment of the child; None: hardly anything of the owner's."""


class Child:
    """A running server and the end of its log."""

    def __init__(self, launch: Launch) -> None:
        """Start it. Its parent is the calling *thread*: when that ends, so does the server (on Linux).

        Raises `ServerStartFailed` outside the main thread, or if the program cannot be executed.
        """
        thread = threading.current_thread()
        if thread is not threading.main_thread():
            raise ServerStartFailed(
                f"{launch.name} was started from thread {thread.name!r} and would end with it. Start it from the main thread."
            )
        self.name = launch.name
        self._stop_signal = launch.stop_signal
        self._log_path = launch.log_path
        self._log_start = _rotate(launch.log_path)
        launch.log_path.touch(mode=0o600)
        with launch.log_path.open("ab") as output:
            try:
                self._process = subprocess.Popen(  # noqa: S603  # the commands are ours
                    launch.command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    cwd="/",  # a folder that every account may enter
                    env=dict(launch.env) if launch.env is not None else dict(_environment()),
                    pass_fds=launch.pass_fds,
                    start_new_session=True,  # Ctrl-C in a terminal reaches the owner alone, who stops us
                    preexec_fn=_die_with(os.getpid(), launch.stop_signal),
                    **_identity(launch.account),
                )
            except OSError as error:
                raise ServerStartFailed(
                    f"{launch.name} could not be executed: {error}. {launch.command[0]} must be a program "
                    "for this machine; `pip install --force-reinstall 'bullpen-fleet[embedded]'` brings it back."
                ) from error

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How it ended; negative: by that signal. None: it runs."""
        return self._process.poll()

    def ask_to_stop(self) -> None:
        """Send the stop signal and return at once."""
        if self.running:
            self._process.send_signal(self._stop_signal)

    def wait_ready(self, why_not: Callable[[], str | None], timeout_s: float) -> None:
        """Return once `why_not` answers None; raises `ServerStartFailed` if it ends or time runs out."""
        deadline = time.monotonic() + timeout_s
        while True:
            reason = why_not()
            if not self.running:
                code = self._process.returncode
                raise ServerStartFailed(f"{self.name} ended at its start with code {code}. {self.log_tail()}")
            if reason is None:
                return
            if time.monotonic() > deadline:
                raise ServerStartFailed(
                    f"{self.name} was not ready after {timeout_s:g} s ({reason}). "
                    f"Give it more time if it is recovering from a crash. {self.log_tail()}"
                )
            time.sleep(_POLL_S)

    def wait_done(self, timeout_s: float) -> None:
        """Wait for a program to do its work and end; raises `ServerStartFailed` if it fails or is slow."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            message = f"{self.name} was not done after {timeout_s:g} s. {self.log_tail()}"
            raise ServerStartFailed(message) from None
        if code:
            raise ServerStartFailed(f"{self.name} ended with code {code}. {self.log_tail()}")

    def stop(self, grace_s: float = 20.0) -> None:
        """Ask it to end, and kill it if it has not after `grace_s`. Safe to call again."""
        if not self.running:
            return
        self._process.send_signal(self._stop_signal)
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            log.warning("server_killed", server=self.name, pid=self.pid, grace_s=grace_s)
            self._process.kill()
            self._process.wait()

    def log_tail(self, lines: int = 15) -> str:
        """The last lines written since this start, and where they are from: the end of an error message."""
        with self._log_path.open("rb") as file:
            file.seek(self._log_start)
            last = deque(file, maxlen=lines)
        text = b"".join(last).decode(errors="replace").rstrip()
        return f"Log ({self._log_path}):\n{text}" if text else f"Its log is empty ({self._log_path})."


def free_port() -> int:
    """A TCP port of the loopback interface that was free a moment ago; others may take it before you do."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def port_is_free(port: int) -> bool:
    """Whether a server could listen on this loopback port now."""
    with socket.socket() as probe:
        # As servers do it, so that connections closed a moment ago do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _die_with(owner_pid: int, signum: signal.Signals) -> Callable[[], None] | None:
    """What the child does between fork and exec: have the kernel send it `signum` when its owner dies."""
    if _prctl is None:
        return None
    prctl = _prctl

    def bind_to_owner() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signum))
        if os.getppid() != owner_pid:  # the owner died before the kernel knew what to do
            os._exit(1)

    return bind_to_owner


def _identity(account: Account | None) -> dict[str, Any]:
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": ()}


def _environment() -> Mapping[str, str]:
    """Nothing of the owner's environment but PATH: PG* variables and locales must not change a server."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def _rotate(log_path: Path) -> int:
    """Keep one old log of a long-lived server; answers the byte at which the next line will stand."""
    if not log_path.exists():
        return 0
    if log_path.stat().st_size > _LOG_LIMIT_BYTES:
        log_path.replace(log_path.with_suffix(".log.1"))
        return 0
    return log_path.stat().st_size
