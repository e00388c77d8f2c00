"""A Celery `chain` of six tasks with a Redis result backend. Nothing is durable; nothing is recorded but results.

Two of them: as its user would start it (one command, the default pool of two processes, no task events), and with the pool, the
processes and the task events that ours has.
"""

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from celery import Celery, chain, signals
from redis import Redis

from tests.bench.load import document, work
from tests.bench.measure import DONE_POLL_S, POLL_S, STAGES, Servers, wait_until
from tests.bench.processes import READY, Crew, Process

EVENTS, NO_EVENTS = "events", "no-events"


@dataclass(frozen=True, slots=True)
class Shape:
    """How the workers of a chain are started."""

    name: str
    pool: str
    slots: int
    queues: tuple[str, ...]
    """One worker a queue. Several workers of one queue name it more than once."""
    events: str = EVENTS

    @property
    def stage_queues(self) -> list[str]:
        """The queue of each stage."""
        names = list(dict.fromkeys(self.queues))
        return [names[place * len(names) // STAGES] for place in range(STAGES)]


def plain() -> Shape:
    """`celery worker --concurrency 2`, and nothing else."""
    return Shape("chain as started", "prefork", 2, ("chain",), NO_EVENTS)


def like_ours(layout: str, pool: str, slots: int) -> Shape:
    """The pool, the events and the layout of ours. Where ours has a coordinator's process, another one helps with the first queue."""
    processes = {"one": 1, "halves": 2, "roles": STAGES}[layout]
    queues = tuple(f"chain.s{n + 1}" for n in range(processes))
    return Shape("celery chain", pool, slots, queues if processes == 1 else (*queues, queues[0]))


def make_app(broker_url: str, events: str, queues: list[str]) -> Celery:
    app = Celery("chain", broker=broker_url, backend=broker_url, set_as_current=False)
    app.conf.update(
        broker_connection_retry_on_startup=True,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        task_routes={f"chain.s{n}": {"queue": queue} for n, queue in enumerate(queues, 1)},
    )
    if events == EVENTS:
        app.conf.update(task_send_sent_event=True, worker_send_task_events=True, event_queue_expires=60)
    for number in range(1, STAGES + 1):
        app.task(_stage(number), name=f"chain.s{number}", shared=False)  # two apps of this process have the same names
    return app


def _stage(number: int) -> Any:
    def stage(given: dict[str, Any]) -> dict[str, Any]:
        work()
        return {"stage": f"s{number}", "given": given["stage"], "text": document(f"s{number}")}

    return stage


class Chain:
    """The workers of one shape."""

    database = None

    def __init__(self, servers: Servers, folder: Path, shape: Shape, *, broker: int) -> None:
        self.name = shape.name
        self._shape = shape
        self._broker = servers.broker(broker)
        self._folder = folder
        self._app = make_app(self._broker, shape.events, shape.stage_queues)
        self._redis = Redis.from_url(self._broker)
        self._ended: dict[str, list[str]] = {}

    @property
    def pids(self) -> list[int]:
        return self._crew.pids

    def start(self) -> None:
        shape, processes = self._shape, list[Process]()
        if shape.events == EVENTS:
            processes.append(Process(f"{shape.name}-events", ["-m", "tests.bench.events", self._broker], {}, self._folder))
        for number, queue in enumerate(shape.queues, 1):
            how = [self._broker, shape.events, ",".join(shape.stage_queues), queue, f"{queue}-{number}", shape.pool, str(shape.slots)]
            processes.append(Process(f"{shape.name}-{number}", ["-m", "tests.bench.chain", *how], {}, self._folder))
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
        given = {"stage": "input", "text": document("input")}
        return chain(tasks[0].s(given), *(task.s() for task in tasks[1:])).apply_async().id

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


def main(broker_url: str, events: str, queues: str, queue: str, name: str, pool: str, slots: str) -> int:
    """A worker process."""
    import logging

    logging.basicConfig(level=logging.WARNING)
    signals.setup_logging.connect(lambda **_: None, weak=False)
    signals.worker_ready.connect(lambda **_: print(READY, flush=True), weak=False)
    ours: dict[str, Any] = {"without_mingle": True, "without_gossip": True, "optimization": "fair"} if events == EVENTS else {}
    worker = make_app(broker_url, events, queues.split(",")).Worker(
        queues=[queue], concurrency=int(slots), pool=pool, hostname=f"{name}@bench", loglevel=logging.WARNING, **ours
    )
    worker.start()
    return worker.exitcode or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:8]))
