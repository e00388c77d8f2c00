"""The page of a job as a place to work: stages on one clock, the inspector, what a person changed, what is made again; the first page and
the list of jobs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

import tests.support.noop  # noqa: F401  # pyright: ignore[reportUnusedImport]  registers the kind
from contracts.access import Scope
from contracts.jobs import EngineChoice, SubmitJob
from tests.support.console import Browser, browser, console_on, job_of
from tests.support.openai_server import openai_server
from tests.support.ten_calls import trip_answer
from workers.app.in_process import run_all
from workers.app.run_step import advance_and_publish
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.catalogue import offer_sample
from workers.console.pages import static_tag
from workers.coordinator.intake import accept
from workers.coordinator.replay import replay_stage
from workers.reading.calls import read_calls
from workers.reading.deliverables import read_current


@pytest.fixture
def served(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[tuple[TestClient, ProcessServices]]:
    with console_on(database_url, broker_url, home=tmp_path) as made:
        yield made


@pytest.fixture
def services(served: tuple[TestClient, ProcessServices]) -> ProcessServices:
    return served[1]


@pytest.fixture
def admin(served: tuple[TestClient, ProcessServices], database: Database) -> Browser:
    return browser(served[0], database, "default")


def section(page: str, name: str) -> str:
    """A part of a job's page."""
    return page.partition(f'id="job-{name}">')[2].partition("</section>")[0]


def plain(page: str) -> str:
    """A part of a page without the marks of names and quotes."""
    return re.sub("</?(q|code|span)>", "", page)


def test_a_stage_opens_beside_the_result_with_a_form_of_what_may_be_changed(admin: Browser, services: ProcessServices) -> None:
    offer_sample(services.database, services.settings.data_dir)
    request = {"kind": "ask", "question": "revenue per month in 2026", "source": "shop"}
    job_id = job_of(services, "default", request, engine="rules")
    page = admin.get(f"/console/jobs/{job_id}?stage=tool/1").text
    stages = section(page, "stages")

    assert re.findall(r"<b>([^<]+)</b>", stages)[:3] == ["Request", "Question understood", "Next move 1"]
    assert 'aria-label="SQL written 2: done"' in stages
    assert "<b>编写 SQL 2</b>" in admin.get(f"/console/jobs/{job_id}", "zh").text
    inspected = page.partition('id="inspector"')[2].partition("</aside>")[0]
    assert "rules, without a model" in inspected
    assert 'name="f-arguments.question"' in inspected
    changed = {"f-arguments.question": "revenue per month in 2025", "edit": ""}
    seen = admin.post(f"/console/jobs/{job_id}/stages/tool/1/preview", data=changed)
    assert "revenue per month in 2025" in seen.text
    assert admin.post(f"/console/jobs/{job_id}/stages/tool/1/replay", data=changed).status_code == 200

    meanwhile = admin.get(f"/console/jobs/{job_id}").text
    assert "A new one is being made" in section(meanwhile, "result")
    assert "total_value" in section(meanwhile, "result"), "the earlier result stays until the new one is there"
    run_all(services)
    assert "A new one is being made" not in admin.get(f"/console/jobs/{job_id}").text
    rows = admin.get(f"/console/jobs/{job_id}/rows")
    assert rows.headers["content-type"].startswith("text/csv")


