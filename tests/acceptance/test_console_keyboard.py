"""The console without a mouse: a whole journey by Tab and Enter, with the focus always to be seen."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import tests.support.noop  # noqa: F401  registers the kind
from contracts.access import Scope
from tests.support.browser import why_not
from tests.support.console_browser import Browsed, browsed, settle
from workers.app.submitting import submit
from workers.coordinator.intake import read_submission
from workers.gateway.access.keys import create_key

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600), pytest.mark.skipif(bool(why_not()), reason=why_not())]

MOST_TABS = 80
_FOCUSED = """() => {
  const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
  const label = element.labels && element.labels.length ? element.labels[0].innerText : "";
  const ring = style.outlineStyle !== "none" || style.boxShadow !== "none";
  return {tag: element.tagName.toLowerCase(), id: element.id, name: element.getAttribute("aria-label") || label || element.innerText || "",
    ring, seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight};
}"""


class Keys:
    """Somebody who has only a keyboard. What has the focus is recorded where it cannot be seen."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.unseen: list[str] = []

    def focused(self) -> dict[str, Any]:
        """The element that has the focus."""
        settle(self.page)
        return self.page.evaluate(_FOCUSED)

    def to(self, *, name: str = "", id: str = "", tag: str = "") -> None:
        """Tab until the focus is there."""
        for _ in range(MOST_TABS):
            self.page.keyboard.press("Tab")
            found = self.focused()
            if found["tag"] != "body" and not (found["ring"] and found["seen"]):
                self.unseen.append(f"{self.page.url}: {found}")
            if found["tag"] != "body" and name.lower() in found["name"].lower() and id in found["id"] and tag in ("", found["tag"]):
                return
        raise AssertionError(f"{name or id or tag} was not reached by Tab on {self.page.url}")

    def press(self, **where: str) -> None:
        """Tab to it and press Enter."""
        self.to(**where)
        self.page.keyboard.press("Enter")


def test_login_submission_answer_and_replay_by_tab_and_enter(browser: Any, database_url: str, broker_url: str, tmp_path: Path) -> None:
    with browsed(browser, database_url, broker_url, tmp_path) as console:
        page, keys = console.page, Keys(console.page)
        _, text = create_key(console.services.database, "default", scopes=(Scope.READ, Scope.SUBMIT, Scope.ANSWER, Scope.OPERATE))
        console.context.clear_cookies()
        console.open("jobs")
        page.wait_for_selector("input[name=key]")
        page.keyboard.type(text)  # the field has the focus at once
        page.keyboard.press("Enter")
        page.wait_for_url("**/console/jobs")

        keys.to(name="Skip to the content")
        page.keyboard.press("Enter")
        assert keys.focused()["id"] == "main"
        keys.press(name="New job", tag="a")
        page.wait_for_url("**/console/new")
        keys.press(name="diagnose", tag="a")
        page.wait_for_url("**/new/diagnose")
        keys.to(id="f-description")
        page.keyboard.type("queries on orders are slow")
        keys.press(name="Submit", tag="button")
        page.wait_for_url("**/jobs/*-*")
        page.wait_for_selector("form.question, #job-result article")
        assert "queries on orders are slow" in page.inner_text("#job-dialogue")

        _answered(console, keys)
        _replayed(console, keys)
        assert keys.unseen == []
        assert console.faults == []


def _answered(console: Browsed, keys: Keys) -> None:
    page = console.page
    asked = _made(console, {"s1": {"ask": 1}})
    console.open(f"jobs/{asked}")
    page.wait_for_selector("form.question")
    _question_is_three_tabs_away(page)
    keys.to(name="In your own words", tag="textarea")
    page.keyboard.type("go on")
    keys.press(name="Answer", tag="button")
    page.wait_for_selector("#job-head .state:text-is('succeeded')")
    assert "go on" in page.inner_text("#job-dialogue")


def _question_is_three_tabs_away(page: Any) -> None:
    """To the content, to the question, into it: however long the menu and the dialogue before it are."""
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('form.question') !== null"), page.evaluate("document.activeElement.outerHTML")
    page.reload()
    page.wait_for_selector("form.question")


def _replayed(console: Browsed, keys: Keys) -> None:
    page = console.page
    failed = _made(console, {"s1": {"break": True}})
    console.open(f"jobs/{failed}")
    page.wait_for_selector("#job-head .state:text-is('failed')")
    keys.press(name="s1: failed", tag="a")
    page.wait_for_selector("#inspector [data-stage=s1]")
    keys.press(name="Do it again", tag="summary")
    keys.to(id="edit-replay")
    page.keyboard.press("Control+a")
    page.keyboard.type('{"mended": true}')
    keys.press(name="What would change?", tag="button")
    page.wait_for_selector("#changes-replay td:has-text('mended')")
    keys.press(name="Do it again", tag="button")
    page.wait_for_url(f"**/jobs/{failed}")
    page.wait_for_selector("#job-head .state:text-is('succeeded')")


def _made(console: Browsed, plan: dict[str, Any]) -> UUID:
    """A job; the fleet beside the page works on it."""
    return submit(console.services, read_submission({"job": {"kind": "noop", "plan": plan}, "owner": "default"})).job_id
