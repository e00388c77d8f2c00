"""How the slots of a worker read its queue in a real Redis: order, putting back, pauses, and what is no message."""

from collections.abc import Iterator
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from kombu import Connection
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from contracts.roles import RoleName, queue_name
from workers.app.celery_app import create_app
from workers.app.celery_submissions import SUBMIT_TASK
from workers.app.key_types import list_names
from workers.app.publish import Publisher
from workers.app.redis_reading import QueueReader
from workers.app.redis_transport import Channel
from workers.app.slots import Taken
from workers.coordinator.advance import QueuedStep
from workers.settings import Settings

QUEUE = queue_name(RoleName.ANALYST)


class Worker:
    """Celery's consumer, as far as the reader uses it, and a channel that consumes from a role's queue."""

    def __init__(self, broker_url: str) -> None:
        self.app = create_app(Settings(broker_url=broker_url))
        self.publisher = Publisher(self.app)
        self.task_buckets: dict[str, Any] = {}
        self.soon: list[tuple[Any, ...]] = []
        self.received: list[Any] = []
        self.connection: Connection = self.app.connection_for_read()
        self.channel = cast("Channel", self.connection.channel())
        self.channel.is_read_by_slots = True
        self.reader = QueueReader(self.channel, self)

    def call_soon(self, *call: Any) -> None:
        self.soon.append(call)

    def consume(self) -> None:
        self.channel.basic_consume(QUEUE, False, self.received.append, "tag")

    def send(self, *stages: str, priority: int = 5) -> None:
        """Commands for steps of these stages."""
        self.publisher.run_steps([QueuedStep(uuid4(), UUID(int=1), stage, RoleName.ANALYST, priority) for stage in stages])

    def stages(self, taken: list[Taken]) -> list[str]:
        """Run them; the stages of the commands that were received."""
        before = len(self.received)
        for one in taken:
            one.run()
        return [message.decode()[0][0]["stage"] for message in self.received[before:]]

    def close(self) -> None:
        self.reader.close()
        self.connection.release()


@pytest.fixture
def worker(broker_url: str) -> Iterator[Worker]:
    made = Worker(broker_url)
    made.consume()
    yield made
    made.close()


@pytest.fixture
def client(broker_url: str) -> Iterator["Redis"]:
    with Redis.from_url(broker_url) as made:
        yield made


def test_several_messages_are_read_at_once_the_urgent_ones_first(worker: Worker) -> None:
    worker.send("a", "b", "c")
    worker.send("urgent", priority=9)

    assert worker.stages(worker.reader.read(10)) == ["urgent"]
    assert worker.stages(worker.reader.read(2)) == ["a", "b"]
    assert worker.stages(worker.reader.read(2)) == ["c"]
    assert worker.reader.read(2) == [], "and it waits a moment only"


def test_what_is_put_back_is_the_next_to_be_read(worker: Worker) -> None:
    worker.send("a", "b", "c")

    for taken in reversed(worker.reader.read(2)):
        taken.put_back()

    assert worker.stages(worker.reader.read(10)) == ["a", "b", "c"]


def test_a_paused_role_reads_nothing_and_gives_back_what_it_has_read(worker: Worker, client: "Redis") -> None:
    worker.send("a", "b")
    (taken,) = worker.reader.read(1)

    worker.channel.basic_cancel("tag")
    taken.run()

    assert worker.received == []
    assert worker.reader.read(10) == []
    worker.consume()
    assert worker.stages(worker.reader.read(10)) == ["a", "b"]


def test_a_server_without_the_command_for_many_is_read_one_by_one(broker_url: str, client: "Redis") -> None:
    client.execute_command("ACL", "SETUSER", "older", "on", ">secret", "~*", "&*", "+@all", "-blmpop")
    address = broker_url.rsplit("@", 1)[-1].removeprefix("redis://")
    worker = Worker(f"redis://older:secret@{address}")
    worker.consume()
    worker.send("a", "b")

    assert worker.stages(worker.reader.read(10)) == ["a"]
    assert worker.stages(worker.reader.read(10)) == ["b"]
    worker.close()


