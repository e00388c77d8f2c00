"""How long each reading takes on 100,000 jobs, that none scans a large table, and what starting a command costs.

`python -m tests.bench.reading [--jobs 100000] [--rounds 40]`; part of `make bench` (`--only reading`). Starts its own servers.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from uuid import UUID

from tests.bench.measure import machine, median, percentile
from tests.support.many_jobs import LARGE, Patterns, fill, run_patterns
from tests.support.plans import statements_of, work_of
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.kinds.registry import load_kinds
from workers.local.postgres import EmbeddedPostgres
from workers.local.valkey import EmbeddedValkey
from workers.reading.costs import read_costs
from workers.reading.decisions import read_decisions
from workers.reading.deliverables import read_current, read_version
from workers.reading.events import read_events
from workers.reading.facts import read_job_facts
from workers.reading.fleet import count_busy, read_fleet, read_leases, read_overdue
from workers.reading.jobs import read_job
from workers.reading.lists import JobFilter, list_jobs
from workers.reading.names import find_id
from workers.reading.questions import read_questions
from workers.reading.steps import read_steps
from workers.reading.waiting import explain
from workers.settings import Settings
from workers.telemetry import configure_logging

JOBS = 100_000
OWN_WORK_S = 0.1
"""What `jobs`, `show`, `why` and `watch` may take of their own, at the 95th percentile."""
START_CPU_S = {"--help": 0.3, "jobs": 0.7}
STARTS = 7


@dataclass(frozen=True)
class Reading:
    """Something that is read, again and again, of other jobs each time."""

    name: str
    read: Callable[[], object]
    is_bounded: bool = True
    """Whether `OWN_WORK_S` is its limit: what a command prints at once. Sums over the whole fleet take as long as they take."""


def main() -> int:
    """The exit code of a run of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.reading")
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    configure_logging("console", "error")
    return run(options.jobs, options.rounds)


def run(jobs: int = JOBS, rounds: int = 40) -> int:
    """0 when every limit holds and no plan scans a large table."""
    with tempfile.TemporaryDirectory(prefix="bullpen-bench-") as folder:
        postgres, valkey = EmbeddedPostgres(Path(folder, "postgres")), EmbeddedValkey(Path(folder, "valkey"))
        postgres.start()
        valkey.start()
        services = ProcessServices(
            Settings(database_url=postgres.url, broker_url=valkey.url, extensions=("tests.support.noop",), embeddings="none")
        )
        try:
            migrate(services.database)
            load_kinds(services.settings.extensions)
            began = time.monotonic()
            patterns = run_patterns(services)
            fill(services.database, patterns, jobs)
            print(f"\nThe read side, {jobs:,} jobs (filled in {time.monotonic() - began:.0f} s) on {machine()}")
            met = _measure(services.database, patterns, rounds)
            return 0 if _measure_starts(postgres.url, valkey.url, patterns) and met else 1
        finally:
            services.close()
            valkey.stop()
            postgres.stop()


def _measure(db: Database, patterns: Patterns, rounds: int) -> bool:
    met = True
    print(f"{'reading':<42}{'median ms':>10}{'p95 ms':>10}{'queries':>9}{'rows read':>10}  scans")
    for reading in readings(db, patterns):
        reading.read()  # connects, and reads what the server then keeps in memory, as it does for a fleet at work
        times: list[float] = []
        for _ in range(rounds):
            began = time.perf_counter()
            reading.read()
            times.append(time.perf_counter() - began)
        works = [work_of(db, statement) for statement in statements_of(reading.read)]
        scans = {table for work in works for table in work.scanned} & set(LARGE)
        slow = reading.is_bounded and percentile(times, 0.95) > OWN_WORK_S
        met = met and not scans and not slow
        rows, verdict = sum(work.rows for work in works), " TOO SLOW" if slow else ""
        print(
            f"{reading.name:<42}{median(times) * 1e3:>10.1f}{percentile(times, 0.95) * 1e3:>10.1f}{len(works):>9}{rows:>10}  "
            f"{', '.join(sorted(scans)) or '-'}{verdict}"
        )
    return met


