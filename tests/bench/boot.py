"""How long a worker takes from its start until it consumes, and how much memory it then holds.

`python -m tests.bench.boot [--rounds 5]`: a diagnoser without a model (rules), and a retriever that has embedded a text.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
from celery import signals

from tests.bench.measure import machine, median
from tests.bench.processes import READY, Process
from workers.app.services import ProcessServices
from workers.app.worker import run_worker
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.local.postgres import EmbeddedPostgres
from workers.local.valkey import EmbeddedValkey
from workers.settings import Settings
from workers.telemetry import configure_logging

LIMITS = (("boot_s", 1.5), ("rss_mb", 110.0), ("rss_with_embeddings_mb", 180.0))


@dataclass(frozen=True, slots=True)
class Boot:
    """One start of a worker."""

    ready_s: float
    cpu_s: float
    rss_mb: float


def main() -> int:
    """The exit code: 0 when every limit holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.boot")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    configure_logging("console", "warning")
    with tempfile.TemporaryDirectory(prefix="bullpen-boot-") as folder:
        postgres, valkey = EmbeddedPostgres(Path(folder, "postgres")), EmbeddedValkey(Path(folder, "valkey"))
        postgres.start()
        valkey.start()
        try:
            db = Database(postgres.url)
            migrate(db)
            db.close()
            environment = {"BULLPEN_DATABASE_URL": postgres.url, "BULLPEN_BROKER_URL": valkey.url}
            plain = [_boot("diagnoser", environment, Path(folder)) for _ in range(rounds)]
            searching = [_boot("retriever", environment, Path(folder)) for _ in range(rounds)]
        finally:
            valkey.stop()
            postgres.stop()
    measured = {
        "boot_s": median(boot.ready_s for boot in plain),
        "rss_mb": median(boot.rss_mb for boot in plain),
        "rss_with_embeddings_mb": median(boot.rss_mb for boot in searching),
    }
    print("  ".join(f"{name} {value}" for name, value in machine().items()), f" medians of {rounds}")
    print(f"diagnoser, rules: CPU seconds until ready {median(boot.cpu_s for boot in plain):.2f}")
    met = True
    for name, limit in LIMITS:
        met = met and measured[name] <= limit
        print(f"{'pass' if measured[name] <= limit else 'FAIL'}  {name} {measured[name]:.2f}, at most {limit}")
    return 0 if met else 1


def _boot(role: str, environment: dict[str, str], folder: Path) -> Boot:
    started = time.perf_counter()
    process = Process(f"boot-{role}", ["-m", "tests.bench.boot", role], environment, folder)
    try:
        process.wait_ready()
        ready_s = time.perf_counter() - started
        used = psutil.Process(process.pid)
        cpu = used.cpu_times()
        time.sleep(1.5)  # threads and pools settle
        return Boot(ready_s, cpu.user + cpu.system, used.memory_info().rss / 2**20)
    finally:
        process.end()
        process.wait_end()


def worker(role: str) -> int:
    """A worker process that says when it is ready; the retriever embeds first."""
    settings = Settings()
    say: Callable[..., None] = lambda **_: print(READY, flush=True)  # noqa: E731
    if role == "retriever":
        say = lambda **_: threading.Thread(target=_embed, daemon=True).start()  # noqa: E731
    signals.worker_ready.connect(say, weak=False)
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    return run_worker(settings, role)


def _embed() -> None:
    embedder = ProcessServices(Settings()).embedder
    assert embedder is not None
    embedder.embed(["queries got slow after the nightly load"], "query")
    print(READY, flush=True)


if __name__ == "__main__":
    sys.exit(worker(sys.argv[1]) if len(sys.argv) == 2 and not sys.argv[1].startswith("-") else main())