def test_what_is_no_message_is_set_aside_and_the_others_are_taken(worker: Worker, client: "Redis", monkeypatch: pytest.MonkeyPatch) -> None:
    aside: list[tuple[str, bytes]] = []
    monkeypatch.setattr(worker.channel, "unreadable", lambda queue, raw, _error: aside.append((queue, raw)))
    key = worker.channel._q_for_pri(QUEUE, 3)  # pyright: ignore[reportPrivateUsage]
    worker.send("a")
    client.lpush(key, b"no json", b"[]", b'{"properties": 1}')
    worker.send("b")

    assert worker.stages(worker.reader.read(10)) == ["a", "b"]
    assert aside == [(QUEUE, b"no json"), (QUEUE, b"[]"), (QUEUE, b'{"properties": 1}')]


def test_a_queue_that_somebody_overwrote_is_renamed_and_read_again(
    worker: Worker, client: "Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    aside: list[tuple[str, bytes, str]] = []
    monkeypatch.setattr(worker.channel, "unreadable", lambda key, raw, error: aside.append((key, raw, type(error).__name__)))
    client.set(QUEUE, "somebody's value")

    assert worker.reader.read(10) == []
    worker.send("urgent", priority=9)

    assert worker.stages(worker.reader.read(10)) == ["urgent"]
    ((key, renamed, cause),) = aside
    assert (key, cause) == (QUEUE, "WrongType")
    assert client.get(renamed) == b"somebody's value"


def test_a_command_to_a_queue_that_somebody_overwrote_is_sent_all_the_same(worker: Worker, client: "Redis") -> None:
    for key in list_names(QUEUE):
        client.hset(key, "a", "b")

    worker.send("a", "b")

    assert worker.stages(worker.reader.read(10)) == ["a", "b"]


def test_a_submission_stays_in_the_server_until_it_is_done_with_and_a_command_does_not(worker: Worker, client: "Redis") -> None:
    worker.send("a")
    worker.app.send_task(SUBMIT_TASK, args=({},), queue=QUEUE)
    for taken in worker.reader.read(10) + worker.reader.read(10):
        taken.run()

    by_task = {message.headers["task"]: message for message in worker.received}
    assert set(by_task) == {"bullpen.analyst", SUBMIT_TASK}
    assert client.hlen("unacked") == 1
    by_task[SUBMIT_TASK].ack()
    assert client.hlen("unacked") == 0


def test_a_message_with_an_eta_goes_to_the_thread_that_has_the_timer(worker: Worker) -> None:
    worker.app.send_task(SUBMIT_TASK, args=({},), queue=QUEUE, countdown=60)

    for taken in worker.reader.read(10):
        taken.run()

    assert worker.received == []
    ((receive, message),) = worker.soon
    receive(message)
    assert worker.received == [message]


def test_a_rate_limited_task_goes_to_the_thread_that_has_the_timer(worker: Worker) -> None:
    worker.task_buckets["bullpen.analyst"] = object()
    worker.send("a")

    for taken in worker.reader.read(10):
        taken.run()

    assert (worker.received, len(worker.soon)) == ([], 1)


def test_the_reader_connects_again_after_its_connection_was_lost(worker: Worker, client: "Redis") -> None:
    assert worker.reader.read(1) == []
    for each in cast("list[dict[str, str]]", client.client_list()):
        if each["cmd"] == "blmpop":
            client.client_kill(each["addr"])
    worker.send("a")

    with pytest.raises((RedisConnectionError, OSError)):
        worker.reader.read(1)

    assert worker.stages(worker.reader.read(1)) == ["a"]


def test_the_event_loop_leaves_a_queue_alone_that_slots_read(broker_url: str, client: "Redis") -> None:
    worker = Worker(broker_url)
    worker.consume()
    cycle: Any = worker.connection.transport.cycle
    worker.send("a")

    cycle.on_poll_start()

    assert not cycle.fds
    assert worker.stages(worker.reader.read(1)) == ["a"]
    worker.close()


def test_a_message_of_a_lost_connection_is_run_all_the_same(worker: Worker) -> None:
    worker.send("a")
    (taken,) = worker.reader.read(1)

    worker.connection.release()

    assert not taken.put_back()
    assert worker.stages([taken]) == ["a"]
    worker.received[0].ack()