def test_what_a_person_wrote_is_marked_wherever_it_is_shown(admin: Browser, services: ProcessServices) -> None:
    job_id = job_of(services, "default", {"kind": "noop"})
    assert "by a person" not in admin.get(f"/console/jobs/{job_id}").text
    admin.post(f"/console/jobs/{job_id}/stages/s2/revise", data={"edit": '{"stage": "s2", "given": {"mine": "yes"}}'})
    run_all(services)

    page = admin.get(f"/console/jobs/{job_id}").text

    assert "A person wrote or edited:" in section(page, "head")
    assert section(page, "stages").count("by a person") == 1
    inspected = admin.get(f"/console/jobs/{job_id}/inspect/s2").text
    assert '<span class="badge">a person</span>' in inspected
    assert "mine" in inspected
    assert "what this version changed" in inspected.lower()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"sql": "SELECT `a`"}, {"sql": "SELECT a"}, "SELECT `a`"),
        ({"rows": [{"n": n} for n in range(60)]}, {"rows": [{"n": n if n < 59 else 1234} for n in range(60)]}, "1234"),
        ({"rows": [{"n": ["x" * 250]}]}, {"rows": [{"n": ["x" * 250 + "tail"]}]}, "tail"),
        ({"on": False}, {"on": None}, "null"),
    ],
    ids=["a backtick", "a row that is not shown", "the end of a long text", "a value that says nothing"],
)
def test_every_change_of_a_version_is_shown(
    admin: Browser, services: ProcessServices, before: dict[str, object], after: dict[str, object], expected: str
) -> None:
    job_id = job_of(services, "default", {"kind": "noop"})
    for given in (before, after, after):
        admin.post(f"/console/jobs/{job_id}/stages/s2/revise", data={"edit": json.dumps({"stage": "s2", "given": given})})
        run_all(services)

    def page(version: int, against: int) -> str:
        return admin.get(f"/console/jobs/{job_id}/stages/s2?version={version}&against={against}").text

    changed = page(3, 2).partition("What this version changed")[2].partition("</article>")[0]
    assert expected in re.sub("<[^>]+>", "", changed)
    assert "Equal to version 3" in page(4, 3)


def test_a_stage_shows_what_it_holds_in_words(admin: Browser, services: ProcessServices) -> None:
    """JSON is for who opens it: the request by the words of its form, rows as a table, a chart as a chart, figures unrounded."""
    offer_sample(services.database, services.settings.data_dir)
    request = {"kind": "ask", "question": "revenue per month in 2026", "source": "shop"}
    job_id = job_of(services, "default", request, engine="rules")

    def shown(stage: str, language: str = "en") -> str:
        return plain(admin.get(f"/console/jobs/{job_id}/inspect/{stage}", language).text.partition("<details>")[0])

    asked = shown("input")
    assert "<dt>Question</dt><dd>revenue per month in 2026</dd>" in asked
    assert "null" not in asked
    assert "<dt>问题</dt>" in shown("input", "zh")
    run = shown("tool/3")
    assert "<td>126538.92</td>" in run
    assert 'class="plotted' in run
    assert "<dt>Source</dt><dd>shop</dd>" in run
    assert "&#34;" not in run


def test_a_draft_to_edit_keeps_its_lines_and_leads_to_the_editor(admin: Browser, services: ProcessServices) -> None:
    offer_sample(services.database, services.settings.data_dir)
    request = {"kind": "etl", "requirement": "A table of returns per month and reason with the number of returned pieces", "source": "shop"}
    job_id = job_of(services, "default", request, engine="rules")

    asked = admin.get(f"/console/jobs/{job_id}").text.partition('<form class="question"')[2].partition("</form>")[0]

    assert "\n  - {name: month}\n" in asked
    assert "`bullpen" not in asked.partition("<pre")[0]
    assert f'href="/console/spec?job={job_id}"' in asked
    assert "name: month" in admin.get(f"/console/spec?job={job_id}").text


def test_stages_are_called_in_words_wherever_a_job_is_spoken_of(admin: Browser, services: ProcessServices) -> None:
    failed = job_of(services, "default", {"kind": "noop", "plan": {"s1": {"break": True}}})
    for page in (f"/console/jobs/{failed}", "/console/jobs", "/console/home/now"):
        assert "S1: broken as ordered" in admin.get(page).text, page
    done = job_of(services, "default", {"kind": "noop"})
    page = admin.get(admin.post(f"/console/jobs/{done}/stages/s2/fork", data={"edit": ""}).headers["HX-Redirect"])
    happened = plain(section(page.text, "activity"))
    assert f"copied from job {str(done).rpartition('-')[2]}, to be done again from S2" in happened
    assert str(done) not in happened
    decided = plain(section(admin.get(f"/console/jobs/{done}").text, "activity")).partition("decisions of the coordinator")[2]
    assert "dispatched S1" in decided
    assert "{" not in decided


