"""The server of one gateway process. When it is to end, the streams end first."""

import socket
import time

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from workers.gateway.stream import ABORT
from workers.heartbeat import BEAT_S, Heartbeat

GRACE_S = 10
"""Seconds that requests get to end."""
KEEP_ALIVE_S = 75
"""Seconds that a connection may wait for its next request: longer than proxies and clients keep theirs (60 s at nginx and most load
balancers). Who sends must be the one who closes first, or a request meets a connection that is just being closed. With Uvicorn's 5 s, about
one in 4,000 requests of a client with pauses did."""


class Abortable(HttpToolsProtocol):
    """HTTP whose responses can drop their connection. Closing one would hold what was written to it until the client has taken it."""

    def on_message_begin(self) -> None:
        """A request comes: say with it how to drop its connection."""
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: {"abort": self.transport.abort}}


class GatewayServer(uvicorn.Server):
    """Uvicorn waits for open responses before it runs the end of the lifespan; a stream would keep it waiting until the grace is over.

    Its event loop is what must not stop, so the heartbeat comes from there."""

    heart: Heartbeat | None = None
    _beats_at = 0.0

    async def on_tick(self, counter: int) -> bool:
        """Uvicorn's, which the loop runs ten times a second."""
        if self.heart is not None and time.monotonic() >= self._beats_at:
            self._beats_at = time.monotonic() + BEAT_S
            self.heart.beat()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the server."""
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.gateway.feed.close()
        await super().shutdown(sockets)


def server_of(app: FastAPI, host: str, port: int, *, grace_s: int = GRACE_S) -> GatewayServer:
    """A server that does not run yet."""
    return GatewayServer(
        uvicorn.Config(
            app, host=host, port=port, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=grace_s,
            timeout_keep_alive=KEEP_ALIVE_S, http=Abortable,
        )
    )  # fmt: skip


def serve(app: FastAPI, host: str, port: int, *, heart: Heartbeat, listening: socket.socket | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C. `listening`: a socket of this address, in place of one of its own."""
    server = server_of(app, host, port)
    server.heart = heart
    server.run(sockets=None if listening is None else [listening])
