"""What a person says of a result where it is shown: seen before it is kept, used by the next question, taken back."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from contracts.base import Json
from tests.support.console import Browser, browser, console_on, job_of
from tests.support.tune_jobs import SAMPLES, bring
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.catalogue import Catalogue, offer_sample
from workers.kinds.diagnose.samples import sample_tickets_path
from workers.reading.facts import read_feedback
from workers.reading.questions import read_questions
from workers.tickets import import_tickets, read_tickets

Served = tuple[Browser, ProcessServices]


@pytest.fixture
def served(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[Served]:
    with console_on(database_url, broker_url, home=tmp_path, artefact_store=str(tmp_path / "artefacts")) as (client, services):
        yield browser(client, services.database, "default"), services


def choices(page: str) -> list[Json]:
    """What the buttons of a page say of its result."""
    return [json.loads(html.unescape(text)) for text in re.findall(r'name="values" value="([^"]*)"', page)]


def say(admin: Browser, job: UUID, **values: Any) -> tuple[str, Any]:
    """The preview of feedback as text, and the answer to keeping it as the preview offers it."""
    fields = {f"f-{name}": values.pop(name) for name in ("instead", "define", "wrong", "solution") if name in values}
    seen = admin.post(f"/console/jobs/{job}/feedback/preview", data={"values": json.dumps(values), **fields})
    assert seen.status_code == 200, seen.text
    [kept] = choices(seen.text)
    shown = " ".join(html.unescape(re.sub(r"<[^>]+>", "", seen.text)).split())
    return shown, lambda: admin.post(f"/console/jobs/{job}/feedback", data={"values": json.dumps(kept)})


def asked(services: ProcessServices, question: str) -> UUID:
    return job_of(services, "default", {"kind": "ask", "question": question, "source": "shop"}, engine="rules")


def test_each_fix_of_a_report_has_its_buttons_and_nothing_is_kept_before_it_was_seen(served: Served) -> None:
    admin, services = served
    job = job_of(services, "default", {"kind": "tune", "bundle": bring(services, SAMPLES / "spark_skew")}, engine="rules")
    fixes = admin.get(f"/console/jobs/{job}/result/fixes").text

    assert choices(fixes)[:2] == [{"adopted": ["F1"]}, {"ignored": ["F1"]}]
    assert fixes.index('id="fix-F1"') < fixes.index('id="rate-') < fixes.index('id="fix-F2"'), "they stand at their fix"
    shown, keep = say(admin, job, adopted=["F1"])
    assert "F1 adopted" in shown
    assert read_feedback(services.database, job) is None
    assert keep().status_code == 200
    given = read_feedback(services.database, job)
    assert given is not None
    assert given.detail["adopted"] == ["F1"]
    assert 'aria-pressed="true"' in admin.get(f"/console/jobs/{job}/result/fixes").text
    empty = admin.post(f"/console/jobs/{job}/feedback/preview", data={"values": "{}"})
    assert "Nothing is filled in yet" in empty.text
    assert "--adopted" not in empty.text


def test_a_definition_given_at_an_answer_is_used_by_the_next_question(served: Served, database: Database) -> None:
    admin, services = served
    offer_sample(services.database, services.settings.data_dir)
    job = asked(services, "total amount of payments by method in 2026")
    page = admin.get(f"/console/jobs/{job}").text
    assert "= sum of payments.amount" in page, "what was computed is filled in"

    shown, keep = say(admin, job, define="turnout = number of payments")
    assert "Read as" in shown
    assert "turnout is defined" in html.unescape(keep().text).replace("“", "").replace("”", "")
    result = admin.get(f"/console/jobs/{asked(services, 'turnout by method')}").text
    assert "main.payments" in result

    prose, _ = say(admin, job, define="gist = whatever they feel like")
    assert "published grammar does not read" in prose


def test_a_definition_that_contradicts_another_is_asked_about(served: Served) -> None:
    admin, services = served
    offer_sample(services.database, services.settings.data_dir)
    job = asked(services, "revenue per month in 2026")
    known = Catalogue(services.database, None)

    shown, keep = say(admin, job, define="Revenue = sum of payments.amount")

    assert "defined otherwise by what was imported" in shown
    refused = admin.post(f"/console/jobs/{job}/feedback", data={"values": json.dumps({"define": "Revenue = sum of payments.amount"})})
    assert refused.status_code == 409
    assert keep().status_code == 200
    said = {entry.name: entry.says for entry in known.terms("shop", owner="default").believed}
    assert said["Revenue"].startswith("sum of payments.amount; Defined by default on ")
    again = admin.get(f"/console/jobs/{asked(services, 'revenue per month in 2026')}").text
    assert "payments.amount" in again


def test_a_wrong_answer_is_put_right_by_a_statement_or_by_words(served: Served) -> None:
    admin, services = served
    offer_sample(services.database, services.settings.data_dir)
    job = asked(services, "how many orders are there per channel?")

    shown, keep = say(admin, job, bad=True, instead="only the completed ones")
    assert "only the completed ones" in shown
    keep()
    given = read_feedback(services.database, job)
    assert given is not None
    assert given.detail["instead"] == "only the completed ones"

    right = "SELECT channel, COUNT(*) AS n FROM main.orders WHERE status = 'completed' GROUP BY channel"
    shown, keep = say(admin, job, bad=True, instead=right)
    assert "becomes the example" in shown
    assert keep().status_code == 200
    queries = Catalogue(services.database, None).queries("how many orders are there per channel?", "shop", owner="default")
    assert right in [query.sql for query in queries]
    fails = admin.post(
        f"/console/jobs/{job}/feedback/preview", data={"values": '{"bad": true}', "f-instead": "SELECT nothing FROM nowhere"}
    )
    assert fails.status_code == 400


def test_an_answer_is_taken_back_and_a_diagnosis_is_put_right(served: Served) -> None:
    admin, services = served
    import_tickets(services.database, None, read_tickets(sample_tickets_path()))
    request = {"kind": "diagnose", "description": "queries on orders are slow since the nightly load"}
    job = job_of(services, "default", request, engine="rules")
    first = next(question for question in read_questions(services.database, job) if question.is_open)
    admin.post(f"/console/jobs/{job}/questions/{first.request_id}", data={"item-1": "yes"})
    run_all(services)
    page = admin.get(f"/console/jobs/{job}").text
    assert f"/console/jobs/{job}/questions/{first.request_id}/back" in page

    taken = admin.post(f"/console/jobs/{job}/questions/{first.request_id}/back")

    assert "open again" in taken.text
    assert any(found.is_open and found.request_id == first.request_id for found in read_questions(services.database, job))
    for _ in range(8):
        question = next((found for found in read_questions(services.database, job) if found.is_open), None)
        if question is None:
            break
        items = question.payload["detail"].get("items", ())
        admin.post(f"/console/jobs/{job}/questions/{question.request_id}", data={f"item-{n}": "yes" for n in range(1, len(items) + 1)})
        run_all(services)
    page = admin.get(f"/console/jobs/{job}").text
    assert {"right": True} in choices(page)
    shown, keep = say(admin, job, wrong="the disk of the log was full", solution="make room")
    assert "the disk of the log was full" in shown
    assert "bullpen-" in keep().text
