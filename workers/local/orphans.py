"""Servers that outlived their owner. They are found by a pid file and recognised by their program and folder.

A pid alone proves nothing: after a crash, especially in containers, it is soon reused by another process.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from workers.local.errors import DataFolderInUse
from workers.loggers import get_logger

log = get_logger(__name__)

_POLL_S = 0.02


def serves(pid: int, programs: Sequence[str], folder: Path) -> bool:
    """Whether `pid` is alive, runs one of `programs`, and works in `folder`. If its folder cannot be read, it is taken to match."""
    command = _command_of(pid)
    if not command or Path(command.split()[0]).name.rstrip(":") not in programs:
        return False
    try:
        return Path(f"/proc/{pid}/cwd").readlink() == folder.resolve()
    except OSError:
        return bool(_command_of(pid))  # not Linux, not readable by us, or already gone


def stop_orphan(pid_file: Path, programs: Sequence[str], folder: Path, how: signal.Signals) -> None:
    """Stop the server that a dead owner left behind on `folder`. Call this only while holding the folder's lock.

    Raises `DataFolderInUse` if we may not send signals to that server.
    """
    pid = read_pid(pid_file)
    if pid is None or not serves(pid, programs, folder):
        return
    for signum, grace_s in ((how, 10.0), (signal.SIGKILL, 5.0)):
        try:
            os.kill(pid, signum)
        except ProcessLookupError:
            return
        except PermissionError:
            break
        deadline = time.monotonic() + grace_s
        while time.monotonic() < deadline:
            if not serves(pid, programs, folder):
                log.warning("orphan_stopped", program=programs[0], pid=pid, folder=str(folder))
                return
            time.sleep(_POLL_S)
    raise DataFolderInUse(
        f"{folder} is still in use by {programs[0]} (process {pid}), which cannot be stopped from here. "
        f"Stop it (kill -KILL {pid}) as the user that runs it, then start again."
    )


def read_pid(pid_file: Path) -> int | None:
    """The number in the first line of a pid file. None if there is no file or no number."""
    try:
        return int(pid_file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _command_of(pid: int) -> str:
    """The command line of a process, its words separated by spaces. Empty for a dead process or a zombie."""
    if sys.platform == "linux":
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return ""
        return words.replace(b"\0", b" ").decode(errors="replace").strip()
    # S603: a fixed program from PATH, and a number.
    ask = ["ps", "-o", "command=", "-p", str(pid)]
    return subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
