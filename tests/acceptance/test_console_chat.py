"""Conversations in a real browser: questions about data with tables and charts, suggestions to click, forms, two tabs, a way back."""

import json
import re
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import tests.support.noop  # noqa: F401  registers the kind
from contracts.jobs import EngineChoice
from tests.support.browser import why_not
from tests.support.console_browser import PATIENCE_MS, Browsed, browsed, findings, findings_in_both_themes
from tests.support.openai_server import Say, openai_server
from tests.support.tale import TALE
from workers.app.submitting import submit
from workers.catalogue import offer_sample
from workers.console import job_live
from workers.coordinator.intake import read_submission

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600), pytest.mark.skipif(bool(why_not()), reason=why_not())]


def turns(page: Any) -> int:
    """Messages that became jobs of this conversation."""
    return page.locator("section.turn").count()


def sent(console: Browsed, n: int) -> None:
    """Until the n-th message has its place on the page."""
    expect(console.page.locator("section.turn")).to_have_count(n, timeout=PATIENCE_MS)


def test_a_question_about_data_is_followed_up_and_its_chart_and_table_are_seen(
    browser: Any, database_url: str, broker_url: str, tmp_path: Path
) -> None:
    with browsed(browser, database_url, broker_url, tmp_path) as console:
        offer_sample(console.services.database, tmp_path)
        page = console.page
        console.open("chat")
        page.fill("#text", "revenue per month in 2026")
        page.click("main button:has-text('Send')")
        assert page.url.endswith("/chat"), "nobody has said with whom to talk"
        page.check("input[value=ask]")
        page.click("main button:has-text('Send')")
        sent(console, 1)
        page.wait_for_selector("section.turn:last-of-type .plot svg")
        assert page.locator("section.turn:last-of-type .document tbody tr").count() >= 10
        assert findings_in_both_themes(page, "chat") == []
        _a_chart_is_read_changed_and_saved(page)
        _a_report_draws_its_charts_from_a_file(console)

        other = console.tab()
        other.goto(page.url)
        page.fill("#text", "and by region?")
        page.keyboard.press("Control+Enter")
        page.keyboard.press("Control+Enter")  # by an impatient hand: it is one message
        sent(console, 2)
        page.wait_for_selector("section.turn:last-of-type #job-result:has-text('region')")
        other.wait_for_selector("section.turn:last-of-type .plot svg")
        other.fill("#text", "only for the channel web")
        other.dblclick("#end button")
        expect(other.locator("section.turn")).to_have_count(3, timeout=PATIENCE_MS)

        page.reload()
        sent(console, 3)
        page.go_back()
        assert turns(page) >= 2
        console.open("chat")
        assert page.is_checked("input[value=ask]"), "whom one talked with last is proposed"
        assert "revenue per month in 2026" in page.inner_text("main")
        _question_is_filled_in_and_its_answer_rated(console)
        assert console.faults == []


def _a_chart_is_read_changed_and_saved(page: Any) -> None:
    """Other forms, the pointer, the arrow keys, files; none of it against the policy of the page."""
    figure = page.locator("figure.plotted").first
    figure.locator("button:text-is('Bars')").click()
    assert figure.locator(".plot .mark-rect path").count() >= 10
    figure.locator(".plot .mark-rect path").first.hover()
    page.wait_for_selector(".plot-tip:not([hidden]) dd:has-text('2026-01')")
    figure.locator(".plot").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert "2026-09" in figure.locator(".plot-said").inner_text()
    figure.locator("button:text-is('Table')").click()
    assert figure.locator("details[open] td").count() >= 20
    figure.locator("button:text-is('Line')").click()
    for form, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("CSV", "\ufeffmonth,".encode())):
        with page.expect_download() as saved:
            figure.locator(f"button:text-is('{form}')").click()
        assert Path(saved.value.path()).read_bytes().startswith(begins), form


def _a_report_draws_its_charts_from_a_file(console: Browsed) -> None:
    """Opened without any server, under the policy that it brings."""
    with console.page.expect_download() as report:
        console.page.click("#job-result a[download]:text-is('HTML')")
    kept = Path(report.value.path()).with_suffix(".html")
    kept.write_bytes(Path(report.value.path()).read_bytes())
    alone = console.tab()
    alone.goto(kept.as_uri())
    alone.wait_for_selector(".plot svg")
    assert not alone.locator("details[open]").count(), "the table is open only where no script runs"
    alone.close()


def _question_is_filled_in_and_its_answer_rated(console: Browsed) -> None:
    """The builder of questions, and feedback below the answer."""
    page = console.page
    console.open("plan")
    page.select_option("select[name=table]", "main.orders")
    expect(page.locator("input[name=column][value='main.orders.channel']")).to_be_visible(timeout=PATIENCE_MS)
    page.select_option("select[name=how-0]", "count")
    page.check("input[name=column][value='main.orders.channel']")
    page.wait_for_selector("#plan-preview pre:has-text('channel')")
    assert findings_in_both_themes(page, "plan") == []
    page.click("#plan .deeds button")
    page.wait_for_selector("#job-result article:has-text('web')")
    page.click(".rate button:has-text('Right')")
    page.wait_for_selector(".rate .preview:has-text('becomes the example')")
    page.click(".rate .preview button")
    page.wait_for_selector(".rate [aria-pressed=true], .rate .notice.good")


