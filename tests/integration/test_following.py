"""A slot goes on with a command of its own step, in a real Redis: it passes as one that was sent and read, and nothing waits in a queue."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from celery import signals
from kombu import Connection
from redis import Redis

from contracts.commands import RunStep
from contracts.roles import RoleName, queue_name, task_name
from workers.app import slots
from workers.app.celery_app import create_app
from workers.app.neighbours import KEY, Neighbours
from workers.app.outbox import run_command
from workers.app.publish import Publisher
from workers.app.redis_reading import QueueReader, SlotFollower
from workers.app.redis_transport import Channel
from workers.app.slots import SlotPool
from workers.coordinator.advance import QueuedStep
from workers.settings import Settings

ROLE, OTHER = RoleName.ANALYST, RoleName.DEVELOPER
PATIENCE_S = 120.0


def step(stage: str) -> QueuedStep:
    return QueuedStep(uuid4(), UUID(int=1), stage, ROLE.value, 5)


class Events:
    """Of the worker's dispatcher."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.are_wanted = True

    def publish(self, kind: str, fields: dict[str, Any], _producer: object) -> None:
        assert kind == "task-sent"
        self.sent.append(fields)


class Worker:
    """A pool of one slot that reads a role's queue, and does with each message what a test says."""

    def __init__(self, broker_url: str) -> None:
        self.app = create_app(Settings(broker_url=broker_url))
        self.redis = Redis.from_url(broker_url)
        self.task_buckets: dict[str, Any] = {}
        self.changed = threading.Condition()
        self.received: list[tuple[str, int, dict[str, Any]]] = []
        self.then: dict[str, Callable[[], Any]] = {}
        self.connection: Connection = self.app.connection_for_read()
        self.channel = cast("Channel", self.connection.channel())
        self.channel.is_read_by_slots = True
        self.channel.basic_consume(queue_name(ROLE), False, self.receive, "tag")
        self.channel.basic_consume(queue_name(OTHER), False, self.receive, "other tag")
        self.publisher = Publisher(self.app)
        self.publisher.sent_events = self.events = Events()
        self.neighbours = Neighbours(self.redis, "here:1", [ROLE.value, OTHER.value])
        self.pool = SlotPool(1)
        self.pool.start()
        self.reader = QueueReader(self.channel, self)
        self.pool.listen(self.reader)
        self.publisher.follower = SlotFollower(self.pool, self.channel, self, self.publisher, self.neighbours, self.run)
        self.ran: list[tuple[str, int]] = []

    def receive(self, message: Any) -> None:
        stage = message.decode()[0][0]["stage"]
        self.then.pop(stage, lambda: None)()
        message.ack()
        with self.changed:
            self.received.append((stage, threading.get_ident(), dict(message.headers)))
            self.changed.notify_all()

    def run(self, command: RunStep) -> None:
        """What the task of the role would do."""
        with self.changed:
            self.ran.append((command.stage, threading.get_ident()))
            self.changed.notify_all()

    def wait_for(self, *stages: str) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: [stage for stage, *_ in self.received] == list(stages), PATIENCE_S), self.received

    def may(self, role: str = ROLE.value, priority: int = 5) -> bool:
        follower = self.publisher.free_follower()
        return follower is not None and follower.takes(role, priority, after=ROLE.value)

    def follow(self, stage: str, role: RoleName = ROLE) -> bool:
        if not self.may(role):
            return False
        follower = self.publisher.free_follower()
        assert follower is not None
        follower.follow(run_command(replace(step(stage), role=role.value), time.time()))
        return True

    def close(self) -> None:
        self.pool.stop_listening()
        self.pool.stop()
        self.reader.close()
        self.connection.release()
        self.redis.close()


@pytest.fixture
def worker(broker_url: str) -> Iterator[Worker]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slots, "SHORT_STEP_S", PATIENCE_S)  # on a busy machine too, steps are short here
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


