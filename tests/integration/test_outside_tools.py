"""Tools of other libraries and servers, and the query tool, under the same keys."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.tools import StructuredTool
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from contracts.base import Json
from contracts.pointers import AnyPointer, ServicePointer, SourcePointer
from contracts.sources import Source, SourceKind, SourcePolicy
from contracts.tools import CallOutcome, Effect
from tests.support.calls import UnloggedCalls
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.errors import ToolsUnavailable
from workers.settings import Settings
from workers.sources import add_source, list_executions, set_policy
from workers.tools import Toolbox, ToolContext, register_tool, retrying
from workers.tools.langchain_tools import from_langchain
from workers.tools.mcp_tools import register_mcp_server
from workers.tools.registry import standing_pointers


def box(pointers: list[AnyPointer], *allowed: str, services: Any = None, owner: str = "ada") -> Toolbox:
    context = ToolContext(owner=owner, services=services, job_id=uuid4(), step_id=uuid4())
    calls: Any = UnloggedCalls()
    return Toolbox(lambda: pointers, allowed=allowed, context=context, calls=calls)


def service(*keys: str) -> ServicePointer:
    return ServicePointer(place="outside", line="a service", score=1.0, keys=keys)


class Adding(BaseModel):
    left: int = Field(ge=0)
    right: int


def add(left: int, right: int) -> Json:
    return {"sum": left + right, "pointers": [service("test.add", "query_source").to_json()]}


def test_a_langchain_tool_works_under_our_keys() -> None:
    tool = StructuredTool.from_function(add, name="test_add", description="Adds.", args_schema=Adding)
    register_tool("test_add", from_langchain(tool, effect=Effect.NONE))

    tools = box([service("test_add")], "test_add", "query_source")
    good, wrong = tools.call("test_add", {"left": 1, "right": 2}), tools.call("test_add", {"left": -1})

    assert good.result is not None
    assert good.result["content"]["sum"] == 3
    assert wrong.outcome is CallOutcome.INVALID
    assert "left" in tools.offers()[0].arguments["properties"]
    assert box([service("test_add")]).call("test_add", {"left": 1, "right": 2}).outcome is CallOutcome.REFUSED


def test_what_an_outside_tool_returns_gives_no_key() -> None:
    tool = StructuredTool.from_function(add, name="test_add_two", description="Adds.", args_schema=Adding)
    register_tool("test_add_two", from_langchain(tool, effect=Effect.NONE))
    tools = box([service("test_add_two")], "test_add_two", "query_source")

    tools.call("test_add_two", {"left": 1, "right": 2})

    assert set(tools.grants.tools) == {"test_add_two"}


def weather_server() -> MCPServer:
    server = MCPServer("weather")

    class Weather(BaseModel):
        city: str
        degrees: float

    @server.tool()
    def weather(city: str) -> Weather:
        """The weather of a city."""
        if city == "Atlantis":
            raise ToolError("no such city")
        return Weather(city=city, degrees=11.5)

    @server.tool()
    def flood(city: str) -> str:
        """Floods a city."""
        return "done"

    return server


def test_the_named_tools_of_an_mcp_server_work_under_our_keys() -> None:
    register_mcp_server("meteo", weather_server(), {"weather": Effect.READ}, owners=("ada",))
    services: Any = SimpleNamespace(database=_NoSources())
    held = standing_pointers(services, "ada")

    tools = box(held, "meteo.weather", "meteo.flood")

    assert [offer.name for offer in tools.offers()] == ["meteo.weather"]
    assert tools.offers()[0].description == "The weather of a city."
    assert tools.call("meteo.weather", {"city": "Bern"}).result == {"content": {"city": "Bern", "degrees": 11.5}, "error": None}
    lost = tools.call("meteo.weather", {"city": "Atlantis"}).result
    assert lost is not None
    assert "no such city" in lost["error"]
    assert tools.call("meteo.flood", {"city": "Bern"}).outcome is CallOutcome.REFUSED
    assert any(pointer.place == "meteo" for pointer in held)
    assert not any(pointer.place == "meteo" for pointer in standing_pointers(services, "eve"))


class _NoSources:
    def statement(self, *_: Any) -> list[Any]:
        return []


def test_a_server_that_is_away_is_a_transport_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "BASE_S", 0.01)
    register_mcp_server("away", "http://127.0.0.1:9/mcp/", {"look": Effect.READ}, owners=("nobody",))

    with pytest.raises(ToolsUnavailable):
        box([service("away.look")], "away.look").offers()


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessServices]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "orders.csv").write_text("id,total,owner\n1,10,ada\n2,20,eve\n3,30,ada\n", encoding="utf-8")
    monkeypatch.setenv("BULLPEN_SOURCE_SHOP_URL", f"duckdb:///{folder}")
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, home=tmp_path))
    add_source(made.database, tmp_path, Source(name="shop", kind=SourceKind.DUCKDB))
    yield made
    made.close()


def test_the_query_tool_goes_through_the_locks_as_the_job_s_owner(services: ProcessServices, tmp_path: Path, database: Database) -> None:
    set_policy(services.database, tmp_path, "shop", SourcePolicy(owner="ada", table="orders", predicate="owner = 'ada'"))
    held = standing_pointers(services, "ada")
    tools = box(held, "query_source", services=services)

    answer = tools.call("query_source", {"source": "shop", "sql": "SELECT count(*) AS n FROM orders"})
    broken = tools.call("query_source", {"source": "shop", "sql": "DROP TABLE orders"})
    other = tools.call("query_source", {"source": "elsewhere", "sql": "SELECT 1"})

    assert [pointer.place for pointer in held if isinstance(pointer, SourcePointer)] == ["shop"]
    assert answer.result is not None
    assert answer.result["rows"] == [[2]]
    assert broken.result is not None
    assert broken.result["error"]
    assert other.outcome is CallOutcome.REFUSED
    assert tools.offers()[0].arguments["properties"]["source"]["enum"] == ["shop"]
    assert len(list_executions(services.database)) == 2