def test_a_fork_says_how_it_differs_from_its_origin(admin: Browser, services: ProcessServices) -> None:
    offer_sample(services.database, services.settings.data_dir)
    request = {"kind": "ask", "question": "revenue per month in 2026", "source": "shop"}
    job_id = job_of(services, "default", request, engine="rules")
    assert "How it differs" not in admin.get(f"/console/jobs/{job_id}").text

    changed = {"f-arguments.question": "revenue per month in 2025", "edit": ""}
    forked = admin.post(f"/console/jobs/{job_id}/stages/tool/1/fork", data=changed).headers["HX-Redirect"]
    same = admin.post(f"/console/jobs/{job_id}/stages/tool/1/fork", data={"edit": ""}).headers["HX-Redirect"]
    run_all(services)

    head = section(admin.get(forked).text, "head")
    assert "How it differs from" in head
    assert re.search(r"<code>arguments</code> <del>[^<]*</del> <ins>[^<]*2025[^<]*</ins>", head)
    assert "done again as it was" in section(admin.get(same).text, "head")
    for listed in (admin.get("/console/jobs").text, admin.get("/console/home/now").text):
        assert re.search(r"<code>arguments</code> = [^<]*2025", listed)
        assert listed.count("done again as it was") == 1
    admin.post(f"{forked}/stages/understand/revise", data={"edit": _content(services, forked, "understand")})
    assert "a person wrote what it holds" in section(admin.get(forked).text, "head")


def _content(services: ProcessServices, address: str, stage: str) -> str:
    """What a stage of a job holds, as JSON."""
    return json.dumps(read_current(services.database, UUID(address.rpartition("/")[2]), stage).content)


def test_a_stage_says_which_stages_are_done_again_with_it(admin: Browser, services: ProcessServices) -> None:
    job_id = job_of(services, "default", {"kind": "noop"})
    inspected = admin.get(f"/console/jobs/{job_id}/inspect/s4").text
    assert "Done again then: S5, S6" in inspected
    assert 'data-needs="s3"' in section(admin.get(f"/console/jobs/{job_id}").text, "stages"), "and not the request, which s3 needs"


