"""The gateway's application: routes, errors, headers."""

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from fastapi import APIRouter, FastAPI, Request, Response

from workers.app.services import ProcessServices
from workers.gateway.context import Gateway
from workers.gateway.feed import Feed
from workers.gateway.problems import answer_errors
from workers.gateway.routes import events, health, jobs
from workers.release import RELEASE

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of every answer that does not bring its own."""


def create_gateway(services: ProcessServices, pages: Sequence[APIRouter] = ()) -> FastAPI:
    """The application over these services; `pages`: the console's routers."""
    feed = Feed(services.database.url)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        async with feed.running():
            yield
        services.close()

    app = FastAPI(title="Bullpen", version=RELEASE, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.gateway = Gateway(services, feed)
    answer_errors(app)
    for router in (health.router, jobs.router, events.router, *pages):
        app.include_router(router)

    @app.middleware("http")
    async def with_headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return app
