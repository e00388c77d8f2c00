"""The server of one gateway process. When it is told to end, the streams hear of it first."""

import socket

import uvicorn
from fastapi import FastAPI

GRACE_S = 10
"""Seconds that requests get to end."""


class GatewayServer(uvicorn.Server):
    """Uvicorn waits for open responses before it runs the end of the lifespan; a stream would keep it waiting until the grace is over."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the server."""
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.gateway.feed.close()
        await super().shutdown(sockets)


def serve(app: FastAPI, host: str, port: int) -> None:
    """Serve until SIGTERM or Ctrl-C."""
    config = uvicorn.Config(
        app, host=host, port=port, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=GRACE_S
    )
    GatewayServer(config).run()
