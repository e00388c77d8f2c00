"""The processes of a contestant: started once, frozen while another one is measured, ended with the bench."""

import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

READY = "ready"
START_TIMEOUT_S = 180.0

_libc = ctypes.CDLL(None)


def _die_with_the_bench() -> None:
    _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a frozen process would otherwise stay for ever


class Process:
    """A Python module run as a child. It prints `ready` when it is; its log goes to a file."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        *,
        checkout: Path | None = None,
        python: str | None = None,
    ) -> None:
        """`checkout`: run the code in that folder instead of ours. `python`: another interpreter."""
        self.name = name
        self.log_path = folder / f"{name.replace(' ', '-')}.log"
        with self.log_path.open("w") as log:
            self._child = subprocess.Popen(
                [python or sys.executable, *arguments],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, **environment}, cwd=checkout, preexec_fn=_die_with_the_bench,
            )  # fmt: skip
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._child.pid

    def wait_ready(self) -> None:
        """Earlier output (Celery's banner) is skipped."""
        while (line := self._line(START_TIMEOUT_S)) != READY:
            if line is None:
                raise RuntimeError(f"{self.name} ended before it was ready. Its log:\n{self.log_path.read_text()[-2000:]}")

    def ask(self, **command: Any) -> None:
        """Send a driver process one command; `answer` waits for its end."""
        assert self._child.stdin is not None
        print(json.dumps(command), file=self._child.stdin, flush=True)

    def answer(self, timeout_s: float = 300.0) -> Any:
        """Raises `RuntimeError` when the process died or took too long."""
        line = self._line(timeout_s)
        if line is None:
            raise RuntimeError(f"{self.name} died. Its log:\n{self.log_path.read_text()[-2000:]}")
        return json.loads(line)

    def freeze(self) -> None:
        self._child.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Raises `RuntimeError` when the process died meanwhile: what it would be measured by would never come."""
        if self._child.poll() is not None:
            raise RuntimeError(f"{self.name} died. Its log:\n{self.log_path.read_text()[-2000:]}")
        self._child.send_signal(signal.SIGCONT)

    def end(self) -> None:
        if self._child.poll() is None:
            self.thaw()
            self._child.terminate()

    def wait_end(self) -> None:
        try:
            self._child.wait(15)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def _line(self, timeout_s: float) -> str | None:
        try:
            return self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise RuntimeError(f"{self.name} said nothing for {timeout_s:.0f} s. See {self.log_path}.") from None


class Crew:
    """The processes of one contestant."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self.processes = list(processes)

    def wait_ready(self) -> None:
        for process in self.processes:
            process.wait_ready()

    def freeze(self) -> None:
        for process in self.processes:
            process.freeze()

    def thaw(self) -> None:
        for process in self.processes:
            process.thaw()

    def end(self) -> None:
        for process in self.processes:
            process.end()
        for process in self.processes:
            process.wait_end()

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self.processes]


def serve(run: Any) -> None:
    """The main loop of a driver process: a command a line, its result a line."""
    print(READY, flush=True)
    for line in sys.stdin:
        print(json.dumps(run(**json.loads(line))), flush=True)
