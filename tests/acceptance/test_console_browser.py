"""The console as its user has it: a real browser on a real fleet, from the login to a phone in Chinese."""

import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import expect

from contracts.access import Scope
from tests.support.browser import watched, why_not
from tests.support.console_browser import findings, findings_in_both_themes
from tests.support.fleet import FleetProcesses
from tests.support.servers import lasting_port
from tests.support.tune_jobs import SAMPLES
from workers.catalogue import offer_sample
from workers.console.offered import login_address
from workers.gateway.access.keys import create_key
from workers.kinds.diagnose.samples import sample_tickets_path
from workers.tickets import import_tickets, read_tickets

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600), pytest.mark.skipif(bool(why_not()), reason=why_not())]

PATIENCE_MS = 120_000
GATEWAY = "gateway"


class Console:
    """A fleet with a gateway, and a page of a browser that is logged in to it."""

    def __init__(self, fleet: FleetProcesses, browser: Any) -> None:
        self.fleet, port = fleet, lasting_port()
        self.url = f"http://127.0.0.1:{port}"
        fleet.run(GATEWAY, [sys.executable, "-m", "workers.cli.main", GATEWAY], {"BULLPEN_GATEWAY_PORT": str(port)})
        fleet.wait_log(GATEWAY, "Uvicorn running")
        self.context = browser.new_context(locale="en-GB")
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.faults = watched(self.page)
        self.page.goto(login_address(fleet.db, self.url))

    def open(self, path: str) -> None:
        """A page of the console."""
        self.page.goto(f"{self.url}/console/{path}")

    def restart_gateway(self) -> None:
        """kill -9; the fleet's supervisor starts it again."""
        lives = self.fleet.log(GATEWAY).count("Uvicorn running")
        self.fleet.kill(GATEWAY)
        self.fleet.wait_log(GATEWAY, "Uvicorn running", times=lives + 1)

    def state(self) -> str:
        """The state of the job on this page."""
        return str(self.page.inner_text("#job-head .state"))


@pytest.fixture
def console(fleet: FleetProcesses, browser: Any) -> Iterator[Console]:
    made = Console(fleet, browser)
    yield made
    made.context.close()


def test_a_user_plays_a_job_from_login_to_phone(console: Console, fleet: FleetProcesses) -> None:
    import_tickets(fleet.db, None, read_tickets(sample_tickets_path()))
    fleet.start("coordinator", "retriever", "diagnoser")
    page = console.page
    assert page.url.endswith("/console")

    page.click("text=New job")
    page.click("main a:has-text('Diagnose')")
    page.fill("#f-description", "queries on orders are slow <script>document.title='bad'</script>")
    page.click("button:has-text('Submit')")
    page.wait_for_selector("form.question")
    job = page.url
    assert "<script>" in page.inner_text("#job-dialogue")

    page.check("form.question fieldset >> nth=0 >> input[value=yes]")
    page.fill("form.question textarea", "half an ans")
    console.restart_gateway()
    rev = _touch(fleet, job)
    page.wait_for_selector(f"#job-head .meta:has-text('revision {rev}')")
    assert page.is_checked("form.question fieldset >> nth=0 >> input[value=yes]"), "a choice is kept over a restart"
    assert page.input_value("form.question textarea") == "half an ans"

    for _ in range(8):
        if page.query_selector("#job-result article") or not page.query_selector("form.question"):
            break
        form = page.locator("form.question").first
        asked = form.get_attribute("id")
        for box in form.locator("fieldset").all():
            box.locator("input[value=yes]").check()
        form.locator("button", has_text="Answer").click()
        page.wait_for_selector(f"#{asked}", state="detached")
        page.wait_for_selector("#job-result article, form.question")
    page.wait_for_selector("#job-result article")
    assert console.state() == "succeeded"
    assert page.locator(".stages > li.fresh").count() == 4

    _replay_with_an_edit(console)
    _chinese_on_a_phone(console, job)
    assert console.faults == []


def _replay_with_an_edit(console: Console) -> None:
    """A noop job that breaks is mended by an edit, and the page shows what it changed."""
    fleet, page = console.fleet, console.page
    fleet.start("classifier", "analyst", "architect", "developer")
    job = fleet.submit("noop", plan={"s1": {"break": True}}, owner="default")
    console.open(f"jobs/{job}")
    page.wait_for_selector("#job-head .state:text-is('failed')")
    page.click(".stages a[data-stage=s1]")
    page.click("#inspector summary:has-text('Do it again')")
    page.fill("#edit-replay", '{"mended": true}')
    page.click("details[open] button:has-text('What would change?')")
    page.wait_for_selector("#changes-replay td:has-text('mended')")
    page.click("details[open] button:has-text('Do it again')")
    page.wait_for_selector("#job-head .state:text-is('succeeded')")


