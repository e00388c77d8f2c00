"""What `bullpen up` takes on one machine, and what its commands take: `python -m tests.bench.up [--json FILE]`.

It starts on an empty folder, which makes the sample shop, and without a model. Measured, in this order: processes beside the servers, and
CPU from 10 s after it says that it runs; the first `ask`, `tune` and `diagnose` after a start beside the median of four later ones, in
seconds of the job; memory (PSS) after jobs of all five kinds; CPU of the CLI's commands; CPU, fleet and command together, of an import of
ten tables and of the 116 tickets that ship, with their vectors; a second start on the same folder: its idle CPU, and how many vectors it
makes again.
"""

import argparse
import contextlib
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from tests.bench.ask import Fleet, of_commands
from tests.bench.eventlog_made import tiny_queries
from tests.bench.measure import machine, median, wait_until

TICKETS = Path(__file__).parents[2] / "workers" / "kinds" / "diagnose" / "samples" / "tickets.jsonl"
SERVERS = ("postgres", "valkey-server", "redis-server")

LIMITS = {
    "processes": 6, "idle_cores": 0.05, "second_idle_cores": 0.05, "vectors_made_again": 0, "pss_mb": 450,
    "first_to_later_ask": 1.3, "first_to_later_tune": 1.3, "first_to_later_diagnose": 1.3,
    "import_10_tables_cpu_s": 5, "import_tickets_cpu_s": 40,
    "cli_ask_cpu_s": 0.5, "cli_show_cpu_s": 0.4, "cli_why_cpu_s": 0.4, "cli_submit_cpu_s": 0.4, "cli_help_cpu_s": 0.15,
}  # fmt: skip
"""Each at most. Seconds of CPU and ratios; `pss_mb` is without the two servers, which are given beside it."""

_DISTURBED_S = 10.0
_IDLE_S = 20.0
_LATER = 4
_OUTAGES = (
    "queries got slow after the nightly load",
    "replica is far behind since this morning",
    "the application gets too many connections",
    "disk of the database server is full",
    "a report waits for a lock for minutes",
)
_QUESTIONS = (
    "What is the revenue per category in 2025?",
    "How many orders per weekday in 2026?",
    "Top 5 products by revenue",
    "Revenue per region in 2026",
    "What is the average amount per payment method?",
)


