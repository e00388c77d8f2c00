"""A server as a child process that is started, awaited and stopped so that it cannot outlive its owner.

On Linux the kernel stops the child when its owner dies for any reason (`PR_SET_PDEATHSIG`). On other systems a child may
survive a killed owner; the next owner of its folder stops it (`orphans.py`).
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
from typing import Any, BinaryIO

from workers.extras import install_command
from workers.local.account import Account
from workers.local.errors import DataFolderInUse, ServerStartFailed
from workers.local.forked import Forked, Setting
from workers.loggers import get_logger

log = get_logger(__name__)

LOOPBACK = "127.0.0.1"
_PR_SET_PDEATHSIG = 1
_POLL_S = 0.02
_LOG_LIMIT_BYTES = 10_000_000
# Loaded before any fork, since the child may not load libraries between fork and exec.
_prctl: Callable[..., int] | None = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


class FolderLock:
    """Gives a folder one owner, by `flock` on its file `owner.lock`. The kernel releases the lock when the owner dies.

    A process that is forked from the owner (not started by `subprocess`) holds the lock as long as it lives.
    """

    def __init__(self, folder: Path) -> None:
        """The folder is not locked before `acquire`."""
        self.folder = folder
        self._fd: int | None = None

    def acquire(self) -> None:
        """Take the lock. Raises `DataFolderInUse` if the folder has an owner, even in this process."""
        fd = os.open(self.folder / "owner.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(fd, 20).decode().strip() or "(unknown)"
            os.close(fd)
            raise DataFolderInUse(
                f"{self.folder} is in use by process {owner}. Stop that process first (kill {owner}), or choose another data folder."
            ) from None
        except BaseException:
            os.close(fd)
            raise
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._fd = fd

    def release(self) -> None:
        """Release the lock. The file is kept, since removing it could let two owners hold the lock."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


@dataclass(frozen=True)
class Launch:
    """How to start one server."""

    name: str
    command: Sequence[str | Path]
    stop_signal: signal.Signals
    """The signal for an orderly end. The kernel also sends it when the owner dies."""
    log_path: Path
    account: Account | None = None
    """The account to run as. None means the owner's account."""
    pass_fds: tuple[int, ...] = ()
    env: Mapping[str, str] | None = None
    """The complete environment of the child. None means a minimal environment."""
    folder: Path = Path("/")
    """Where it runs. Every account may enter the root."""
    run: Callable[[], int] | None = None
    """What does the work of `command` in a fork of this process, and returns the exit code. None: the program is executed."""


class Keeper(threading.Thread):
    """A thread that may start servers: it stops them before it ends."""


