"""The gateway under load: `python -m tests.bench.gateway [--streams 1000] [--seconds 20] [--reads 200] [--submissions 50] [--events 40]`.

One gateway process over servers of its own. The bench holds the streams, each of another job, and writes events as a worker does: a commit,
then the notifier. Latency is the time from the return of the commit to the arrival of the event's bytes at its client, on one clock. Reads
and submissions go on meanwhile, over kept connections, at a fixed rate: one that is late is sent all the same, and its wait counts.
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

import httpx

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from contracts.jobs import SubmitJob
from tests.bench.own_gateway import OwnGateway, own_gateway
from workers.blackboard.engine import Database
from workers.blackboard.notify import Notifier
from workers.coordinator.intake import accept

WARM_UP_S, WARM_UP_PER_S = 4.0, 20
"""Requests before anything is counted: the first ones load code and prepare statements, which a gateway that runs has done."""
OPENING = 50
"""Streams that are opened at once."""


@dataclass(slots=True)
class Seen:
    """What was measured of one sort of request."""

    ms: list[float] = field(default_factory=list[float])
    errors: int = 0

    def line(self, name: str, seconds: float) -> str:
        """For people."""
        if len(self.ms) < 2:
            return f"{name}: {len(self.ms)} measured, {self.errors} errors"
        cuts = quantiles(self.ms, n=100)
        rate = f"{len(self.ms) / seconds:.0f}/s"
        return f"{name}: {len(self.ms)} ({rate}), p50 {cuts[49]:.0f} ms, p95 {cuts[94]:.0f} ms, p99 {cuts[98]:.0f} ms, errors {self.errors}"


async def main() -> int:
    """The exit code: 0 when no event was lost and no request failed."""
    options = _options()
    with own_gateway([Scope.SUBMIT, Scope.READ], extensions=("tests.support.noop",)) as own:
        jobs = [accept(own.database, SubmitJob(job={"kind": "noop"}, owner="bench"), owner_cap=10).job_id for _ in range(options.streams)]
        return await _measure(options, own, jobs)


async def _measure(options: Any, own: OwnGateway, jobs: list[UUID]) -> int:
    gateway, db = own.process, own.database
    async with httpx.AsyncClient(base_url=gateway.url, headers=own.headers, timeout=30) as client:
        empty = gateway.memory_mib()
        committed: dict[tuple[UUID, int], float] = {}
        events, reads, submissions = Seen(), Seen(), Seen()
        streams: list[asyncio.Task[None]] = []
        opened = asyncio.Semaphore(OPENING)
        ready = [asyncio.Event() for _ in jobs]
        began = time.monotonic()
        for job, event in zip(jobs, ready, strict=True):
            streams.append(asyncio.create_task(_stream(own, job, committed, events, opened, event)))
        await asyncio.gather(*(event.wait() for event in ready))
        print(f"{len(jobs)} streams open after {time.monotonic() - began:.1f} s; memory {empty:.0f} → {gateway.memory_mib():.0f} MiB")
        notifier = Notifier(db)

        async def ask(seen: tuple[Seen, Seen], reads_s: float, submissions_s: float, until: float) -> None:
            await asyncio.gather(
                _at_rate(reads_s, until, lambda n: _request(seen[0], lambda: client.get(f"/v1/jobs/{jobs[n % len(jobs)]}"))),
                _at_rate(
                    submissions_s, until, lambda _: _request(seen[1], lambda: client.post("/v1/jobs", json={"job": {"kind": "noop"}}))
                ),
            )

        if options.reads or options.submissions:
            await ask((Seen(), Seen()), WARM_UP_PER_S, WARM_UP_PER_S, time.monotonic() + WARM_UP_S)
        until = time.monotonic() + options.seconds
        cpu = gateway.cpu_s()
        await asyncio.gather(
            _at_rate(options.events, until, lambda n: _write(db, notifier, jobs[n % len(jobs)], committed)),
            ask((reads, submissions), options.reads, options.submissions, until),
        )
        cpu = gateway.cpu_s() - cpu
        await asyncio.sleep(5)
        for task in streams:
            task.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
        lost = len(committed)
        print(events.line("events, commit to client", options.seconds))
        print(reads.line("reads", options.seconds))
        print(submissions.line("submissions", options.seconds))
        used = f"{cpu / options.seconds:.2f} CPUs, {gateway.memory_mib():.0f} MiB"
        print(f"events lost: {lost}; gateway: {used}; load average {os.getloadavg()[0]:.1f}")
        return int(lost > 0 or events.errors + reads.errors + submissions.errors > 0)


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
        host, port = own.process.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
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


async def _request(seen: Seen, send: Callable[[], Awaitable[httpx.Response]]) -> None:
    began = time.monotonic()
    try:
        answer = await send()
        seen.errors += answer.status_code >= 400
    except httpx.TransportError:
        seen.errors += 1
    seen.ms.append((time.monotonic() - began) * 1000)


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
