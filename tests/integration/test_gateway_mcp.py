"""Agents use the fleet over MCP: over HTTP with a key, and over stdio."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS
from tests.support.gateway import key_for, served, working
from workers.app.services import ProcessServices
from workers.catalogue import offer_sample
from workers.kinds.diagnose.samples import sample_tickets_path
from workers.settings import Settings
from workers.tickets import import_tickets, read_tickets


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    with working(Settings(database_url=database_url, broker_url=broker_url, embeddings="none")) as made:
        yield made


@pytest.fixture
def base(services: ProcessServices) -> Iterator[str]:
    with served(ProcessServices(services.settings, slots=4)) as address:
        yield address


ROOT = Path(__file__).parents[2]
LOADED = """
import sys
from workers.app.services import ProcessServices
from workers.console.routes import all_routers
from workers.gateway.app import create_gateway
from workers.settings import load_settings
create_gateway(ProcessServices(load_settings(), slots=2), all_routers())
print([name for name in ("mcp", "httpx2", "sse_starlette") if name in sys.modules])
"""


def test_a_gateway_loads_the_library_of_mcp_only_when_it_is_asked() -> None:
    """It took 190 modules and 20 MB of every gateway, whether an agent came or not."""
    away = {**os.environ, "BULLPEN_DATABASE_URL": NOWHERE_POSTGRES, "BULLPEN_BROKER_URL": NOWHERE_REDIS}

    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, env=away, cwd=ROOT, check=True)

    assert done.stdout.strip() == "[]"


def over_http(base: str, headers: dict[str, str], do: Callable[[Client], Awaitable[Any]]) -> Any:
    async def play() -> Any:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=120) as http,
            Client(streamable_http_client(f"{base}/mcp/", http_client=http)) as client,
        ):
            return await do(client)

    return asyncio.run(play())


async def whole_job(client: Client) -> list[Any]:
    """Submit, watch to the question, answer, watch to the end."""
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert names == {
        "list_kinds", "submit_job", "list_jobs", "watch_job", "answer_question", "search_tickets", "search_catalogue"
    }  # fmt: skip
    made = (await client.call_tool("submit_job", {"kind": "noop", "request": {"plan": {"s2": {"ask": 1}}}})).structured_content
    assert made is not None
    job = {"job_id": made["job_id"]}
    asked = (await client.call_tool("watch_job", {**job, "wait_s": 30})).structured_content
    assert asked is not None
    assert (asked["waits_for_an_answer"], asked["text"]) == (True, "s2: question 1?")
    assert [(question["text"], question["choices"]) for question in asked["questions"]] == [("s2: question 1?", [])]
    assert not (await client.call_tool("answer_question", {**job, "text": "yes"})).is_error
    ended = (await client.call_tool("watch_job", {**job, "wait_s": 30})).structured_content
    assert ended is not None
    assert ended["status"] == "succeeded"
    assert "s6" in ended["text"]
    listed = (await client.call_tool("list_jobs", {})).structured_content
    return listed["found"] if listed else []


def test_an_agent_submits_watches_and_answers_over_http(base: str, services: ProcessServices) -> None:
    (job,) = over_http(base, key_for(services.database, "shop"), whole_job)
    assert (job["owner"], job["status"]) == ("shop", "succeeded")


def test_an_agent_without_a_key_is_refused_and_scopes_hold(base: str, services: ProcessServices) -> None:
    assert httpx.post(f"{base}/mcp/", json={}).status_code == 401
    assert httpx.post(f"{base}/mcp/", json={}, headers={"Authorization": "Bearer bp_x_y"}).status_code == 401

    async def submit(client: Client) -> Any:
        return await client.call_tool("submit_job", {"kind": "noop", "request": {}})

    refused = over_http(base, key_for(services.database, "shop", Scope.READ), submit)
    assert refused.is_error
    assert "does not allow submit" in refused.content[0].text

    async def wrong(client: Client) -> Any:
        return await client.call_tool("submit_job", {"kind": "noop", "request": {"text": 5}})

    assert "text" in over_http(base, key_for(services.database, "shop"), wrong).content[0].text


def test_another_owners_job_is_not_there(base: str, services: ProcessServices) -> None:
    job = over_http(base, key_for(services.database, "shop"), whole_job)[0]["id"]

    async def look(client: Client) -> Any:
        return [await client.call_tool(name, {"job_id": job, **more}) for name, more in (
            ("watch_job", {"wait_s": 0}), ("answer_question", {"text": "x"}))]  # fmt: skip

    assert all(
        answer.is_error and "no job" in answer.content[0].text for answer in over_http(base, key_for(services.database, "bank"), look)
    )


def test_an_agent_starts_it_over_stdio(services: ProcessServices) -> None:
    env = {
        **os.environ, "BULLPEN_DATABASE_URL": str(services.settings.database_url),
        "BULLPEN_BROKER_URL": str(services.settings.broker_url), "BULLPEN_EXTENSIONS": "tests.support.noop", "BULLPEN_EMBEDDINGS": "none",
    }  # fmt: skip
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "workers.cli.main", "mcp", "--owner", "ann"], env=env)

    async def play() -> Any:
        async with Client(parameters) as client:
            return await whole_job(client)

    (job,) = asyncio.run(play())
    assert job["owner"] == "ann"


def test_an_agent_finds_tickets_and_tables(base: str, services: ProcessServices, tmp_path: Path) -> None:
    import_tickets(services.database, None, read_tickets(sample_tickets_path()))
    offer_sample(services.database, tmp_path)

    async def search(client: Client) -> list[Any]:
        asked: tuple[tuple[str, dict[str, Any]], ...] = (
            ("search_tickets", {"text": "nested loop with many inner iterations", "limit": 3}),
            ("search_catalogue", {"question": "revenue by month", "source": "shop"}),
        )
        return [(await client.call_tool(name, arguments)).structured_content for name, arguments in asked]

    tickets, tables = over_http(base, key_for(services.database, "shop"), search)

    assert [hit["ticket_id"][:3] for hit in tickets["found"]] == ["PG-"] * 3
    assert any("orders" in str(hit) for hit in tables["found"])
