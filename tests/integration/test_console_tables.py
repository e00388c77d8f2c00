"""Tables of results in a real browser: sort, find, pages, copy, and the keyboard alone."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, Response
from playwright.sync_api import expect

from contracts.statements import count, name
from tests.support.browser import chromium, why_not
from tests.support.console_browser import findings_in_both_themes, in_language
from tests.support.gateway import served
from workers.app.services import ProcessServices
from workers.console.pages import HEADERS, Reading, environment
from workers.console.routes import all_routers
from workers.console.routing import PageRoute
from workers.saying.document import Align, Column, Document, Table
from workers.settings import SHIPPED_SKILLS, Settings

pytestmark = [pytest.mark.timeout(300), pytest.mark.skipif(bool(why_not()), reason=why_not())]

ROWS = 111
PAGE = (
    '{% extends "base.html" %}{% block title %}Rows{% endblock %}'
    '{% block main %}<h1>Rows</h1><article class="document">{{ report }}</article>{% endblock %}'
)
SHOWN = "tbody tr:visible"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """It must not outlive the file."""
    with chromium() as running:
        yield running


long = APIRouter(prefix="/console", route_class=PageRoute)


@long.get("/long")
def long_table(look: Reading) -> Response:
    """A report with a table of many rows: 7 × n modulo 111, so that no order of the page is that of the numbers."""
    rows = tuple((name(f"shop-{n:03}"), count(7 * n % ROWS)) for n in range(ROWS))
    table = Table(columns=(Column(title=name("shop")), Column(title=name("orders"), align=Align.RIGHT)), rows=rows)
    report = look.document(Document(title=name("Orders"), blocks=(table,)), below=1)
    return Response(environment().from_string(PAGE).render(words=look, look=look, report=report), media_type="text/html", headers=HEADERS)


def orders(page: Any) -> list[int]:
    """The numbers that are seen, from above."""
    return [int(text) for text in page.locator(f"{SHOWN} >> td:nth-child(2)").all_inner_texts()]


def test_a_long_table_is_sorted_searched_paged_and_copied_whole(browser: Any, database_url: str, broker_url: str, tmp_path: Path) -> None:
    services = ProcessServices(
        Settings(
            database_url=database_url, broker_url=broker_url, embeddings="none", advance="inline", home=tmp_path, skills=(SHIPPED_SKILLS,)
        )
    )  # fmt: skip
    with served(services, pages=[long, *all_routers()]) as url, in_language(browser, services, url, "en-GB") as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{url}/console/long")
        expect(page.locator(SHOWN)).to_have_count(25)
        expect(page.locator(".pager [role=status]")).to_have_text("1 to 25 of 111")

        _sorted(page)
        _turned(page)
        _found_and_copied(page)
        _by_keyboard(page)
        assert findings_in_both_themes(page, "long", every=True) == []
        page.emulate_media(media="print")
        expect(page.locator(SHOWN)).to_have_count(ROWS)
    with served(services, pages=[long, *all_routers()]) as url, in_language(browser, services, url, "zh-CN") as page:
        page.goto(f"{url}/console/long")
        expect(page.locator(".pager [role=status]")).to_have_text("第 1 到 25 行，共 111 行")


def _sorted(page: Any) -> None:
    """By numbers, up, down and as it was."""
    title = page.locator("button.sort:has-text('orders')")
    title.click()
    assert orders(page) == list(range(25))
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("orders")
    title.click()
    assert orders(page) == list(range(ROWS - 1, ROWS - 26, -1))
    title.click()
    assert orders(page)[:3] == [0, 7, 14]


def _turned(page: Any) -> None:
    """All rows are on some page, each once, whatever the size of a page."""
    seen = orders(page)
    for _ in range(4):
        page.click(".pager button:text-is('Next')")
        seen += orders(page)
    assert seen == [7 * n % ROWS for n in range(ROWS)]
    expect(page.locator(".pager [role=status]")).to_have_text("101 to 111 of 111")
    page.click(".pager button:text-is('Next')", force=True)  # it says that it is disabled
    expect(page.locator(SHOWN)).to_have_count(11)
    page.select_option(".pager select", "100")
    expect(page.locator(".pager [role=status]")).to_have_text("101 to 111 of 111")
    page.click(".pager button:text-is('Previous')")
    expect(page.locator(SHOWN)).to_have_count(100)
    page.select_option(".pager select", "50")
    expect(page.locator(".pager [role=status]")).to_have_text("1 to 50 of 111")
    page.select_option(".pager select", "25")


def _found_and_copied(page: Any) -> None:
    """The copy has what was found, of all pages, and all where nothing is searched for."""
    page.click(".pager button:text-is('Next')")
    page.fill(".table-tools input", "SHOP-10")
    assert page.locator(SHOWN).count() == 10
    expect(page.locator(".pager [role=status]")).to_have_text("1 to 10 of 10")
    page.click("button:text-is('Copy as CSV')")
    page.wait_for_selector("button:text-is('Copied')")
    assert len(_clipboard(page)) == 11
    page.fill(".table-tools input", "nothing like it")
    expect(page.locator(".pager [role=status]")).to_have_text("0 to 0 of 0")
    page.fill(".table-tools input", "")
    page.click("button:text-is('Copied')")
    page.wait_for_function("async () => (await navigator.clipboard.readText()).length > 900")
    rows = _clipboard(page)
    assert rows[0] == ["shop", "orders"]
    assert [row[0] for row in rows[1:]] == [f"shop-{n:03}" for n in range(ROWS)]


def _clipboard(page: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))


def _by_keyboard(page: Any) -> None:
    """Sort, then turn a page and back: the focus stays on the button, even where there is no further page."""
    page.focus(".table-tools input")
    page.keyboard.press("Tab")  # the button that copies
    page.keyboard.press("Tab")  # the table, which scrolls
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert orders(page)[:3] == [0, 1, 2], "the second title has the focus"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert orders(page)[0] == 25
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert orders(page)[0] == 0
    assert page.evaluate("document.activeElement.textContent") == "Previous"
