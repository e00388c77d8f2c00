"""A bare Celery `chain` of six tasks with a Redis result backend. Nothing is durable; nothing is recorded but results."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from celery import Celery, chain, signals
from redis import Redis

from tests.bench.measure import DONE_POLL_S, POLL_S, STAGES, Servers, wait_until
from tests.bench.processes import READY, Crew, Process

PROCESSES = 7
"""As many as ours has; the seventh helps with the first queue."""


def make_app(broker_url: str) -> Celery:
    app = Celery("chain", broker=broker_url, backend=broker_url, set_as_current=False)
    app.conf.update(
        task_send_sent_event=True,
        worker_send_task_events=True,
        event_queue_expires=60,
        broker_connection_retry_on_startup=True,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        task_routes={f"chain.s{n}": {"queue": f"chain.s{n}"} for n in range(1, STAGES + 1)},
    )
    for number in range(1, STAGES + 1):
        app.task(_stage(number), name=f"chain.s{number}")
    return app


def _stage(number: int) -> Any:
    def stage(given: dict[str, Any]) -> dict[str, Any]:
        return {"stage": f"s{number}", "given": given["stage"]}

    return stage


class Chain:
    """Seven worker processes over six queues."""

    name = "celery chain"
    database = None

    def __init__(self, servers: Servers, folder: Path, *, broker: int, threads: int, pool: str = "threads") -> None:
        self._broker = servers.broker(broker)
        self._folder = folder
        self._threads = threads
        self._pool = pool
        self._app = make_app(self._broker)
        self._redis = Redis.from_url(self._broker)
        self._ended: dict[str, list[str]] = {}

    @property
    def pids(self) -> list[int]:
        return self._crew.pids

    def start(self) -> None:
        processes = [Process("chain-events", ["-m", "tests.bench.events", self._broker], {}, self._folder)]
        for number in range(1, PROCESSES + 1):
            queue = f"chain.s{(number - 1) % STAGES + 1}"
            arguments = ["-m", "tests.bench.chain", self._broker, queue, f"{queue}-{number}", str(self._threads), self._pool]
            processes.append(Process(f"chain-{number}", arguments, {}, self._folder))
        self._crew = Crew(processes)
        self._crew.wait_ready()

    def freeze(self) -> None:
        self._crew.freeze()

    def thaw(self) -> None:
        self._crew.thaw()

    def end(self) -> None:
        self._crew.end()
        self._redis.close()

    def submit(self) -> str:
        tasks = [self._app.tasks[f"chain.s{n}"] for n in range(1, STAGES + 1)]
        return chain(tasks[0].s({"stage": "input"}), *(task.s() for task in tasks[1:])).apply_async().id

    def burst(self, tag: str, jobs: int) -> None:
        keys = [f"celery-task-meta-{self.submit()}" for _ in range(jobs)]
        wait_until(lambda: self._redis.exists(*keys) == jobs, poll_s=DONE_POLL_S)
        self._ended[tag] = keys

    def once(self, tag: str) -> float:
        started = time.perf_counter()
        key = f"celery-task-meta-{self.submit()}"
        wait_until(lambda: bool(self._redis.exists(key)), poll_s=POLL_S)
        return time.perf_counter() - started

    def check(self, tag: str, jobs: int) -> None:
        found: Any = self._redis.mget(self._ended.pop(tag))
        succeeded = sum(json.loads(item)["status"] == "SUCCESS" for item in found)
        assert succeeded == jobs, f"{succeeded} of {jobs} chains succeeded"
        self._redis.delete(*self._redis.keys("celery-task-meta-*"))


def main(broker_url: str, queue: str, name: str, threads: str, pool: str) -> int:
    """A worker process."""
    import logging

    logging.basicConfig(level=logging.WARNING)
    signals.setup_logging.connect(lambda **_: None, weak=False)
    signals.worker_ready.connect(lambda **_: print(READY, flush=True), weak=False)
    worker = make_app(broker_url).Worker(
        queues=[queue], concurrency=int(threads), pool=pool, hostname=f"{name}@bench",
        without_mingle=True, without_gossip=True, loglevel=logging.WARNING, optimization="fair",
    )  # fmt: skip
    worker.start()
    return worker.exitcode or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:6]))
