"""The box of the first page: what a text or a file that somebody brings is, and what they could ask about their own data."""

import asyncio
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Response
from starlette.datastructures import UploadFile

from contracts.statements import Shown
from workers.console.filled import Filled, texts_of
from workers.console.pages import Submitting
from workers.console.routing import PageRoute
from workers.console.ticket_import import Brought
from workers.errors import BullpenError
from workers.gateway.access.caller import Here
from workers.kinds.base import Kind
from workers.kinds.registry import all_kinds

router = APIRouter(prefix="/console/home", include_in_schema=False, route_class=PageRoute)

HEAD = 64 << 10
"""Bytes of a file from which it is recognised."""
MOST_TEXT = 60_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a text or a file can be."""

    kind: Kind
    why: Shown
    address: str = ""
    """Where it is brought, where the box does not take it."""


@router.post("/suggest")
async def suggest(here: Here, look: Submitting, form: Filled) -> Response:
    """The kinds whose form it has. Several, or none: the person says which."""
    texts, file = texts_of(form), form.get("file")
    name, head = "", str(texts.get("text") or "")[:MOST_TEXT].encode()
    if isinstance(file, UploadFile):
        name, head = file.filename or "", await file.read(HEAD)
    found = await asyncio.to_thread(_candidates, name, head)
    is_history = bool(name) and not found and await asyncio.to_thread(_is_history, name, head, texts)
    return look.html("home_suggest.html", candidates=found, is_history=is_history, name=name, is_empty=not head.strip())


@router.get("/examples")
def examples(here: Here, look: Submitting) -> Response:
    """What can be asked of the caller's own data, for each kind."""
    found: list[tuple[Kind, str]] = []
    for kind in all_kinds():
        if kind.examples is not None:
            found += [(kind, text) for text in kind.examples.load()(here.db, look.who.owner, look.language)]
    return look.html("home_examples.html", examples=found)


def _candidates(name: str, head: bytes) -> list[Candidate]:
    return [Candidate(kind, why, _address(kind, name)) for kind in all_kinds() if (why := _recognised(kind, name, head))]


def _recognised(kind: Kind, name: str, head: bytes) -> Shown | None:
    return None if kind.recognises is None or not head.strip() else kind.recognises.load()(name, head)


def _address(kind: Kind, name: str) -> str:
    """Files that are uploaded go to the form of their kind."""
    return f"/console/new/{kind.name}" if kind.files is not None and name else ""


def _is_history(name: str, head: bytes, texts: dict[str, Any]) -> bool:
    """Whether a file has the columns of tickets. What was cut is not judged."""
    if len(head) >= HEAD:
        head = head[: head.rfind(b"\n") + 1] or head
    try:
        understood = Brought(name, head, texts).look()
    except (BullpenError, ValueError):
        return False
    return not understood.missing and understood.seen.tickets > 0
