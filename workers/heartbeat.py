"""The heartbeat of a process: it writes that it lives, and others judge.

A step can hold the interpreter (a call into C, an expression that takes for ever), and then no thread of its process runs: it renews no
lease, answers nobody and takes no signal. So its own code cannot find out. Two judges are outside of it: a native timer of Python's
faulthandler, which each beat sets again and which writes the stacks of all threads to the log and ends the process; and the supervisor
of the process (`bullpen up`, a probe of Kubernetes or Compose), which looks when the file of `BULLPEN_HEARTBEAT` was last written.

`python -m workers.heartbeat` is that probe: exit code 0 while the process of this container lives. It asks no server, so that a broker or a
database that is away restarts nobody.
"""

import faulthandler
import os
import sys
import threading
import time
from pathlib import Path

BEAT_S = 1.0
"""Seconds between two beats."""
FILE = "BULLPEN_HEARTBEAT"
"""Environment variable of the setting `heartbeat`. The probe reads it without loading the settings."""
PROBE_LIMIT_S = 30.0
"""Age of the last beat from which the probe takes the process for hung, unless its argument says otherwise. Seconds."""


class Heartbeat:
    """Of this process. `beat` is called every `BEAT_S` by what must not stop."""

    def __init__(self, hung_after_s: float, path: Path | None = None) -> None:
        """`hung_after_s`: without a beat for so long the process ends itself. `path`: the file for other judges, if there are any."""
        self._path = path
        self._hung_after_s = hung_after_s

    def beat(self) -> None:
        """Write that the process lives, and give it the full time again."""
        faulthandler.dump_traceback_later(self._hung_after_s, exit=True, file=sys.__stderr__ or sys.stderr)
        if self._path is not None:
            try:
                os.utime(self._path)
            except FileNotFoundError:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._path.touch()

    def start(self) -> None:
        """Beat from a thread of its own until the process ends: it beats as long as threads of this process get the interpreter."""
        self.beat()
        threading.Thread(target=self._run, name="bullpen-heartbeat", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(BEAT_S)
            self.beat()


def last_beat(path: Path) -> int | None:
    """When the file was written last, in nanoseconds of its clock. None: not yet."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


class Listener:
    """Hears the heartbeat of another process. Only time during which somebody listened counts: a machine that slept, or a judge that did
    not run, makes nobody dead."""

    def __init__(self, path: Path) -> None:
        """Nothing that was written before counts."""
        self.path = path
        path.unlink(missing_ok=True)
        self._last: int | None = None
        self._looked_at = time.monotonic()
        self.silent_s = 0.0
        """Seconds since the last beat. 0 before the first one: a process that starts has none."""

    @property
    def has_beaten(self) -> bool:
        """Whether any look found a beat."""
        return self._last is not None

    def look(self) -> float:
        """Look once, which should be done every second or so. The silence in seconds."""
        now, last = time.monotonic(), last_beat(self.path)
        if last is None or last != self._last:
            self._last, self.silent_s = last, 0.0
        else:
            self.silent_s += min(now - self._looked_at, BEAT_S)
        self._looked_at = now
        return self.silent_s


def main(arguments: list[str]) -> int:
    """The probe. `arguments`: the limit in seconds, or nothing."""
    path, limit_s = os.environ.get(FILE), float(arguments[0]) if arguments else PROBE_LIMIT_S
    if not path:
        sys.stderr.write(
            f"{FILE} names no file, so nobody can tell whether the process lives. Set it for the process and for this probe.\n"
        )
        return 2
    last = last_beat(Path(path))
    age_s = None if last is None else time.time() - last / 1e9
    if age_s is not None and age_s <= limit_s:
        return 0
    sys.stderr.write("There was no heartbeat yet.\n" if age_s is None else f"The last heartbeat was {age_s:.0f} s ago.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