def _chinese_on_a_phone(console: Console, job: str) -> None:
    page = console.page
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(job)
    page.click("text=中文")
    page.click(".panes button:has-text('阶段')")
    assert "检索工单" in page.inner_text("#job-stages")
    for path in ("jobs", "new/tune", "chat", "tickets?text=lock", "fleet", "keys", job.partition("/console/")[2]):
        console.open(path)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, f"{path} is wider than the phone by {wider}"


def test_files_are_uploaded_with_their_progress_and_two_people_answer_one_question(console: Console, fleet: FleetProcesses) -> None:
    page = console.page
    console.open("new/tune")
    page.set_input_files("#files", [{"name": "driver.log", "mimeType": "text/plain", "buffer": b"INFO started\n" * 5000}])
    expect(page.locator("#bundle")).to_have_value(re.compile("^sha256:"), timeout=PATIENCE_MS)
    page.click("button:has-text('Submit')")
    page.wait_for_selector("#job-head")
    assert "Tune" in page.inner_text("#job-head")

    fleet.start("coordinator", "classifier", "retriever", "analyst", "architect", "developer", "diagnoser")
    asked = fleet.submit("noop", plan={"s1": {"ask": 1}}, owner="default")
    console.open(f"jobs/{asked}")
    other = console.context.new_page()
    other.set_default_timeout(PATIENCE_MS)
    other.route("**/live*", lambda route: route.abort())  # before it has a stream, which would take the form away while it is filled in
    other.goto(page.url)
    for one in (page, other):
        one.wait_for_selector("form.question")
    page.fill("form.question textarea", "first")
    page.click("form.question button:has-text('Answer')")
    page.wait_for_selector("#job-head .state:text-is('succeeded')")
    if other.query_selector("form.question"):
        other.fill("form.question textarea", "second")
        other.click("form.question button:has-text('Answer')")
        other.wait_for_selector("#notice .bad")
    page.reload()
    assert "first" in page.inner_text("#job-dialogue")
    assert "second" not in page.inner_text("#job-dialogue")
    assert console.faults == []


@pytest.mark.nightly
def test_a_slow_spark_job_is_uploaded_watched_and_read(console: Console, fleet: FleetProcesses) -> None:
    """`tune` from the files to the diff: submit with an upload, watch, its time as drawings, its fixes, the report as a file."""
    fleet.start("coordinator", "classifier", "retriever", "analyst", "diagnoser", "file-recommender", "reviewer")
    page = console.page
    console.open("new/tune")
    page.set_input_files("#files", [str(path) for path in sorted((SAMPLES / "spark_skew").iterdir())])
    expect(page.locator("#bundle")).to_have_value(re.compile("^sha256:"), timeout=PATIENCE_MS)
    page.fill("#f-description", "the nightly job is slow")
    page.click("button:has-text('Submit')")
    page.wait_for_selector("#job-result article", timeout=2 * PATIENCE_MS)
    assert console.state() == "succeeded"

    page.click("nav.tabs a:has-text('Time')")
    expect(page.locator("figure.plotted .plot svg")).to_have_count(3, timeout=PATIENCE_MS)
    colours = "figure => new Set([...figure.querySelectorAll('.plot .mark-rect path')].map(bar => bar.getAttribute('fill'))).size"
    assert 2 in [figure.evaluate(colours) for figure in page.locator("figure.plotted").all()], "stages with a problem stand out"
    page.click("nav.tabs a:has-text('Fixes')")
    page.wait_for_selector("pre.diff")
    assert "broadcast" in page.inner_text("pre.diff >> nth=0")
    page.click("nav.tabs a:has-text('Report')")
    with page.expect_download() as report:
        page.click("a[download]:has-text('Markdown')")
    assert "visitor_id" in Path(report.value.path()).read_text("utf-8")
    assert _of_every_tab(page, ("Report", "Time", "Fixes", "Evidence"), ("报告", "耗时", "修改", "依据")) == []
    assert console.faults == []


