"""The stream that keeps a job's page up to date: the sections that changed, with the job's revision as the id of the message.

A browser that comes back names the last revision it has, at this gateway or another, and gets what changed since.
"""

import asyncio
from collections.abc import AsyncGenerator
from uuid import UUID

from workers.blackboard.engine import Database
from workers.console.job_view import JobView, view_job
from workers.console.pages import Look
from workers.errors import NotFound, Unavailable
from workers.gateway.access.logins import find_login
from workers.gateway.context import Gateway
from workers.reading.jobs import read_job

HEARTBEAT_S = 15.0
LOOK_S = 2.0
"""Seconds after which the job is looked at without a notification: one may be lost."""


async def stream_job(gateway: Gateway, job_id: UUID, look: Look, *, after: int, key_id: str, cookie: str | None) -> AsyncGenerator[str]:
    """Messages until the browser leaves, the login ends, or the process does."""
    sent: dict[str, str] = {}
    silent_s = 0.0
    loop = asyncio.get_running_loop()
    yield "retry: 1000\n\n"
    with gateway.feed.subscribed(job_id, after, key_id) as subscription:
        while not subscription.is_over:
            try:
                view = await asyncio.to_thread(_view_after, gateway, job_id, look, after)
            except NotFound:
                return
            except Unavailable:
                view = None
            if view is not None:
                after, changed = view.rev, {name: html for name, html in view.sections.items() if sent.get(name) != html}
                sent |= changed
                silent_s = 0.0
                yield message(changed, view.rev)
            if silent_s >= HEARTBEAT_S:
                silent_s = 0.0
                if cookie is not None and not await asyncio.to_thread(_is_logged_in, gateway.db, cookie):
                    return
                yield ": still here\n\n"
            begun = loop.time()
            await subscription.wait(LOOK_S)
            subscription.is_behind = False  # this reader takes the job as it is, not event by event
            silent_s += loop.time() - begun


def message(sections: dict[str, str], rev: int) -> str:
    """One message with parts of the page; each replaces what the page has, and leaves what the reader filled in."""
    parts = (f'<hx-partial hx-target="#job-{name}" hx-swap="innerMorph">{html}</hx-partial>' for name, html in sections.items())
    lines = "".join(f"data: {line}\n" for line in "".join(parts).splitlines())
    return f"id: {rev}\n{lines}\n"


def _view_after(gateway: Gateway, job_id: UUID, look: Look, after: int) -> JobView | None:
    """The job if it has changed."""
    if read_job(gateway.db, job_id).rev == after:
        return None
    return view_job(gateway.db, job_id, look, owner_cap=gateway.settings.owner_cap)


def _is_logged_in(db: Database, cookie: str) -> bool:
    try:
        return find_login(db, cookie) is not None
    except Unavailable:
        return True
