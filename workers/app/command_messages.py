"""Commands as the messages that Celery and kombu would put into a queue of Redis, built without them.

`tests/integration/test_publishing.py` compares what arrives with what Celery itself sends.
"""

import base64
import json
import os
import socket
from typing import Any
from uuid import uuid4

from contracts.commands import AdvanceJob, RunStep
from contracts.roles import queue_name, task_name
from workers.app.queues import message_priority

Command = tuple[str, RunStep | AdvanceJob, int, str]
"""The receiver, the message, the priority of the job, and the label that Flower shows."""

_NO_CALLBACKS = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}


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
            "kwargsrepr": "", "origin": f"gen{os.getpid()}@{socket.gethostname()}", "ignore_result": True, "replaced_task_nesting": 0,
            "stamped_headers": None, "stamps": {},
        },
        "properties": {
            "correlation_id": task_id, "reply_to": "", "delivery_mode": 2, "delivery_info": {"exchange": "", "routing_key": queue},
            "priority": rank, "body_encoding": "base64", "delivery_tag": str(uuid4()),
        },
    }  # fmt: skip
