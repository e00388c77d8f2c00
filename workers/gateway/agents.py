"""The agents' side of the gateway: MCP at `/mcp`, where the extra `mcp` is installed, behind the same keys as everything else.

Its library is large, so it is imported when somebody with a key asks for the first time.
"""

import asyncio
import contextlib
import math
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from contracts.wire import MAX_MESSAGE_BYTES
from workers.gateway.access.caller import NO_KEY, Caller, too_often
from workers.gateway.access.rate import take_turn
from workers.gateway.bodies import BODY_TOO_LARGE, within
from workers.gateway.context import Gateway
from workers.gateway.problems import refused

PATH = "/mcp"

calling: ContextVar[Caller] = ContextVar("mcp_caller")
"""Who calls a tool."""


class Agents:
    """The tools for agents of one gateway."""

    def __init__(self, here: Gateway) -> None:
        """Nothing is loaded before the first request."""
        self._here = here
        self._asked = asyncio.Event()
        self._server: asyncio.Future[ASGIApp] | None = None

    def mount(self, app: FastAPI) -> None:
        """Put them at `/mcp`."""
        if find_spec("mcp") is not None:
            app.mount(PATH, Guarded(self._serve, self._here))

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """While the block runs, requests are taken."""
        self._server = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._run(self._server))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self, server: asyncio.Future[ASGIApp]) -> None:
        """Load and run the library's server when it is asked for, until the gateway ends."""
        await self._asked.wait()
        try:
            mcp = await asyncio.to_thread(import_module, "workers.gateway.mcp")
            async with mcp.serving(self._here) as app:
                server.set_result(app)
                await asyncio.Event().wait()
        except Exception as error:
            if server.done():
                raise
            server.set_exception(error)  # who asks gets it

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._server is None:
            raise RuntimeError("Requests are taken while `running`.")
        self._asked.set()
        app = await asyncio.shield(self._server)
        await app(scope, receive, send)


class Guarded:
    """Lets in who has a key, and remembers who it is for the tools."""

    def __init__(self, app: ASGIApp, here: Gateway) -> None:
        self._app, self._here = app, here

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its caller."""
        if scope["type"] != "http":  # a web socket, which nothing here speaks
            await WebSocketClose()(scope, receive, send)
            return
        request = Request(scope, receive)
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        key = await self._here.key(text) if scheme.lower() == "bearer" else None
        if key is None:
            await refused(request, 401, NO_KEY, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
            return
        if (wait_s := await asyncio.to_thread(take_turn, self._here.db, key)) > 0:
            whole_s = math.ceil(wait_s)
            await refused(request, 429, too_often(key, whole_s), {"Retry-After": str(whole_s)})(scope, receive, send)
            return
        try:
            receive = await _read_whole(request)
        except HTTPException as error:
            await refused(request, error.status_code, error.detail)(scope, receive, send)
            return
        token = calling.set(Caller(key))
        try:
            await self._app(scope, receive, send)
        finally:
            calling.reset(token)


async def _read_whole(request: Request) -> Receive:
    """The messages of a request whose body was read within the bound of a message. Raises 413."""
    if request.method != "POST":
        return request.receive
    body = await Request(request.scope, within(request, MAX_MESSAGE_BYTES, BODY_TOO_LARGE)).body()
    parts = iter([body])

    async def message() -> Message:
        part = next(parts, None)
        return await request.receive() if part is None else {"type": "http.request", "body": part, "more_body": False}

    return message
