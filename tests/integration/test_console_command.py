"""`bullpen console`: an address for a browser, of the gateway that runs or that the settings describe."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from contracts.access import Scope
from tests.support.commands import Commands
from tests.support.console import console_on, job_of
from workers.cli import demo
from workers.cli.console import gateway_url
from workers.gateway.access.keys import list_keys


def test_the_address_logs_in_once_with_the_rights_that_were_asked_for(
    bullpen: Commands, database_url: str, broker_url: str, tmp_path: Path
) -> None:
    made = bullpen.json("console", "--owner", "shop", "--scope", "read", "--json")
    address = urlsplit(made["address"])
    assert (made["owner"], made["minutes"]) == ("shop", 15)
    with console_on(database_url, broker_url, home=tmp_path) as (client, _):
        entered = client.get(f"{address.path}?{address.query}")
        assert entered.url.path == "/console"
        assert client.get("/console/new", follow_redirects=False).status_code == 403
        client.cookies.clear()
        assert client.get(f"{address.path}?{address.query}").status_code == 401
    assert [(key.owner, key.label, key.scopes) for key in list_keys(bullpen.db)] == [("shop", "console", (Scope.READ,))]


def test_the_key_of_such_logins_is_made_once_for_an_owner_and_its_rights(bullpen: Commands) -> None:
    for _ in range(2):
        bullpen.json("console", "--json")
    assert [(key.owner, key.scopes) for key in list_keys(bullpen.db)] == [("default", (Scope.ADMIN,))]


def test_the_gateway_of_a_running_fleet_is_found(bullpen: Commands, tmp_path: Path) -> None:
    assert gateway_url() == "http://127.0.0.1:8420"
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "addresses.json").write_text(json.dumps({"gateway_url": "http://127.0.0.1:9999"}))
    assert gateway_url() == "http://127.0.0.1:9999"


def test_the_demo_ends_with_an_address_that_opens_the_page_of_its_own_job(
    database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Group:
        """Processes that are watched until Ctrl-C, which comes at once."""

        def watch_once(self) -> None:
            raise KeyboardInterrupt

    shown: list[str] = []
    monkeypatch.setattr(demo.console, "print", lambda *texts, **_: shown.extend(map(str, texts)))
    with console_on(database_url, broker_url, home=tmp_path) as (client, services):
        job_id = job_of(services, "default", {"kind": "noop", "text": "the demo's own words, as its page has them"})
        demo._show_page(services, Group(), "http://testserver", job_id, lambda said: said.code)  # type: ignore[arg-type]  # pyright: ignore
        assert shown[-2] == "fleet.demo.console"
        entered = client.get(shown[-1])
        assert entered.url.path == f"/console/jobs/{job_id}"
        assert "the demo&#39;s own words" in entered.text