def test_where_nobody_hears_of_tasks_the_slot_runs_the_next_step_without_a_message(worker: Worker) -> None:
    worker.events.are_wanted = False
    followed: list[bool] = []
    worker.then["a"] = lambda: followed.append(worker.follow("b"))
    worker.publisher.run_steps([step("a")])
    worker.wait_for("short", "a")
    with worker.changed:
        assert worker.changed.wait_for(lambda: worker.ran, PATIENCE_S)

    assert followed == [True]
    assert worker.ran == [("b", worker.received[1][1])], "in the slot of the step before"
    assert [event["uuid"] for event in worker.events.sent] == [worker.received[0][2]["id"]], "nothing is sent to nobody"


def test_a_step_that_is_followed_is_celery_s_where_a_program_listens_to_its_signals(worker: Worker) -> None:
    worker.events.are_wanted = False

    def heard(**_: Any) -> None:
        """An instrument."""

    signals.task_prerun.connect(heard)
    try:
        worker.then["a"] = lambda: worker.follow("b")
        worker.publisher.run_steps([step("a")])
        worker.wait_for("short", "a", "b")
    finally:
        signals.task_prerun.disconnect(heard)

    assert not worker.ran


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
        could.append(worker.may(role))
        monkeypatch.undo()
        worker.task_buckets.clear()
        worker.publisher.sent_events = worker.events
        could.append(worker.may())

    worker.then["a"] = look
    worker.publisher.run_steps([step("a")])
    worker.wait_for("short", "a")

    assert could == [False, True]
    assert worker.publisher.free_follower() is None, "this thread is no slot"


def test_a_slot_goes_on_with_a_step_of_another_role_that_its_process_serves(worker: Worker) -> None:
    followed: list[bool] = []
    worker.then["a"] = lambda: followed.append(worker.follow("b", OTHER))
    worker.publisher.run_steps([step("a")])
    worker.wait_for("short", "a", "b")

    assert followed == [True]
    assert len({thread for _, thread, _ in worker.received}) == 1
    assert worker.received[2][2]["task"] == task_name(OTHER)


def test_a_step_of_a_role_that_another_process_serves_goes_to_the_queue_unless_messages_wait_there_anyway(worker: Worker) -> None:
    """An idle worker of that role takes its share at once; where none is idle a message would bring nothing."""
    there = Neighbours(worker.redis, "there:2", [OTHER.value])
    could: list[bool] = []

    def look() -> None:
        could.append(worker.may(OTHER.value))
        there.tell()
        worker.neighbours.tell()
        could.append(worker.may(OTHER.value))
        could.append(worker.may(ROLE.value))
        worker.redis.lpush(worker.channel._q_for_pri(queue_name(OTHER), 9), b"waits")
        could.append(worker.may(OTHER.value))
        worker.redis.delete(worker.channel._q_for_pri(queue_name(OTHER), 9))
        there.leave()
        worker.neighbours.tell()
        could.append(worker.may(OTHER.value))

    worker.then["a"] = look
    worker.publisher.run_steps([step("a")])
    worker.wait_for("short", "a")

    assert could == [True, False, True, True, True]


def test_what_is_more_urgent_and_waits_goes_first(worker: Worker) -> None:
    could: list[bool] = []

    def look() -> None:
        worker.redis.lpush(worker.channel._q_for_pri(queue_name(OTHER), 3), b"waits")  # of a job of priority 5
        could.extend(worker.may(priority=priority) for priority in (9, 5, 1))
        worker.redis.delete(worker.channel._q_for_pri(queue_name(OTHER), 3))

    worker.then["a"] = look
    worker.publisher.run_steps([step("a")])
    worker.wait_for("short", "a")

    assert could == [True, True, False]


def test_processes_hear_of_each_other_and_forget_those_that_end(broker_url: str) -> None:
    with Redis.from_url(broker_url) as client:
        here, there = Neighbours(client, "here:1", ["analyst", "developer"]), Neighbours(client, "there:1", ["developer"])
        here.tell()
        there.tell()
        here.tell()
        assert [here.serve(role) for role in ("analyst", "developer")] == [False, True]
        client.zadd(KEY, {"analyst gone:1": 1})  # it was told long ago
        there.leave()
        here.tell()
        assert [here.serve(role) for role in ("analyst", "developer")] == [False, False]
        client.delete(KEY)
        client.set(KEY, "not a set")
        here.tell()
        here.tell()
        assert client.type(KEY) == b"zset", "a key of a wrong type is made anew"
