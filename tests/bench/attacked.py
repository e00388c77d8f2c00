"""What a key that may only submit can do to a fleet and its gateway: `python -m tests.bench.attacked [--json FILE]`.

`bullpen up` with the sample shop. One owner submits statements that blow up in DuckDB or in the parser of SQL, texts on which patterns once
took for ever, archives that are bombs, and damaged JSON at every door there is; each finished job's rows are asked for again, which
the gateway runs. Meanwhile another owner asks for the list of jobs and for `/healthz` every 50 ms. Printed are the most that gateway and
worker grew by (RSS, in MB), how long the other waited, for each part of the attack too, and how many doors broke (5xx).
"""

import argparse
import gzip
import io
import json
import re
import struct
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
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
    {"kind": "ask", "question": "explain", "sql": "SELECT " + "DATE(" * 40 + "1" + ")" * 40},
)
NESTED = tuple(f"SELECT {opening * 40}1{closing * 40} AS a" for opening, closing in (("DATE(", ")"), ("ARRAY[", "]"), ("ROW(", ")")))
"""Statements whose reading doubles with each level."""
DAMAGED = (
    b'{"job": {"kind": "ask", "question": NaN}}',
    b'{"job": {"kind": "ask", "question": "x"}, "priority": 1e999}',
    b'{"job": ' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"job": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
    b'{"job": {"kind": "ask", "question": "x"}, "priority": ' + b"9" * 200_000 + b"}",
    b'{"text": "\\ud800", "answer": "\\u0000"}',
    b"[" * 1_000_000,
)
ENTRIES = 1_500_000


def _empty_entries(count: int) -> bytes:
    """A directory of empty entries, which all are the one that is there: 53 bytes each."""
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 7, 0) + b"0000000"
    head = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0)
    directory = b"".join(head + b"%07d" % number for number in range(count))
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), len(local))
    place = struct.pack("<4sLQL", b"PK\6\7", 0, len(local) + len(directory), 1)
    return local + directory + end + place + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(directory), len(local), 0)


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
    return {"empty.zip": _empty_entries(ENTRIES), "zeros.gz": large.getvalue(), "deep.zip": _deep(60)}


class Watch:
    """What the other owner waits, and how large processes get, while a block runs."""

    def __init__(self, url: str, key: str, processes: dict[str, psutil.Process]) -> None:
        self.waits: list[float] = []
        self.longest: dict[str, float] = {}
        """The longest wait for each part of the attack."""
        self.part = "start"
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
                self.longest[self.part] = max(self.longest.get(self.part, 0.0), self.waits[-1])
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

    def jobs(self, requests: Iterable[dict[str, Any]]) -> Iterator[str]:
        """Submit each, wait for its end, and ask for its rows; the states."""
        for request in requests:
            job = self.job(request)
            yield "refused" if job == "refused" else self.ended(job)
            if job != "refused":
                self.http.get(f"/v1/jobs/{job}/rows")
                self.http.post(f"/v1/jobs/{job}/feedback?preview=true", json={"wrong": "disk full", "solution": "x"})

    def uploads(self) -> Iterator[str]:
        """Upload each bomb; the answers."""
        for name, data in bombs().items():
            yield f"upload {self.http.post('/v1/bundles', files={'file': (name, data)}).status_code}"

    def routes(self) -> dict[str, Any]:
        """What the gateway says of its routes, which it works out when somebody first asks."""
        return self.http.get("/v1/openapi.json").json()["paths"]

    def doors(self, job: str, routes: dict[str, Any]) -> Iterator[str]:
        """Damaged JSON at every route that takes a body; the answers. `job`: what each path names."""
        for path, methods in routes.items():
            for method in {"post", "put", "patch"} & set(methods):
                for body in DAMAGED:
                    place = re.sub(r"\{[^}]*\}", job, path)
                    headers = {"Content-Type": "application/json", "Idempotency-Key": "x"}
                    yield f"door {self.http.request(method.upper(), place, content=body, headers=headers).status_code // 100}xx"

    def attack(self, job: str, watch: "Watch") -> dict[str, int]:
        """Everything, one after the other; how many ended in which state. `job`: one of theirs."""

        def asked(statements: Iterable[str]) -> Iterator[dict[str, Any]]:
            return ({"kind": "ask", "question": "run it", "source": "shop", "strategy": "direct", "sql": each} for each in statements)

        states: Counter[str] = Counter()
        watch.part = "description of routes"
        routes = self.routes()
        for part, found in (
            ("statements", self.jobs(asked(ATTACKS[SourceKind.DUCKDB]))),
            ("nested statements", self.jobs(asked(NESTED))),
            ("texts", self.jobs(TEXTS)),
            ("archives", self.uploads()),
            ("doors", self.doors(job, routes)),
        ):
            watch.part = part
            states.update(found)
        return dict(states)


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
            states = mallory.attack(warm, watch)
        up.stop()
    figures = {f"{name}_grown_mb": watch.grown_mb(name) for name in found}
    figures |= {"others_longest_s": max(watch.waits), "others_p99_s": percentile(watch.waits, 0.99), "others_refused": float(watch.refused)}
    figures |= {f"longest_s {part}": longest for part, longest in watch.longest.items()} | {
        "broken_doors": float(states.get("door 5xx", 0))
    }
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
        print(f"{name:30} {value:8.2f}")
    if options.json:
        options.json.write_text(json.dumps({"figures": figures, "states": states}, indent=1))
    grown = max(value for name, value in figures.items() if name.endswith("_grown_mb"))
    waited, failed = figures["others_longest_s"], figures["others_refused"] + figures["broken_doors"]
    return 0 if grown <= GROWTH_MB and waited <= WAIT_S and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