@pytest.mark.nightly
def test_an_analysis_begun_in_chinese_asks_for_a_place_by_a_form_and_shows_its_charts(
    browser: Any, database_url: str, broker_url: str, tmp_path: Path
) -> None:
    with browsed(browser, database_url, broker_url, tmp_path, locale="zh-CN") as console:
        page = console.page
        console.open("chat")
        page.check("input[value=analyze]")
        page.fill("#text", "帮我做一下弱覆盖分析")
        page.click("main form.say button")
        page.wait_for_selector("form.question select")
        assert not page.locator("main > form.say").is_visible(), "a question has one field, its own"
        page.reload()
        page.wait_for_selector("form.question select")
        for choice in page.locator("form.question select").all():
            choice.select_option(index=1)
        assert findings_in_both_themes(page, "chat with a form") == []
        page.click("form.question > button")
        page.wait_for_selector("#job-result article")
        page.go_back()
        page.go_forward()
        page.wait_for_selector("#job-result article")
        assert page.locator("form.question").count() == 0, "an answered question is not asked again"

        said = page.inner_text("#job-result")
        assert re.search(r"[一-鿿]", said)
        assert not re.search(r"\b(the|have|rows)\b", said)
        expect(page.locator("#job-result .plot :is(svg, canvas)")).to_have_count(2, timeout=PATIENCE_MS)  # a map of cells, one of squares
        assert findings_in_both_themes(page, "chat with maps") == []
        rows = page.locator("#job-result .table").first.locator("tbody tr")
        expect(rows).to_have_count(20)
        page.click("#job-result button:has-text('显示')")
        expect(rows).not_to_have_count(20, timeout=PATIENCE_MS)
        assert rows.count() > 100, "a table shows its other rows when asked"
        page.locator("#job-result .choices button").first.click()
        sent(console, 2)
        page.wait_for_selector("section.turn:last-of-type #job-result article, form.question")
        assert console.faults == []


def test_an_answer_is_read_while_a_model_writes_it(
    browser: Any, database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As text, whatever the model writes; then the result takes its place."""
    looked_at, seen, pieces = threading.Event(), threading.Event(), count()
    waits = {40: looked_at, 57: seen}  # the model waits before the `<img` of its tale, and behind it: a look by axe takes seconds

    def pause(seconds: float) -> None:
        if seconds and (until := waits.get(next(pieces))) is not None:
            until.wait(PATIENCE_MS / 1000)
        time.sleep(seconds)

    with openai_server() as server:
        monkeypatch.setattr(server, "pause", pause)
        server.by_prompt = lambda heard: Say(json.dumps({"text": TALE}), trickle_s=0.15)
        model = {
            "model": "test-model", "model_base_url": server.base_url, "engine": EngineChoice.LLM,
            "model_timeout_s": 300.0, "model_first_timeout_s": 300.0,
        }  # fmt: skip
        with browsed(browser, database_url, broker_url, tmp_path, **model) as console:
            page = console.page
            console.open("jobs")
            job = submit(console.services, read_submission({"job": {"kind": "tale"}, "owner": "default", "engine": "llm"})).job_id
            console.open(f"jobs/{job}")
            words = page.locator("#job-words")
            expect(words).to_contain_text("Once upon", timeout=PATIENCE_MS)
            early = words.inner_text()
            assert "the end" not in early, "it comes while it is written"
            assert "nobody has checked it yet" in page.inner_text("#job-writing")
            assert page.inner_text("#job-head .state") == "running"
            assert findings(page, "an answer that is written", every=True) == []
            looked_at.set()
            expect(words).to_contain_text("<img src=x onerror=alert(1)>", timeout=PATIENCE_MS)
            assert words.inner_text().startswith(early), "words are added to what there is"
            seen.set()
            page.wait_for_selector("#job-head .state:text-is('succeeded')")
            expect(page.locator("#job-writing > *")).to_have_count(0)
            assert "the end" in page.inner_text("#job-result")
            assert console.faults == []


def test_a_page_that_stays_open_keeps_its_times_true_and_loses_nothing_while_the_server_is_away(
    browser: Any, database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_live, "AGES_S", 1.0)
    monkeypatch.setattr(job_live, "HEARTBEAT_S", 1.0)
    with browsed(browser, database_url, broker_url, tmp_path) as console:
        page = console.page
        request = {"job": {"kind": "noop", "plan": {"s1": {"ask": 1}}}, "owner": "default"}
        job = submit(console.services, read_submission(request)).job_id
        console.open(f"jobs/{job}")
        page.wait_for_selector("form.question")
        said = page.inner_text("#job-head .meta")
        page.fill("form.question textarea", "half an ans")
        expect(page.locator("#job-head .meta")).not_to_have_text(said, use_inner_text=True, timeout=PATIENCE_MS)
        older = page.evaluate(  # at once: each second the server sends the true time
            """() => {
              document.querySelector('#job-head time[data-age]').dateTime = new Date(Date.now() - 3 * 60_000).toISOString();
              document.dispatchEvent(new Event('visibilitychange'));
              return document.querySelector('#job-head .meta').innerText;
            }"""
        )
        assert "3 min ago" in older, "ages are worked out in the page"
        assert page.input_value("form.question textarea") == "half an ans", "what is typed stays"

        console.context.set_offline(True)
        page.click("form.question > button")
        page.wait_for_selector("#notice .bad:has-text('did not answer')")
        console.context.set_offline(False)
        page.click("form.question > button")
        page.wait_for_selector("#job-head .state:text-is('succeeded')")
        assert "half an ans" in page.inner_text("#job-dialogue")
        page.go_back()
        page.go_forward()
        page.wait_for_selector("#job-head .state:text-is('succeeded')")
        assert page.locator("form.question").count() == 0
        assert console.faults == []
