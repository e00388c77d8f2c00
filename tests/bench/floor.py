"""The floor: for each step one LPUSH and BRPOP, and one commit of one row. No design can do with less."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from uuid import uuid4

import psycopg
from psycopg.types.json import Jsonb
from redis import Redis

from tests.bench.drivers import Driven
from tests.bench.load import document, work
from tests.bench.measure import STAGES, Servers
from tests.bench.processes import serve

_TABLE = "CREATE TABLE IF NOT EXISTS floor (id uuid PRIMARY KEY, tag text NOT NULL, stage text NOT NULL, content jsonb NOT NULL)"


def floor(servers: Servers, folder: Path, *, broker: int, threads: int) -> Driven:
    """One row a step."""

    def count(url: str, tag: str) -> int:
        with psycopg.connect(url) as db:
            row = db.execute("SELECT count(*) FROM floor WHERE starts_with(tag, %s)", [f"{tag}-"]).fetchone()
        return 0 if row is None else row[0]

    return Driven(
        "floor", "tests.bench.floor", servers, folder,
        database="bench_floor", broker=broker, threads=threads, count=count, rows_a_job=STAGES,
    )  # fmt: skip


def main(database_url: str, broker_url: str, threads: str) -> None:
    """A driver process."""
    pairs: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
    for _ in range(int(threads)):
        pairs.put((psycopg.connect(database_url, autocommit=True), Redis.from_url(broker_url)))
    db, redis = pairs.get()
    db.execute(_TABLE)
    pairs.put((db, redis))
    executor = ThreadPoolExecutor(int(threads))

    def job(tag: str) -> float:
        db, redis = pairs.get()
        started = time.perf_counter()
        for number in range(1, STAGES + 1):
            redis.lpush(tag, f"s{number}")
            redis.brpop(tag, 1)
            work()
            db.execute("INSERT INTO floor VALUES (%s, %s, %s, %s)", [uuid4(), tag, f"s{number}", Jsonb(document(f"s{number}"))])
        pairs.put((db, redis))
        return time.perf_counter() - started

    serve(lambda tag, jobs: list(executor.map(job, [f"{tag}-{n}" for n in range(jobs)])))


if __name__ == "__main__":
    main(*sys.argv[1:4])
