"""A Redis that fails over behind one address while the old server lives on as a replica: behind a proxy, in Kubernetes, or managed."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest
from redis import Redis

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.events import SubmissionRefused
from contracts.roles import RoleName, queue_name
from workers.app.answers import keep_answer
from workers.app.intake_redis import RedisIntake
from workers.app.key_types import list_names
from workers.app.queues import JOBS_STREAM
from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.coordinator.advance import QueuedStep
from workers.local.valkey import EmbeddedValkey
from workers.settings import Settings

STREAM = "bullpen:replies:orders"


class Switch:
    """One address. Each new connection goes to the server that is the primary at that time; those that there are stay where they are."""

    def __init__(self, port: int) -> None:
        self.port_behind = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self.port_behind))
                threading.Thread(target=_join, args=(near, far), daemon=True).start()


def _join(near: socket.socket, far: socket.socket) -> None:
    with near, far:
        back = threading.Thread(target=_pipe, args=(far, near), daemon=True)
        back.start()
        _pipe(near, far)
        back.join()


def _pipe(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65_536):
            target.sendall(piece)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Pair:
    """Two servers with one password, and the switch in front of the first."""

    def __init__(self, old: EmbeddedValkey, new: EmbeddedValkey) -> None:
        self.password = urlsplit(old.url).password or ""
        self.old, self.new = Redis.from_url(old.url, protocol=2), Redis.from_url(new.url, protocol=2)
        self._new_port = urlsplit(new.url).port or 0
        self.new.config_set("requirepass", self.password)
        self.new = Redis(port=self._new_port, password=self.password, protocol=2)
        self.switch = Switch(urlsplit(old.url).port or 0)
        self.url = f"redis://:{self.password}@127.0.0.1:{self.switch.port}/0"

    def fail_over(self) -> None:
        self.switch.port_behind = self._new_port
        self.old.config_set("masterauth", self.password)
        self.old.execute_command("REPLICAOF", "127.0.0.1", self._new_port)

    def close(self) -> None:
        self.switch.close()
        self.old.close()
        self.new.close()


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as stack:
        old, new = (stack.enter_context(EmbeddedValkey(tmp_path / name, durable=False)) for name in ("old", "new"))
        made = Pair(old, new)
        stack.callback(made.close)
        yield made


@pytest.fixture
def services(database_url: str, pair: Pair) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=pair.url, sweep_s=0.2))
    yield made
    made.close()


def until(true: Callable[[], Any], what: str) -> None:
    give_up_at = time.monotonic() + 120
    while not true():
        assert time.monotonic() < give_up_at, what
        time.sleep(0.05)


def answers(client: "Redis") -> list[str]:
    entries: Any = client.xrange(STREAM)
    return sorted(json.loads(fields[b"body"])["correlation_id"] for _, fields in entries)


def answer(services: ProcessServices, name: str) -> None:
    keep_answer(services, f"stream:{STREAM}", SubmissionRefused(error="no", correlation_id=name))


def test_after_a_failover_answers_submissions_and_commands_go_to_the_new_primary(services: ProcessServices, pair: Pair) -> None:
    stop = threading.Event()
    senders, intake = Senders(services, stop), RedisIntake(services, stop)
    step = QueuedStep(uuid4(), UUID(int=1), "first", RoleName.ANALYST, 5)
    senders.start()
    intake.start()
    answer(services, "before")
    until(lambda: answers(pair.old) == ["before"], "the first answer")
    services.publisher.run_steps([step])

    pair.fail_over()
    answer(services, "after")
    until(lambda: answers(pair.new)[:1] == ["after"], "the answer after the failover")
    analysts = list_names(queue_name(RoleName.ANALYST))
    until(lambda: services.publisher.run_steps([step]) == 1 and any(pair.new.llen(key) for key in analysts), "a command")
    pair.new.xadd(JOBS_STREAM, {"body": json.dumps({"job": {"kind": "noop"}})})
    until(lambda: services.database.statement("SELECT 1 FROM jobs"), "a submission")

    stop.set()
    senders.join(60)
    intake.join(60)
    services.celery.close()
