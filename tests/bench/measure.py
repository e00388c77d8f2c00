"""What is measured, and how: CPU seconds of process trees, transactions, bytes of WAL, percentiles."""

import os
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import psutil
import psycopg

POLL_S = 0.002
"""How often the observer of an idle job looks: the same for every contestant."""
DONE_POLL_S = 0.05
"""How often the observer of a burst looks."""
STAGES = 6
TIMEOUT_S = 120.0
"""A burst or a job that takes longer has failed."""


def wait_until(done: Callable[[], bool], *, poll_s: float) -> None:
    """Raises `TimeoutError`."""
    give_up_at = time.monotonic() + TIMEOUT_S
    while not done():
        if time.monotonic() > give_up_at:
            raise TimeoutError(f"Not done after {TIMEOUT_S:.0f} s.")
        time.sleep(poll_s)


class Contestant(Protocol):
    """Runs jobs of six steps, and can say what they left behind."""

    name: str
    database: str | None
    """The Postgres database it writes to; None: it does not."""

    @property
    def pids(self) -> list[int]:
        """Its processes, without the servers and the bench itself."""
        ...

    def start(self) -> None: ...
    def freeze(self) -> None: ...
    def thaw(self) -> None: ...
    def end(self) -> None: ...

    def burst(self, tag: str, jobs: int) -> None:
        """Run so many jobs, submitted at once; returns when the last one is done."""
        ...

    def once(self, tag: str) -> float:
        """Run one job on an idle fleet: seconds from its submission until its end was seen."""
        ...

    def check(self, tag: str, jobs: int) -> None:
        """Raises `AssertionError` unless everything that these jobs should have written is there."""
        ...


@dataclass(slots=True)
class Round:
    """One contestant in one round."""

    jobs_per_s: float
    cpu_s_per_1000: float
    cpu_parts: dict[str, float]
    """CPU seconds per 1000 steps of the contestant's processes, Postgres, Redis and the bench (submits and observes)."""
    wal_bytes_per_step: float
    commits_per_step: float
    """Transactions that wrote."""
    latency_s: list[float] = field(default_factory=list[float])


def tree_cpu_s(pids: Iterable[int]) -> float:
    """User and system seconds of processes and their children, those that ended included."""
    total = 0.0
    for pid in pids:
        try:
            process = psutil.Process(pid)
            family = [process, *process.children(recursive=True)]
        except psutil.NoSuchProcess:
            continue
        for member in family:
            try:
                used = member.cpu_times()
            except psutil.NoSuchProcess:
                continue
            total += used.user + used.system + used.children_user + used.children_system
    return total


@dataclass(frozen=True, slots=True)
class Servers:
    """Where the two servers are."""

    postgres_url: str
    postgres_pid: int
    redis_url: str
    redis_pid: int

    def database(self, name: str) -> str:
        """The URL of another database."""
        return self.postgres_url.rsplit("/", 1)[0] + f"/{name}"

    def broker(self, number: int) -> str:
        """The URL of another Redis database."""
        return self.redis_url.rsplit("/", 1)[0] + f"/{number}"


class Meter:
    """Reads the counters before and after a burst."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._db = psycopg.connect(servers.postgres_url, autocommit=True)

    def close(self) -> None:
        self._db.close()

    def burst(self, contestant: Contestant, tag: str, jobs: int) -> Round:
        before, wal, xid = self._cpu(contestant), self._wal(), self._xid()
        started = time.perf_counter()
        contestant.burst(tag, jobs)
        took = time.perf_counter() - started
        time.sleep(0.3)  # acknowledgements, events and lazy commits that still are on their way
        after = self._cpu(contestant)
        steps = jobs * STAGES
        parts = {name: (after[name] - before[name]) * 1000 / steps for name in after}
        return Round(
            jobs_per_s=jobs / took,
            cpu_s_per_1000=sum(parts.values()),
            cpu_parts=parts,
            wal_bytes_per_step=(self._wal() - wal) / steps,
            commits_per_step=max(0, self._xid() - xid - 1) / steps,  # the reading of the counter takes one itself
        )

    def _cpu(self, contestant: Contestant) -> dict[str, float]:
        return {
            "workers": tree_cpu_s(contestant.pids),
            "postgres": tree_cpu_s([self._servers.postgres_pid]),
            "redis": tree_cpu_s([self._servers.redis_pid]),
            "bench": time.process_time(),
        }

    def _number(self, query: Any) -> int:
        row = self._db.execute(query).fetchone()
        assert row is not None
        return int(row[0])

    def _wal(self) -> int:
        return self._number("SELECT pg_current_wal_insert_lsn() - '0/0'")

    def _xid(self) -> int:
        return self._number("SELECT pg_current_xact_id()::text::bigint")


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    if not values:
        return float("nan")
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")  # noqa: PTH123, SIM115
    return {
        "cpu": model,
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "kernel": os.uname().release,
        "load at start": f"{os.getloadavg()[0]:.2f}",
    }
