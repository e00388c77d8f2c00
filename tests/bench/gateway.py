"""The gateway under load: `python -m tests.bench.gateway [--streams 1000] [--seconds 20] [--reads 200] [--submissions 50] [--events 40]`.

One gateway process over servers of its own. The bench holds the streams, each of another job, and writes events as a worker does: a commit,
then the notifier. Latency is the time from the return of the commit to the arrival of the event's bytes at its client, on one clock. Reads
and submissions go on meanwhile, from a process of their own (`requests_at_rate`), at a fixed rate: one that is late is sent all the same,
and its wait counts.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any
from uuid import UUID

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from contracts.jobs import SubmitJob
from tests.bench.measure import tree_cpu_s
from tests.bench.own_gateway import OwnGateway, own_gateway
from tests.bench.requests_at_rate import Asked, asked
from workers.blackboard.engine import Database
from workers.blackboard.notify import Notifier
from workers.coordinator.intake import accept

WARM_UP_S, WARM_UP_PER_S = 4.0, 20
"""Requests before anything is counted: the first ones load code and prepare statements, which a gateway that runs has done."""
OPENING = 50
"""Streams that are opened at once."""


@dataclass(slots=True)
class Seen:
    """What was measured of the events."""

    ms: list[float] = field(default_factory=list[float])
    errors: int = 0


async def main() -> int:
    """The exit code: 0 when no event was lost and no request failed."""
    options = _options()
    with own_gateway([Scope.SUBMIT, Scope.READ], extensions=("tests.support.noop",)) as own:
        jobs = [accept(own.database, SubmitJob(job={"kind": "noop"}, owner="bench"), owner_cap=10).job_id for _ in range(options.streams)]
        return await _measure(options, own, jobs)


async def _measure(options: Any, own: OwnGateway, jobs: list[UUID]) -> int:
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
    postgres = [own.servers.postgres.pid or 0]
    cpu, postgres_cpu = gateway.cpu_s(), tree_cpu_s(postgres)
    until = time.monotonic() + options.seconds
    reads, submissions = (
        await asyncio.gather(
            asked(host, port, own.headers, sorts(options.reads, options.submissions), options.seconds),
            _at_rate(options.events, until, lambda n: _write(db, notifier, jobs[n % len(jobs)], committed)),
        )
    )[0]
    cpu, postgres_cpu = gateway.cpu_s() - cpu, tree_cpu_s(postgres) - postgres_cpu
    await asyncio.sleep(5)
    for task in streams:
        task.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    lost = len(committed)
    print(line("events, commit to client", events.ms, events.errors, options.seconds))
    print(line("reads", reads.ms, reads.errors, options.seconds))
    print(line("submissions", submissions.ms, submissions.errors, options.seconds))
    used = f"gateway: {cpu / options.seconds:.2f} CPUs, {gateway.memory_mib():.0f} MiB; Postgres: {postgres_cpu / options.seconds:.2f} CPUs"
    print(f"events lost: {lost}; {used}; load average {os.getloadavg()[0]:.1f}")
    return int(lost > 0 or events.errors + reads.errors + submissions.errors > 0)


def line(name: str, ms: list[float], errors: int, seconds: float) -> str:
    """What was measured of one sort of request, for people."""
    if len(ms) < 2:
        return f"{name}: {len(ms)} measured, {errors} errors"
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
                seen.errors += 1
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
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
