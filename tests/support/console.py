"""A console over a test's own database, and browsers without a screen that are logged in to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient

from contracts.access import Scope
from contracts.base import Json
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.app.submitting import submit
from workers.blackboard.engine import Database
from workers.console.routes import all_routers
from workers.coordinator.intake import read_submission
from workers.gateway.access.keys import create_key
from workers.gateway.access.logins import COOKIE, Login, open_login
from workers.gateway.app import create_gateway
from workers.settings import Settings

HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}\u202eevil\x1b[31m' onfocus=alert(3) x='"
"""What nobody should say: markup, a template, a turned reading direction, a terminal's escape, a quoted attribute."""


class Browser:
    """A logged-in browser: its cookie, and the header that its pages send with every change."""

    def __init__(self, client: TestClient, login: Login, cookie: str) -> None:
        self.client, self.login, self.cookie = client, login, cookie

    def _headers(self, language: str, *, part: bool) -> dict[str, str]:
        shown = {"Accept-Language": language, "Cookie": f"{COOKIE}={self.cookie}"}
        return {**shown, **({"HX-Request": "true"} if part else {})}

    def get(self, path: str, language: str = "en", *, part: bool = False) -> Any:
        """A page."""
        return self.client.get(path, headers=self._headers(language, part=part), follow_redirects=False)

    def post(self, path: str, language: str = "en", *, csrf: bool = True, **form: Any) -> Any:
        """What htmx sends for a form."""
        headers = self._headers(language, part=True) | ({"X-CSRF-Token": self.login.csrf} if csrf else {})
        return self.client.post(path, headers=headers, follow_redirects=False, **form)


@contextmanager
def console_on(database_url: str, broker_url: str, **settings: Any) -> Iterator[tuple[TestClient, ProcessServices]]:
    """The gateway with its pages."""
    services = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none", advance="inline", **settings))
    with console_over(services) as client:
        yield client, services


@contextmanager
def console_over(services: ProcessServices) -> Iterator[TestClient]:
    """The gateway with its pages, over services that there are already."""
    with TestClient(create_gateway(services, all_routers())) as client:
        yield client


def browser(client: TestClient, db: Database, owner: str, *scopes: Scope) -> Browser:
    """A browser of this owner; without scopes one that may do everything."""
    key, _ = create_key(db, owner, scopes=scopes or (Scope.ADMIN,))
    return Browser(client, *open_login(db, key))


def job_of(services: ProcessServices, owner: str, job: Json, **submission: Any) -> UUID:
    """A job that has run as far as it goes by itself."""
    made = submit(services, read_submission({"job": job, "owner": owner, **submission}))
    run_all(services)
    return made.job_id
