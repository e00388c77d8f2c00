"""Submissions that Celery programs queue on Redis: out of the way of the coordinator's own commands, and taken as any other."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.roles import COORDINATOR
from workers.app.intake_redis import RedisIntake
from workers.app.queues import JOBS_STREAM
from workers.app.relay import FEW, LISTS, move_submissions
from workers.app.services import ProcessServices
from workers.app.tasks import SUBMIT_TASK, register_tasks
from workers.settings import Settings

QUEUE = "bullpen.coordinator"
NOOP = {"kind": "noop_graph"}


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    services = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, newer_message_wait_s=600))
    yield services
    services.celery.close()
    services.close()


def submit(services: ProcessServices, body: Any, task_id: str | None = None, **how: Any) -> None:
    """As a Celery program does."""
    services.celery.send_task(SUBMIT_TASK, args=(body,), queue=QUEUE, task_id=task_id, ignore_result=True, **how)


def taken(services: ProcessServices) -> None:
    """Until the stream holds no more than it should."""
    stop = threading.Event()
    intake = RedisIntake(services, stop)
    intake.start()
    give_up_at = time.monotonic() + 120
    while services.redis.xlen(JOBS_STREAM):
        assert time.monotonic() < give_up_at, "the stream is taken"
        time.sleep(0.05)
    stop.set()
    intake.join(60)


def listed(services: ProcessServices) -> list[str]:
    """The tasks that wait in the lists, the next one first."""
    items: Any = [item for name in LISTS for item in reversed(services.redis.lrange(name, 0, -1))]  # pyright: ignore[reportArgumentType]
    return [json.loads(item)["headers"]["argsrepr"] for item in items]


def test_a_flood_of_celery_submissions_leaves_the_coordinator_s_commands_where_they_are(services: ProcessServices) -> None:
    """F4: 50,000 tasks of one owner kept every command behind them, each task in a slot of its own."""
    commands = [f"({{'command': {number}}},)" for number in range(5)]
    for number in range(60):
        submit(services, {"job": NOOP, "owner": "flood"}, f"flood {number}")
        if number % 15 == 0:
            services.celery.send_task(QUEUE, args=({"command": number // 15},), queue=QUEUE, ignore_result=True)
    submit(services, {"job": NOOP, "owner": "urgent", "priority": 9}, "urgent")
    submit(services, {"job": NOOP, "owner": "low"}, "low", priority=9)
    services.celery.send_task(QUEUE, args=({"command": 4},), queue=QUEUE, ignore_result=True)

    moved = move_submissions(services.redis, message_bytes=services.settings.message_bytes)

    assert moved == 61, "the list of another priority is short"
    assert listed(services)[:5] == commands
    taken(services)
    rows = services.database.statement("SELECT owner, count(*) AS jobs FROM jobs GROUP BY 1 ORDER BY 1")
    assert rows == [{"owner": "flood", "jobs": 60}, {"owner": "urgent", "jobs": 1}]
    urgent = services.database.row("SELECT priority, idempotency_key, correlation_id FROM jobs WHERE owner = 'urgent'")
    assert urgent == {"priority": 9, "idempotency_key": "bullpen.submit:urgent", "correlation_id": "urgent"}


def test_a_few_submissions_are_left_to_celery_and_so_is_what_only_celery_can_do(services: ProcessServices) -> None:
    """Later, or not any more after a time: these wait in Celery."""
    for number in range(FEW):
        submit(services, {"job": NOOP}, str(number))
    assert move_submissions(services.redis, message_bytes=services.settings.message_bytes) == 0

    submit(services, {"job": NOOP}, countdown=600)
    submit(services, {"job": NOOP}, expires=600)
    submit(services, {"job": {**NOOP, "text": '"task": "bullpen.submit" "eta": null'}, "large": "x" * (3 << 20)})

    assert move_submissions(services.redis, message_bytes=services.settings.message_bytes) == FEW
    assert services.redis.llen(QUEUE) == 3


def test_a_message_that_is_moved_twice_is_one_job(services: ProcessServices) -> None:
    """F7: Redis fails in the middle of the move; what was added is not removed."""
    for number in range(FEW + 1):
        submit(services, {"job": NOOP, "owner": "twice"}, str(number))
    items: Any = services.redis.lrange(QUEUE, 0, -1)
    move_submissions(services.redis, message_bytes=services.settings.message_bytes)
    services.redis.rpush(QUEUE, *items)
    move_submissions(services.redis, message_bytes=services.settings.message_bytes)

    taken(services)

    assert services.database.row("SELECT count(*) AS n FROM jobs") == {"n": FEW + 1}


def test_a_stream_that_cannot_be_written_loses_nothing(services: ProcessServices) -> None:
    services.redis.set(JOBS_STREAM, "not a stream")
    for number in range(FEW + 1):
        submit(services, {"job": NOOP}, str(number))

    assert move_submissions(services.redis, message_bytes=services.settings.message_bytes) == 0

    assert services.redis.llen(QUEUE) == FEW + 1


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"headers": {"task": "bullpen.other"}}, "NotASubmission"),
        ({"headers": {"task": "bullpen.submit", "compression": "zlib"}}, "CompressedMessage"),
        ({"headers": {"task": "bullpen.submit", "eta": "2030-01-01"}}, "NotASubmission"),
        ({"headers": []}, "NotASubmission"),
        ({"body": "%%%"}, "NotJson"),
        ({"body": "W10="}, "NotASubmission"),
        ({"body": "eyI="}, "NotJson"),
        ({"body": 7}, "NotASubmission"),
        ({"properties": None}, "NotASubmission"),
    ],
)
def test_what_is_no_submission_goes_to_quarantine(services: ProcessServices, change: dict[str, Any], cause: str) -> None:
    """F2: an outsider who writes into the stream what the fleet writes there."""
    submit(services, {"job": NOOP}, "good")
    envelope: Any = json.loads(services.redis.lindex(QUEUE, 0) or b"")  # pyright: ignore[reportArgumentType]
    services.redis.xadd(JOBS_STREAM, {"task": json.dumps({**envelope, **change})})
    services.redis.xadd(JOBS_STREAM, {"task": json.dumps(envelope)})

    taken(services)

    assert services.database.statement("SELECT source, cause FROM quarantine") == [{"source": SUBMIT_TASK, "cause": cause}]
    assert services.database.statement("SELECT idempotency_key FROM jobs") == [{"idempotency_key": "bullpen.submit:good"}]


def test_a_submission_of_a_newer_version_waits_in_the_stream_and_in_no_slot(services: ProcessServices) -> None:
    """F2: each held a slot of the coordinator for a second, again and again."""
    register_tasks(services.celery, services, COORDINATOR)
    task: Any = services.celery.tasks[SUBMIT_TASK]

    for number in range(3):
        done = task.apply(args=({"job": NOOP, "v": 2},), task_id=f"newer {number}")
        assert done.get() == "put off"

    waiting: Any = services.redis.xrange(JOBS_STREAM)
    assert [fields[b"task_id"] for _, fields in waiting] == [b"newer 0", b"newer 1", b"newer 2"]
    older = ProcessServices(services.settings.model_copy(update={"newer_message_wait_s": 0.01}))
    taken(older)
    older.close()
    rows = services.database.statement("SELECT source, cause FROM quarantine")
    assert rows == [{"source": SUBMIT_TASK, "cause": "NewerVersion"}] * 3
