"""The weight of the console: `python -m tests.bench.console_pages [--jobs 100000] [--seconds 60]`.

A Postgres, a Redis and a gateway of its own, with jobs run in the same process, and a real Chromium. For the first page and the page of a
job it prints what goes over the wire (compressed, the cache empty), the first paint with a warm cache (Chromium's own timing, median of 5),
and the requests and bytes a minute of the open page, idle and while jobs come every two seconds. Then the time that the gateway takes for
the list of `--jobs` jobs, its page and its filters, as its client sees it (median of 20).
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import httpx

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.jobs import EngineChoice
from tests.conftest import TEMPLATE, make_template
from tests.support.browser import chromium, why_not
from tests.support.gateway import served, working
from tests.support.servers import Servers
from workers.app.services import ProcessServices
from workers.app.submitting import submit
from workers.blackboard.engine import Database
from workers.catalogue import offer_sample
from workers.console.offered import login_address
from workers.console.routes import all_routers
from workers.coordinator.intake import read_submission
from workers.gateway.access.keys import create_key
from workers.gateway.access.logins import COOKIE, open_login
from workers.settings import SHIPPED_SKILLS, Settings
from workers.telemetry import configure_logging

TIMES, PAINTS = 20, 5
OFTEN_S = 2.0
"""Between two jobs that come while a page is open."""
DEADLINE_S = 120.0
NEW_ID = "uuidv7()"

MANY = """
INSERT INTO jobs ({columns}) SELECT {values} FROM jobs j, generate_series(1, %(n)s) WHERE j.id = %(of)s
"""
OF_EACH = """
INSERT INTO {table} ({columns}) SELECT {values} FROM (SELECT * FROM {table} WHERE job_id = %(of)s AND {which}) t, jobs j
 WHERE j.id <> %(of)s AND j.kind = %(kind)s
"""


class Wire:
    """What a page fetched, from now on."""

    def __init__(self, page: Any) -> None:
        self.requests, self.bytes = 0, 0
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.dataReceived", self._part)
        session.on("Network.responseReceived", self._headers)

    def _sent(self, _: Any) -> None:
        self.requests += 1

    def _part(self, event: Any) -> None:
        self.bytes += event["encodedDataLength"]

    def _headers(self, event: Any) -> None:
        self.bytes += event["response"]["encodedDataLength"]


def run(services: ProcessServices, job: dict[str, Any], *, until_done: bool = True) -> UUID:
    """A job; the workers beside the gateway run it."""
    made = submit(services, read_submission({"job": job, "owner": "default", "engine": EngineChoice.RULES.value}))
    deadline = time.monotonic() + DEADLINE_S
    while until_done:
        row = services.database.row("SELECT finished_at FROM jobs WHERE id = %(id)s", {"id": made.job_id})
        if row is not None and row["finished_at"] is not None:
            break
        if time.monotonic() > deadline:
            raise SystemExit(f"{job['kind']} is not done after {DEADLINE_S} s")
        time.sleep(0.1)
    return made.job_id


def weigh(browser: Any, services: ProcessServices, url: str, path: str, seconds: float) -> list[str]:
    """The cells of a page's row."""
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(login_address(services.database, url))
    page.wait_for_url("**/console")
    page.goto("about:blank")
    page.context.new_cdp_session(page).send("Network.clearBrowserCache")
    wire = Wire(page)
    page.goto(url + path)
    page.wait_for_timeout(1_500)
    cells = [f"{wire.bytes / 1000:.0f} KB in {wire.requests} requests"]
    paints: list[float] = []
    for _ in range(PAINTS):
        page.goto("about:blank")
        page.goto(url + path)
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    cells.append(f"{median(paints):.0f} ms")
    for is_running in (False, True):
        page.wait_for_timeout(2_500)
        requests, weight, end = wire.requests, wire.bytes, time.monotonic() + seconds
        while time.monotonic() < end:
            if is_running:
                run(services, {"kind": "noop", "text": "while somebody looks"}, until_done=False)
            page.wait_for_timeout(OFTEN_S * 1000)
        cells.append(f"{(wire.requests - requests) * 60 / seconds:.0f}, {(wire.bytes - weight) * 60 / seconds / 1000:.0f} KB")
    context.close()
    return cells


