"""The pages of results: what kinds contribute to them, their files and archive; refusals in the reader's language; logins that ended."""

import html
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import tests.support.noop  # noqa: F401  # pyright: ignore[reportUnusedImport]  registers the kind
from tests.support.console import Browser, browser, console_on, job_of
from tests.support.tune_jobs import SAMPLES, bring
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.catalogue import offer_sample
from workers.gateway.access.keys import create_key
from workers.gateway.access.logins import COOKIE
from workers.kinds.base import Kind, Ref, ResultFile, View
from workers.kinds.registry import all_kinds, find_kind
from workers.kinds.result_files import safe_files

REGIONS = "Build region_revenue: revenue per region in 2026."


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[tuple[Browser, ProcessServices]]:
    with console_on(database_url, broker_url, home=tmp_path, artefact_store=str(tmp_path / "artefacts")) as (client, services):
        yield browser(client, services.database, "default"), services


def text_of_page(page: str) -> str:
    return re.sub(r"<[^>]+>", " ", page)


def test_a_tune_report_has_pages_for_its_time_its_fixes_and_its_evidence(services: tuple[Browser, ProcessServices]) -> None:
    admin, fleet = services
    job = job_of(fleet, "default", {"kind": "tune", "bundle": bring(fleet, SAMPLES / "spark_skew")}, engine="rules")
    page = admin.get(f"/console/jobs/{job}").text
    time = admin.get(f"/console/jobs/{job}/result/time").text

    assert [part for part in ("time", "fixes", "evidence") if f'href="/console/jobs/{job}/result/{part}"' not in page] == []
    assert "bullpen feedback" not in page, "a page has a button for it"
    assert time.count('<figure class="plotted"') == 3
    assert "stage 4 (line 12) !" in re.sub(r"</?code>", "", time)
    assert "task 耗时的分布" in admin.get(f"/console/jobs/{job}/result/time", "zh").text
    assert '<pre class="diff"' in admin.get(f"/console/jobs/{job}/result/fixes").text
    assert admin.get(f"/console/jobs/{job}/result/nothing").status_code == 404
    assert re.findall(r"/files/one/([^\"]+\.patch)\"", admin.get(f"/console/jobs/{job}/files").text), "the changed lines, to apply"


def test_an_etl_package_has_its_lineage_reviews_files_and_an_archive(services: tuple[Browser, ProcessServices]) -> None:
    admin, fleet = services
    offer_sample(fleet.database, fleet.settings.data_dir)
    job = job_of(fleet, "default", {"kind": "etl", "requirement": REGIONS, "source": "shop"}, engine="rules")
    base = f"/console/jobs/{job}"

    assert admin.get(f"{base}/result/lineage").text.count('<figure class="graph"') == 2
    assert "Review of the scripts" in admin.get(f"{base}/result/review").text
    files = admin.get(f"{base}/files").text
    paths = re.findall(r"/files/one/([^\"]+)\"", files)
    archive = admin.get(f"{base}/files/archive")
    names = zipfile.ZipFile(io.BytesIO(archive.content)).namelist()
    assert archive.headers["content-disposition"].startswith("attachment")
    assert {name.partition("/")[2] for name in names} == {*paths, "ABOUT.md"}
    model = next(path for path in paths if path.startswith("models/") and path.endswith(".sql"))
    assert "SELECT" in admin.get(f"{base}/files/one/{model}").text
    assert admin.get(f"{base}/files/one/../../etc/passwd").status_code == 404
    assert admin.get(f"{base}/files/archive").content == archive.content
    assert "Review of the scripts" in admin.get(f"{base}/stages/development_review").text, "a stage shows its deliverable as a report"


def test_no_file_of_a_result_leaves_the_folder_into_which_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = ("../evil", "/etc/passwd", "a/../../b", "C:\\x", "a\x1bb", "")
    made = (*(ResultFile(path, "x") for path in bad), ResultFile("models/a.sql", "1"), ResultFile("models//a.sql", "2"))
    monkeypatch.setattr("workers.kinds.result_files.result_files", lambda _kind, _content: made)

    assert safe_files("any", {}) == (ResultFile("models/a.sql", "1"),)