def main() -> int:
    """The exit code: 0 when every limit holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.up")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="bullpen-up-") as folder:
        figures |= _first_start(Path(folder))
        figures |= _second_start(Path(folder))
    print("  ".join(f"{name} {value}" for name, value in machine().items()))
    for name, value in figures.items():
        limit = LIMITS.get(name)
        verdict = "" if limit is None else f"  {'pass' if value <= limit else 'FAIL'}, at most {limit}"
        print(f"{name:26} {value:9.2f}{verdict}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return 0 if all(figures[name] <= limit for name, limit in LIMITS.items()) else 1


def _first_start(folder: Path) -> dict[str, float]:
    fleet = _up(folder)
    try:
        found = {"idle_cores": _idle(fleet)}
        found |= {"import_tickets_cpu_s": _import_cpu_s(fleet, "tickets", "import", str(TICKETS))}
        logs = [_event_log(folder, number) for number in range(_LATER + 1)]
        found |= _first_to_later(fleet, "ask", [("ask", text, "--source", "shop", "--strategy", "direct") for text in _QUESTIONS])
        found |= _first_to_later(fleet, "tune", [("submit", "tune", str(log)) for log in logs])
        found |= _first_to_later(fleet, "diagnose", [("submit", "diagnose", text) for text in _OUTAGES])
        _job(fleet, ("submit", "etl", "Build orders_by_city: number of orders per city", "--source", "shop"))
        _job(fleet, ("submit", "analyze", "Which cells have weak coverage?"))
        fleet.settle()
        found |= _memory(fleet)
        found |= _commands(fleet)
        _ten_tables(folder / "ten.db")
        fleet.run("source", "add", "ten", "--url", f"sqlite:///{folder / 'ten.db'}")
        return found | {"import_10_tables_cpu_s": _import_cpu_s(fleet, "catalogue", "import", "ten")}
    finally:
        fleet.stop()


def _second_start(folder: Path) -> dict[str, float]:
    fleet = Fleet(folder / "home")
    try:
        before = _up_again(fleet)
        idle = _idle(fleet)
        return {"second_idle_cores": idle, "vectors_made_again": float(_vectors(fleet) - before)}
    finally:
        fleet.stop()


def _up(folder: Path) -> Fleet:
    fleet = Fleet(folder / "home")
    _wait_said(fleet)
    return fleet


def _up_again(fleet: Fleet) -> int:
    """The vectors that there are when it says that it runs."""
    _wait_said(fleet)
    return _vectors(fleet)


def _wait_said(fleet: Fleet) -> None:
    """Until it says that it runs."""
    log = fleet.home.with_suffix(".log")
    wait_until(lambda: "Console: " in log.read_text("utf-8"), poll_s=0.2)


def _vectors(fleet: Fleet) -> int:
    """Of texts that the fleet has embedded, by all tables of vectors."""
    with psycopg.connect(_database(fleet)) as db:
        tables = db.execute(
            "SELECT table_name FROM information_schema.columns WHERE udt_name = 'vector' AND table_schema = current_schema()"
        ).fetchall()
        counted = [db.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))).fetchone() for (name,) in tables]
        return sum(int(row[0]) for row in counted if row)


def _database(fleet: Fleet) -> str:
    return str(json.loads((fleet.home / "addresses.json").read_text())["database_url"])


def _processes(fleet: Fleet) -> list[psutil.Process]:
    parent = psutil.Process(fleet.process.pid)
    return [parent, *parent.children(recursive=True)]


def _is_server(process: psutil.Process) -> bool:
    return process.name() in SERVERS


def _idle(fleet: Fleet) -> float:
    """Cores, all processes and both servers together, from 10 s on."""
    time.sleep(_DISTURBED_S)
    before = fleet.cpu_s()
    time.sleep(_IDLE_S)
    return (fleet.cpu_s() - before) / _IDLE_S


def _memory(fleet: Fleet) -> dict[str, float]:
    """MB, proportional: what processes share is counted once."""
    ours = servers = count = 0.0
    for process in _processes(fleet):
        with contextlib.suppress(psutil.NoSuchProcess):
            pss = process.memory_full_info().pss / 2**20
            if _is_server(process):
                servers += pss
            else:
                ours, count = ours + pss, count + 1
    return {"processes": count, "pss_mb": ours, "pss_servers_mb": servers}


def _first_to_later(fleet: Fleet, kind: str, commands: Sequence[Sequence[str]]) -> dict[str, float]:
    first, *later = [_job(fleet, command) for command in commands]
    return {f"first_{kind}_s": first, f"later_{kind}_s": median(later), f"first_to_later_{kind}": first / median(later)}


def _job(fleet: Fleet, command: Sequence[str]) -> float:
    """Seconds from its submission until it has ended or waits for a person."""
    ran = fleet.run(*command)
    took: list[float] = []

    def has_come_to_rest() -> bool:
        with psycopg.connect(_database(fleet)) as db:
            row = db.execute(
                "SELECT j.status, extract(epoch FROM max(s.finished_at) - j.created_at)::float FROM jobs j JOIN steps s ON s.job_id = j.id"
                " GROUP BY j.id ORDER BY j.created_at DESC LIMIT 1"
            ).fetchone()
        if row is None or row[0] in ("accepted", "running"):
            return False
        if row[0] == "failed":
            raise SystemExit(f"failed: {' '.join(command)}\n{ran.stdout}{ran.stderr}")
        took.append(float(row[1]))
        return True

    wait_until(has_come_to_rest, poll_s=0.2)
    return took[0]


def _commands(fleet: Fleet) -> dict[str, float]:
    """CPU seconds of the command itself, the median of three."""
    job = json.loads(fleet.run("jobs", "--json").stdout)[0]["id"]
    timed: dict[str, Callable[[], object]] = {
        "help": lambda: fleet.run("--help"),
        "show": lambda: fleet.run("show", job),
        "why": lambda: fleet.run("why", job),
        "submit": lambda: fleet.run("submit", "diagnose", _OUTAGES[0]),
        "ask": lambda: fleet.run("ask", _QUESTIONS[0], "--source", "shop", "--strategy", "direct"),
    }
    return {f"cli_{name}_cpu_s": median(_cpu_s(run) for _ in range(3)) for name, run in timed.items()}


def _cpu_s(run: Callable[[], object]) -> float:
    before = of_commands()
    run()
    return of_commands() - before


def _import_cpu_s(fleet: Fleet, *command: str) -> float:
    """Of the command and of the fleet, until the vectors are made."""
    before, own = fleet.cpu_s(), of_commands()
    ran = fleet.run(*command)
    if ran.returncode:
        raise SystemExit(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
    fleet.settle()
    return fleet.cpu_s() - before + of_commands() - own


def _event_log(folder: Path, number: int) -> Path:
    path = folder / f"log-{number}"
    path.write_bytes(b"".join(tiny_queries(40 + number)))
    return path


def _ten_tables(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        for number in range(10):
            db.execute(f"CREATE TABLE depot_{number} (depot_id INTEGER PRIMARY KEY, town TEXT, opened_on DATE, pallets INTEGER, note TEXT)")
            rows = [(row, f"town {row % 40}", f"2025-{row % 12 + 1:02}-01", row * 7 % 500, f"note {row}") for row in range(500)]
            db.executemany(f"INSERT INTO depot_{number} VALUES (?, ?, ?, ?, ?)", rows)  # noqa: S608 a number of ours


if __name__ == "__main__":
    sys.exit(main())
