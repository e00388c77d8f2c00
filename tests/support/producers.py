"""How jobs come to a fleet under faults: as rows, by the stream or an AMQP queue, by HTTP; each again until it is there."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import amqp
import httpx2 as httpx
import psycopg
from amqp.exceptions import AMQPError
from redis import Redis, RedisError

from contracts.access import Scope
from contracts.jobs import SubmitJob
from tests.support.fleet import FleetProcesses
from tests.support.gateway import bearer
from tests.support.rabbitmq import RabbitMQ
from tests.support.servers import lasting_port
from workers.app.queues import JOBS_QUEUE
from workers.coordinator.intake import accept
from workers.gateway.access.keys import create_key

STREAM = "bullpen:jobs"
GATEWAY = "gateway"
AGAIN_S = 10.0
"""A producer that has heard nothing for so long sends again, with the same key."""
ANSWER_S = 10.0
OWNERS = 7

AWAY = (OSError, RedisError, AMQPError, httpx.HTTPError, psycopg.Error)
"""The server is away, or its answer was lost."""


@dataclass(slots=True)
class Producers:
    """Producers of one fleet. Each job has a number, and always goes the same way."""

    fleet: FleetProcesses
    job: dict[str, Any]
    rabbit: RabbitMQ | None = None
    gateway_port: int | None = None
    """None: nobody submits by HTTP."""
    _waiting: dict[int, float] = field(default_factory=dict[int, float])
    """Jobs that were sent and not seen, and when."""
    _headers: dict[str, str] = field(default_factory=dict[str, str])

    def start_gateway(self) -> None:
        """Start a gateway among the fleet's processes, and submit by it from now on."""
        _, key = create_key(self.fleet.db, "chaos", scopes=[Scope.SUBMIT])
        self.gateway_port = lasting_port()
        self._headers = bearer(key)
        command = [sys.executable, "-m", "workers.cli.main", GATEWAY]
        self.fleet.run(GATEWAY, command, {"BULLPEN_GATEWAY_PORT": str(self.gateway_port)})

    @property
    def ways(self) -> list[Callable[[int], None]]:
        """Those that this fleet offers."""
        message = self._by_stream if self.rabbit is None else self._by_amqp
        return [self._as_row, message] if self.gateway_port is None else [self._as_row, message, self._by_http]

    def send(self, number: int) -> bool:
        """Bring a job. False: it was not sent, and is to be sent again."""
        try:
            self.ways[number % len(self.ways)](number)
        except AWAY:
            return False
        self._waiting[number] = time.monotonic()
        return True

    def send_again(self) -> None:
        """Bring again what has not been seen for a while."""
        if not self._waiting:
            return
        keys = {_key(number): number for number in self._waiting}
        there = self.fleet.db.statement(
            "SELECT idempotency_key AS key FROM jobs WHERE idempotency_key = ANY (%(keys)s)", {"keys": list(keys)}
        )
        for row in there:
            del self._waiting[keys[row["key"]]]
        for number, sent_at in list(self._waiting.items()):
            if time.monotonic() - sent_at > AGAIN_S and not self.send(number):
                return

    def _body(self, number: int) -> dict[str, Any]:
        return {"job": self.job, "idempotency_key": _key(number), "owner": f"owner-{number % OWNERS}"}

    def _as_row(self, number: int) -> None:
        accept(self.fleet.db, SubmitJob.model_validate(self._body(number)), owner_cap=100)

    def _by_stream(self, number: int) -> None:
        url = self.fleet.settings.broker_url or ""
        with Redis.from_url(url, socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S) as redis:
            redis.xadd(STREAM, {"body": json.dumps(self._body(number))})

    def _by_amqp(self, number: int) -> None:
        assert self.rabbit is not None
        host = self.rabbit.url.split("@")[1].rstrip("/")
        sent = amqp.Message(json.dumps(self._body(number)), delivery_mode=2, message_id=_key(number))
        with (
            amqp.Connection(host, userid="guest", password="guest", connect_timeout=ANSWER_S) as connection,  # noqa: S106
            connection.channel() as channel,
        ):
            channel.tx_select()
            channel.basic_publish(sent, routing_key=JOBS_QUEUE)
            channel.tx_commit()

    def _by_http(self, number: int) -> None:
        body = {name: value for name, value in self._body(number).items() if name != "owner"}
        url = f"http://127.0.0.1:{self.gateway_port}/v1/jobs"
        httpx.post(url, json=body, headers=self._headers, timeout=ANSWER_S).raise_for_status()


def _key(number: int) -> str:
    return f"chaos-{number}"
