"""The gateway under load: `python -m tests.bench.gateway [--fleet] [--streams 1000] [--seconds 20] [--reads 200] [--submissions 50]`.

One gateway process over servers of its own. The bench holds the streams, each of another job, and writes events as a worker does: a commit,
then the notifier. Latency is the time from the return of the commit to the arrival of the event's bytes at its client, on one clock. Reads
and submissions go on meanwhile, from a process of their own (`requests_at_rate`), at a fixed rate: one that is late is sent all the same,
and its wait counts. With `--fleet` a fleet works the submitted jobs off meanwhile, each of six stages; without it they wait.
"""

import argparse
import asyncio
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any
from uuid import UUID

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from contracts.jobs import SubmitJob
from tests.bench.measure import tree_cpu_s
from tests.bench.own_gateway import OwnGateway, own_gateway
from tests.bench.own_workers import CAP, own_workers, worked
from tests.bench.requests_at_rate import Asked, asked
from workers.blackboard.engine import Database
from workers.blackboard.notify import Notifier
from workers.coordinator.intake import accept

WARM_UP_S, WARM_UP_PER_S = 4.0, 20
"""Requests before anything is counted: the first ones load code and prepare statements, which a gateway that runs has done."""
OPENING = 50
"""Streams that are opened at once."""
WATCHED = {"kind": "noop", "plan": {"s1": {"ask": 1}}}
"""A job that somebody watches: beside a fleet it comes to a question, and waits for its answer."""
ASKING_S = 120.0
"""Seconds that a fleet gets to bring all watched jobs to their questions."""


@dataclass(slots=True)
class Seen:
    """What was measured of the events."""

    ms: list[float] = field(default_factory=list[float])
    failed: dict[str, int] = field(default_factory=dict[str, int])
    """Cause → how many."""


async def main() -> int:
    """The exit code: 0 when no event was lost and no request failed."""
    options = _options()
    with ExitStack() as stack:
        own = stack.enter_context(own_gateway([Scope.SUBMIT, Scope.READ], extensions=("tests.support.noop",), owner_cap=CAP))
        jobs = [accept(own.database, SubmitJob(job=WATCHED, owner="bench"), owner_cap=CAP).job_id for _ in range(options.streams)]
        processes = {
            "gateway": [own.process.pid],
            "Postgres": [own.servers.postgres.pid or 0],
            "Redis": [own.servers.valkey.pid or 0],
        }
        if options.fleet:
            fleet = stack.enter_context(own_workers(own.environment, own.folder, gives_way=options.gives_way))
            processes |= {"coordinator": [fleet.coordinator], f"{len(fleet.workers)} workers": list(fleet.workers)}
            _wait_for_questions(own.database, len(jobs))
        return await _measure(options, own, jobs, processes)


def _wait_for_questions(db: Database, jobs: int) -> None:
    """Raises `TimeoutError`."""
    give_up_at = time.monotonic() + ASKING_S
    while db.statement("SELECT count(*) AS n FROM jobs WHERE status = 'waiting_human'")[0]["n"] < jobs:
        if time.monotonic() > give_up_at:
            raise TimeoutError(f"The fleet did not bring {jobs} jobs to their questions within {ASKING_S:.0f} s.")
        time.sleep(0.5)


async def _measure(options: Any, own: OwnGateway, jobs: list[UUID], processes: dict[str, list[int]]) -> int:
    gateway, db = own.process, own.database
    host, port = _address(own)
    empty = gateway.memory_mib()
    committed: dict[tuple[UUID, int], float] = {}
    events = Seen()
    streams: list[asyncio.Task[None]] = []
    opened = asyncio.Semaphore(OPENING)
    ready = [asyncio.Event() for _ in jobs]
    began = time.monotonic()
    for job, event in zip(jobs, ready, strict=True):
        streams.append(asyncio.create_task(_stream(own, job, committed, events, opened, event)))
    await asyncio.gather(*(event.wait() for event in ready))
    print(f"{len(jobs)} streams open after {time.monotonic() - began:.1f} s; memory {empty:.0f} → {gateway.memory_mib():.0f} MiB")
    notifier = Notifier(db)

    def sorts(reads: float, submissions: float) -> list[Asked]:
        return [
            Asked("GET", tuple(f"/v1/jobs/{job}" for job in jobs), reads),
            Asked("POST", ("/v1/jobs",), submissions, '{"job": {"kind": "noop"}}'),
        ]

    if options.reads or options.submissions:
        await asked(host, port, own.headers, sorts(WARM_UP_PER_S, WARM_UP_PER_S), WARM_UP_S)
    since = db.statement("SELECT now() AS now")[0]["now"]
    before = _cpu_s(processes)
    until = time.monotonic() + options.seconds
    reads, submissions = (
        await asyncio.gather(
            asked(host, port, own.headers, sorts(options.reads, options.submissions), options.seconds),
            _at_rate(options.events, until, lambda n: _write(db, notifier, jobs[n % len(jobs)], committed)),
        )
    )[0]
    took = time.monotonic() - (until - options.seconds)
    used = {name: (seconds - before[name]) / took for name, seconds in _cpu_s(processes).items()}
    await asyncio.sleep(5)
    for task in streams:
        task.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    lost = len(committed)
    print(line("events, commit to client", events.ms, events.failed, options.seconds))
    print(line("reads", reads.ms, reads.failed, options.seconds))
    print(line("submissions", submissions.ms, submissions.failed, options.seconds))
    if options.fleet:
        print(worked(db, [*jobs], since))
    print(f"events lost: {lost}; the gateway's memory: {gateway.memory_mib():.0f} MiB; load average {os.getloadavg()[0]:.1f}")
    print("CPUs: " + ", ".join(f"{name} {cpus:.2f}" for name, cpus in used.items()) + f"; together {sum(used.values()):.2f}")
    return int(lost > 0 or bool(events.failed or reads.failed or submissions.failed))


