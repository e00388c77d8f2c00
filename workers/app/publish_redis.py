"""Commands as Celery's messages in Redis, built and sent at once: as `send_task` does, without its way through Celery and kombu.

Only for a worker, which batches its `task-sent` events, and without receivers of Celery's publishing signals; tracing is one.
`tests/integration/test_publishing.py` compares what arrives with what Celery itself sends.
"""

# kombu's channel and Celery's signals have no types:
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false, reportAttributeAccessIssue=false

import json
from collections.abc import Sequence
from typing import Any

from celery import Celery, signals

from contracts.roles import queue_name
from workers.app.command_messages import Command, as_message
from workers.app.redis_transport import Channel

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


def sent_event(message: dict[str, Any]) -> dict[str, Any]:
    """What Flower hears of it: `task-sent`."""
    headers, queue = message["headers"], message["properties"]["delivery_info"]["routing_key"]
    return {
        "uuid": headers["id"], "root_id": headers["id"], "parent_id": None, "name": headers["task"], "args": headers["argsrepr"],
        "kwargs": "", "retries": 0, "eta": None, "expires": None, "queue": queue, "exchange": "", "routing_key": queue,
    }  # fmt: skip
