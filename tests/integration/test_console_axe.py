"""Every page by axe, empty, filled and failed: WCAG 2.2 AA and good practice, no finding of any impact, both languages, both themes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import chromium, why_not
from tests.support.campaign import IS_LONG
from tests.support.console_browser import broken, findings_in_both_themes, in_language
from tests.support.console_play import play
from tests.support.gateway import served
from workers.app.services import ProcessServices
from workers.console.routes import all_routers
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


def test_empty_pages_and_errors_have_no_finding_of_axe(browser: Any, database_url: str, broker_url: str, tmp_path: Path) -> None:
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


FILLED = (
    "home", "jobs", "new-tune", "new-etl", "job-diagnose", "job-diagnose-asks", "job-tune", "job-etl", "job-ask", "job-analyze",
    "job-failed", "job-waiting", "job-fork", "job-mended", "tune-time", "tune-fixes", "tune-evidence", "etl-design", "etl-sql",
    "etl-lineage", "etl-review", "etl-files", "etl-stage-script", "stage-inspected", "tune-feedback", "stage-input", "chat", "chat-ask",
    "chat-analyze", "tickets", "tickets/import", "ticket", "catalogue-found", "catalogue-table", "sources", "source", "systems",
    "skills", "skill", "fleet", "quarantine", "quarantine-entry", "usage", "keys", "design", "spec", "plan",
)  # fmt: skip
"""Pages of `Played` whose form no other has."""


@pytest.mark.timeout(1800)
def test_filled_pages_have_no_finding_of_axe(browser: Any, database_url: str, broker_url: str, tmp_path: Path) -> None:
    """A fleet has played jobs of every kind. In a short run some pages are looked at, others in each language."""
    services = ProcessServices(
        Settings(
            database_url=database_url, broker_url=broker_url, embeddings="none", advance="inline", home=tmp_path, skills=(SHIPPED_SKILLS,),
            artefact_store=str(tmp_path / "artefacts"),
        )
    )  # fmt: skip
    addresses, found = play(services).pages(), list[str]()
    with served(services, pages=all_routers()) as url:
        for place, (language, locale) in enumerate(LANGUAGES.items()):
            with in_language(browser, services, url, locale) as page:
                for name in FILLED if IS_LONG else FILLED[place::8]:
                    page.goto(f"{url}{addresses[name]}")
                    page.wait_for_function("!document.querySelector('figure.plotted .plot:empty:not([hidden])')")
                    found += findings_in_both_themes(page, f"{name} ({language})", every=True)
    assert found == []
