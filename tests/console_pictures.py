"""Pictures of every page of the console, for a person to look at: `python -m tests.console_pictures FOLDER`.

A fleet plays jobs of every kind; then a browser opens each page in both languages, light and dark, on a wide screen and on a phone.
"""

import argparse
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import TEMPLATE, make_template
from tests.support.browser import chromium, watched, why_not
from tests.support.console_browser import broken
from tests.support.console_play import Played, play
from tests.support.gateway import served
from tests.support.servers import Servers
from workers.app.services import ProcessServices
from workers.console.offered import login_address
from workers.console.routes import all_routers
from workers.settings import SHIPPED_SKILLS, Settings
from workers.telemetry import configure_logging

WIDE, PHONE = (1400, 900), (360, 740)
TALLEST = 6_000
"""Pixels of a picture; what is below is cut."""
SETTLED_MS = 250
"""For what a page asks for after it was loaded."""
PATIENCE_MS = 180_000
"""For one page or one picture: the machine may be busy with other work."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a page is seen."""

    language: str
    theme: str
    size: tuple[int, int]

    @property
    def name(self) -> str:
        """Part of a picture's name."""
        return f"{self.language}-{self.theme}-{self.size[0]}"


LOOKS = tuple(Look(language, theme, size) for language in ("en", "zh") for theme in ("light", "dark") for size in (WIDE, PHONE))


@contextmanager
def played_console(folder: Path) -> Generator[tuple[str, Played]]:
    """The address of a gateway over a fleet that has played."""
    with Servers(folder / "servers") as servers:
        make_template(servers)
        services = ProcessServices(
            Settings(
                database_url=servers.database_url(TEMPLATE), broker_url=servers.valkey.url, embeddings="none", advance="inline",
                home=folder / "home", artefact_store=str(folder / "artefacts"), skills=(SHIPPED_SKILLS,),
            )
        )  # fmt: skip
        played = play(services)
        with served(services, pages=[broken, *all_routers()]) as address:
            yield address, played


def take(address: str, played: Played, folder: Path, looks: Sequence[Look], only: Sequence[str]) -> list[str]:
    """A picture of each page in each look; what was wrong with pages, as lines."""
    found: list[str] = []
    with chromium() as browser:
        for look in looks:
            context = browser.new_context(
                viewport={"width": look.size[0], "height": look.size[1]},
                color_scheme=look.theme,
                locale={"zh": "zh-CN"}.get(look.language, "en-GB"),
            )
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS)
            faults = watched(page)
            page.goto(login_address(played.services.database, address))
            for name, path in played.pages().items():
                if not only or any(part in name for part in only):
                    found += _one(page, address + path, folder / f"{name.replace('/', '-')}.{look.name}.png", f"{name} {look.name}")
            found += [f"{look.name}: {fault}" for fault in faults]
            context.close()
    return found


def _one(page: Any, address: str, target: Path, name: str) -> Iterator[str]:
    response = page.goto(address)
    page.wait_for_timeout(SETTLED_MS)
    tall = min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))
    width = page.viewport_size["width"]
    page.screenshot(path=str(target), clip={"x": 0, "y": 0, "width": width, "height": tall}, full_page=True)
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wider > 0:
        yield f"{name}: {wider} pixels wider than its screen"
    if response.status >= 500 and not name.startswith("broken"):
        yield f"{name}: {response.status}"


def main(arguments: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of pages")
    parser.add_argument("--looks", nargs="*", default=[look.name for look in LOOKS], help="such as zh-dark-360")
    chosen = parser.parse_args(arguments)
    if reason := why_not():
        raise SystemExit(reason)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    configure_logging("console", "warning")
    with tempfile.TemporaryDirectory() as folder, played_console(Path(folder)) as (address, played):
        looks = [look for look in LOOKS if look.name in chosen.looks]
        for line in take(address, played, chosen.folder, looks, chosen.only):
            sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
