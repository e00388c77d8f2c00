"""What a user of `bullpen tickets import` sees and waits for: `python -m tests.bench.ticket_import [N ...]`.

The command itself runs as a process of its own over a terminal of 100 columns, on an export of N rows as ServiceNow writes them (prose,
from which the phenomena are drawn), into an empty database. Printed are its seconds, its greatest memory, how often the
bar moved, the longest time in which nothing moved, and the last lines on the screen. A second import of the same file follows.
"""

import argparse
import csv
import fcntl
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.tickets import synthetic
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.local.postgres import EmbeddedPostgres
from workers.telemetry import configure_logging

SIZES = (10_000,)
_COLUMNS = 100
_COLOUR = re.compile(rb"\x1b\[[0-9;?]*m")
_MOVE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\r")
_READ = 65_536
_BAR = "━"
_UNUSED = "redis://127.0.0.1:1/0"
"""Of a queue: an import sends nothing."""
_COMMAND = "from workers.cli.main import main; main()"


@dataclass
class Seen:
    """One run of the command. Seconds; MiB."""

    seconds: float = 0.0
    mib: float = 0.0
    exit_code: int = 0
    frames: list[str] = field(default_factory=list[str])
    """The bar each time that its text changed."""
    quiet: float = 0.0
    """The longest time in which nothing was written."""
    last: str = ""


def write_export(path: Path, count: int) -> None:
    """An export of ServiceNow with this number of solved incidents."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("Number", "Short description", "Description", "State", "Configuration item", "Close notes", "Cause"))
        for number, ticket in synthetic(count):
            prose = " ".join(f"{anomaly.description}." for anomaly in ticket.anomalies)
            title = ticket.description.split(".")[0]
            rows.writerow((f"INC{number:07}", title, prose, "Closed", f"host-{number % 40}", ticket.solution, ticket.root_cause))


def watch(arguments: list[str], environment: dict[str, str]) -> Seen:
    """Run a command of `bullpen` on a terminal, and note what it shows."""
    start = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        command = [sys.executable, "-c", _COMMAND, *arguments]
        os.execve(sys.executable, command, environment)  # noqa: S606 - our own command, and no words of anybody else
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, _COLUMNS, 0, 0))
    seen, latest, screen = Seen(), start, b""
    while True:
        ready, _, _ = select.select([terminal], [], [], 1.0)
        if not ready:
            continue
        try:
            text = os.read(terminal, _READ)
        except OSError:  # the other end is closed
            break
        if not text:
            break
        now = time.perf_counter()
        seen.quiet, latest = max(seen.quiet, now - latest), now
        screen = (screen + text)[-_READ:]
        seen.frames += [line for line in _lines(text) if _BAR in line and line not in seen.frames[-1:]]
    _, status, used = os.wait4(child, 0)
    seen.seconds, seen.mib, seen.exit_code = time.perf_counter() - start, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)
    seen.last = "\n".join([line for line in _lines(screen) if _BAR not in line][-4:])
    return seen


def _lines(text: bytes) -> list[str]:
    plain = _MOVE.sub(b"\n", _COLOUR.sub(b"", text)).decode("utf-8", "replace")
    return [line.strip() for line in plain.splitlines() if line.strip()]


def run(count: int) -> None:
    """Import an export of this size twice."""
    with tempfile.TemporaryDirectory(prefix="bullpen-bench-") as folder, EmbeddedPostgres(Path(folder) / "postgres") as server:
        db = Database(server.url)
        migrate(db)
        export = Path(folder) / "export.csv"
        write_export(export, count)
        servers = {"BULLPEN_DATABASE_URL": server.url, "BULLPEN_BROKER_URL": _UNUSED, "BULLPEN_HOME": folder}
        screen = {"TERM": "xterm", "COLUMNS": str(_COLUMNS)}
        environment = {**os.environ, **servers, **screen}
        size = export.stat().st_size / 1_000_000
        for what in ("import", "again"):
            seen = watch(["tickets", "import", str(export)], environment)
            print(
                f"{what:7} {count} rows, {size:.1f} MB: {seen.seconds:.1f} s, {seen.mib:.0f} MiB, exit code {seen.exit_code}, "
                f"{len(seen.frames)} states of the bar, nothing moved for {seen.quiet:.1f} s at most"
            )
            for frame in (seen.frames[:1], seen.frames[len(seen.frames) // 2 :][:1], seen.frames[-1:]):
                print("    ", *frame)
            print(seen.last)
        db.close()


def main() -> None:
    """Every size that was named."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ticket_import", description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=list(SIZES), help="rows of the export")
    configure_logging("console", "warning")
    for count in parser.parse_args().counts:
        run(count)


if __name__ == "__main__":
    main()
