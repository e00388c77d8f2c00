"""The list of jobs at work: filtered by error, all that match at once, and pages that send nothing where nothing changed."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID

import pytest

import tests.support.noop  # noqa: F401  # pyright: ignore[reportUnusedImport]  registers the kind
from contracts.access import Scope
from contracts.jobs import JobStatus
from contracts.statements import as_stored, count, say
from tests.support.console import Browser, browser, console_on, job_of
from workers.app.services import ProcessServices
from workers.console.pages import Look
from workers.console.routes import many_jobs
from workers.reading.jobs import read_job

BROKEN = {"kind": "noop", "text": "breaks", "plan": {"s1": {"break": True}}}


@pytest.fixture
def fleet(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[tuple[Browser, ProcessServices]]:
    with console_on(database_url, broker_url, home=tmp_path) as (client, services):
        yield browser(client, services.database, "default"), services


def jobs_in(page: str) -> set[UUID]:
    return {UUID(found) for found in re.findall(r'href="/console/jobs/([0-9a-f-]{36})"', page)}


def errors_in(page: str) -> dict[str, str]:
    """What the list offers to filter by: key → what it says."""
    field = re.search(r'<select name="error">(.*?)</select>', page, re.DOTALL)
    return {} if field is None else dict(re.findall(r'<option value="([^"]+)"[^>]*>([^<]+)</option>', field[1]))


def test_jobs_are_filtered_by_the_error_that_they_failed_with(fleet: tuple[Browser, ProcessServices]) -> None:
    admin, services = fleet
    job_of(services, "default", {"kind": "noop", "text": "fine"})
    assert errors_in(admin.get("/console/jobs").text) == {}, "nothing has failed"
    broken = {job_of(services, "default", BROKEN) for _ in range(2)}
    late = job_of(services, "default", {"kind": "noop", "text": "late"})
    services.database.statement(
        "UPDATE jobs SET status = 'failed', error = %(error)s::jsonb WHERE id = %(id)s",
        {"id": late, "error": json.dumps(as_stored(say("fleet.error.budget_time", limit=count(5))))},
    )

    errors = errors_in(admin.get("/console/jobs").text)
    own, slow = (next(key for key in errors if (key == "fleet.error.budget_time") == is_slow) for is_slow in (False, True))

    assert len(errors) == 2
    assert re.search("[\u4e00-\u9fff]", errors_in(admin.get("/console/jobs", "zh").text)[slow])
    assert jobs_in(admin.get(f"/console/jobs?error={own}").text) == broken
    assert jobs_in(admin.get(f"/console/jobs?error={slow}").text) == {late}
    assert jobs_in(admin.get(f"/console/jobs?error={own}&text=late").text) == set()
    assert jobs_in(admin.get(f"/console/jobs?error={own}&status=succeeded").text) == set()
    other = browser(admin.client, services.database, "shop", Scope.READ)
    assert errors_in(other.get("/console/jobs").text) == {}


def test_all_jobs_that_match_are_done_again_ended_and_exported_after_their_number_was_seen(
    fleet: tuple[Browser, ProcessServices], monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, services = fleet
    failed = [job_of(services, "default", BROKEN) for _ in range(3)]
    asking = [job_of(services, "default", {"kind": "noop", "text": "x", "plan": {"s3": {"ask": 1}}}) for _ in range(3)]
    job_of(services, "default", {"kind": "noop", "text": "fine"})

    seen = admin.get("/console/jobs/matching?status=waiting_human").text
    which = re.search(r'name="which" value="([0-9a-f]+)"', seen)
    assert which is not None
    assert "3 jobs match" in seen
    ended = admin.post("/console/jobs/matching?status=waiting_human", data={"deed": "cancel", "which": which[1]})
    assert "3 jobs were changed" in ended.text
    assert {read_job(services.database, job_id).status for job_id in asking} == {JobStatus.CANCELLED}
    assert {read_job(services.database, job_id).status for job_id in failed} == {JobStatus.FAILED}
    again = admin.post("/console/jobs/matching?status=waiting_human", data={"deed": "cancel", "which": which[1]})
    assert (again.status_code, "Other jobs match" in again.text) == (400, True), "what was confirmed is not what matches now"

    archive = zipfile.ZipFile(io.BytesIO(admin.get("/console/jobs/matching/export?status=succeeded").content))
    assert sum(name.endswith("/result.json") for name in archive.namelist()) == 1
    monkeypatch.setattr(many_jobs, "MOST", 2)
    bounded = admin.get("/console/jobs/matching").text
    assert "2 jobs match" in bounded
    assert "More match" in bounded
    reader = browser(admin.client, services.database, "default", Scope.READ)
    assert "hx-post" not in reader.get("/console/jobs/matching").text
    assert reader.post("/console/jobs/matching", data={"deed": "cancel", "which": "x"}).status_code == 403
    assert "0 jobs match" in browser(admin.client, services.database, "shop", Scope.READ, Scope.OPERATE).get("/console/jobs/matching").text


def test_pages_that_look_again_send_nothing_where_nothing_changed(
    fleet: tuple[Browser, ProcessServices], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ages alone change nothing: the script of the page keeps them true."""
    admin, services = fleet
    job_of(services, "default", {"kind": "noop", "text": "x", "plan": {"s3": {"ask": 1}}})
    ages: list[Callable[[Look, datetime], str]] = [lambda _look, _at: "a", lambda _look, _at: "b", lambda _look, _at: "c"]
    for page, now in (("", "/home/now"), ("/jobs", "/jobs/list"), ("/fleet", "/fleet/now")):
        tag = re.search(r'name="seen" value="([0-9a-f]+)"', admin.get(f"/console{page}").text)
        assert tag is not None, page
        monkeypatch.setattr(Look, "_age", ages.pop())
        assert admin.get(f"/console{now}?seen={tag[1]}", part=True).status_code == 204, page
        job_of(services, "default", {"kind": "noop", "text": f"new {page}", "plan": {"s3": {"ask": 1}}})
        changed = admin.get(f"/console{now}?seen={tag[1]}", part=True)
        assert changed.status_code == 200, page
        assert f'name="seen" value="{tag[1]}"' not in changed.text
