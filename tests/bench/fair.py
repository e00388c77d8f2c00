"""Fair intake: how soon the jobs of others start while one owner has 50,000 waiting. `python -m tests.bench.fair [--waiting N]`.

The flood and the others come by the stream, as rows (as `bullpen submit` writes them), as tasks of a Celery program, or by AMQP, where
the urgent go to the queue for them. Each way has a fleet of its own: a coordinator and two roles. A job has started when a worker has
claimed its first step.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import amqp
from redis import Redis

from contracts.jobs import SubmitJob
from contracts.roles import COORDINATOR, queue_name
from tests.acceptance.conftest import own_database, running_fleet
from tests.conftest import make_template
from tests.support.fleet import FleetProcesses
from tests.support.rabbitmq import RabbitMQ, why_not
from tests.support.relay import ROLES
from tests.support.servers import Servers
from workers.app.celery_submissions import SUBMIT_TASK
from workers.app.queues import JOBS_QUEUE, JOBS_STREAM, URGENT_QUEUE
from workers.coordinator.intake import accept, prepare
from workers.coordinator.intake_batch import accept_many

RELAY = {"kind": "relay", "plan": {"first": {"sleep_s": 0.02}}}
BATCH = 500
PATIENCE_S = 600.0
STARTED = "SELECT j.owner FROM jobs j JOIN steps s ON s.job_id = j.id WHERE j.owner LIKE 'other%%' AND s.started_at IS NOT NULL GROUP BY 1"

Submit = Callable[[FleetProcesses, list[SubmitJob]], None]


def by_stream(fleet: FleetProcesses, jobs: list[SubmitJob]) -> None:
    """Plain JSON on the stream."""
    with Redis.from_url(fleet.settings.broker_url or "") as client:
        for start in range(0, len(jobs), BATCH):
            pipe = client.pipeline(transaction=False)
            for job in jobs[start : start + BATCH]:
                pipe.xadd(JOBS_STREAM, {"body": job.model_dump_json(exclude_defaults=True)})
            pipe.execute()


def as_rows(fleet: FleetProcesses, jobs: list[SubmitJob]) -> None:
    """Rows, as the command line writes them."""
    if len(jobs) == 1:
        taken = accept(fleet.db, jobs[0], owner_cap=fleet.settings.owner_cap)
        fleet.services.publisher.advance(taken.job_id, jobs[0].priority)
        return
    for start in range(0, len(jobs), BATCH):
        made = accept_many(fleet.db, [prepare(job) for job in jobs[start : start + BATCH]], owner_cap=fleet.settings.owner_cap)
        admitted: list[tuple[UUID, int]] = [(job_id, 5) for job_id, may_run in made.items() if may_run]
        fleet.services.publisher.advance_many(admitted)


def as_tasks(fleet: FleetProcesses, jobs: list[SubmitJob]) -> None:
    """Messages of the task `bullpen.submit`, as Celery writes them to Redis."""
    producer: Any = fleet.services.celery.producer_pool
    create: Any = fleet.services.celery.amqp
    for start in range(0, len(jobs), BATCH):
        with producer.acquire(block=True) as sender, sender.batch():
            for job in jobs[start : start + BATCH]:
                body = job.model_dump(mode="json", exclude_defaults=True)
                message = create.create_task_message(str(uuid4()), SUBMIT_TASK, args=(body,), ignore_result=True)
                create.send_task_message(sender, SUBMIT_TASK, message, queue=queue_name(COORDINATOR), declare=[])


def by_amqp(fleet: FleetProcesses, jobs: list[SubmitJob]) -> None:
    """Plain JSON; what is urgent to the queue for it."""
    host = (fleet.settings.broker_url or "").split("@")[1].rstrip("/")
    with amqp.Connection(host, userid="guest", password="guest") as connection, connection.channel() as channel:  # noqa: S106
        channel.tx_select()
        for start in range(0, len(jobs), BATCH):
            for job in jobs[start : start + BATCH]:
                body = job.model_dump_json(exclude_defaults=True)
                sent = amqp.Message(body, delivery_mode=2, message_id=str(uuid4()))
                channel.basic_publish(sent, routing_key=URGENT_QUEUE if job.priority >= URGENT else JOBS_QUEUE)
            channel.tx_commit()


URGENT = 7
WAYS: dict[str, Submit] = {"stream": by_stream, "rows": as_rows, "task": as_tasks, "amqp": by_amqp}
PAIRS = (
    ("stream", "stream"), ("stream", "rows"), ("rows", "stream"), ("rows", "rows"), ("task", "task"), ("task", "stream"),
    ("stream", "task"), ("amqp", "amqp"), ("amqp", "rows"), ("rows", "amqp"),
)  # fmt: skip


def measure(fleet: FleetProcesses, flood: Submit, others: Submit, waiting: int) -> dict[str, Any]:
    """Submit the flood, and at once a job of priority 9 and one of priority 5 of two others."""
    began = time.monotonic()
    flood(fleet, [SubmitJob(job=RELAY, owner="flood") for _ in range(waiting)])
    flooded_s, sent = time.monotonic() - began, time.monotonic()
    others(fleet, [SubmitJob(job=RELAY, owner="other 9", priority=9)])
    others(fleet, [SubmitJob(job=RELAY, owner="other 5", priority=5)])
    seen: dict[str, float] = {}
    while len(seen) < 2 and time.monotonic() - sent < PATIENCE_S:
        for row in fleet.db.statement(STARTED):
            seen.setdefault(row["owner"], round(time.monotonic() - sent, 2))
        time.sleep(0.05)
    jobs = fleet.db.row("SELECT count(*) AS n FROM jobs") or {"n": 0}
    elapsed_s = time.monotonic() - began
    return {
        "flood_sent_s": round(flooded_s, 2),
        "priority_9_started_s": seen.get("other 9"),
        "priority_5_started_s": seen.get("other 5"),
        "accepted_by_then": jobs["n"],
        "accepted_a_second": round(jobs["n"] / elapsed_s),
    }


def main() -> None:
    """Measure each way and print a line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waiting", type=int, default=50_000)
    parser.add_argument("--only", help="a part of a pair, such as amqp or task-stream")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bullpen-fair-"))
        servers = stack.enter_context(Servers(Path(folder, "servers")))
        template = make_template(servers)
        for flood, others in PAIRS:
            if given.only and given.only not in f"{flood}-{others}":
                continue
            by_rabbit = "amqp" in (flood, others)
            if by_rabbit and (reason := why_not()):
                print(f"{flood}-{others} not run: {reason}")
                continue
            servers.flush_broker()
            with ExitStack() as pair:
                # A RabbitMQ of its own: what is left of the flood before would wait in front of this pair's jobs.
                rabbit = pair.enter_context(RabbitMQ(Path(folder, f"rabbitmq-{flood}-{others}"))) if by_rabbit else None
                url = pair.enter_context(own_database(servers, template))
                broker = rabbit.url if rabbit else servers.valkey.url
                fleet = pair.enter_context(running_fleet(Path(folder, f"{flood}-{others}"), url, broker))
                fleet.start(COORDINATOR, *ROLES)
                found = measure(fleet, WAYS[flood], WAYS[others], given.waiting)
            print(json.dumps({"flood": flood, "others": others, "waiting": given.waiting, **found}), flush=True)


if __name__ == "__main__":
    main()
