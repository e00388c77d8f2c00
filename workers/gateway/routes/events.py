"""`/v1/jobs/{job_id}/events`: what happens to a job, as server-sent events. Ids are the job's revisions.

`Last-Event-ID` (or `after`) resumes after a restart, at this gateway or another. A reader behind retention gets a `gap` event, a
`snapshot` with the job's facts, and then what is still there. The last event is `end`; a reader that comes back after it gets 204, at
which an `EventSource` stops.
"""

import asyncio
from collections.abc import AsyncGenerator
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response

from contracts.base import Json
from contracts.jobs import FINISHED
from workers.errors import NotFound, Unavailable
from workers.gateway.access.caller import Here, MayRead
from workers.gateway.context import Gateway
from workers.gateway.messages import event_messages, message
from workers.gateway.stream import EventStream
from workers.kinds.languages import language_for
from workers.reading.events import EventTail, JobState, read_events
from workers.reading.facts import read_job_facts
from workers.reading.jobs import Job, read_job
from workers.saying.content import in_words

router = APIRouter(prefix="/v1/jobs", tags=["events"])

HEARTBEAT_S = 15.0
MOST_REV = 2**62
_RETRY = "retry: 1000\n\n"


class Until(StrEnum):
    """When a stream ends."""

    FINISHED = "finished"
    """When the job has ended."""
    QUESTION = "question"
    """Also when it asks and nothing else is left to do."""
    ANY_QUESTION = "any_question"
    """Also when it asks while other steps still run."""


@router.get(
    "/{job_id}/events",
    response_class=Response,
    responses={
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
        204: {"description": "The job has ended, and the reader has every event."},
    },
)
def events(
    here: Here,
    caller: MayRead,
    job_id: UUID,
    after: Annotated[int, Query(ge=0, le=MOST_REV)] = 0,
    until: Until = Until.FINISHED,
    live: Annotated[
        bool,
        Query(
            description="Also `answer_delta` (words of an answer as they are written) and `call` (calls of models and tools). "
            "They have no id and are not kept."
        ),
    ] = False,
    last_event_id: Annotated[str | None, Header(max_length=30)] = None,
) -> Response:
    """The events after a revision, and then as they happen."""
    job = caller.job(here.db, job_id)
    start = first_revision(last_event_id, after)
    if has_all(job, start):
        return Response(status_code=204)
    return EventStream(stream(here, job, start, until=until, key_id=caller.key.id, live=live))


def has_all(job: Job, rev: int) -> bool:
    """Whether a reader at this revision has every event that there will be."""
    return rev == job.rev and job.status in FINISHED


def first_revision(last_event_id: str | None, after: int) -> int:
    """The revision that a reader has: that of its header, where it names one."""
    has_id = last_event_id is not None and last_event_id.isascii() and last_event_id.isdecimal()
    return min(int(last_event_id), MOST_REV) if has_id and last_event_id else after


async def stream(here: Gateway, job: Job, after: int, *, until: Until, key_id: str, live: bool = False) -> AsyncGenerator[str]:
    """The texts of a stream."""
    yield _RETRY
    reader = _Reader(here, job.id, after, until)
    async for text in reader.catch_up():
        yield text
    if reader.has_ended:
        return
    with here.feed.subscribed(job.id, reader.after, key_id, live=live) as subscription:
        while not (subscription.is_over or reader.has_ended):
            batches = await subscription.wait(HEARTBEAT_S)
            live_text = "".join(message(item.pop("kind"), item, None) for item in map(dict[str, Any], subscription.take_live()))
            if live_text and not batches and not subscription.is_behind:
                yield live_text
                continue
            if subscription.is_behind or any(batch.after > reader.after for batch in batches):
                subscription.is_behind = False
                yield live_text
                async for text in reader.catch_up():
                    yield text
                continue
            texts = [live_text, *(text for batch in batches for text in reader.take(batch.texts, batch.last_rev, batch.state))]
            yield "".join(texts) or ": still here\n\n"


class _Reader:
    """Where one stream is."""

    def __init__(self, here: Gateway, job_id: UUID, after: int, until: Until) -> None:
        self._here, self._job_id, self._until = here, job_id, until
        self.after = after
        self.has_ended = False

    def take(self, texts: tuple[tuple[int, str], ...], last_rev: int, state: JobState) -> list[str]:
        """The texts that the reader has not seen, with the `end` if this is it."""
        taken = [text for rev, text in texts if rev > self.after]
        self.after = max(self.after, last_rev)
        if self.after >= state.rev and (state.status in FINISHED or self._asks(state)):
            self.has_ended = True
            taken.append(message("end", {"job_id": str(self._job_id), "status": state.status.value, "rev": state.rev}, None))
        return taken

    def _asks(self, state: JobState) -> bool:
        """Whether an open question ends the stream."""
        return self._until is not Until.FINISHED and state.has_ended(until_question=self._until is Until.ANY_QUESTION)

    async def catch_up(self) -> AsyncGenerator[str]:
        """What the rows hold beyond what the reader has."""
        while True:
            try:
                tail = await asyncio.to_thread(read_events, self._here.db, self._job_id, self.after)
            except NotFound:
                self.has_ended = True
                return
            except Unavailable:
                await asyncio.sleep(1.0)
                continue
            if tail.gap is not None:
                for text in await asyncio.to_thread(self._snapshot, tail):
                    yield text
                continue
            texts = event_messages(tail.events)
            if text := "".join(self.take(texts, tail.last_rev, tail.state)):
                yield text
            if not tail.more:
                return

    def _snapshot(self, tail: EventTail) -> list[str]:
        gap: Json = {} if tail.gap is None else tail.gap.to_json()
        facts = read_job_facts(self._here.db, self._job_id)
        words: Any = in_words(facts.to_json(), language_for(self._here.db, read_job(self._here.db, self._job_id), None))
        self.after = facts.job.rev
        return [message("gap", gap, None), message("snapshot", words, facts.job.rev)]
