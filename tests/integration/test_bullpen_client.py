"""`bullpen_client`: each address of the gateway has a method; jobs from beginning to end, synchronous and asynchronous; errors; streams."""

import asyncio
import inspect
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI

import tests.support.noop  # noqa: F401  registers its kinds
from bullpen_client import (
    AsyncClient,
    Client,
    Conflict,
    Event,
    InvalidRequest,
    NotAllowed,
    NotFound,
    NotSignedIn,
    TooManyRequests,
    Unreachable,
)
from bullpen_client.call import Call
from bullpen_client.calls import fleet as fleet_calls
from bullpen_client.calls import jobs as job_calls
from bullpen_client.calls import knowledge as knowledge_calls
from bullpen_client.errors import GatewayFailed, Unavailable, error_of
from contracts.access import Scope
from tests.support.gateway import kept_port, routes_of, served, working
from workers.app.services import ProcessServices
from workers.gateway.access.keys import create_key
from workers.gateway.app import create_gateway
from workers.settings import Settings

OF_OTHER_CLIENTS = ("/v1/chat", "/v1/models", "/v1/openapi.json", "/healthz", "/mcp")
STREAMED = {("GET", "/v1/jobs/{}/events"), ("POST", "/v1/bundles"), ("POST", "/v1/catalogue/files"), ("POST", "/v1/history/import")}
"""Methods of the clients themselves: `events`, `upload`, `import_catalogue`, `import_ticket_file`."""


@pytest.fixture
def settings(database_url: str, broker_url: str, tmp_path: Path) -> Settings:
    return Settings(database_url=database_url, broker_url=broker_url, embeddings="none", home=tmp_path, bundle_bytes=1_000_000)


@pytest.fixture
def url(settings: Settings) -> Iterator[str]:
    with working(settings), served(ProcessServices(settings, slots=4)) as address:
        yield address


@pytest.fixture
def key(settings: Settings) -> Iterator[str]:
    services = ProcessServices(settings, slots=1)
    yield create_key(services.database, "shop", scopes=[Scope.ADMIN])[1]
    services.close()


def calls_of(module: ModuleType) -> Iterator[tuple[str, Call[Any]]]:
    """Every call of a module, made with a stand-in for each argument."""
    for name, make in inspect.getmembers(module, inspect.isfunction):
        if name.startswith("_") or make.__module__ != module.__name__:
            continue
        needed = [item for item in inspect.signature(make).parameters.values() if item.default is inspect.Parameter.empty]
        plain: dict[str, Any] = {"start": None, "end": None, "older_than_s": 1.0, "things": ["job"]}
        values = {item.name: plain.get(item.name, {} if "Mapping" in str(item.annotation) else "{x}") for item in needed}
        yield name, make(**values)


def test_each_address_has_a_method() -> None:
    app: FastAPI = create_gateway(ProcessServices(Settings(database_url="postgresql://nowhere/x", broker_url="redis://nowhere")))
    routes = {
        (route.method, re.sub(r"{[^}]+}", "{}", route.path)) for route in routes_of(app) if not route.path.startswith(OF_OTHER_CLIENTS)
    }
    calls = [call for module in (job_calls, fleet_calls, knowledge_calls) for _, call in calls_of(module)]
    called = {(call.method, call.path.replace("%7Bx%7D", "{}")) for call in [*calls, job_calls.deliverable("{x}", "{x}", version=1)]}
    called = {(method, re.sub(r"/1$", "/{}", place)) for method, place in called}

    assert called | STREAMED == {route for route in routes if route[0] != "HEAD"}


def test_both_clients_have_the_same_methods() -> None:
    for module in (job_calls, fleet_calls, knowledge_calls):
        for name, _ in calls_of(module):
            assert name in ("health", "file", "rows") or (hasattr(Client, name) and hasattr(AsyncClient, name)), name
    own = {name for name in vars(Client) if not name.startswith("_")} - {"close"}
    assert own == {name for name in vars(AsyncClient) if not name.startswith("_")} - {"aclose"}


def test_a_job_from_its_submission_to_its_result(url: str, key: str, tmp_path: Path) -> None:
    with Client(url, key) as fleet:
        made = fleet.submit({"kind": "noop", "text": "hello", "plan": {"s2": {"ask": 1}}}, idempotency_key="once")
        assert fleet.submit({"kind": "noop", "text": "hello", "plan": {"s2": {"ask": 1}}}, idempotency_key="once").existing
        asked = list(fleet.events(made.job_id, until="question"))
        question = fleet.job(made.job_id).open_questions[0]
        fleet.answer(made.job_id, "yes", request_id=question.request_id)
        rest = list(fleet.events(made.job_id, after=asked[-2].rev or 0))
        job = fleet.job(made.job_id)

        assert (question.form.text, question.asker, asked[-1].kind, asked[-1].data["status"]) == (
            "s2: question 1?",
            "s2",
            "end",
            "waiting_human",
        )
        assert [event.rev for event in (*asked[:-1], *rest[:-1])] == list(range(1, job.rev + 1))
        assert (job.status, job.is_finished, fleet.result(made.job_id).stage) == ("succeeded", True, "s6")
        assert "s6" in fleet.report(made.job_id)
        assert list(fleet.events(made.job_id, after=job.rev)) == []
        assert [line.id for line in fleet.jobs(kind="noop", text="hello").jobs] == [made.job_id]
        assert fleet.why(made.job_id).waits == ()
        file = tmp_path / "a b.sql"
        file.write_text("SELECT 1")
        bundle = fleet.upload(file)
        tune = fleet.submit({"kind": "tune", "bundle": bundle.ref})
        fleet.download(tune.job_id, "a b.sql", tmp_path / "back.sql")
        assert (tmp_path / "back.sql").read_text() == "SELECT 1"


