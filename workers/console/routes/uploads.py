"""Files of a new job: each is streamed to the disk; then they become one bundle of the artefact store, which the request names."""

import asyncio
import re
import secrets
import shutil
import time
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from contracts.statements import say
from workers.bundles.files import files_below
from workers.console.pages import Look, Submitting
from workers.console.routing import UploadRoute
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.gateway.uploads import console_uploads, named_as_sent, place_for, receive, safe_path

router = APIRouter(prefix="/console/uploads", include_in_schema=False, route_class=UploadRoute)

OLD_S = 6 * 3600.0
"""Uploads that nobody finished are removed after this time."""


@router.post("")
async def begin(here: Here, look: Submitting) -> Response:
    """A folder for the files of one job."""
    upload = secrets.token_hex(16)
    await asyncio.to_thread(_make_folder, here, look, upload)
    return JSONResponse({"upload": upload})


@router.put("/{upload}/{file:path}")
async def take_file(request: Request, here: Here, look: Submitting, upload: str, file: str) -> Response:
    """One file, as it comes. Its path is only the name that it has in the bundle."""
    folder = _folder(here, look, upload)
    target = await asyncio.to_thread(place_for, folder / "files", safe_path(file))
    target.unlink(missing_ok=True)  # a file that is sent again takes the place of what came of it before
    left = here.settings.bundle_bytes - await asyncio.to_thread(_size, folder)
    try:
        await receive(request, target, room=here.room, most=left, allowed=here.settings.bundle_bytes)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return Response(status_code=204)


@router.post("/{upload}/done")
def finish(here: Here, look: Submitting, upload: str) -> Response:
    """The files as a bundle; its reference goes into the request."""
    from workers.bundles import bring  # loads every parser, which only an upload needs

    folder = _folder(here, look, upload)
    found = sorted((folder / "files").iterdir())
    if not found:
        raise InvalidInput.of(say("refused.no_file"))
    try:
        with named_as_sent(folder / "files", found[0].name):
            manifest = bring(here.db, here.settings, found, owner=look.who.owner)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return JSONResponse({"ref": manifest.ref, "files": len(manifest.files)})


def _root(here: Gateway) -> Path:
    return console_uploads(here.settings)


def _make_folder(here: Gateway, look: Look, upload: str) -> None:
    root = _root(here)
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    for old in root.iterdir():
        if time.time() - old.stat().st_mtime > OLD_S:
            shutil.rmtree(old, ignore_errors=True)
    (root / _name(look, upload) / "files").mkdir(mode=0o700, parents=True)


def _folder(here: Gateway, look: Look, upload: str) -> Path:
    folder = _root(here) / _name(look, upload)
    if not re.fullmatch(r"[0-9a-f]{32}", upload) or not folder.is_dir():
        raise InvalidInput.of(say("refused.upload_over"))
    return folder


def _name(look: Look, upload: str) -> str:
    """An upload belongs to the key that began it."""
    return f"{look.who.key.id}-{upload}"


def _size(folder: Path) -> int:
    return sum(state.st_size for _, state in files_below(folder))