def _cpu_s(processes: dict[str, list[int]]) -> dict[str, float]:
    """The seconds of a core that each has taken, and the bench itself: it holds the streams, and its child sends the requests."""
    own = time.process_time()
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    servers = {name: tree_cpu_s(pids) for name, pids in processes.items()}
    return {**servers, "streams' clients": own, "requests' client": child.ru_utime + child.ru_stime}


def line(name: str, ms: list[float], failed: dict[str, int], seconds: float) -> str:
    """What was measured of one sort of request, for people."""
    errors = str(sum(failed.values())) + "".join(f"; {count} × {cause}" for cause, count in failed.items())
    if len(ms) < 2:
        return f"{name}: {len(ms)} measured, errors {errors}"
    cuts = quantiles(ms, n=100)
    rate, (p50, p95, p99) = f"{len(ms) / seconds:.0f}/s", (cuts[49], cuts[94], cuts[98])
    return f"{name}: {len(ms)} ({rate}), p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms, errors {errors}"


def _address(own: OwnGateway) -> tuple[str, int]:
    host, port = own.process.url.removeprefix("http://").split(":")
    return host, int(port)


async def _stream(
    own: OwnGateway,
    job: UUID,
    committed: dict[tuple[UUID, int], float],
    seen: Seen,
    opened: asyncio.Semaphore,
    ready: asyncio.Event,
) -> None:
    """A client of one stream, over a plain socket: a thousand of a library's would measure the library."""
    async with opened:
        host, port = _address(own)
        reader, writer = await asyncio.open_connection(host, port)
        lines = [
            f"GET /v1/jobs/{job}/events HTTP/1.1",
            f"Host: {host}:{port}",
            *(f"{name}: {value}" for name, value in own.headers.items()),
        ]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        await writer.drain()
        while (line := await reader.readline()) and not line.startswith(b"id: 1"):
            if line.startswith(b"HTTP") and b"200" not in line:
                cause = line.decode("ascii", "replace").strip()
                seen.failed[cause] = seen.failed.get(cause, 0) + 1
        ready.set()
    try:
        while line := await reader.readline():
            if line.startswith(b"id: "):
                at = committed.pop((job, int(line[4:])), None)
                if at is not None:
                    seen.ms.append((time.monotonic() - at) * 1000)
    finally:
        writer.close()


async def _at_rate(rate: float, until: float, do: Callable[[int], Awaitable[None]]) -> None:
    if not rate:
        return
    running: set[asyncio.Task[None]] = set()
    number, next_at = 0, time.monotonic()
    while next_at < until:
        await asyncio.sleep(max(0.0, next_at - time.monotonic()))
        task: asyncio.Task[None] = asyncio.ensure_future(do(number))  # pyright: ignore[reportAssignmentType] a coroutine becomes a task
        running.add(task)
        task.add_done_callback(running.discard)
        number, next_at = number + 1, next_at + 1 / rate
    await asyncio.gather(*running)


async def _write(db: Database, notifier: Notifier, job: UUID, committed: dict[tuple[UUID, int], float]) -> None:
    def write() -> tuple[int, float]:
        rows = db.statement(
            "WITH j AS (UPDATE jobs SET rev = rev + 1, updated_at = now() WHERE id = %(id)s RETURNING id, rev) "
            "INSERT INTO events (job_id, rev, kind, detail) SELECT id, rev, 'step_succeeded', '{}' FROM j RETURNING rev",
            {"id": job},
        )
        return rows[0]["rev"], time.monotonic()

    rev, at = await asyncio.to_thread(write)
    committed[(job, rev)] = at
    notifier.changed(job)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("streams", 1000), ("seconds", 20), ("reads", 200), ("submissions", 50), ("events", 40)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--gives-way", action="store_true", help="the fleet gets of the cores what the gateway and the servers leave")
    parser.add_argument("--fleet", action="store_true", help="a coordinator and six workers do the jobs meanwhile")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
