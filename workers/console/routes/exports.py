"""The results of many jobs as one archive: each report in the reader's language, its content as JSON, its files. Report and JSON say what
they are of; so they go with the files."""

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from contracts.statements import say
from workers.console.pages import HEADERS, Look, Reading, short_id
from workers.console.routes.jobs import Asked
from workers.console.routes.many_jobs import matching
from workers.console.routing import PageRoute
from workers.errors import NotFound
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.kinds.about import exported, with_about
from workers.kinds.result_files import EARLIEST, safe_files
from workers.kinds.shown import report_of
from workers.reading.facts import read_job_facts
from workers.reading.jobs import read_request
from workers.saying.markdown import to_markdown

router = APIRouter(prefix="/console/jobs", include_in_schema=False, route_class=PageRoute)

MOST_JOBS = 25
"""Of one archive: a page of the list."""


@router.get("/export")
def export(here: Here, look: Reading, job: Annotated[list[UUID], Query(max_length=MOST_JOBS)]) -> Response:
    """An archive with a folder for each chosen job that has a result."""
    return _archive(here, look, tuple(dict.fromkeys(job)))


@router.get("/matching/export")
def export_matching(here: Here, look: Reading, filters: Asked) -> Response:
    """The same of all jobs that match the filters of the list, at most `MOST` of `many_jobs`."""
    return _archive(here, look, matching(here, look, filters)[0])


def _archive(here: Gateway, look: Look, jobs: Sequence[UUID]) -> Response:
    made = io.BytesIO()
    found = 0
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for job_id in jobs:
            found += _put(here, look, job_id, archive)
    if not found:
        raise NotFound.of(say("console.refused.no_result"))
    return Response(
        made.getvalue(), media_type="application/zip", headers={**HEADERS, "Content-Disposition": 'attachment; filename="results.zip"'}
    )


def _put(here: Gateway, look: Look, job_id: UUID, archive: zipfile.ZipFile) -> bool:
    """Put a job's result into the archive. False: it has none."""
    look.who.job(here.db, job_id)
    facts = read_job_facts(here.db, job_id)
    if facts.result is None:
        return False
    content, request = facts.result.content, read_request(here.db, job_id) or {}
    report = report_of(facts, look.language, details=True, called=look.called)
    folder = f"{''.join(letter for letter in facts.job.kind if letter.isalnum())}-{short_id(job_id)}"
    texts = {
        "report.md": to_markdown(with_about(report, facts, request, look.called), look.language),
        "result.json": json.dumps(exported(facts, request), ensure_ascii=False, indent=2),
        **{f"files/{file.path}": file.text for file in safe_files(facts.job.kind, content)},
    }
    for name, text in texts.items():
        member = zipfile.ZipInfo(f"{folder}/{name}", EARLIEST)
        member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        archive.writestr(member, text)
    return True
