"""Submissions over a real RabbitMQ, taken by the threads of a coordinator: fair in a flood, and each message once."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import amqp
import pytest
from kombu import Queue

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.roles import COORDINATOR, queue_name, task_name
from tests.acceptance.conftest import own_database
from tests.support.rabbitmq import RabbitMQ, why_not
from tests.support.servers import Servers
from workers.app import relay_amqp
from workers.app.intake_amqp import AmqpIntake, declare_all
from workers.app.queues import JOBS_QUEUE, LATER_QUEUE, URGENT_QUEUE
from workers.app.services import ProcessServices
from workers.app.tasks import SUBMIT_TASK, register_tasks
from workers.settings import Settings

pytestmark = [pytest.mark.acceptance, pytest.mark.skipif(why_not() is not None, reason=why_not() or "")]

NOOP = {"kind": "noop_graph"}
QUEUES = (JOBS_QUEUE, URGENT_QUEUE, LATER_QUEUE)


@pytest.fixture
def services(rabbitmq: RabbitMQ, servers: Servers, template: str) -> Iterator[ProcessServices]:
    with own_database(servers, template) as url:
        services = ProcessServices(Settings(database_url=url, broker_url=rabbitmq.url, newer_message_wait_s=2, owner_cap=5))
        declare_all(services)
        yield services
        with services.celery.connection_for_write() as connection:  # nobody advances these jobs, and other files use the node too
            connection.default_channel.queue_purge(queue_name(COORDINATOR))
        services.celery.close()
        services.close()


class Taking:
    """The intake of one coordinator: a thread for each lane."""

    def __init__(self, services: ProcessServices) -> None:
        self._services, self._stop = services, threading.Event()
        self._threads = [AmqpIntake(services, self._stop), AmqpIntake(services, self._stop, (URGENT_QUEUE,))]

    def __enter__(self) -> "Taking":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def until(self, true: Any, what: str) -> None:
        give_up_at = time.monotonic() + 180
        while not true():
            assert time.monotonic() < give_up_at, what
            time.sleep(0.1)

    def until_jobs(self, count: int) -> None:
        """So many jobs are there. The messages of the last may still be held, and come back when the intake ends."""
        self.until(lambda: (self._services.database.row("SELECT count(*) AS n FROM jobs") or {})["n"] >= count, f"{count} jobs")


def publish(rabbitmq: RabbitMQ, messages: list[tuple[str, dict[str, Any]]]) -> None:
    """To these queues, each message with an id of its own; all of them are there when this returns."""
    host = rabbitmq.url.split("@")[1].rstrip("/")
    with amqp.Connection(host, userid="guest", password="guest") as connection, connection.channel() as channel:  # noqa: S106
        channel.tx_select()
        for number, (queue, body) in enumerate(messages):
            sent = amqp.Message(json.dumps({"job": NOOP, **body}), delivery_mode=2, message_id=f"m{number}")
            channel.basic_publish(sent, routing_key=queue)
            if number % 500 == 499:
                channel.tx_commit()
        channel.tx_commit()


def left(rabbitmq: RabbitMQ) -> int:
    """Messages that wait in the queues; those that a consumer holds come back when it has gone."""
    host = rabbitmq.url.split("@")[1].rstrip("/")
    with amqp.Connection(host, userid="guest", password="guest") as connection, connection.channel() as channel:  # noqa: S106
        return sum(channel.queue_declare(queue, passive=True).message_count for queue in QUEUES)


def until_none_is_left(rabbitmq: RabbitMQ, services: ProcessServices) -> None:
    """What an intake held at its end is given to the next one, until nobody gives any back."""
    give_up_at = time.monotonic() + 60
    while waiting := left(rabbitmq):
        assert time.monotonic() < give_up_at, f"{waiting} messages are left"
        with Taking(services) as taking:
            taking.until(lambda: left(rabbitmq) == 0, "messages that nobody takes")


def test_a_flood_of_one_owner_keeps_neither_the_urgent_nor_others_waiting(rabbitmq: RabbitMQ, services: ProcessServices) -> None:
    """F4: the messages of a queue were taken one by one, in their order: 10 a second."""
    flood = [(JOBS_QUEUE, {"owner": "flood"})] * 3_000
    publish(rabbitmq, [*flood, (JOBS_QUEUE, {"owner": "other"}), (URGENT_QUEUE, {"owner": "urgent", "priority": 9})])

    with Taking(services) as taking:
        taking.until_jobs(3_002)

    counted = services.database.row("SELECT count(*) AS jobs, count(DISTINCT (idempotency_key, owner)) AS keys FROM jobs")
    assert counted == {"jobs": 3_002, "keys": 3_002}
    for owner, most in (("other", 1_500), ("urgent", 1_500)):
        before = services.database.row(
            "SELECT count(*) AS n FROM jobs WHERE owner = 'flood' AND id < (SELECT id FROM jobs WHERE owner = %(owner)s)", {"owner": owner}
        )
        assert before is not None
        assert before["n"] < most, f"{owner} was the last but {3_000 - before['n']}"
    until_none_is_left(rabbitmq, services)


def test_a_coordinator_that_ends_in_a_flood_leaves_each_message_to_the_next(rabbitmq: RabbitMQ, services: ProcessServices) -> None:
    """F7: what was read ahead goes back, and is one job each."""
    publish(rabbitmq, [(JOBS_QUEUE, {"owner": f"owner {number % 3}"}) for number in range(1_500)])

    with Taking(services) as taking:
        taking.until_jobs(50)
    with Taking(services) as taking:
        taking.until_jobs(1_500)
    until_none_is_left(rabbitmq, services)

    counted = services.database.row("SELECT count(*) AS jobs, count(DISTINCT idempotency_key) AS keys FROM jobs")
    assert counted == {"jobs": 1_500, "keys": 1_500}


def test_a_celery_program_may_send_its_task_to_the_queue_of_submissions(rabbitmq: RabbitMQ, services: ProcessServices) -> None:
    """F4: as docs/submitting.md says; there a flood is taken together, and keeps the coordinator's commands free."""
    jobs, urgent = Queue(JOBS_QUEUE, no_declare=True), Queue(URGENT_QUEUE, no_declare=True)

    def send(queue: Queue, **how: Any) -> None:
        services.celery.send_task(SUBMIT_TASK, args=({"job": NOOP, "owner": queue.name},), queue=queue, ignore_result=True, **how)

    for number in range(40):
        send(jobs, task_id=f"t{number}")
        send(urgent, task_id=f"t{number}")
    send(jobs, countdown=60)

    with Taking(services) as taking:
        taking.until_jobs(80)
        taking.until(lambda: services.database.statement("SELECT 1 FROM quarantine"), "the one with an eta is refused")

    rows = services.database.statement("SELECT DISTINCT idempotency_key, correlation_id FROM jobs WHERE idempotency_key LIKE '%%:t7'")
    assert rows == [{"idempotency_key": "bullpen.submit:t7", "correlation_id": "t7"}]
    assert services.database.statement("SELECT cause FROM quarantine") == [{"cause": "NotASubmission"}]


