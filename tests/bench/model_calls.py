"""How many calls of a model one worker holds at once, and what that costs: `python -m tests.bench.model_calls [--calls 200]`.

A worker with as many slots as calls, and a server of the OpenAI protocol that answers each call after the given time. Printed are the most
calls that were open at once, the memory of the worker (proportional set size) at rest and with the calls open, and its CPU for a call.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psutil

from contracts.jobs import SubmitJob
from contracts.roles import COORDINATOR, RoleName
from tests.bench.fleet import CAP
from tests.bench.measure import DONE_POLL_S, machine, tree_cpu_s, wait_until
from tests.bench.processes import Crew, Process
from tests.support.openai_server import OpenAIServer, good, openai_server
from tests.support.weather import RAINY
from workers.app.services import ProcessServices
from workers.blackboard.schema import migrate
from workers.coordinator.intake import accept
from workers.kinds.registry import load_kinds
from workers.local.postgres import EmbeddedPostgres
from workers.local.valkey import EmbeddedValkey
from workers.settings import Settings
from workers.telemetry import configure_logging

EXTENSION = "tests.support.forecast"


def main() -> int:
    """0: all calls were open at once, and every job succeeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0, help="that a call takes")
    given = parser.parse_args()
    configure_logging("console", "error")
    load_kinds((EXTENSION,))
    with tempfile.TemporaryDirectory(prefix="bullpen-calls-") as name, openai_server() as server:
        folder = Path(name)
        with EmbeddedPostgres(folder / "postgres") as postgres, EmbeddedValkey(folder / "valkey") as valkey:
            settings = Settings(database_url=postgres.url, broker_url=valkey.url)
            return _run(ProcessServices(settings), server, folder, given.calls, given.seconds)


def _run(services: ProcessServices, server: OpenAIServer, folder: Path, calls: int, seconds: float) -> int:
    migrate(services.database)
    environment = {
        "BULLPEN_DATABASE_URL": services.settings.database_url or "",
        "BULLPEN_BROKER_URL": services.settings.broker_url or "",
        "BULLPEN_EXTENSIONS": EXTENSION,
        "BULLPEN_OWNER_CAP": str(CAP),
        "BULLPEN_LOG_LEVEL": "warning",
        "BULLPEN_MODEL": "test-model",
        "BULLPEN_MODEL_BASE_URL": server.base_url,
    }
    worker = Process("worker", ["-m", "tests.bench.fleet", RoleName.CLASSIFIER, str(calls), "threads"], environment, folder)
    boss = Process("boss", ["-m", "tests.bench.fleet", COORDINATOR, "4", "threads"], environment, folder)
    crew = Crew([worker, boss])
    try:
        crew.wait_ready()
        server.will(good(RAINY))
        _submit(services, "warm-up", 4)
        wait_until(lambda: _ended(services, "warm-up") == 4, poll_s=DONE_POLL_S)
        rest_mb, used, heard = _memory_mb(worker.pid), tree_cpu_s([worker.pid]), len(server.asked)
        server.will(replace(good(RAINY), sleep_s=seconds))
        began = time.monotonic()
        _submit(services, "calls", calls)
        most = busy_mb = 0.0
        while (ended := _ended(services, "calls")) < calls:
            most = max(most, len(server.asked) - heard - ended)
            if not ended and len(server.asked) - heard == calls:
                busy_mb = max(busy_mb, _memory_mb(worker.pid))
            time.sleep(DONE_POLL_S)
        took_s, cpu_s = time.monotonic() - began, tree_cpu_s([worker.pid]) - used
        threads = psutil.Process(worker.pid).num_threads()
    finally:
        crew.end()
        services.close()
    row = services.database.row("SELECT count(*) AS n FROM jobs WHERE owner = 'calls' AND status = 'succeeded'") or {"n": 0}
    services.close()
    print(f"{calls} calls of {seconds:.0f} s, one worker with {calls} slots, {machine()}")
    print(f"open at once: {most:.0f}; all done after {took_s:.1f} s; {row['n']} jobs succeeded")
    print(f"memory: {rest_mb:.0f} MB at rest, {busy_mb:.0f} MB with the calls open; {threads} threads")
    print(f"{cpu_s * 1000 / calls:.1f} ms of CPU a call")
    return 0 if most >= calls and row["n"] == calls else 1


def _submit(services: ProcessServices, owner: str, jobs: int) -> None:
    for _ in range(jobs):
        accepted = accept(services.database, SubmitJob(job={"kind": "forecast"}, owner=owner), owner_cap=CAP, has_model=True)
        services.publisher.advance(accepted.job_id)


def _ended(services: ProcessServices, owner: str) -> int:
    row = services.database.row("SELECT count(*) AS n FROM jobs WHERE owner = %(owner)s AND finished_at IS NOT NULL", {"owner": owner})
    return row["n"] if row else 0


def _memory_mb(pid: int) -> float:
    return psutil.Process(pid).memory_full_info().pss / 2**20


if __name__ == "__main__":
    sys.exit(main())
