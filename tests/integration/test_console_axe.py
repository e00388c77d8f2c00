"""Home, empty lists and errors by axe: WCAG 2.2 AA and good practice, no finding of any impact, in both languages and both themes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, Response

from tests.support.browser import chromium, why_not
from tests.support.campaign import IS_LONG
from tests.support.console_browser import findings_in_both_themes, in_language
from tests.support.gateway import served
from workers.app.services import ProcessServices
from workers.console.routes import all_routers
from workers.console.routing import PageRoute
from workers.settings import SHIPPED_SKILLS, Settings

pytestmark = [pytest.mark.timeout(900), pytest.mark.skipif(bool(why_not()), reason=why_not())]

LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}
EMPTY = (
    "", "/jobs", "/jobs?text=nothing", "/new", "/chat", "/tickets", "/tickets?text=nothing", "/catalogue", "/sources", "/systems",
    "/skills", "/fleet", "/quarantine", "/usage", "/keys", "/spec", "/plan",
)  # fmt: skip
"""The first page, and those that lists fill, before anything was imported or asked."""
PAGES = (*EMPTY, "/broken", "/nowhere", "/jobs/00000000-0000-0000-0000-000000000000")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """It must not outlive the file."""
    with chromium() as running:
        yield running


broken = APIRouter(prefix="/console", route_class=PageRoute)


@broken.get("/broken")
def fail() -> Response:
    """A page with a fault of ours."""
    raise RuntimeError("as ordered")


def test_empty_pages_and_errors_have_no_finding_of_axe(browser: Any, database_url: str, broker_url: str, tmp_path: Path) -> None:
    """Pages with something on them are looked at where other tests have them."""
    services = ProcessServices(
        Settings(
            database_url=database_url, broker_url=broker_url, embeddings="none", advance="inline", home=tmp_path, skills=(SHIPPED_SKILLS,)
        )
    )  # fmt: skip
    found: list[str] = []
    with served(services, pages=[broken, *all_routers()]) as url:
        for place, (language, locale) in enumerate(LANGUAGES.items()):
            with in_language(browser, services, url, locale) as page:
                for path in PAGES if IS_LONG else PAGES[place::2]:
                    page.goto(f"{url}/console{path}")
                    found += findings_in_both_themes(page, f"{path} ({language})", every=True)
    assert found == []
