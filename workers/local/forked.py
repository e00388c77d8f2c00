"""A member of the fleet as a fork of the process that watches it: what that process has imported is shared, so that each member takes the
memory of what it makes alone, and a start costs no imports.

Only Linux: elsewhere a library of the system may not survive a fork. The parent runs Python in one thread, and has no connection, when it
forks.
"""

import atexit
import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

_POLL_S = 0.02
_AREA = slice(45, 49)
"""Of /proc/self/stat, counted from 0 behind the name: where the arguments begin and end in memory, and the environment."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a forked process finds in the place of what its parent has."""

    command: Sequence[str | Path]
    """What `ps` shows; as much of it as fits."""
    env: Mapping[str, str]
    """The whole environment."""
    folder: Path
    output: int
    """The file descriptor that takes what it writes."""
    pass_fds: Collection[int] = ()
    """The file descriptors that it keeps. All others are closed."""


class Forked:
    """The process, with what `Child` uses of `subprocess.Popen`."""

    def __init__(self, run: Callable[[], int], setting: Setting, bind: Callable[[], None] | None = None) -> None:
        """`run` is what the process does, and returns its exit code. `bind`: called in it first."""
        self.returncode: int | None = None
        gc.collect()
        gc.freeze()  # a collection in a fork would touch, and so copy, all that is shared
        sys.stdout.flush()
        sys.stderr.flush()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # none is lost between the fork and its own handlers
        try:
            self.pid = os.fork()
            if self.pid == 0:
                _become(run, setting, bind, before)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def poll(self) -> int | None:
        """The exit code, or the negative number of the signal that ended it. None while it runs."""
        return self._look(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int:
        """The same, waited for. Raises `subprocess.TimeoutExpired`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self._look(0 if deadline is None else os.WNOHANG)) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(_POLL_S)
        return code

    def send_signal(self, signum: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signum)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def _look(self, how: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, how)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


def _become(run: Callable[[], int], setting: Setting, bind: Callable[[], None] | None, mask: set[int]) -> NoReturn:
    """In the child. It never returns: what its parent does at its end, such as stopping the servers, is not for it to do."""
    code = 1
    try:
        os.setsid()
        if bind is not None:
            bind()
        _take_over(setting)
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, signal.default_int_handler if signum == signal.SIGINT else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        code = run()
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):  # what Python does at its end, and multiprocessing in its forks: other threads, what is registered
            threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _take_over(setting: Setting) -> None:
    os.chdir(setting.folder)
    os.environ.clear()
    os.environ.update(setting.env)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (setting.output, 1), (setting.output, 2)):
        os.dup2(source, target)
    for number in [int(file.name) for file in Path("/proc/self/fd").iterdir()]:
        if number > 2 and number not in setting.pass_fds:
            with suppress(OSError):  # the one that listed them
                os.close(number)
    call_it(" ".join(map(str, setting.command)))


def call_it(title: str) -> None:
    """Let `ps` show this text for the process: written over the arguments and the environment that it was started with, as setproctitle
    does. Call it when no variable of the environment is as it was at the start."""
    fields = Path("/proc/self/stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()
    begin, end, env_begin, env_end = (int(field) for field in fields[_AREA])
    if not begin or end != env_begin:
        return  # the kernel does not say, or not as we know it
    text = title.encode()[: env_end - begin - 1]
    ctypes.memset(begin, 0, env_end - begin)
    ctypes.memmove(begin, text, len(text))
    if begin + len(text) < end:
        ctypes.memset(end - 1, ord(" "), 1)  # so that the kernel shows the text up to its own end
