"""Live events over real sockets: an idle stream says that it is still there, and a client that takes nothing is bounded and dropped."""

import contextlib
import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.jobs import SubmitJob
from tests.support.gateway import key_for, served
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.coordinator.actions import answer
from workers.coordinator.intake import accept
from workers.gateway import serving
from workers.gateway import stream as streams
from workers.gateway.routes import events

BIG = 100_000
"""Bytes of each event that a slow client leaves lying: all of them are more than the kernel and the server buffer for one connection."""
MANY = 120


@pytest.fixture
def base(services: ProcessServices) -> Iterator[str]:
    with served(ProcessServices(services.settings, slots=4)) as address:
        yield address


def asking_job(services: ProcessServices) -> UUID:
    """A job that waits for an answer: nothing happens to it by itself."""
    job = accept(services.database, SubmitJob(job={"kind": "noop", "plan": {"s1": {"ask": 1}}}, owner="shop"), owner_cap=10).job_id
    run_all(services)
    return job


def connected(base: str, job: UUID, headers: dict[str, str], *, buffer: int | None = None) -> socket.socket:
    """A stream that nobody reads yet. `buffer`: of the client, in bytes."""
    parts = urlsplit(base)
    client = socket.socket()
    if buffer is not None:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    client.settimeout(120)
    client.connect((parts.hostname, parts.port))
    lines = [f"GET /v1/jobs/{job}/events HTTP/1.1", "Host: x", *(f"{name}: {value}" for name, value in headers.items())]
    client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    return client


def wait_until(done: Callable[[], Any], what: str) -> None:
    give_up_at = time.monotonic() + 120
    while not done():
        assert time.monotonic() < give_up_at, what
        time.sleep(0.02)


def write_events(db: Database, job: UUID, count: int) -> None:
    """Events of a job, as large as those of a model's long answers."""
    with db.session() as connection:
        for _ in range(count):
            connection.execute(
                "WITH j AS (UPDATE jobs SET rev = rev + 1 WHERE id = %(id)s RETURNING id, rev) "
                "INSERT INTO events (job_id, rev, kind, detail) "
                "SELECT id, rev, 'step_succeeded', jsonb_build_object('summary', repeat('x', %(bytes)s)) FROM j",
                {"id": job, "bytes": BIG},
            )


def followed(base: str, job: UUID, headers: dict[str, str], last: int) -> list[int]:
    """The ids of a reader that reads up to one. Where the machine is too busy for so short a limit it is dropped too, and resumes."""
    seen = [0]
    while seen[-1] < last:
        resumed, data = {**headers, "Last-Event-ID": str(seen[-1])}, b""
        with (
            contextlib.suppress(httpx.RemoteProtocolError),
            httpx.stream("GET", f"{base}/v1/jobs/{job}/events", headers=resumed, timeout=120) as response,
        ):
            for piece in response.iter_bytes():
                data += piece
                if data.endswith(b"\n\n") and last in ids_in(data):
                    break
        seen += ids_in(data)
    return seen[1:]


def ids_in(data: bytes) -> list[int]:
    """The ids of whole events."""
    whole = data.rpartition(b"\n\n")[0]
    return [int(line[4:]) for line in whole.split(b"\n") if line.startswith(b"id: ")]


def test_an_idle_stream_says_that_it_is_still_there_and_then_what_happens(
    services: ProcessServices, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proxies close a connection that says nothing for a minute."""
    assert events.HEARTBEAT_S <= 15
    monkeypatch.setattr(events, "HEARTBEAT_S", 0.1)
    job = asking_job(services)
    with connected(base, job, key_for(services.database, "shop")) as client, client.makefile("rb") as lines:
        beats = 0
        while beats < 3:
            line = next(lines)
            beats += line.startswith(b": still here")
        answer(services.database, job, "yes")
        kinds: list[str] = []
        while "question_answered" not in kinds:
            line = next(lines)
            kinds += [json.loads(line[6:])["kind"]] if line.startswith(b"data: ") else []


def test_a_client_that_takes_nothing_is_dropped_with_all_that_waits_for_it_and_others_go_on(
    services: ProcessServices, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped: list[str] = []
    monkeypatch.setattr(streams, "SLOW_S", 0.5)
    monkeypatch.setattr(streams.log, "warning", lambda event, **_: dropped.append(event))
    headers = key_for(services.database, "shop")
    job = asking_job(services)
    write_events(services.database, job, MANY)
    last = services.database.row("SELECT rev FROM jobs WHERE id = %(id)s", {"id": job})
    assert last is not None

    with connected(base, job, headers, buffer=4_096) as slow:
        quick = followed(base, job, headers, last["rev"])
        wait_until(lambda: "stream_too_slow" in dropped, "the slow one is given up")
        taken = b""
        while piece := _received(slow):
            taken += piece
    seen = ids_in(taken)

    assert quick == list(range(1, last["rev"] + 1))
    assert len(taken) < MANY * BIG, "what waited for it was not kept"
    assert seen == list(range(1, len(seen) + 1))
    with httpx.stream("GET", f"{base}/v1/jobs/{job}/events", headers={**headers, "Last-Event-ID": str(len(seen))}, timeout=120) as response:
        following = next(int(line[4:]) for line in response.iter_lines() if line.startswith("id: "))
    assert following == len(seen) + 1  # it may come back, and has lost nothing


def _received(client: socket.socket) -> bytes:
    try:
        return client.recv(1 << 20)
    except ConnectionResetError:
        return b""


def test_a_connection_waits_for_its_next_request_longer_than_proxies_keep_theirs(base: str, services: ProcessServices) -> None:
    """Who closes first must be the one that sends: a request that meets a connection just being closed has failed."""
    server = serving.server_of(object(), "127.0.0.1", 1)  # pyright: ignore[reportArgumentType] it is not started
    assert server.config.timeout_keep_alive > 60
