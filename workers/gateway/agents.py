"""Whether this gateway serves MCP: it does where the extra `mcp` is installed."""

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI

from workers.gateway.context import Gateway

PATH = "/mcp"


@dataclass(frozen=True, slots=True)
class Agents:
    """The tools for agents; without `mcp`, none."""

    here: Gateway
    server: Any = None

    def mount(self, app: FastAPI) -> None:
        """Put them at `/mcp`."""
        if self.server is not None:
            from workers.gateway.mcp import http_app

            app.mount(PATH, http_app(self.server, self.here)[1])

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """While the block runs, requests are taken."""
        if self.server is None:
            yield
            return
        from workers.gateway.mcp import running

        async with running(self.server):
            yield


def agents_of(here: Gateway) -> Agents:
    """The agents' side of this gateway."""
    if find_spec("mcp") is None:
        return Agents(here)
    from workers.gateway.mcp import make_server

    return Agents(here, make_server(here))