@pytest.mark.nightly
def test_a_flood_among_the_coordinators_commands_is_moved_out_of_their_way(
    rabbitmq: RabbitMQ, services: ProcessServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F4: 2,000 tasks before the commands that advance other jobs: the first of them moves the others, and nothing is lost or doubled."""
    monkeypatch.setattr(
        relay_amqp, "IDLE_S", 5.0
    )  # a busy RabbitMQ is silent for longer than 0.2 s, and here no other task goes on with it
    commands = Queue(queue_name(COORDINATOR), no_declare=True)
    register_tasks(services.celery, services, COORDINATOR)
    with services.celery.producer_pool.acquire() as producer:
        for number in range(2_000):
            body = {"job": NOOP, "owner": f"owner {number % 3}"}
            services.celery.send_task(SUBMIT_TASK, args=(body,), queue=commands, task_id=f"t{number}", producer=producer)
        for number in range(30):
            services.celery.send_task(task_name(COORDINATOR), args=({"job_id": str(number)},), queue=commands, producer=producer)
        services.celery.send_task(SUBMIT_TASK, args=({"job": NOOP},), queue=commands, countdown=600, producer=producer)
    task: Any = services.celery.tasks[SUBMIT_TASK]

    assert task.apply(args=({"job": NOOP, "owner": "first"},), task_id="first").get() == "submission_accepted"

    advancing = [headers for headers in headers_in(rabbitmq, commands.name) if headers["task"] == task_name(COORDINATOR)]
    with Taking(services) as taking:
        taking.until_jobs(2_001)
    left_behind = [headers for headers in headers_in(rabbitmq, commands.name) if headers["task"] == SUBMIT_TASK]
    counted = services.database.row("SELECT count(*) AS jobs, count(DISTINCT idempotency_key) AS keys FROM jobs")
    assert counted == {"jobs": 2_001, "keys": 2_001}
    assert len(advancing) >= 30  # and one for each job that was let in
    assert [headers["eta"] is not None for headers in left_behind] == [True]


def headers_in(rabbitmq: RabbitMQ, queue: str) -> list[dict[str, Any]]:
    """The headers of all messages of a queue, which stay there."""
    host = rabbitmq.url.split("@")[1].rstrip("/")
    found: list[dict[str, Any]] = []
    with amqp.Connection(host, userid="guest", password="guest") as connection, connection.channel() as channel:  # noqa: S106
        while (message := channel.basic_get(queue)) is not None:
            found.append(message.headers)
    return found


def test_a_submission_of_a_newer_version_waits_in_no_slot(rabbitmq: RabbitMQ, services: ProcessServices) -> None:
    """F2: sent as a task, it waits with the plain ones, and is given up when it has waited long enough."""
    register_tasks(services.celery, services, COORDINATOR)
    task: Any = services.celery.tasks[SUBMIT_TASK]

    assert task.apply(args=({"job": NOOP, "v": 2},), task_id="newer").get() == "put off"

    with Taking(services) as taking:
        taking.until(lambda: services.database.statement("SELECT 1 FROM quarantine"), "it is given up")
    assert services.database.statement("SELECT source, cause FROM quarantine") == [{"source": JOBS_QUEUE, "cause": "NewerVersion"}]