def test_the_same_without_blocking(url: str, key: str, tmp_path: Path) -> None:
    async def play() -> tuple[list[Event], str]:
        async with AsyncClient(url, key) as fleet:
            jobs = [await fleet.submit({"kind": "noop", "text": str(number)}) for number in range(3)]
            streams = await asyncio.gather(*(_all(fleet, made.job_id) for made in jobs))
            (tmp_path / "x").mkdir()
            (tmp_path / "x" / "a.sql").write_text("SELECT 1")
            assert [file.name for file in (await fleet.upload(tmp_path / "x")).files] == ["a.sql"]
            return [event for stream in streams for event in stream], (await fleet.me()).owner

    async def _all(fleet: AsyncClient, job_id: Any) -> list[Event]:
        return [event async for event in fleet.events(job_id)]

    events, owner = asyncio.run(play())

    assert [event.data["status"] for event in events if event.kind == "end"] == ["succeeded"] * 3
    assert owner == "shop"


def test_a_stream_goes_on_over_a_restart_of_the_gateway(settings: Settings, key: str) -> None:
    seen: list[Event] = []
    lost: list[Unavailable] = []
    has_begun, is_away = threading.Event(), threading.Event()

    def read(url: str, job_id: UUID) -> None:
        with Client(url, key) as reader:
            for event in reader.events(job_id, on_lost=lambda error: (lost.append(error), is_away.set())):
                seen.append(event)
                has_begun.set()

    with kept_port() as port:
        with served(ProcessServices(settings, slots=4), port) as url, Client(url, key) as fleet:
            job = fleet.submit({"kind": "noop"})
            thread = threading.Thread(target=read, args=(url, job.job_id), daemon=True)
            thread.start()
            assert has_begun.wait(120)
        assert is_away.wait(120)
        with served(ProcessServices(settings, slots=4), port), working(settings):
            thread.join(120)

    assert not thread.is_alive()
    assert [event.rev for event in seen[:-1]] == list(range(1, len(seen)))
    assert seen[-1].data["status"] == "succeeded"
    assert len(lost) == 1


def test_errors_say_what_to_do(url: str, key: str, settings: Settings, tmp_path: Path) -> None:
    services = ProcessServices(settings, slots=1)
    reading = create_key(services.database, "shop", scopes=[Scope.READ], per_minute=2)[1]
    services.close()
    with Client(url, key) as fleet:
        with pytest.raises(NotFound, match="There is no job") as missing:
            fleet.job(uuid4())
        with pytest.raises(InvalidRequest, match="description"):
            fleet.submit({"kind": "diagnose"})
        fleet.submit({"kind": "noop"}, idempotency_key="k")
        with pytest.raises(Conflict) as other:
            fleet.submit({"kind": "noop", "text": "other"}, idempotency_key="k")
        large = tmp_path / "large.bin"
        large.write_bytes(b"x" * 2_000_000)
        with pytest.raises(InvalidRequest, match="larger than 977 KiB"):
            fleet.upload(large)
        with pytest.raises(FileNotFoundError):
            fleet.upload(tmp_path / "nothing")
    with Client(url, "bp_no_key") as fleet, pytest.raises(NotSignedIn):
        fleet.jobs()
    with Client(url, reading) as fleet:
        with pytest.raises(NotAllowed, match="submit"):
            fleet.submit({"kind": "noop"})
        fleet.jobs()
        with pytest.raises(TooManyRequests) as often:
            fleet.jobs()
    with Client("http://127.0.0.1:1", key) as fleet, pytest.raises(Unreachable, match="does not answer"):
        fleet.jobs()

    assert (missing.value.status, missing.value.name, other.value.name) == (404, "NotFound", "IdempotencyConflict")
    assert often.value.retry_after_s
    assert key not in repr(fleet)


def test_an_answer_that_is_no_problem_document_is_an_error_all_the_same() -> None:
    proxy = error_of(502, b"<html>  <h1>Bad\n gateway</h1>", None)

    assert isinstance(proxy, Unavailable)
    assert str(proxy) == "<html> <h1>Bad gateway</h1>"
    assert isinstance(error_of(500, b"[]", None), GatewayFailed)
    assert error_of(503, b"{}", "7").retry_after_s == 7.0


def test_a_value_never_leads_to_another_address() -> None:
    assert job_calls.deliverable("x", "../../keys").path == "/v1/jobs/x/deliverables/..%2F..%2Fkeys"
    assert knowledge_calls.ticket("a/b?c#d").path == "/v1/tickets/a%2Fb%3Fc%23d"
    with pytest.raises(ValueError, match="begins with http"):
        Client("file:///etc/passwd")
