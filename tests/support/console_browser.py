"""The console in a real browser, over a fleet of one process: cheaper than a fleet of processes where none of them has to die."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from fastapi import APIRouter, Response
from playwright.sync_api import expect

from tests.support.browser import watched
from tests.support.gateway import served, working
from workers.app.services import ProcessServices
from workers.console.offered import login_address
from workers.console.routes import all_routers
from workers.console.routing import PageRoute
from workers.settings import SHIPPED_SKILLS, Settings

PATIENCE_MS = 120_000

expect.set_options(timeout=PATIENCE_MS)  # a page's own timeout does not hold for it


@dataclass(slots=True)
class Browsed:
    """A browser that is logged in, and the fleet behind its pages."""

    url: str
    services: ProcessServices
    context: Any
    page: Any
    faults: list[str]
    """Errors of scripts, dialogs that opened, and what the policy of the pages refused."""

    def open(self, path: str) -> None:
        """A page of the console."""
        self.page.goto(f"{self.url}/console/{path}")

    def tab(self) -> Any:
        """Another tab of the same browser."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        self.faults += watched(page)
        return page

    def until(self, css: str) -> Any:
        """The element, when it is there."""
        self.page.wait_for_selector(css)
        return self.page.locator(css)


@contextmanager
def browsed(browser: Any, database_url: str, broker_url: str, home: Path, locale: str = "en-GB", **more: Any) -> Iterator[Browsed]:
    """The console, with a worker for every role beside it. `more`: settings, such as a model's."""
    settings = Settings(
        database_url=database_url, broker_url=broker_url, embeddings="none", advance="inline", home=home, skills=(SHIPPED_SKILLS,),
        artefact_store=str(home / "artefacts"), **more,
    )  # fmt: skip
    with working(settings) as services, served(services, pages=all_routers()) as url:
        context = browser.new_context(locale=locale)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        made = Browsed(url, services, context, page, watched(page))
        page.goto(login_address(services.database, url))
        expect(page).to_have_url(re.compile("/console$"), timeout=PATIENCE_MS)
        yield made
        context.close()


@contextmanager
def in_language(browser: Any, services: ProcessServices, url: str, locale: str) -> Iterator[Any]:
    """A page of a browser that is logged in, over a gateway that a test has started itself."""
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    faults = watched(page)
    page.goto(login_address(services.database, url))
    page.wait_for_url("**/console")
    yield page
    context.close()
    assert faults == []


broken = APIRouter(prefix="/console", route_class=PageRoute)


@broken.get("/broken")
def fail() -> Response:
    """A page with a fault of ours."""
    raise RuntimeError("as ordered")


_RULES = {"rules": {"target-size": {"enabled": True}}}
"""All that are on by default, which are those of WCAG 2.0 and 2.1 A and AA and good practice, and the one of WCAG 2.2 AA."""


def findings(page: Any, where: str, only: str | None = None, *, every: bool = False) -> list[str]:
    """What axe finds that is serious, by all of its rules or by one. `every`: however little it matters, and by WCAG 2.2 AA."""
    found: list[str] = []
    options = {"resultTypes": ["violations"], **({"runOnly": [only]} if only else _RULES if every else {})}
    for fault in Axe().run(page, options=options).response["violations"]:
        if every or fault["impact"] in ("serious", "critical"):
            node = fault["nodes"][0]
            found.append(f"{where}: {fault['id']} ({fault['impact']}): {node['html'][:200]} {node.get('failureSummary', '')[:300]}")
    return found


def findings_in_both_themes(page: Any, where: str, *, every: bool = False) -> list[str]:
    """The dark theme has the same elements in other colours, so that only these are looked at again."""
    page.emulate_media(color_scheme="light")
    settle(page)
    found = findings(page, where, every=every)
    page.emulate_media(color_scheme="dark")
    settle(page)
    found += findings(page, f"{where} (dark)", only="color-contrast", every=every)
    page.emulate_media(color_scheme="light")
    return found


def settle(page: Any) -> None:
    """Until nothing changes little by little; what turns for ever, such as a mark of work, is not waited for."""
    page.evaluate(
        "() => Promise.allSettled(document.getAnimations().filter(change => change.effect.getComputedTiming().iterations !== Infinity)"
        ".map(change => change.finished))"
    )
