"""What it costs one worker to hold 32 waiting steps at once: threads beside prefork. See docs/adr/0002.

`python -m tests.bench.pools [--rounds 3] [--jobs 128]`: jobs of one step that sleeps a second, as a call of a model does.
"""

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from contracts.jobs import SubmitJob
from contracts.roles import COORDINATOR, RoleName
from tests.bench.fleet import CAP
from tests.bench.measure import DONE_POLL_S, machine, median, tree_cpu_s
from tests.bench.processes import Crew, Process
from workers.app.services import ProcessServices
from workers.blackboard.schema import migrate
from workers.coordinator.intake import accept
from workers.kinds.registry import load_kinds
from workers.local.postgres import EmbeddedPostgres
from workers.local.valkey import EmbeddedValkey
from workers.settings import Settings
from workers.telemetry import configure_logging

EXTENSION = "tests.bench.sleeping"


@dataclass(frozen=True, slots=True)
class Load:
    """One run of a pool."""

    steps_per_s: float
    cpu_ms_a_step: float
    """Of the worker's processes."""
    memory_mb: float
    """Proportional set size of the worker's processes under load."""
    processes: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pools")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=128)
    parser.add_argument("--slots", type=int, default=32)
    options = parser.parse_args()
    configure_logging("console", "warning")
    load_kinds((EXTENSION,))
    measured: dict[str, list[Load]] = {"threads": [], "prefork": []}
    with tempfile.TemporaryDirectory(prefix="bullpen-pools-") as folder:
        postgres, valkey = EmbeddedPostgres(Path(folder, "postgres")), EmbeddedValkey(Path(folder, "valkey"))
        postgres.start()
        valkey.start()
        try:
            services = ProcessServices(Settings(database_url=postgres.url, broker_url=valkey.url))
            migrate(services.database)
            for number in range(options.rounds):
                for pool, loads in measured.items():
                    loads.append(_run(services, pool, options.slots, options.jobs, f"{pool}-{number}", Path(folder)))
            services.database.close()
        finally:
            valkey.stop()
            postgres.stop()
    print("  ".join(f"{name} {value}" for name, value in machine().items()))
    print(f"{options.jobs} steps of one second, {options.slots} at once, medians of {options.rounds} interleaved rounds")
    print(f"{'pool':10} {'steps/s':>8} {'CPU ms a step':>14} {'memory MB':>10} {'processes':>10}")
    for pool, loads in measured.items():
        print(
            f"{pool:10} {median(load.steps_per_s for load in loads):8.1f} {median(load.cpu_ms_a_step for load in loads):14.2f}"
            f" {median(load.memory_mb for load in loads):10.0f} {loads[0].processes:10}"
        )
    return 0


def _run(services: ProcessServices, pool: str, slots: int, jobs: int, tag: str, folder: Path) -> Load:
    settings = services.settings
    environment = {
        "BULLPEN_DATABASE_URL": settings.database_url or "",
        "BULLPEN_BROKER_URL": settings.broker_url or "",
        "BULLPEN_EXTENSIONS": EXTENSION,
        "BULLPEN_OWNER_CAP": str(CAP),
        "BULLPEN_LOG_LEVEL": "warning",
    }
    worker = Process(f"{tag}-worker", ["-m", "tests.bench.fleet", RoleName.CLASSIFIER, str(slots), pool], environment, folder)
    boss = Process(f"{tag}-boss", ["-m", "tests.bench.fleet", COORDINATOR, "4", "threads"], environment, folder)
    crew = Crew([worker, boss])
    try:
        crew.wait_ready()
        _finish(services, slots, f"{tag}-warm-up", 0.1)
        used, started = tree_cpu_s([worker.pid]), time.perf_counter()
        memory = _finish(services, jobs, tag, 1.0, worker.pid)
        took_s = time.perf_counter() - started
        used = tree_cpu_s([worker.pid]) - used
        family = 1 + len(psutil.Process(worker.pid).children(recursive=True))
    finally:
        crew.end()
    return Load(jobs / took_s, used * 1000 / jobs, memory, family)


def _finish(services: ProcessServices, jobs: int, tag: str, seconds: float, pid: int = 0) -> float:
    """Run the jobs to their end; the most memory that the worker had meanwhile, in MB."""
    for _ in range(jobs):
        accepted = accept(services.database, SubmitJob(job={"kind": "sleeping", "seconds": seconds}, owner=tag), owner_cap=CAP)
        services.publisher.advance(accepted.job_id)
    most, looked_at = 0.0, time.monotonic()
    with psycopg.connect(services.settings.database_url or "", autocommit=True) as db:
        while db.execute("SELECT count(*) FROM jobs WHERE owner = %s AND status <> 'succeeded'", [tag]).fetchone() != (0,):
            if pid and time.monotonic() - looked_at > 1.0:
                most, looked_at = max(most, _memory_mb(pid)), time.monotonic()
            time.sleep(DONE_POLL_S)
    return most


def _memory_mb(pid: int) -> float:
    root = psutil.Process(pid)
    return sum(member.memory_full_info().pss for member in (root, *root.children(recursive=True))) / 2**20


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