def test_a_table_is_asked_for_answered_about_and_downloaded_as_a_package(console: Console, fleet: FleetProcesses) -> None:
    """`etl` from the requirement to the archive: submit, answer in the page, read lineage and review, download all files."""
    offer_sample(fleet.db, fleet.folder)
    fleet.start("coordinator", "analyst", "architect", "reviewer", "developer", BULLPEN_HOME=str(fleet.folder))
    page = console.page
    console.open("new/etl")
    page.fill("#f-requirement", "Build region_revenue: revenue per region in 2026; partition_by: day")
    page.select_option("#f-source", "shop")
    page.click("button:has-text('Submit')")
    page.wait_for_selector("form.question")
    page.click("form.question .choices button:has-text('region')")
    page.wait_for_selector("#job-result article", timeout=2 * PATIENCE_MS)
    assert console.state() == "succeeded"

    page.click("nav.tabs a:has-text('Lineage')")
    page.wait_for_selector("figure.graph")
    assert page.locator("figure.graph rect.marked").count() > 1
    page.click("nav.tabs a:has-text('Review')")
    page.wait_for_selector("main:has-text('Review of the scripts')")
    page.click("nav.tabs a:has-text('Files')")
    with page.expect_download() as packed:
        page.click("text=Download all")
    assert any(name.endswith(".sql") for name in zipfile.ZipFile(packed.value.path()).namelist())
    tabs = ("Report", "Design", "SQL", "Lineage", "Review", "Files")
    assert _of_every_tab(page, tabs, ("报告", "设计", "SQL", "血缘", "审查", "文件")) == []
    _specification_is_edited(console)
    assert console.faults == []


def _specification_is_edited(console: Console) -> None:
    """The editor: filled from tables, a fault that is clicked, a text that stays when it is refused, the job that it makes."""
    page = console.page
    console.open("look?language=en&next=/console/spec")
    page.fill("#target", "paid")
    page.click("#from-tables summary")
    page.check("input[name=table][value='main.payments']")
    page.click("#fill form > button")
    page.wait_for_selector(".faults button")
    assert page.locator(".numbers span.wrong").count() > 0
    wrong = "target: per_channel\nsource: shop\nsql: |\n  SELECT channel, COUNT(*) AS n\n  FROM ordrs\n  GROUP BY 1\n"
    page.fill("#editor-text", wrong)
    page.wait_for_selector(".faults button:has-text('Line 5, column 8')")
    page.click("#spec-form .deeds button:has-text('Submit')")
    page.click(".faults button:has-text('Line 5, column 8')")
    assert (
        page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)")
        == "ordrs"
    )
    assert page.input_value("#editor-text") == wrong, "what was typed stays"
    page.keyboard.type("orders")
    page.wait_for_selector("#faults .good")
    assert findings_in_both_themes(page, "spec") == []
    page.click("#spec-form .deeds button:has-text('Submit')")
    page.wait_for_selector("#job-head a:has-text('Edit and run again')")


def _of_every_tab(page: Any, tabs: tuple[str, ...], in_chinese: tuple[str, ...]) -> list[str]:
    """What axe finds on the pages of a result, in both themes, and in Chinese."""
    found: list[str] = []
    for tab in tabs:
        page.click(f"nav.tabs a:has-text('{tab}')")
        page.wait_for_load_state()
        found += findings_in_both_themes(page, tab)
    page.click("text=中文")
    for tab in in_chinese:
        page.click(f"nav.tabs a:has-text('{tab}')")
        page.wait_for_load_state()
        found += findings(page, tab)
    return found


def test_a_login_that_ends_while_an_answer_is_typed_loses_nothing(console: Console, fleet: FleetProcesses) -> None:
    fleet.start("coordinator", "classifier", "retriever", "analyst", "architect", "developer", "diagnoser")
    asked = fleet.submit("noop", plan={"s1": {"ask": 1}}, owner="default")
    page = console.page
    console.open(f"jobs/{asked}")
    page.wait_for_selector("form.question")
    page.fill("form.question textarea", "a long answer")
    fleet.db.statement("UPDATE browser_logins SET expires_at = now() - interval '1 second'")
    _, key = create_key(fleet.db, "default", scopes=(Scope.READ, Scope.ANSWER))

    page.click("form.question button:has-text('Answer')")
    page.wait_for_selector("#login-again")
    page.fill("#key-again", "bp_wrong")
    page.click("#login-again button:has-text('Log in')")
    page.wait_for_selector("#login-again .bad")
    page.fill("#key-again", key)
    page.click("#login-again button:has-text('Log in')")
    page.wait_for_selector("#notice .good")
    assert page.input_value("form.question textarea") == "a long answer"
    page.click("form.question button:has-text('Answer')")
    page.wait_for_selector("#job-head .state:text-is('succeeded')")
    assert "a long answer" in page.inner_text("#job-dialogue")
    assert console.faults == []


def job_of(url: str) -> UUID:
    """The id in the address of a job's page."""
    found = re.search(r"/jobs/([0-9a-f-]{36})", url)
    assert found is not None
    return UUID(found[1])


def _touch(fleet: FleetProcesses, job: str) -> int:
    """The job changes in nothing that its question depends on; its new revision."""
    row = fleet.db.row("UPDATE jobs SET rev = rev + 1, decided_rev = decided_rev + 1 WHERE id = %(id)s RETURNING rev", {"id": job_of(job)})
    fleet.services.notifier.changed(job_of(job))
    return int(row["rev"])
