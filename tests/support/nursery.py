"""Worker processes without the second that Python needs to load a worker: forked from a process that has loaded one.

Each is a process of its own, with its own pid, session, environment, log and end, as one that a supervisor starts; only the imports are
shared. `python -m tests.support.nursery` is that process: it takes orders, a line of JSON each, and answers each with a number. It has one
thread and no connection when it forks.
"""

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.clocks import CLOCK, obey
from tests.support.death import die_with_the_test

ROOT = Path(__file__).resolve().parents[2]
LOADED = ("workers.app.worker", "workers.app.redis_transport")
POLL_S = 0.01


class Nursery:
    """The process that forks; it ends with this one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.nursery"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
            start_new_session=True, preexec_fn=die_with_the_test,
        )  # fmt: skip

    def ask(self, **order: Any) -> int | None:
        """Its answer to an order."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process that forks workers has ended; what it wrote to stderr says why"
        return json.loads(answer)

    def close(self) -> None:
        """No more orders; it ends, and with it what it forked."""
        with self._process:  # closes the pipes and waits
            pass


@cache
def nursery() -> Nursery:
    """The one of this process."""
    made = Nursery()
    atexit.register(made.close)
    return made


class Worker:
    """A worker's process, with what `subprocess.Popen` offers of one."""

    def __init__(self, role: str, env: Mapping[str, str], log: Path, folder: Path) -> None:
        """Start it: `role` is one, or several as `analyst+developer`, or `all`; `env` is its whole environment, `log` takes what it writes,
        `folder` is where it runs."""
        pid = nursery().ask(do="fork", role=role, env=dict(env), log=str(log), folder=str(folder))
        assert pid is not None
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code; negative: ended by that signal. None: it runs."""
        if self._code is None:
            self._code = nursery().ask(do="reap", pid=self.pid)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, waited for; raises `subprocess.TimeoutExpired`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("worker", timeout or 0)
            time.sleep(POLL_S)
        return code

    def send_signal(self, signum: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signum)

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)


def main() -> int:
    """Take orders until there are none; in a forked process, be the worker and return its exit code."""
    from workers.kinds.registry import load_kinds

    for name in LOADED:
        import_module(name)
    load_kinds(())
    gc.collect()
    gc.freeze()  # a forked process that collects its garbage would touch, and so copy, all that is shared
    answers = os.dup(1)
    for line in iter(sys.stdin.buffer.readline, b""):
        order = json.loads(line)
        if order["do"] == "reap":
            pid, status = os.waitpid(order["pid"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        elif (answer := os.fork()) == 0:
            os.close(answers)
            return _work(order)
        os.write(answers, json.dumps(answer).encode() + b"\n")
    return 0


def _work(order: dict[str, Any]) -> int:
    from workers.app.fleet_facts import ALL, WORKERS
    from workers.app.worker import run_worker
    from workers.settings import Settings

    die_with_the_test()
    os.setsid()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["env"])
    nothing, log = os.open(os.devnull, os.O_RDONLY), os.open(order["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    if path := os.environ.pop(CLOCK, None):
        obey(path)
    return run_worker(Settings(), *(WORKERS if order["role"] == ALL else order["role"].split("+")))


if __name__ == "__main__":
    sys.exit(main())
