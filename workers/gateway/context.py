"""What the routes of one gateway process share."""

from dataclasses import dataclass
from typing import cast
from uuid import UUID

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.gateway.access.keys import ApiKey
from workers.gateway.feed import Feed
from workers.gateway.uploads import UploadRoom
from workers.llm import Embedder
from workers.settings import Settings


@dataclass(frozen=True, slots=True)
class Gateway:
    """One of these a process."""

    services: ProcessServices
    feed: Feed
    room: UploadRoom
    """For uploads on their way."""

    @property
    def db(self) -> Database:
        """The blackboard's database."""
        return self.services.database

    @property
    def settings(self) -> Settings:
        """The deployment's settings."""
        return self.services.settings

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model; None: the deployment has none."""
        return self.services.embedder

    def go_on(self, job_id: UUID) -> None:
        """After a change of a job: let the boss look at it."""
        move_on(self.services, job_id)

    async def key(self, text: str) -> ApiKey | None:
        """The valid key with this text."""
        keys = self.feed.keys
        return keys.known(text) or await run_in_threadpool(keys.look_up, text)


def gateway_of(request: Request) -> Gateway:
    """The gateway that serves this request."""
    return cast("Gateway", request.app.state.gateway)


async def this_gateway(request: Request) -> Gateway:
    """`gateway_of` as a dependency of routes; a coroutine, since FastAPI runs every other dependency in a thread."""
    return gateway_of(request)
