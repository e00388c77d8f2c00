"""A slot goes on with a command of its own step, in a real Redis: it passes as one that was sent and read, and nothing waits in a queue."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from kombu import Connection
from redis import Redis

from contracts.roles import RoleName, queue_name, task_name
from workers.app.celery_app import create_app
from workers.app.publish import Publisher, run_command
from workers.app.redis_reading import QueueReader, SlotFollower
from workers.app.redis_transport import Channel
from workers.app.slots import SlotPool
from workers.coordinator.advance import QueuedStep
from workers.settings import Settings

ROLE = RoleName.ANALYST
PATIENCE_S = 120.0


def step(stage: str) -> QueuedStep:
    return QueuedStep(uuid4(), UUID(int=1), stage, ROLE.value, 5)


class Events:
    """Of the worker's dispatcher."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def publish(self, kind: str, fields: dict[str, Any], _producer: object) -> None:
        assert kind == "task-sent"
        self.sent.append(fields)


class Worker:
    """A pool of one slot that reads a role's queue, and does with each message what a test says."""

    def __init__(self, broker_url: str) -> None:
        self.app = create_app(Settings(broker_url=broker_url))
        self.task_buckets: dict[str, Any] = {}
        self.changed = threading.Condition()
        self.received: list[tuple[str, int, dict[str, Any]]] = []
        self.then: dict[str, Callable[[], Any]] = {}
        self.connection: Connection = self.app.connection_for_read()
        self.channel = cast("Channel", self.connection.channel())
        self.channel.is_read_by_slots = True
        self.channel.basic_consume(queue_name(ROLE), False, self.receive, "tag")
        self.publisher = Publisher(self.app)
        self.publisher.sent_events = self.events = Events()
        self.pool = SlotPool(1)
        self.pool.start()
        self.reader = QueueReader(self.channel, self)
        self.pool.listen(self.reader)
        self.publisher.follower = SlotFollower(self.pool, self.channel, self, self.publisher)

    def receive(self, message: Any) -> None:
        stage = message.decode()[0][0]["stage"]
        self.then.pop(stage, lambda: None)()
        message.ack()
        with self.changed:
            self.received.append((stage, threading.get_ident(), dict(message.headers)))
            self.changed.notify_all()

    def wait_for(self, *stages: str) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: [stage for stage, *_ in self.received] == list(stages), PATIENCE_S), self.received

    def follow(self, stage: str) -> bool:
        follower = self.publisher.follower_for(ROLE.value)
        if follower is not None:
            follower.follow(run_command(step(stage), time.time()))
        return follower is not None

    def close(self) -> None:
        self.pool.stop_listening()
        self.pool.stop()
        self.reader.close()
        self.connection.release()


@pytest.fixture
def worker(broker_url: str) -> Iterator[Worker]:
    made = Worker(broker_url)
    made.publisher.run_steps([step("short")])  # so that steps are known to be short
    made.wait_for("short")
    yield made
    made.close()


def test_a_command_of_the_slots_own_step_is_its_next_message_and_passes_no_queue(worker: Worker, broker_url: str) -> None:
    with Redis.from_url(broker_url) as client:
        pushed = client.info("commandstats").get("cmdstat_lpush", {}).get("calls", 0)
        followed: list[bool] = []
        worker.then["a"] = lambda: followed.append(worker.follow("b"))
        worker.then["b"] = lambda: followed.append(worker.follow("c"))
        worker.publisher.run_steps([step("a")])
        worker.wait_for("short", "a", "b", "c")

        assert followed == [True, True]
        assert client.info("commandstats")["cmdstat_lpush"]["calls"] == pushed + 1, "only a was sent"
    assert len({thread for _, thread, _ in worker.received}) == 1
    sent, read = worker.received[1][2], worker.received[2][2]
    assert {key for key in sent if sent[key] != read[key]} == {"id", "root_id", "argsrepr"}, "as what was sent, but of another step"
    assert {event["uuid"] for event in worker.events.sent} == {headers["id"] for *_, headers in worker.received}, "Flower hears of all"
    worker.channel.qos.restore_unacked()
    with Redis.from_url(broker_url) as client:
        assert client.llen(queue_name(ROLE)) == 0, "all were acknowledged"


@pytest.mark.parametrize("obstacle", ["paused", "rate", "no events", "overheard", "other role"])
def test_where_it_cannot_the_command_is_sent(worker: Worker, monkeypatch: pytest.MonkeyPatch, obstacle: str) -> None:
    could: list[bool] = []

    def look() -> None:
        role = RoleName.ARCHITECT.value if obstacle == "other role" else ROLE.value
        match obstacle:
            case "paused":
                monkeypatch.setattr(worker.channel, "receivers", {})
            case "rate":
                worker.task_buckets[task_name(ROLE)] = object()
            case "no events":
                worker.publisher.sent_events = None
            case "overheard":
                monkeypatch.setattr("workers.app.publish.is_overheard", lambda: True)
            case _:
                pass
        could.append(worker.publisher.follower_for(role) is not None)
        monkeypatch.undo()
        worker.task_buckets.clear()
        worker.publisher.sent_events = worker.events
        could.append(worker.publisher.follower_for(ROLE.value) is not None)

    worker.then["a"] = look
    worker.publisher.run_steps([step("a")])
    worker.wait_for("short", "a")

    assert could == [False, True]
    assert worker.publisher.follower_for(ROLE.value) is None, "this thread is no slot"
