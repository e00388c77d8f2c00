"""`/v1/bundles`: upload files for a job; `/v1/jobs/{job_id}/files`: look at them and download them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote as in_url
from uuid import UUID, uuid4

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from contracts.base import Contract, Json
from contracts.statements import name as identifier
from contracts.statements import quote, say
from workers.bundles import BundleLimits, bring, open_store, require_own
from workers.bundles.keys import blob_key
from workers.bundles.limits import CHUNK_BYTES
from workers.bundles.manifest import REF_PREFIX, Manifest
from workers.bundles.store import Store, read_manifest, staging_folder
from workers.errors import InvalidInput, NotFound
from workers.gateway.access.caller import Caller, Here, MayRead, MaySubmit
from workers.gateway.bodies import StrictRoute, answered
from workers.gateway.context import Gateway
from workers.gateway.uploads import named_as_sent, receive, received_form
from workers.kinds.paths import safe_path
from workers.kinds.registry import find_kind
from workers.reading.jobs import read_request
from workers.saying import text_of

uploading = APIRouter(prefix="/v1/bundles", tags=["files"])
router = APIRouter(tags=["files"])
downloading = APIRouter(prefix="/v1/jobs/{job_id}/files", tags=["files"], route_class=StrictRoute)

_BINARY: Json = {"schema": {"type": "string", "format": "binary"}}


class Refused(Contract):
    """A file that was left out."""

    name: str
    reason: str


class FileKept(Contract):
    """A file of a bundle."""

    name: str
    bytes: int
    sha256: str


class BundleKept(Contract):
    """Files that a job may name."""

    ref: str
    """For the field of the request that names files, e.g. `bundle` of a tune job."""
    files: tuple[FileKept, ...]
    refused: tuple[Refused, ...]


@uploading.post(
    "",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": _BINARY,
                "multipart/form-data": {
                    "schema": {"type": "object", "properties": {"file": {"type": "array", "items": {"type": "string", "format": "binary"}}}}
                },
            },
        }
    },
)
async def upload(
    request: Request,
    here: Here,
    caller: MaySubmit,
    name: Annotated[str, Query(max_length=1_000, description="Of a body that is one file or archive.")] = "upload",
    content_range: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> BundleKept:
    """Keep a file or archive (the body itself), or several files (a form), as one bundle of the caller's owner. It is kept whole or not at
    all: a broken upload leaves nothing, and is sent again."""
    if content_range is not None:
        raise InvalidInput.of(say("refused.resumed"))
    limits = BundleLimits.of(here.settings)
    store = open_store(here.settings)
    with staging_folder(store) as staging:
        folder = staging / uuid4().hex
        folder.mkdir(mode=0o700)
        path = await _received(request, here, folder, safe_path(name).name, limits.bytes)
        with named_as_sent(folder, name):
            return kept(await asyncio.to_thread(bring, here.db, here.settings, [path], owner=caller.owner))


async def _received(request: Request, here: Gateway, folder: Path, name: str, most: int) -> Path:
    if request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        await received_form(request, folder, room=here.room, most=most)
        return folder
    if not await receive(request, folder / name, room=here.room, most=most):
        raise InvalidInput.of(say("refused.empty_body"))
    return folder / name


def kept(manifest: Manifest) -> BundleKept:
    """What a manifest says, for programs."""
    return BundleKept(
        ref=manifest.ref,
        files=tuple(FileKept(name=file.name, bytes=file.size_bytes, sha256=file.sha256) for file in manifest.files),
        refused=tuple(Refused(name=file.name, reason=text_of(file.message, "en")) for file in manifest.refused),
    )


@downloading.get("", response_model=BundleKept)
def files(here: Here, caller: MayRead, job_id: UUID) -> Response:
    """The files that a job was given."""
    return answered(kept(_manifest(here, caller, job_id)[1]))


@downloading.get("/{name:path}", response_class=Response, responses={200: {"content": {"application/octet-stream": _BINARY}}})
def download(here: Here, caller: MayRead, job_id: UUID, name: str) -> Response:
    """A file of the job, as it was uploaded. Always an attachment: no browser shows it."""
    store, manifest = _manifest(here, caller, job_id)
    found = next((file for file in manifest.files if file.name == name), None)
    if found is None:
        raise NotFound.of(
            say("refused.no_job_file", job=identifier(job_id), file=quote(name[:80]), command=identifier(f"GET /v1/jobs/{job_id}/files"))
        )
    headers = {
        "Content-Length": str(found.size_bytes),
        "Content-Disposition": f"attachment; filename*=UTF-8''{in_url(name.rpartition('/')[2], safe='')}",
    }
    return StreamingResponse(_pieces(store, found.sha256), media_type="application/octet-stream", headers=headers)


def _pieces(store: Store, digest: str) -> Iterator[bytes]:
    with store.open(blob_key(digest)) as file:
        while piece := file.read(CHUNK_BYTES):
            yield piece


def _manifest(here: Gateway, caller: Caller, job_id: UUID) -> tuple[Store, Manifest]:
    """The manifest of a job's uploaded files. Raises `NotFound`."""
    job = caller.job(here.db, job_id)
    kind = find_kind(job.kind)
    request = read_request(here.db, job_id) or {}
    ref: Any = None if kind is None or kind.files is None else request.get(kind.files)
    if not isinstance(ref, str) or not ref.startswith(REF_PREFIX):
        raise NotFound.of(say("refused.no_job_files", job=identifier(job_id)))
    require_own(here.db, ref, job.owner)
    store = open_store(here.settings)
    return store, read_manifest(store, ref)


router.include_router(uploading)
router.include_router(downloading)
