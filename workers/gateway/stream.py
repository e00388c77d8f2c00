"""A response that goes on for as long as there is something to say: written piece by piece, and given up when nobody takes a piece."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from workers.loggers import get_logger

log = get_logger(__name__)

SLOW_S = 30.0
"""Seconds that a client may leave a piece untaken, with all buffers full, before its connection is dropped."""
ABORT = "bullpen.abort"
"""The extension of the ASGI scope by which the server lets a response drop its connection, with what waits in its buffer."""


class EventStream(Response):
    """Server-sent events."""

    media_type = "text/event-stream"

    def __init__(self, pieces: AsyncGenerator[str], headers: Mapping[str, str] | None = None) -> None:
        self.status_code = 200
        self.background = None
        self._pieces = pieces
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no", **(headers or {})})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Write until the pieces end, the client goes, or takes none for `SLOW_S`."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        drop = scope.get("extensions", {}).get(ABORT, {}).get("abort")
        work = {asyncio.create_task(self._write(send, drop)), asyncio.create_task(_gone(receive))}
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            await self._pieces.aclose()

    async def _write(self, send: Send, drop: Callable[[], None] | None) -> None:
        try:
            async for piece in self._pieces:
                async with asyncio.timeout(SLOW_S):
                    await send(_body(piece, more=True))
            await send(_body("", more=False))
        except TimeoutError:
            log.warning("stream_too_slow", seconds=SLOW_S)
            if drop is not None:
                drop()
        except OSError:
            pass  # the client went


def _body(text: str, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": text.encode("utf-8", "replace"), "more_body": more}


async def _gone(receive: Receive) -> None:
    with contextlib.suppress(Exception):
        while (await receive())["type"] != "http.disconnect":
            pass
