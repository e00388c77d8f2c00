"""The stream that keeps a job's page up to date: the sections that changed, with the job's revision as the id of the message, and between
them the words of an answer as a model writes them.

A browser that comes back names the last revision it has, at this gateway or another, and gets what changed since.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from uuid import UUID

from workers.blackboard.engine import Database
from workers.console.job_view import JobView, view_job
from workers.console.pages import Look
from workers.console.writing import Writing
from workers.errors import NotFound, Unavailable
from workers.gateway.access.logins import find_login
from workers.gateway.context import Gateway
from workers.reading.jobs import read_job

HEARTBEAT_S = 15.0
AWAY_S = 1.0
"""Until the next look at a database that is away."""
AGES_S = 120.0
"""After which a page whose job does not change is made again, so that "3 minutes ago" is still true after hours."""


async def stream_job(gateway: Gateway, job_id: UUID, look: Look, *, after: int, cookie: str | None) -> AsyncGenerator[str]:
    """Messages until the browser leaves, the login or its key ends, or the process does."""
    sent: dict[str, str] = {}
    shown, made_at = after, time.monotonic()
    yield "retry: 1000\n\n"
    writing = Writing(look)
    with gateway.feed.subscribed(job_id, after, look.who.key.id, live=True) as subscription:
        while not subscription.is_over:
            subscription.is_behind = False  # the page is made of the rows, so nothing that was handed is missed
            patience_s = HEARTBEAT_S
            try:
                is_old = time.monotonic() - made_at >= AGES_S
                view = await asyncio.to_thread(_view_after, gateway, job_id, look, None if is_old else shown)
            except NotFound:
                return
            except Unavailable:
                view, patience_s = None, AWAY_S
            if view is not None:
                changed = {name: html for name, html in view.sections.items() if sent.get(name) != html}
                shown, sent, made_at = view.rev, view.sections, time.monotonic()
                yield writing.over(view.at_work) + message(changed, view.rev)
            taken = await subscription.wait(patience_s)
            while live := subscription.take_live():
                if words := writing.message(live):
                    yield words
                if taken or subscription.is_behind:
                    break
                taken = await subscription.wait(patience_s)
            if not taken and patience_s == HEARTBEAT_S and not subscription.is_over:
                if cookie is not None and not await asyncio.to_thread(_is_logged_in, gateway.db, cookie):
                    return
                yield ": still here\n\n"


def message(sections: dict[str, str], rev: int) -> str:
    """One message with parts of the page; each replaces what the page has, and leaves what the reader filled in."""
    parts = (f'<hx-partial hx-target="#job-{name}" hx-swap="innerMorph">{html}</hx-partial>' for name, html in sections.items())
    lines = "".join(f"data: {line}\n" for line in "".join(parts).splitlines())
    return f"id: {rev}\n{lines}\n"


def _view_after(gateway: Gateway, job_id: UUID, look: Look, after: int | None) -> JobView | None:
    """The job if it has changed since this revision; None: in any case."""
    if after is not None and read_job(gateway.db, job_id).rev == after:
        return None
    return view_job(gateway.db, job_id, look, owner_cap=gateway.settings.owner_cap)


def _is_logged_in(db: Database, cookie: str) -> bool:
    try:
        return find_login(db, cookie) is not None
    except Unavailable:
        return True
