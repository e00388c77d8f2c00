"""The tools of an MCP server under our keys, grants, rows and limits. Needs the extra `mcp`, which is imported with the first use.

An operator names the tools and the effect of each: what a server says about its own tools (`readOnlyHint`) is a claim. A tool that is
not named does not exist for the fleet, even if the server adds it later.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from contracts.base import Json
from contracts.pointers import ServicePointer
from contracts.statements import Name, passage, say
from contracts.tools import Cost, Effect
from workers.errors import ConfigurationError, ToolFailed, ToolsUnavailable
from workers.extras import install_command
from workers.tools.langchain_tools import OUTSIDE_KIND, OutsideResult, as_json
from workers.tools.registry import register_standing, register_tool
from workers.tools.tool import AnyTool, Tool, ToolContext, ToolServices

TIMEOUT_S = 30.0
"""Seconds for one answer of a server."""

T = TypeVar("T")


class McpArguments(BaseModel):
    """Arguments in the form that the server defines. The server validates them."""

    model_config = ConfigDict(frozen=True, extra="allow")


def register_mcp_server(
    server: str, where: Any, tools: Mapping[str, Effect], *, owners: tuple[str, ...] = (), cost: Cost = Cost.MEDIUM
) -> None:
    """Register tools of a server as `SERVER.TOOL`, and give each step of these owners (of all owners if empty) the pointer to it.

    `where`: a URL, or what else `mcp.Client` takes. The server is asked about a tool when a step that may call it first runs.
    """
    names = {tool: f"{server}.{tool}" for tool in tools}
    for tool, effect in tools.items():
        register_tool(names[tool], _maker(where, tool, names[tool], effect, cost))

    def pointers(services: ToolServices, owner: str) -> tuple[ServicePointer, ...]:
        if owners and owner not in owners:
            return ()
        return (ServicePointer(place=server, line=f"tools of {server}", score=1.0, keys=tuple(names.values())),)

    register_standing(f"mcp:{server}", pointers)


def _maker(where: Any, tool: str, name: str, effect: Effect, cost: Cost) -> Callable[[], AnyTool]:
    def make() -> AnyTool:
        about = _talk(where, lambda client: _describe(client, tool))
        return Tool(
            name, about[0], McpArguments, OutsideResult, lambda ctx, given: _call(where, tool, ctx, given), effect=effect, cost=cost,
            opens=frozenset({OUTSIDE_KIND}), schema=about[1],
        )  # fmt: skip

    return make


async def _describe(client: Any, tool: str) -> tuple[str, Json]:
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        for item in page.tools:
            if item.name == tool:
                return item.description or item.title or tool, item.input_schema
        cursor = page.next_cursor
        if cursor is None:
            raise ConfigurationError(f"The MCP server has no tool {tool!r}.")


def _call(where: Any, tool: str, ctx: ToolContext, given: BaseModel) -> OutsideResult:
    meta = {} if ctx.key is None else {"bullpen/call": str(ctx.key)}  # lets a server recognise a repetition

    async def call(client: Any) -> Any:
        return await client.call_tool(tool, given.model_dump(mode="json"), meta=meta or None)

    done = _talk(where, call)
    content = done.structured_content if done.structured_content is not None else [_part(part) for part in done.content]
    if done.is_error:
        return OutsideResult(error=str(as_json(content))[:2000])
    return OutsideResult(content=as_json(content))


def _part(part: Any) -> Any:
    text = getattr(part, "text", None)
    return text if isinstance(text, str) else {"type": str(getattr(part, "type", "unknown"))}  # pictures and sounds are left out


def _talk(where: Any, talk: Callable[[Any], Awaitable[T]]) -> T:
    """One connection: open, say, close. Raises `ToolsUnavailable`, or `ToolFailed` for an error of the protocol."""
    try:
        from mcp import Client, MCPError
    except ImportError:
        raise ConfigurationError(f"Tools of an MCP server need an extra: {install_command('mcp')}") from None

    async def run() -> T:
        async with Client(where, read_timeout_seconds=TIMEOUT_S) as client:
            return await talk(client)

    try:
        return asyncio.run(run())
    except (ConfigurationError, ToolFailed):
        raise
    except MCPError as error:
        raise ToolFailed.of(say("refused.tool.mcp_refused", reason=passage(str(error)))) from None
    except Exception as error:  # the errors of the transport come in groups of many kinds
        raise ToolsUnavailable.of(say("refused.tool.mcp_away", reason=Name(text=type(error).__name__))) from None
