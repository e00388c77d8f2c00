"""A request that the end of its gateway cuts off is answered with 503, so that its client asks again; uvicorn would answer 500."""

import asyncio

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.statements import say
from workers.gateway.feed import Feed
from workers.gateway.problems import RETRY_AFTER_S, refused


class Ending:
    """Answers for what is cancelled when the grace is over."""

    def __init__(self, app: ASGIApp, feed: Feed) -> None:
        self._app, self._feed = app, feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        has_begun = False

        async def noticed(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, noticed)
        except asyncio.CancelledError:
            if scope["type"] != "http" or has_begun or not self._feed.is_closing:
                raise
            answer = refused(Request(scope), 503, say("refused.gateway_ends"), {"Retry-After": str(RETRY_AFTER_S)})
            await answer(scope, receive, send)
