"""Commands as Celery's messages in Redis, built and sent at once: as `send_task` does, without its way through Celery and kombu.

Only for a worker, which batches its `task-sent` events, and without receivers of Celery's publishing signals; tracing is one.
`tests/integration/test_publishing.py` compares what arrives with what Celery itself sends.
"""

# kombu's channel and Celery's signals have no types:
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false, reportAttributeAccessIssue=false

import base64
import json
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from celery import Celery, signals
from celery.utils.nodenames import anon_nodename

from contracts.commands import AdvanceJob, RunStep
from contracts.roles import queue_name, task_name
from workers.app.queues import message_priority
from workers.app.redis_transport import Channel

Command = tuple[str, RunStep | AdvanceJob, int, str]
"""The receiver, the message, the priority of the job, and the label that Flower shows."""

_NO_CALLBACKS = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
_SIGNALS: tuple[Any, ...] = (signals.before_task_publish, signals.after_task_publish, signals.task_sent)
_OF_RUNNING: tuple[Any, ...] = (
    signals.task_received, signals.task_prerun, signals.task_postrun, signals.task_success, signals.task_failure, signals.task_retry,
)  # fmt: skip


def is_overheard() -> bool:
    """Whether something in this process listens to what Celery publishes, and may change it."""
    return any(signal.receivers for signal in _SIGNALS)


def is_watched() -> bool:
    """Whether something in this process listens to tasks that Celery runs."""
    return any(signal.receivers for signal in _OF_RUNNING)


def send(app: Celery, channel: Channel, commands: Sequence[Command], events: Any) -> None:
    """Put the commands into their queues in one round trip. Raises redis' errors. `events` takes their `task-sent`."""
    broker_url = str(app.conf.broker_url)
    sent: list[dict[str, Any]] = []
    with channel.conn_or_acquire() as client:
        alone = len(commands) == 1
        pipeline: Any = client if alone else client.pipeline(transaction=False)
        for command in commands:
            message = as_message(command, broker_url)
            queue, rank = queue_name(command[0]), message["properties"]["priority"]
            pipeline.lpush(channel._q_for_pri(queue, channel._get_message_priority(_ranked(rank))), json.dumps(message))
            if events.are_wanted:
                sent.append(sent_event(message))
        if not alone:
            pipeline.execute()
    for event in sent:
        events.publish("task-sent", event, None)


def _ranked(rank: int) -> dict[str, Any]:
    return {"properties": {"priority": rank}}


def as_message(command: Command, broker_url: str) -> dict[str, Any]:
    """What kombu puts into a queue for this command."""
    role, order, priority, shown = command
    task_id, queue, rank = str(uuid4()), queue_name(role), message_priority(broker_url, priority)
    body = json.dumps([[order.to_json()], {}, _NO_CALLBACKS])
    return {
        "body": base64.b64encode(body.encode()).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {
            "lang": "py", "task": task_name(role), "id": task_id, "shadow": None, "eta": None, "expires": None, "group": None,
            "group_index": None, "retries": 0, "timelimit": [None, None], "root_id": task_id, "parent_id": None, "argsrepr": shown,
            "kwargsrepr": "", "origin": anon_nodename(), "ignore_result": True, "replaced_task_nesting": 0, "stamped_headers": None,
            "stamps": {},
        },
        "properties": {
            "correlation_id": task_id, "reply_to": "", "delivery_mode": 2, "delivery_info": {"exchange": "", "routing_key": queue},
            "priority": rank, "body_encoding": "base64", "delivery_tag": str(uuid4()),
        },
    }  # fmt: skip


def sent_event(message: dict[str, Any]) -> dict[str, Any]:
    """What Flower hears of it: `task-sent`."""
    headers, queue = message["headers"], message["properties"]["delivery_info"]["routing_key"]
    return {
        "uuid": headers["id"], "root_id": headers["id"], "parent_id": None, "name": headers["task"], "args": headers["argsrepr"],
        "kwargs": "", "retries": 0, "eta": None, "expires": None, "queue": queue, "exchange": "", "routing_key": queue,
    }  # fmt: skip