class Child:
    """A running server and the end of its log."""

    def __init__(self, launch: Launch) -> None:
        """Start the server. Its parent is the calling *thread*: on Linux the server ends with that thread.

        Raises `ServerStartFailed` outside the main thread and a `Keeper`, or if the program cannot be executed.
        """
        thread = threading.current_thread()
        if thread is not threading.main_thread() and not isinstance(thread, Keeper):
            raise ServerStartFailed(
                f"{launch.name} was started from thread {thread.name!r} and would end with it. Start it from the main thread."
            )
        self.name = launch.name
        self._stop_signal = launch.stop_signal
        self._log_path = launch.log_path
        self._log_start = _rotate(launch.log_path)
        launch.log_path.touch(mode=0o600)
        with launch.log_path.open("ab") as output:
            self._process = _forked(launch, launch.run, output.fileno()) if launch.run is not None else _executed(launch, output)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """The exit code, or the negative number of the signal that ended the process. None while it runs."""
        return self._process.poll()

    def ask_to_stop(self) -> None:
        """Send the stop signal and return at once."""
        if self.running:
            self._process.send_signal(self._stop_signal)

    def wait_ready(self, why_not: Callable[[], str | None], timeout_s: float) -> None:
        """Return as soon as `why_not` returns None. Raises `ServerStartFailed` if the server ends or the time is over."""
        deadline = time.monotonic() + timeout_s
        while True:
            reason = why_not()
            if not self.running:
                code = self._process.returncode
                raise ServerStartFailed(f"{self.name} ended during its start with code {code}. {self.log_tail()}")
            if reason is None:
                return
            if time.monotonic() > deadline:
                raise ServerStartFailed(
                    f"{self.name} was not ready after {timeout_s:g} s ({reason}). "
                    f"Give it more time if it is recovering from a crash. {self.log_tail()}"
                )
            time.sleep(_POLL_S)

    def wait_done(self, timeout_s: float) -> None:
        """Wait until a program has done its work and ended. Raises `ServerStartFailed` if it fails or takes too long."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            message = f"{self.name} had not finished after {timeout_s:g} s. {self.log_tail()}"
            raise ServerStartFailed(message) from None
        if code:
            raise ServerStartFailed(f"{self.name} ended with code {code}. {self.log_tail()}")

    def stop(self, grace_s: float = 20.0) -> None:
        """Ask the process to end, and kill it if it has not ended after `grace_s`. Safe to call again."""
        if not self.running:
            return
        self._process.send_signal(self._stop_signal)
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            log.warning("server_killed", server=self.name, pid=self.pid, grace_s=grace_s)
            self._process.kill()
            self._process.wait()

    def kill(self) -> None:
        """End the process at once, regardless of what it does."""
        if self.running:
            self._process.kill()
            self._process.wait()

    def log_tail(self, lines: int = 15) -> str:
        """The last log lines since this start, with the path of the log, for the end of an error message."""
        text = self.last_lines(lines)
        return f"Log ({self._log_path}):\n{text}" if text else f"Its log is empty ({self._log_path})."

    def last_lines(self, count: int) -> str:
        """The last log lines since this start."""
        with self._log_path.open("rb") as file:
            file.seek(self._log_start)
            last = deque(file, maxlen=count)
        return b"".join(last).decode(errors="replace").rstrip()


def _executed(launch: Launch, output: BinaryIO) -> subprocess.Popen[Any]:
    try:
        return subprocess.Popen(  # noqa: S603  # the commands are ours
            launch.command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=launch.folder,
            env=_environment(launch),
            pass_fds=launch.pass_fds,
            start_new_session=True,  # Ctrl-C in a terminal reaches only the owner, which then stops the server
            preexec_fn=_die_with(os.getpid(), launch.stop_signal),
            **_identity(launch.account),
        )
    except OSError as error:
        raise ServerStartFailed(
            f"{launch.name} could not be executed: {error}. {launch.command[0]} must be a program "
            f"for this machine; `{install_command('embedded')} --force-reinstall` brings it back."
        ) from error


def _forked(launch: Launch, run: Callable[[], int], output: int) -> Forked:
    setting = Setting(launch.command, _environment(launch), launch.folder, output, launch.pass_fds)
    try:
        return Forked(run, setting, _die_with(os.getpid(), launch.stop_signal))
    except OSError as error:
        raise ServerStartFailed(f"{launch.name} could not be started: {error}. This machine has no room for another process.") from error


def free_port() -> int:
    """A TCP port of the loopback interface that was free a moment ago. Another process may take it first."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def port_is_free(port: int) -> bool:
    """Whether a server could listen on this loopback port now."""
    with socket.socket() as probe:
        # Servers set this option too; without it, recently closed connections would make the port look used.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _die_with(owner_pid: int, signum: signal.Signals) -> Callable[[], None] | None:
    """Runs in the child between fork and exec: asks the kernel to send `signum` when the owner dies."""
    if _prctl is None:
        return None
    prctl = _prctl

    def bind_to_owner() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signum))
        if os.getppid() != owner_pid:  # the owner died before the kernel had this request
            os._exit(1)

    return bind_to_owner


def _identity(account: Account | None) -> dict[str, Any]:
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": ()}


def _environment(launch: Launch) -> dict[str, str]:
    """Its own, or one with only PATH from the owner: PG* variables and locales must not change a server's behaviour."""
    if launch.env is not None:
        return dict(launch.env)
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def _rotate(log_path: Path) -> int:
    """Rotate a long log, keeping one old file. Returns the offset of the next line."""
    if not log_path.exists():
        return 0
    if log_path.stat().st_size > _LOG_LIMIT_BYTES:
        log_path.replace(log_path.with_suffix(".log.1"))
        return 0
    return log_path.stat().st_size
