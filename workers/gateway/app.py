"""The gateway's application: routes, errors, headers."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence

from fastapi import APIRouter, FastAPI

from workers.app.services import ProcessServices
from workers.gateway.agents import Agents
from workers.gateway.background import wait_for_end
from workers.gateway.context import Gateway
from workers.gateway.ending import Ending
from workers.gateway.feed import Feed
from workers.gateway.headers import HEADERS, SecurityHeaders
from workers.gateway.openapi import describe
from workers.gateway.problems import answer_errors
from workers.gateway.routes import (
    actions,
    alerts,
    bundles,
    chat,
    events,
    fleet,
    health,
    history,
    imports,
    jobs,
    keys,
    knowledge,
    logs,
    lookup,
    metric_sources,
    own_checks,
    quarantine,
    results,
    rows,
    sessions,
    sources,
    systems,
    upkeep,
    walk,
)
from workers.gateway.uploads import upload_room
from workers.release import RELEASE

__all__ = ["HEADERS", "create_gateway"]

ROUTERS = (
    health.router,
    jobs.router,
    events.router,
    results.router,
    actions.router,
    bundles.router,
    sessions.router,
    chat.router,
    walk.router,
    lookup.router,
    rows.router,
    history.both,
    imports.router,
    knowledge.router,
    sources.router,
    logs.router,
    metric_sources.router,
    systems.router,
    own_checks.router,
    upkeep.router,
    alerts.router,
    fleet.router,
    quarantine.router,
    keys.router,
)


OPERATION_GRACE_S = 5.0
"""Seconds that operations have to end when the gateway is stopped. Others are begun again by who asked."""


def create_gateway(services: ProcessServices, pages: Sequence[APIRouter] = ()) -> FastAPI:
    """The application over these services; `pages`: the console's routers."""
    feed = Feed(services.database)
    here = Gateway(services, feed, upload_room(services.settings))
    agents = Agents(here)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        async with feed.running(), agents.running():
            yield
        await asyncio.to_thread(wait_for_end, OPERATION_GRACE_S)
        services.close()

    app = FastAPI(title="Bullpen", version=RELEASE, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.gateway = here
    answer_errors(app)
    for router in (*ROUTERS, *pages):
        app.include_router(router)
    describe(app)
    agents.mount(app)
    app.add_middleware(Ending, feed=feed)
    app.add_middleware(SecurityHeaders)
    return app
