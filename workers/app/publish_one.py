"""One command to a Redis broker, from a program that ends then: without Celery, kombu and redis-py.

They are 150 modules and a quarter of the CPU of `bullpen submit`, to send one line. The message is the one that a worker builds
(`publish_redis.py`), and it goes into the same list. What is out of the ordinary, such as a server that
refuses it or does not answer, is left to Celery: the caller sends it that way then.
"""

import json
import socket
from bisect import bisect
from typing import Any
from urllib.parse import unquote, urlsplit

from workers.app.command_messages import Command, as_message
from workers.app.queues import PRIORITY_STEPS, list_name

TIMEOUT_S = 5.0
"""To connect, and for each answer. As long as redis-py waits for a connection here."""


def send_one(broker_url: str, command: Command) -> bool:
    """Put the command into its queue. False: this way does not lead there, or did not work. A command that arrives twice is dropped."""
    parts = urlsplit(broker_url)
    database = parts.path.strip("/") or "0"
    if parts.scheme != "redis" or not parts.hostname or parts.query or not database.isdecimal():
        return False
    message = as_message(command, broker_url)
    queue, rank = message["properties"]["delivery_info"]["routing_key"], message["properties"]["priority"]
    key = list_name(queue, PRIORITY_STEPS[bisect(PRIORITY_STEPS, rank) - 1])
    greeting = [*_auth(unquote(parts.username or ""), unquote(parts.password or "")), ("SELECT", database)]
    try:
        host = parts.hostname.encode("ascii")  # as bytes: for a text Python loads the tables of international names first
        address: Any = (host, parts.port or 6379)
        with socket.create_connection(address, TIMEOUT_S) as connection, connection.makefile("rb") as answers:
            connection.sendall(b"".join(map(_encoded, greeting)))
            if not all(answers.readline()[:1] == b"+" for _ in greeting):
                return False  # behind a refused SELECT a message would go into another database
            connection.sendall(_encoded(("LPUSH", key, json.dumps(message))))
            return answers.readline()[:1] == b":"
    except (OSError, ValueError):
        return False


def _auth(user: str, password: str) -> list[tuple[str, ...]]:
    return [("AUTH", *filter(None, (user, password)))] if password else []


def _encoded(words: tuple[str, ...]) -> bytes:
    """A command as Redis reads it: an array of strings, each with its length."""
    encoded = [word.encode() for word in words]
    return b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)
