"""The pages of parts of a result, which its kind defines, and the files that a result holds: read, one by one or as an archive."""

from typing import Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Response

from contracts.statements import say
from workers.console.pages import HEADERS, Look, Reading, file_stem
from workers.console.rating import rated_of
from workers.console.routing import PageRoute
from workers.console.tabs import tabs_of
from workers.errors import NotFound
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.kinds.about import about_page, marked, marks_of
from workers.kinds.result_files import safe_files, with_page, zipped
from workers.kinds.shown import result_parts
from workers.reading.facts import JobFacts, read_job_facts
from workers.reading.jobs import read_request
from workers.saying.document import anchors_in
from workers.saying.markdown import to_markdown

router = APIRouter(prefix="/console/jobs/{job_id}", include_in_schema=False, route_class=PageRoute)


@router.get("/result/{part}")
def part(here: Here, look: Reading, job_id: UUID, part: str) -> Response:
    """A part of the result."""
    facts, content = _result(here, look, job_id)
    parts = result_parts(facts.job.kind, content, job_id)
    found = next((known for known in parts if known.name == part), None)
    if found is None:
        raise NotFound.of(say("console.refused.no_part"))
    rated = rated_of(facts, look, frozenset(anchors_in(found.document.blocks)))
    shown = look.document(marked(found.document, facts, look.called), below=0, behind=rated.behind)
    return look.html("part.html", job=facts.job, tabs=tabs_of(facts, content, look), here=part, shown=shown)


@router.get("/files")
def files(here: Here, look: Reading, job_id: UUID) -> Response:
    """The files, each with its text."""
    facts, content = _result(here, look, job_id)
    found = safe_files(facts.job.kind, content)
    if not found:
        raise NotFound.of(say("console.refused.no_files"))
    return look.html(
        "files.html", job=facts.job, tabs=tabs_of(facts, content, look), here="files", bytes=sum(len(file.text.encode()) for file in found),
        marks=[look.text(mark) for mark in marks_of(facts, look.called)],
        files=[(file.path, len(file.text.encode()), file.text, quote(file.path, safe="/")) for file in found],
    )  # fmt: skip


@router.get("/files/archive")
def archive(here: Here, look: Reading, job_id: UUID) -> Response:
    """All files in one archive, within a folder."""
    facts, content = _result(here, look, job_id)
    name = file_stem(facts.job.kind, job_id)
    about = to_markdown(about_page(facts, read_request(here.db, job_id) or {}, look.called), look.language)
    packed = zipped(with_page(safe_files(facts.job.kind, content), about), name)
    return _download(packed, f"{name}.zip", "application/zip")


@router.get("/files/one/{path:path}")
def download_file(here: Here, look: Reading, job_id: UUID, path: str) -> Response:
    """A file. Always an attachment: no browser shows it."""
    facts, content = _result(here, look, job_id)
    found = next((file for file in safe_files(facts.job.kind, content) if file.path == path), None)
    if found is None:
        raise NotFound.of(say("console.refused.no_files"))
    return _download(found.text.encode(), path.rpartition("/")[2], "application/octet-stream")


def _result(here: Gateway, look: Look, job_id: UUID) -> tuple[JobFacts, Any]:
    look.who.job(here.db, job_id)
    facts = read_job_facts(here.db, job_id)
    if facts.result is None:
        raise NotFound.of(say("console.refused.no_result"))
    return facts, facts.result.content


def _download(content: bytes, name: str, media_type: str) -> Response:
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(content, media_type=media_type, headers={**HEADERS, "Content-Disposition": disposition})
