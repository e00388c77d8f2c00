"""A real browser for tests: the machine's own Chromium, driven by Playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def why_not() -> str:
    """Why no browser can be driven here; empty: one can."""
    return "" if shutil.which("chromium") else "no chromium is installed: apt-get install chromium"


@contextmanager
def chromium() -> Iterator[Any]:
    """A running browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


def watched(page: Any) -> list[str]:
    """What goes wrong in this page from now on: errors of scripts, and what its policy refuses. A server that is away is not counted."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda line: found.append(line.text) if line.type == "error" and "Content Security" in line.text else None)
    page.on("dialog", lambda dialog: (found.append(f"dialog: {dialog.message}") if dialog.type == "alert" else None, dialog.accept()))
    return found