def test_a_kind_without_pages_of_its_own_has_none(services: tuple[Browser, ProcessServices]) -> None:
    admin, fleet = services
    job = job_of(fleet, "default", {"kind": "noop"})

    assert "/result/" not in admin.get(f"/console/jobs/{job}").text
    assert admin.get(f"/console/jobs/{job}/result/time").status_code == 404


def test_what_is_refused_is_said_in_the_language_of_the_page(services: tuple[Browser, ProcessServices]) -> None:
    admin, fleet = services
    job = job_of(fleet, "default", {"kind": "noop"})
    refused = (
        admin.get(f"/console/jobs/{uuid4()}", "zh"),
        admin.get(f"/console/chat/{uuid4()}", "zh"),
        admin.get("/console/sources/nowhere", "zh"),
        admin.get("/console/tickets/show/none", "zh"),
        admin.get(f"/console/quarantine/{uuid4()}", "zh"),
        admin.get("/console/new/nothing", "zh"),
        admin.post(f"/console/jobs/{job}/stages/nowhere/replay", "zh", data={"edit": ""}),
        admin.post(f"/console/jobs/{job}/stages/s1/replay", "zh", data={"edit": "{"}),
        admin.post(f"/console/jobs/{job}/stages/s1/unpin", "zh"),
        admin.post(f"/console/jobs/{job}/questions/{uuid4()}", "zh", data={"text": "x"}),
        admin.post("/console/fleet/nobody/pause", "zh"),
        admin.post("/console/uploads/0/done", "zh"),
    )
    for page in refused:
        assert page.status_code in (400, 404, 409), page.url
        said = re.search(r'<p (?:class="notice bad"|role="alert")[^>]*>(.*?)</p>', page.text, re.DOTALL)
        assert said is not None, page.url
        assert re.search(r"[\u4e00-\u9fff]", said[1]), said[1]
        assert not re.search(r"\b(There is|No |This |has no)\b", said[1]), said[1]


def test_a_page_that_says_what_went_wrong_keeps_the_menu(services: tuple[Browser, ProcessServices]) -> None:
    admin, _ = services
    assert 'href="/console/jobs"' in admin.get(f"/console/jobs/{uuid4()}").text


def test_a_login_that_ended_is_renewed_within_the_page(services: tuple[Browser, ProcessServices]) -> None:
    """The page stays: a part of it asks for the key, and gets the token for what is sent from now on."""
    admin, fleet = services
    job = job_of(fleet, "default", {"kind": "noop", "plan": {"s3": {"ask": 1}}})
    question = re.search(rf"/console/jobs/{job}/questions/([0-9a-f-]+)", admin.get(f"/console/jobs/{job}").text)
    assert question is not None
    end_logins(fleet.database)

    ended = admin.post(question[0], data={"text": "a long answer"})
    assert ended.status_code == 401
    assert "HX-Redirect" not in ended.headers, "the page would lose what was typed"
    assert (ended.headers["HX-Retarget"], ended.headers["HX-Reswap"]) == ("#notice", "innerMorph")
    assert 'hx-post="/console/login/again"' in ended.text

    _, key = create_key(fleet.database, "default")
    wrong = admin.post("/console/login/again", data={"key": "bp_wrong"})
    assert wrong.status_code == 401
    again = admin.post("/console/login/again", data={"key": key})
    admin.cookie = again.cookies[COOKIE]
    stale = admin.post(question[0], data={"text": "a long answer"})
    assert stale.status_code == 403, "the page still has the token of the login that ended"
    assert stale.headers["X-New-CSRF-Token"] == again.headers["X-New-CSRF-Token"]
    headers = {"Cookie": f"{COOKIE}={admin.cookie}", "X-CSRF-Token": stale.headers["X-New-CSRF-Token"], "HX-Request": "true"}
    taken = admin.client.post(question[0], data={"text": "a long answer"}, headers=headers)
    assert taken.status_code == 200


