"""The first page's box, the form of a question, the archive of many results, and what a page says when something is away."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID

import pytest

import tests.support.noop  # noqa: F401  # pyright: ignore[reportUnusedImport]  registers the kind
from tests.support.console import Browser, browser, console_on, job_of
from tests.support.tune_jobs import SAMPLES
from workers.app.run_step import advance_and_publish
from workers.app.services import ProcessServices
from workers.app.submitting import submit
from workers.catalogue import offer_sample
from workers.console.routes import standing
from workers.coordinator.intake import read_submission
from workers.kinds.registry import load_kinds
from workers.reading.jobs import read_request

Served = tuple[Browser, ProcessServices]
SPEC = "target: t\nsource: shop\nsql: SELECT channel FROM orders\n"


@pytest.fixture
def served(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[Served]:
    load_kinds(())
    with console_on(database_url, broker_url, home=tmp_path) as (client, services):
        yield browser(client, services.database, "default"), services


@pytest.mark.parametrize(
    ("text", "picks"),
    [
        (SPEC, 'data-pick="etl"'),
        ("Build orders_per_channel: number of orders per channel", 'data-pick="etl"'),
        ("SELECT channel, count(*) FROM orders GROUP BY 1", 'data-pick="ask"'),
        ("the checkout hangs since ten and nobody knows why", "Choose what it is for"),
    ],
)
def test_a_text_is_recognised_by_its_form_and_prose_is_asked_about(served: Served, text: str, picks: str) -> None:
    assert picks in served[0].post("/console/home/suggest", data={"text": text}).text


def test_a_dropped_file_leads_to_where_it_is_taken(served: Served) -> None:
    admin, _ = served
    script = next(path for path in (SAMPLES / "spark_skew").iterdir() if path.suffix == ".py")
    history = b"ticket_id,description,root_cause\n1,slow,lock\n2,down,disk\n"

    assert "/console/new/tune" in admin.post("/console/home/suggest", files={"file": (script.name, script.read_bytes())}).text
    assert "/console/tickets/import" in admin.post("/console/home/suggest", files={"file": ("own.csv", history)}).text
    assert "What is notes.txt?" in admin.post("/console/home/suggest", files={"file": ("notes.txt", b"call back later")}).text


def test_examples_are_about_the_data_that_there_are_and_a_specification_is_taken_from_the_box(served: Served) -> None:
    admin, services = served
    assert "data-example" not in admin.get("/console/home/examples").text
    offer_sample(services.database, services.settings.data_dir)

    shown = admin.get("/console/home/examples").text

    assert 'data-example="How many ' in shown
    assert 'data-example="Build ' in shown
    made = admin.post("/console/home", data={"text": SPEC, "kind": "etl"}).headers["HX-Redirect"]
    request = read_request(services.database, UUID(made.rpartition("/")[2]))
    assert request is not None
    assert request["spec"] == SPEC


def test_a_question_is_filled_in_seen_and_asked(served: Served) -> None:
    admin, services = served
    offer_sample(services.database, services.settings.data_dir)
    filled = {"source": "shop", "table": "main.orders", "how-0": "count", "column": "main.orders.channel"}
    form = admin.get("/console/plan/form?source=shop&table=main.orders&where-0=main.orders.status").text
    assert '<option value="completed">' in form, "values of the catalogue are suggested"

    seen = admin.post("/console/plan/preview", "zh", data=filled).text
    assert "分组" in seen
    assert "COUNT" in seen
    assert "Choose a figure" in admin.post("/console/plan/preview", data={"source": "shop", "table": "main.orders"}).text
    made = admin.post("/console/plan", data=filled).headers["HX-Redirect"]
    request = read_request(services.database, UUID(made.rpartition("/")[2]))
    assert request is not None
    assert request["built"]["plan"]["group_by"][0]["column"] == "orders.channel"


def test_a_filled_in_question_is_sorted_by_what_is_shown_and_not_by_a_number(served: Served) -> None:
    admin, services = served
    offer_sample(services.database, services.settings.data_dir)
    filled = {"source": "shop", "table": "main.orders", "how-0": "count", "column": "main.orders.channel", "order": "figure-0"}

    form = admin.get("/console/plan/form?" + urlencode(filled)).text
    assert '<option value="main.orders.channel">channel</option>' in form
    assert '<option value="figure-0" selected>number of rows</option>' in form
    asked = admin.post("/console/plan", data={**filled, "descending": "true"}).headers["HX-Redirect"]
    request = read_request(services.database, UUID(asked.rpartition("/")[2]))
    assert request is not None
    order = request["built"]["plan"]["order_by"][0]
    assert (order["position"], order["descending"]) == (2, True)


def test_results_of_several_jobs_are_one_archive(served: Served) -> None:
    admin, services = served
    jobs = [job_of(services, "default", {"kind": "noop"}) for _ in range(2)]

    archive = admin.get("/console/jobs/export?" + "&".join(f"job={job}" for job in jobs))

    names = zipfile.ZipFile(io.BytesIO(archive.content)).namelist()
    assert len([name for name in names if name.endswith("/report.md")]) == 2
    assert json.loads(zipfile.ZipFile(io.BytesIO(archive.content)).read(next(name for name in names if name.endswith(".json"))))
    waiting = submit(services, read_submission({"job": {"kind": "noop"}, "owner": "default"})).job_id
    assert admin.get(f"/console/jobs/export?job={waiting}").status_code == 404


def test_a_page_says_when_work_waits_and_no_worker_answers(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    admin, services = served
    assert admin.get("/console/standing").text.strip() == ""
    made = submit(services, read_submission({"job": {"kind": "noop"}, "owner": "default"}))
    advance_and_publish(services, made.job_id)
    services.database.statement("UPDATE steps SET due_at = now() - interval '1 minute' WHERE status = 'queued'")
    monkeypatch.setattr(standing, "KEPT_S", 0.0)

    assert "no worker answers for" in admin.get("/console/standing").text
    assert "没有工作进程应答" in admin.get("/console/standing", "zh").text


def test_a_page_that_there_is_not_says_so_and_leads_on(served: Served) -> None:
    admin, _ = served
    missing = admin.get("/console/nowhere", "zh")

    assert missing.status_code == 404
    assert "这里没有内容" in missing.text
    assert 'href="/console/jobs"' in missing.text