def test_the_prompts_of_a_job_are_shown_to_its_owner_alone(
    database_url: str, broker_url: str, tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEN_CALLS", str(tmp_path))
    with openai_server() as server:
        server.by_prompt = trip_answer
        model = {"model": "test-model", "model_base_url": server.base_url, "engine": EngineChoice.LLM}
        with console_on(database_url, broker_url, home=tmp_path, **model) as (client, services):
            job_id = accept(
                database, SubmitJob(job={"kind": "trip"}, engine=EngineChoice.LLM, owner="ada"), owner_cap=10, has_model=True
            ).job_id
            advance_and_publish(services, job_id)
            run_all(services)
            call = read_calls(database, job_id)[0]
            owner = browser(client, database, "ada", Scope.READ)
            address = f"/console/jobs/{job_id}/calls/{call.step_id}/{call.call}"

            inspected = owner.get(f"/console/jobs/{job_id}/inspect/{call.stage}").text

            assert f'hx-get="{address}"' in inspected
            assert "model test-model" in inspected
            assert "model call" in section(owner.get(f"/console/jobs/{job_id}").text, "stages")
            assert "day 1 of" in owner.get(address).text
            assert browser(client, database, "bob", Scope.READ, Scope.OPERATE).get(address).status_code == 404


def test_the_first_page_shows_what_waits_and_takes_what_is_typed(
    served: tuple[TestClient, ProcessServices], admin: Browser, services: ProcessServices, database: Database
) -> None:
    job_of(services, "bank", {"kind": "noop", "text": "of the bank", "plan": {"s2": {"ask": 1}}})
    job_of(services, "shop", {"kind": "noop", "text": "of the shop", "plan": {"s2": {"break": True}}})
    bank = browser(served[0], database, "bank", Scope.READ, Scope.SUBMIT)

    page = bank.get("/console").text

    assert "of the bank" in page
    assert "s2: question 1?" in page
    assert "of the shop" not in page
    assert "of the shop" in admin.get("/console/home/now").text
    made = bank.post("/console/home", data={"text": "the database is slow", "kind": "diagnose"})
    assert re.fullmatch(r"/console/jobs/[0-9a-f-]{36}", made.headers["HX-Redirect"])
    assert "the database is slow" in bank.get(made.headers["HX-Redirect"]).text
    talk = bank.post("/console/home", data={"text": "how many orders?", "kind": "ask"})
    assert talk.headers["HX-Redirect"].startswith("/console/chat/")
    slow = bank.post("/console/home", data={"text": "the nightly job & its twin", "kind": "tune"}).headers["HX-Redirect"]
    assert ">the nightly job &amp; its twin</textarea>" in bank.get(slow).text
    assert bank.post("/console/home", data={"text": "", "kind": "tune"}).status_code == 400
    assert bank.post("/console/home", data={"text": " ", "kind": "ask"}).status_code == 400


def test_a_list_that_has_not_changed_is_not_sent_again(admin: Browser, services: ProcessServices) -> None:
    job_id = job_of(services, "default", {"kind": "noop", "text": "first"})
    services.database.statement("UPDATE jobs SET created_at = now() - interval '100 days'")
    page = admin.get("/console/jobs").text
    seen = re.search(r'name="seen" value="([0-9a-f]+)"', page)
    assert seen is not None

    assert admin.get(f"/console/jobs/list?seen={seen[1]}").status_code == 204
    replay_stage(services.database, job_id, "s6")
    assert admin.get(f"/console/jobs/list?seen={seen[1]}").status_code == 200


def test_many_jobs_are_done_again_or_ended_at_once_and_days_narrow_the_list(
    served: tuple[TestClient, ProcessServices], admin: Browser, services: ProcessServices, database: Database
) -> None:
    broken = job_of(services, "default", {"kind": "noop", "text": "broken", "plan": {"s1": {"break": True}}})
    asking = job_of(services, "shop", {"kind": "noop", "text": "asking", "plan": {"s1": {"ask": 1}}})
    shop = browser(served[0], database, "shop", Scope.READ, Scope.OPERATE)

    refused = shop.post("/console/jobs", data={"deed": "cancel", "job": [str(broken)]})
    assert "0 jobs" in refused.text
    assert "1 job was changed" in shop.post("/console/jobs", data={"deed": "cancel", "job": [str(asking)]}).text
    assert "1 job was changed" in admin.post("/console/jobs", data={"deed": "replay", "job": [str(broken)]}).text
    assert admin.post("/console/jobs", data={"deed": "cancel"}).status_code == 400
    assert "broken" in admin.get("/console/jobs?since=2026-01-01").text
    assert "broken" not in admin.get("/console/jobs?until=2020-01-01").text
    assert admin.get("/console/jobs?since=yesterday").status_code == 400


def test_an_address_that_leads_nowhere_is_a_page(admin: Browser) -> None:
    found = admin.get("/console/nowhere")
    assert found.status_code == 404
    assert found.headers["content-type"].startswith("text/html")
    assert 'href="/console"' in found.text


def test_files_of_the_release_are_sent_compressed(served: tuple[TestClient, ProcessServices]) -> None:
    plain = served[0].get(static_tag("console.css"), headers={"Accept-Encoding": "identity"})
    small = served[0].get(static_tag("console.css"), headers={"Accept-Encoding": "gzip"})
    assert small.headers["content-encoding"] == "gzip"
    assert small.content == plain.content
    assert "content-encoding" not in plain.headers