def test_the_token_of_a_login_is_told_to_no_other_site(services: tuple[Browser, ProcessServices]) -> None:
    admin, fleet = services
    job = job_of(fleet, "default", {"kind": "noop"})
    headers = {"Cookie": f"{COOKIE}={admin.cookie}", "HX-Request": "true", "Sec-Fetch-Site": "cross-site"}
    refused = admin.client.post(f"/console/jobs/{job}/cancel", headers=headers)
    assert refused.status_code == 403
    assert "X-New-CSRF-Token" not in refused.headers
    assert admin.client.post("/console/login/again", data={"key": "x"}, headers=headers).status_code == 403


def test_a_page_comes_back_with_its_filters_after_the_login(services: tuple[Browser, ProcessServices]) -> None:
    admin, fleet = services
    end_logins(fleet.database)
    found = admin.get("/console/jobs?status=failed&text=a%20b")
    assert found.headers["location"] == "/console/login?next=%2Fconsole%2Fjobs%3Fstatus%3Dfailed%26text%3Da%2520b"


def end_logins(db: Database) -> None:
    db.statement("UPDATE browser_logins SET expires_at = now() - interval '1 second'")


def test_every_page_that_a_kind_names_can_be_in_an_address() -> None:
    views: list[View] = [kind.view for kind in all_kinds() if kind.view is not None]
    assert any(view.parts for view in views)
    for view in views:
        for ref in (view.parts, view.files, view.deliverable):
            assert ref is None or (isinstance(ref, Ref) and callable(ref.load()))
    assert isinstance(find_kind("etl"), Kind)


SPEC = """\
target: orders_per_channel
source: shop
grain: [channel]
sql: |
  SELECT channel, COUNT(*) AS n
  FROM {table}
  GROUP BY channel
"""


def test_a_specification_is_filled_checked_submitted_and_edited_from_its_job(services: tuple[Browser, ProcessServices]) -> None:
    admin, fleet = services
    offer_sample(fleet.database, fleet.settings.data_dir)

    drafted = admin.post(
        "/console/spec/fill", data={"source": "shop", "target": "mart.paid", "requirement": "amount of payments by method"}
    )
    assert "FROM main.payments" in drafted.text
    chosen = admin.post("/console/spec/fill", data={"source": "shop", "target": "copied", "table": ["main.returns"]})
    assert "main.returns.reason" in chosen.text
    assert "choose tables" in admin.post("/console/spec/fill", data={"source": "shop"}).text

    for act in ("/console/spec/check", "/console/spec"):
        wrong = admin.post(act, data={"source": "shop", "text": SPEC.format(table="ordrs")})
        assert 'data-line="6" data-column="8"' in wrong.text
        assert "Line 6, column 8" in text_of_page(wrong.text)
    assert "第 6 行第 8 列" in text_of_page(admin.post("/console/spec/check", "zh", data={"text": SPEC.format(table="ordrs")}).text)
    assert "Nothing is wrong" in admin.post("/console/spec/check", data={"text": SPEC.format(table="orders")}).text

    made = admin.post("/console/spec", data={"source": "shop", "text": SPEC.format(table="orders"), "f-form": "sql"})
    job = made.headers["HX-Redirect"].rpartition("/")[2]
    assert f'href="/console/spec?job={job}"' in admin.get(f"/console/jobs/{job}").text
    assert "orders_per_channel" in admin.get(f"/console/spec?job={job}").text
    assert '<option value="sql" selected>' in admin.get(f"/console/spec?job={job}").text, "with the options that it had"


def test_a_job_of_a_requirement_is_edited_as_the_specification_that_it_amounts_to(services: tuple[Browser, ProcessServices]) -> None:
    admin, fleet = services
    offer_sample(fleet.database, fleet.settings.data_dir)
    job = job_of(fleet, "default", {"kind": "etl", "requirement": REGIONS, "source": "shop"}, engine="rules")

    page = admin.get(f"/console/spec?job={job}").text

    text = html.unescape(page.partition('name="text"')[2].partition(">")[2].partition("</textarea>")[0]).lstrip("\n")
    assert "target: region_revenue" in text
    checked = admin.post("/console/spec/check", data={"source": "shop", "text": text})
    assert "Nothing is wrong" in checked.text, checked.text
