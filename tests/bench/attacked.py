"""What a key that may only submit can do to a fleet and its gateway: `python -m tests.bench.attacked [--json FILE]`.

`bullpen up` with the sample shop. One owner submits statements that blow up in DuckDB, texts on which patterns once took for ever, and
archives that are bombs; each finished job's rows are asked for again, which the gateway runs. Meanwhile another owner asks for the list
of jobs and for `/healthz` every 50 ms. Printed are the most that gateway and worker grew by (RSS, in MB), and how long the other waited.
"""

import argparse
import gzip
import io
import json
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

from contracts.sources import SourceKind
from tests.acceptance.test_up import Up, ended
from tests.bench.measure import machine, percentile
from tests.integration.test_sources_bounded import ATTACKS

GROWTH_MB = 150.0
WAIT_S = 1.0
TEXTS: tuple[dict[str, Any], ...] = (
    {"kind": "diagnose", "description": "嗯" * 40 + "钱"},
    {"kind": "etl", "requirement": "per a" + " and a" * 45 + ",b: total revenue"},
    {"kind": "etl", "requirement": "a" + "和b1" * 2000 + "(a ,x"},
    {"kind": "ask", "question": "orders per region" + " " * 9_000 + "that,x"},
    {"kind": "ask", "question": "only" + " " * 9_000},
    {"kind": "ask", "question": "1" * 9_000 + "x"},
    {"kind": "diagnose", "description": "- " * 4_000 + "x"},
)


def _empty_entries(count: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number in range(count):
            archive.writestr(zipfile.ZipInfo(f"{number:07}"), b"")
    return data.getvalue()


def _deep(times: int) -> bytes:
    data = b"x"
    for number in range(times):
        into = io.BytesIO()
        with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{number}.zip", data)
        data = into.getvalue()
    return data


def bombs() -> dict[str, bytes]:
    """Files to upload, by name."""
    zeros = b"\0" * (1 << 20)
    large = io.BytesIO()
    with gzip.GzipFile(fileobj=large, mode="wb", compresslevel=9) as packed:
        for _ in range(2_000):
            packed.write(zeros)
    return {"empty.zip": _empty_entries(400_000), "zeros.gz": large.getvalue(), "deep.zip": _deep(60)}


class Watch:
    """What the other owner waits, and how large processes get, while a block runs."""

    def __init__(self, url: str, key: str, processes: dict[str, psutil.Process]) -> None:
        self.waits: list[float] = []
        self.refused = 0
        self.before = {name: process.memory_info().rss for name, process in processes.items()}
        self.most = dict(self.before)
        self._http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
        self._processes, self._done = processes, threading.Event()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._ask, self._look)]

    def _ask(self) -> None:
        while not self._done.is_set():
            for path in ("/healthz", "/v1/jobs?limit=5"):
                started = time.perf_counter()
                answer = self._http.get(path)
                self.waits.append(time.perf_counter() - started)
                self.refused += answer.status_code != 200
            time.sleep(0.05)

    def _look(self) -> None:
        while not self._done.wait(0.02):
            for name, process in self._processes.items():
                with suppress(psutil.NoSuchProcess):
                    self.most[name] = max(self.most[name], process.memory_info().rss)

    @contextmanager
    def running(self) -> Generator[None]:
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._done.set()
            for thread in self._threads:
                thread.join()

    def grown_mb(self, name: str) -> float:
        return (self.most[name] - self.before[name]) / 2**20


class Attacker:
    """The owner whose key may submit and read."""

    def __init__(self, url: str, key: str) -> None:
        self.http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=300)

    def job(self, request: dict[str, Any]) -> str:
        answer = self.http.post("/v1/jobs", json={"job": request})
        if answer.status_code == 422:
            return "refused"
        answer.raise_for_status()
        return answer.json()["job_id"]

    def ended(self, job: str, limit_s: float = 240.0) -> str:
        """The state in which it ended or waits."""
        give_up_at = time.monotonic() + limit_s
        while time.monotonic() < give_up_at:
            status = self.http.get(f"/v1/jobs/{job}").json()["status"]
            if status in ("succeeded", "failed", "waiting_human", "cancelled"):
                return status
            time.sleep(0.2)
        return "still running"

    def attack(self) -> dict[str, int]:
        """Everything, one after the other; how many ended in which state."""
        states: dict[str, int] = {}
        for request in (*({"kind": "ask", "question": "run it", "source": "shop", "strategy": "direct", "sql": statement}
                          for statement in ATTACKS[SourceKind.DUCKDB]), *TEXTS):  # fmt: skip
            job = self.job(request)
            state = "refused" if job == "refused" else self.ended(job)
            states[state] = states.get(state, 0) + 1
            if job != "refused":
                self.http.get(f"/v1/jobs/{job}/rows")
                self.http.post(f"/v1/jobs/{job}/feedback?preview=true", json={"wrong": "disk full", "solution": "x"})
        for name, data in bombs().items():
            sent = self.http.post("/v1/bundles", files={"file": (name, data)})
            state = f"upload {sent.status_code}"
            states[state] = states.get(state, 0) + 1
        return states


def measure(home: Path) -> tuple[dict[str, float], dict[str, int]]:
    with ended(Up(home)) as up:
        up.wait_ready()
        up.run("source", "add", "shop", "--sample")
        keys = [up.run("keys", "create", "--owner", owner).stdout.strip().split()[0] for owner in ("mallory", "alice")]
        url = up.addresses["gateway_url"]
        found = {
            "gateway" if command.endswith(" gateway") else "worker": psutil.Process(pid)
            for pid, command in up.children().items()
            if command.endswith((" gateway", " worker --all"))
        }
        mallory = Attacker(url, keys[0])
        warm = mallory.job({"kind": "ask", "question": "run it", "source": "shop", "strategy": "direct", "sql": "SELECT 1 AS one"})
        mallory.ended(warm)
        mallory.http.get(f"/v1/jobs/{warm}/rows")
        watch = Watch(url, keys[1], found)
        with watch.running():
            states = mallory.attack()
        up.stop()
    figures = {f"{name}_grown_mb": watch.grown_mb(name) for name in found}
    figures |= {"others_longest_s": max(watch.waits), "others_p99_s": percentile(watch.waits, 0.99), "others_refused": float(watch.refused)}
    return figures, states


def main() -> int:
    """The exit code: 0 when the limits hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.attacked")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bullpen-attacked-") as folder:
        figures, states = measure(Path(folder, "home"))
    print(machine(), states, sep="\n")
    for name, value in figures.items():
        print(f"{name:20} {value:8.2f}")
    if options.json:
        options.json.write_text(json.dumps({"figures": figures, "states": states}, indent=1))
    grown = max(value for name, value in figures.items() if name.endswith("_grown_mb"))
    return 0 if grown <= GROWTH_MB and figures["others_longest_s"] <= WAIT_S and not figures["others_refused"] else 1


if __name__ == "__main__":
    sys.exit(main())
