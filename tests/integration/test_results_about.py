"""Every export says what it is of, and every place that shows a result says where a person wrote or edited what it rests on."""

import html
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from tests.support.console import Browser, browser, console_on
from tests.support.finished_jobs import SHIPPED, done, prepare
from tests.support.gateway import key_for
from workers.app.in_process import run_all
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.coordinator.actions import revise
from workers.coordinator.replay import fork
from workers.kinds.result_files import ABOUT, safe_files
from workers.kinds.shown import result_parts
from workers.reading.deliverables import read_current
from workers.reading.facts import JobFacts, read_job_facts
from workers.reading.jobs import read_request

UPSTREAM = "This rests on what a person wrote or edited"
OWN = "A person wrote or edited this result"


@pytest.fixture
def served(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[tuple[TestClient, ProcessServices]]:
    with console_on(database_url, broker_url, home=tmp_path, artefact_store=str(tmp_path / "artefacts")) as made:
        yield made


def keep_as_own(services: ProcessServices, job: UUID, stage: str) -> JobFacts:
    """A person's version of a stage, with the same content: what follows stays as it is."""
    revise(services.database, job, stage, read_current(services.database, job, stage).content)
    move_on(services, job)
    run_all(services)
    facts = read_job_facts(services.database, job)
    assert facts.job.status == "succeeded", facts.job.error
    return facts


def before_result(facts: JobFacts) -> str:
    """A stage that a role fills and that the result needs."""
    assert facts.result is not None
    roles = {stage.name for stage in facts.stages if stage.role is not None}
    own = next(stage for stage in facts.stages if stage.name == facts.result.stage)
    return next(need for need in reversed(own.needs) if need in roles)


def exports(admin: Browser, job: UUID, v1: dict[str, str]) -> dict[str, str]:
    """Each form in which the result leaves the console or the gateway → its text."""
    found = {form: admin.get(f"/console/jobs/{job}/report?form={form}").text for form in ("html", "md", "json")}
    archive = zipfile.ZipFile(io.BytesIO(admin.get(f"/console/jobs/export?job={job}").content))
    found |= {name.rpartition("/")[2]: archive.read(name).decode() for name in archive.namelist() if "/files/" not in name}
    for form in ("html", "md", "json"):
        found[f"/v1 {form}"] = admin.client.get(f"/v1/jobs/{job}/result", params={"format": form, "language": "en"}, headers=v1).text
    return found


def shown(admin: Browser, job: UUID, facts: JobFacts) -> dict[str, str]:
    """Each page that shows the result or lists its job."""
    assert facts.result is not None
    parts = [f"result/{part.name}" for part in result_parts(facts.job.kind, facts.result.content, job)]
    files = ["files"] if safe_files(facts.job.kind, facts.result.content) else []
    return {page: admin.get(f"/console/jobs/{job}/{page}".rstrip("/")).text for page in ("", "whole", *parts, *files)}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", SHIPPED)
def test_a_result_says_what_it_is_of_and_what_a_person_wrote_of_it(served: tuple[TestClient, ProcessServices], kind: str) -> None:
    client, services = served
    admin, v1 = browser(client, services.database, "default"), key_for(services.database, "default")
    prepare(services, kind)
    job = done(services, kind)
    request: Any = read_request(services.database, job)
    words = next(str(request[field]) for field in ("description", "requirement", "question") if request.get(field))

    for form, text in exports(admin, job, v1).items():
        assert str(job) in text, form
        assert words.split("\n")[0][:40] in html.unescape(text).replace("\\", ""), form
        assert OWN not in text, form
        assert UPSTREAM not in text, form
    plain: Any = json.loads(admin.get(f"/console/jobs/{job}/report?form=json").text)
    assert {"stage", "version", "content", "about"} == set(plain)
    assert plain["about"]["request"] == request
    assert plain["about"]["by_person"] == []
    assert {entry["written_by"] for entry in plain["about"]["stages"]} == {"rules"}
    assert "by a person" not in admin.get("/console/jobs").text

    upstream = before_result(read_job_facts(services.database, job))
    facts = keep_as_own(services, job, upstream)

    assert facts.result is not None
    for form, text in exports(admin, job, v1).items():
        if form.endswith("json"):
            assert json.loads(text)["about"]["by_person"] == [upstream], form
        else:
            assert UPSTREAM in text, form
            assert OWN not in text, form
    for name, page in shown(admin, job, facts).items():
        assert UPSTREAM in page, name
    assert admin.get("/console/jobs").text.count("by a person") == 1
    assert admin.get("/console/home/now").text.count("by a person") == 1
    assert "人工填写或修改" in admin.get(f"/console/jobs/{job}/report?form=md", "zh").text

    facts = keep_as_own(services, job, facts.result.stage)

    for form, text in exports(admin, job, v1).items():
        assert ("person" if form.endswith("json") else OWN) in text, form
    for name, page in shown(admin, job, facts).items():
        assert OWN in page, name


def test_what_a_person_wrote_is_still_theirs_in_a_fork(served: tuple[TestClient, ProcessServices]) -> None:
    client, services = served
    admin = browser(client, services.database, "default")
    prepare(services, "ask")
    job = done(services, "ask")
    facts = read_job_facts(services.database, job)
    assert facts.result is not None
    upstream = before_result(facts)
    keep_as_own(services, job, upstream)

    forked = fork(services.database, job, facts.result.stage)
    move_on(services, forked)
    run_all(services)

    about: Any = json.loads(admin.get(f"/console/jobs/{forked}/report?form=json").text)["about"]
    assert about["by_person"] == [upstream]
    assert about["forked_from"] == str(job)
    assert {"person", "copy"} <= {entry["written_by"] for entry in about["stages"]}
    assert admin.get("/console/jobs").text.count("by a person") == 2


def test_rows_of_an_edited_statement_say_so_by_their_name(served: tuple[TestClient, ProcessServices]) -> None:
    client, services = served
    admin = browser(client, services.database, "default")
    prepare(services, "ask")
    job = done(services, "ask")
    plain = admin.get(f"/console/jobs/{job}/rows").headers
    facts = read_job_facts(services.database, job)
    keep_as_own(services, job, before_result(facts))
    edited = admin.get(f"/console/jobs/{job}/rows").headers

    assert "edited" not in plain["content-disposition"]
    assert "x-bullpen-by-person" not in plain
    assert f"{job}-edited.csv" in edited["content-disposition"]
    assert edited["x-bullpen-by-person"]


def test_a_package_brings_a_page_about_itself(served: tuple[TestClient, ProcessServices]) -> None:
    client, services = served
    admin = browser(client, services.database, "default")
    prepare(services, "etl")
    job = done(services, "etl")
    keep_as_own(services, job, before_result(read_job_facts(services.database, job)))
    archive = zipfile.ZipFile(io.BytesIO(admin.get(f"/console/jobs/{job}/files/archive").content))
    page = next(archive.read(name).decode() for name in archive.namelist() if name.endswith(ABOUT))

    assert str(job) in page
    assert UPSTREAM in page