def multiply(db: Database, of: UUID, n: int, kind: str) -> None:
    """Copies of a job with its request and one step, which is what the list reads; of the kind `kind`, to distinguish them."""
    jobs = _columns(db, "jobs", id=NEW_ID, idempotency_key="NULL", kind=f"'{kind}'", session_id="NULL")
    db.statement(MANY.format(**jobs), {"n": n, "of": of})  # pyright: ignore[reportArgumentType]  made of names of columns
    step = "id = (SELECT id FROM steps WHERE job_id = %(of)s ORDER BY error IS NULL, id DESC LIMIT 1)"
    for table, which in (("deliverables", "stage = 'input'"), ("steps", step)):
        values = _columns(db, table, id=NEW_ID, job_id="j.id")
        db.statement(OF_EACH.format(table=table, which=which, **values), {"of": of, "kind": kind})  # pyright: ignore[reportArgumentType]  as above


def _columns(db: Database, table: str, **other: str) -> dict[str, str]:
    """The columns of a table and what a copy has in each."""
    found = db.statement(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_name = %(table)s AND is_generated = 'NEVER' "
        "AND is_identity = 'NO' ORDER BY ordinal_position",
        {"table": table},
    )
    names = [row["name"] for row in found]
    letter = "j" if table == "jobs" else "t"
    return {"columns": ", ".join(names), "values": ", ".join(other.get(name, f"{letter}.{name}") for name in names)}


def timed(get: Callable[[], httpx.Response]) -> float:
    """Milliseconds, the median of `TIMES`."""
    found: list[float] = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        get().raise_for_status()
        found.append((time.perf_counter() - begun) * 1000)
    return median(found)


def lists(services: ProcessServices, url: str, n: int) -> dict[str, float]:
    """The list and its filters over `n` jobs: name → milliseconds."""
    db = services.database
    done = run(services, {"kind": "noop", "text": "all went well"})
    failed = run(services, {"kind": "noop", "text": "it broke", "plan": {"s1": {"break": True}}})
    multiply(db, done, n * 9 // 10, "done")
    multiply(db, failed, n // 10, "broken")
    db.statement("ANALYZE")
    key, _ = create_key(db, "default")
    _, cookie = open_login(db, key)
    with httpx.Client(base_url=url, cookies={COOKIE: cookie}, timeout=60) as client:
        page = client.get("/console/jobs").text
        error = page.split('<select name="error">')[1].split('value="')[2].split('"')[0]
        middle = db.row("SELECT id FROM jobs ORDER BY id OFFSET %(n)s LIMIT 1", {"n": n // 2})
        paths = {
            "the page": "", "rows alone": "/list", "from the middle": f"?before={middle['id'] if middle else ''}",
            "by state": "?status=failed", "by kind": "?kind=done", "by error": f"?error={error}", "by words": "?text=broke",
            "by words that no job has": "?text=nothing-like-it",
        }  # fmt: skip
        return {name: timed(lambda path=path: client.get(f"/console/jobs{path}")) for name, path in paths.items()}


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="that each page is open, idle and running")
    options = parser.parse_args()
    if reason := why_not():
        raise SystemExit(reason)
    configure_logging("bench", "error")
    with tempfile.TemporaryDirectory() as named, Servers(Path(named) / "servers") as servers:
        make_template(servers)
        settings = Settings(
            database_url=servers.database_url(TEMPLATE), broker_url=servers.valkey.url, embeddings="none", advance="inline",
            home=Path(named) / "home", artefact_store=f"{named}/artefacts", skills=(SHIPPED_SKILLS,), extensions=("tests.support.noop",),
        )  # fmt: skip
        with working(settings) as services, served(services, pages=all_routers()) as url:
            offer_sample(services.database, services.settings.data_dir)
            job = run(services, {"kind": "ask", "question": "revenue per month in 2026", "source": "shop"})
            if options.seconds:
                sys.stdout.write("page | over the wire | first paint, warm | requests and bytes a minute, idle | while jobs come\n")
                with chromium() as browser:
                    for name, path in {"first page": "/console", "a job's page": f"/console/jobs/{job}", "jobs": "/console/jobs"}.items():
                        sys.stdout.write(f"{name} | {' | '.join(weigh(browser, services, url, path, options.seconds))}\n")
                        sys.stdout.flush()
            for name, ms in lists(services, url, options.jobs).items():
                sys.stdout.write(f"{options.jobs} jobs, {name}: {ms:.0f} ms\n")


if __name__ == "__main__":
    main()
