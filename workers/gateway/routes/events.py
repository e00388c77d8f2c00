"""`/v1/jobs/{job_id}/events`: what happens to a job, as server-sent events. Ids are the job's revisions.

`Last-Event-ID` (or `after`) resumes after a restart, at this gateway or another. A reader behind retention gets a `gap` event, whose data
has the revision of the snapshot to take, and then what is still there.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse

from contracts.base import Json
from workers.errors import NotFound, Unavailable
from workers.gateway.access.caller import Here, MayRead
from workers.gateway.context import Gateway
from workers.reading.events import EventTail, read_events

router = APIRouter(prefix="/v1/jobs", tags=["events"])

HEARTBEAT_S = 15.0


@router.get("/{job_id}/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
def events(
    here: Here,
    caller: MayRead,
    job_id: UUID,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str | None, Header(max_length=30)] = None,
) -> StreamingResponse:
    """The events after a revision, and then as they happen. The stream ends when the job can no longer change by itself."""
    caller.job(here.db, job_id)
    start = int(last_event_id) if last_event_id and last_event_id.isdecimal() else after
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_stream(here, job_id, start), media_type="text/event-stream", headers=headers)


async def _stream(gateway: Gateway, job_id: UUID, after: int) -> AsyncGenerator[str]:
    yield "retry: 1000\n\n"
    silent_s = 0.0
    with gateway.feed.subscribed(job_id) as subscription:
        while True:
            try:
                tail = await asyncio.to_thread(read_events, gateway.db, job_id, after)
            except NotFound:
                return
            except Unavailable:
                tail = None
            if tail is not None:
                for text in messages_of(tail, after):
                    silent_s = 0.0
                    yield text
                after = tail.last_rev
                if tail.more:
                    continue
                if tail.state.has_ended():
                    return
            if silent_s >= HEARTBEAT_S:
                silent_s = 0.0
                yield ": still here\n\n"
            loop = asyncio.get_running_loop()
            begun = loop.time()
            if not await subscription.wait():
                return
            silent_s += loop.time() - begun


def messages_of(tail: EventTail, after: int) -> list[str]:
    """The tail as messages."""
    found = [] if tail.gap is None or not after else [message("gap", tail.gap.to_json(), None)]
    return [*found, *(message(event.kind, event.to_json(), event.rev) for event in tail.events)]


def message(name: str, data: Json, rev: int | None) -> str:
    """One server-sent event."""
    line = "" if rev is None else f"id: {rev}\n"
    return f"{line}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