def readings(db: Database, patterns: Patterns) -> list[Reading]:
    """Every reading, of jobs drawn at random."""
    chance = random.Random(7)
    jobs = [row["id"] for row in db.statement("SELECT id FROM jobs TABLESAMPLE SYSTEM (1) LIMIT 500")] or [patterns.chain]
    steps = [row["id"] for row in db.statement("SELECT id FROM steps TABLESAMPLE SYSTEM (1) LIMIT 500")] or [UUID(int=0)]
    live = [row["id"] for row in db.statement("SELECT id FROM jobs WHERE finished_at IS NULL LIMIT 500")]
    now = datetime.now(UTC)

    def job() -> UUID:
        return chance.choice(jobs)

    def listed(name: str, which: JobFilter, *, deep: bool = False) -> Reading:
        return Reading(f"jobs {name}".strip(), lambda: list_jobs(db, which, before=job() if deep else None))

    return [
        listed("", JobFilter()),
        listed("--before", JobFilter(), deep=True),
        *(listed(f"--status {status}", JobFilter(status=status)) for status in _statuses()),
        listed("--kind noop_graph", JobFilter(kind="noop_graph")),
        listed("--kind of no job", JobFilter(kind="nothing")),
        listed("--owner", JobFilter(owner="owner-42")),
        listed("--owner --status", JobFilter(owner="owner-42", status=_statuses()[-1])),
        listed("--session", JobFilter(session_id=_session(db))),
        listed("--since --until", JobFilter(since=now - timedelta(days=20), until=now - timedelta(days=19))),
        listed("--text (frequent)", JobFilter(text="SLOW since")),
        listed("--text (a page without a hit)", JobFilter(text="夜间没有")),
        Reading("an id by its end", lambda: find_id(db, job().hex[-12:], "job")),
        Reading("an id by its beginning", lambda: find_id(db, job().hex[:20], "job")),
        Reading("a step's id by its end", lambda: find_id(db, chance.choice(steps).hex[-12:], "step", "job")),
        Reading("show: facts of a job", lambda: read_job_facts(db, job())),
        Reading("show --stage", lambda: read_current(db, job(), "input")),
        Reading("show --stage --version", lambda: read_version(db, job(), "input", 1)),
        Reading("show --decisions", lambda: read_decisions(db, job())),
        Reading("why (of any job)", lambda: explain(db, job())),
        Reading("why (of a live job)", lambda: explain(db, chance.choice(live))),
        Reading("watch: events from the start", lambda: read_events(db, job())),
        Reading("watch: events after a revision", lambda: read_events(db, job(), 5)),
        Reading("watch: steps of the picture", lambda: read_steps(db, job())),
        Reading("a job's row", lambda: read_job(db, job())),
        Reading("questions", lambda: read_questions(db, job())),
        Reading("fleet: roles, queues, quarantine", lambda: read_fleet(db)),
        Reading("fleet: leases", lambda: read_leases(db)),
        Reading("fleet: overdue", lambda: read_overdue(db, old_s=10)),
        Reading("fleet: an owner's running jobs", lambda: count_busy(db, "owner-42")),
        Reading("costs of a day", lambda: read_costs(db, now - timedelta(days=2), now - timedelta(days=1))),
        Reading("costs of all time", lambda: read_costs(db, now - timedelta(days=3650), now), is_bounded=False),
    ]


def _statuses() -> list:  # type: ignore[type-arg]
    from contracts.jobs import JobStatus

    return list(JobStatus)


def _session(db: Database) -> UUID:
    return db.statement("SELECT session_id FROM jobs WHERE session_id IS NOT NULL LIMIT 1")[0]["session_id"]


def _measure_starts(database_url: str, broker_url: str, patterns: Patterns) -> bool:
    """CPU and wall time of whole commands, started as a shell does; and of their work in a process that runs already."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("BULLPEN_") and name != "PYTHONDONTWRITEBYTECODE"},
        "BULLPEN_DATABASE_URL": database_url, "BULLPEN_BROKER_URL": broker_url, "BULLPEN_EXTENSIONS": "tests.support.noop",
    }  # fmt: skip
    met = True
    print(f"\n{'command':<42}{'CPU s':>10}{'wall s':>10}{'own work ms':>13}")
    done = str(patterns.chain)
    for arguments in (["--help"], ["jobs"], ["show", done], ["why", done], ["watch", done]):
        _start(arguments, environment)  # compiles what it imports, as the first start after an installation does
        times = [_start(arguments, environment) for _ in range(STARTS)]
        cpu, wall = median(cpu for cpu, _ in times), median(wall for _, wall in times)
        limit = START_CPU_S.get(arguments[0])
        own = _own_work(arguments, environment)
        slow = (limit is not None and cpu > limit) or own > OWN_WORK_S
        met = met and not slow
        aim = "" if limit is None else f"  (at most {limit} s of CPU)"
        print(f"{'bullpen ' + arguments[0]:<42}{cpu:>10.2f}{wall:>10.2f}{own * 1e3:>13.1f}{aim}{' TOO SLOW' if slow else ''}")
    return met


def _start(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    began = time.perf_counter()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "workers.cli.main", *arguments],
        environment,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(pid, 0)
    assert status == 0, (arguments, status)
    return used.ru_utime + used.ru_stime, time.perf_counter() - began


def _own_work(arguments: list[str], environment: dict[str, str]) -> float:
    """Median seconds of a command in this process: everything but the start."""
    from workers.cli import context
    from workers.cli.main import app

    kept = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    context.forget()
    try:
        times: list[float] = []
        for _ in range(STARTS):
            began = time.perf_counter()
            with redirect_stdout(StringIO()):
                app(arguments, prog_name="bullpen", standalone_mode=False)
            times.append(time.perf_counter() - began)
        return median(times)
    finally:
        context.forget()
        for name, value in kept.items():
            if value is None:
                os.environ.pop(name, None)


if __name__ == "__main__":
    raise SystemExit(main())
