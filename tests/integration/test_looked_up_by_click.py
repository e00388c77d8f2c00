"""Methods of tickets are shown as they are and run after a person's decision alone."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from contracts.access import Scope
from contracts.checks import CheckOutcome, Sensor, System
from contracts.diagnose.deliverables import Diagnosis
from contracts.jobs import SubmitJob
from contracts.sources import Source, SourceKind
from contracts.tickets import Ticket
from tests.support.commands import Commands, commands_on
from tests.support.console import browser, console_over
from tests.support.gateway import gateway_over, key_for
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.checks.proposals import recognised
from workers.checks.systems import add_system
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.intake import accept
from workers.reading.results import read_result
from workers.sources import add_source, list_executions
from workers.sources.addresses import variable
from workers.tickets import import_tickets

MARK = "planted_by_a_ticket"
HARMLESS = "SELECT count(*) AS planted_by_a_ticket FROM pg_extension WHERE extname <> 'x'"
EVIL = "SELECT pg_terminate_backend(pid) AS planted_by_a_ticket FROM pg_stat_activity; CREATE TABLE planted_by_a_ticket ()"
DESCRIPTION = "Bookings in orders come late since the release of Tuesday"


def ticket(number: int, cause: str, sign: str, method: str) -> Ticket:
    signs = [{"description": sign, "observation_method": method}]
    return Ticket.model_validate(
        {"ticket_id": f"T-{number}", "description": DESCRIPTION, "root_cause": cause, "solution": "mend it", "anomalies": signs}
    )


@pytest.fixture(params=[HARMLESS])
def asked(
    services: ProcessServices, database_url: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[tuple[ProcessServices, UUID]]:
    """A job that asks about a sign whose method was planted in a ticket."""
    watcher = f"watcher_{uuid4().hex[:8]}"
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'watch' IN ROLE pg_monitor").format(sql.Identifier(watcher)))
    host = database_url.rpartition("@")[2]
    monkeypatch.setenv(variable("orders_db"), f"postgresql://{watcher}:watch@{host}")
    tickets = [
        ticket(1, "A slow report", "A report runs all day", request.param),
        ticket(2, "A lost index", "An index is gone", request.param),
    ]
    import_tickets(services.database, None, enumerate(tickets, 1))
    add_source(services.database, services.settings.data_dir, Source(name="orders_db", kind=SourceKind.POSTGRES))
    add_system(services.database, System(name="orders", source="orders_db"))
    wanted = {"kind": "diagnose", "description": DESCRIPTION, "system": "orders"}
    job = accept(services.database, SubmitJob(job=wanted), owner_cap=100).job_id
    run_all(services)
    yield services, job
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(watcher)))


def item_of(services: ProcessServices, job: UUID, method: str) -> tuple[UUID, int]:
    """The open question, and the number of the item with this method."""
    (question,) = open_questions(services.database, job)
    items: list[dict[str, Any]] = question["payload"]["detail"]["items"]
    return question["id"], next(item["number"] for item in items if item["observation_method"] == method)


def ran(services: ProcessServices, job: UUID) -> list[str]:
    return [each.statement for each in list_executions(services.database, job_id=job, limit=200) if MARK in each.statement]


def scans(database_url: str) -> int:
    """How often the server itself says that the relation of the planted statement was read."""
    with psycopg.connect(database_url) as look:
        row = look.execute("SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_all_tables WHERE relname = 'pg_extension'").fetchone()
    assert row is not None
    return int(row[0])


def test_a_statement_in_a_ticket_runs_when_a_person_says_so_and_at_no_other_time(
    asked: tuple[ProcessServices, UUID], database_url: str
) -> None:
    services, job = asked
    question, number = item_of(services, job, HARMLESS)
    before = scans(database_url)
    with gateway_over(services) as client:
        headers = key_for(services.database, "default")
        assert HARMLESS in client.get(f"/v1/jobs/{job}", headers=headers).text, "it is shown"
        run_all(services)
        assert (scans(database_url), ran(services, job)) == (before, [])

        address, body = f"/v1/jobs/{job}/run", {"item": number, "request_id": str(question)}
        done = client.post(address, json=body, headers=headers)

        assert done.status_code == 200, done.text
        assert (done.json()["columns"], done.json()["count"]) == ([MARK], 1)
        assert scans(database_url) > before
        assert len(ran(services, job)) == 1
        assert "pg_catalog.pg_extension" in ran(services, job)[0]
        assert client.post(address, json={"item": 9}, headers=headers).status_code == 400
        assert client.post(address, json=body, headers=key_for(services.database, "bank")).status_code == 404
        answer(services.database, job, "stop")
        assert client.post(address, json=body, headers=headers).status_code == 409, "the question is answered"


@pytest.mark.parametrize("asked", [EVIL], indirect=True)
def test_what_is_more_than_one_harmless_query_is_not_run_for_a_person_either(
    asked: tuple[ProcessServices, UUID], database_url: str
) -> None:
    services, job = asked
    _, number = item_of(services, job, EVIL)
    with gateway_over(services) as client:
        refused = client.post(f"/v1/jobs/{job}/run", json={"item": number}, headers=key_for(services.database, "default"))

    assert refused.status_code == 400
    assert "no query that may be run" in refused.json()["detail"]
    assert ran(services, job) == []
    with psycopg.connect(database_url) as look:
        assert look.execute("SELECT to_regclass(%s)", [MARK]).fetchone() == (None,)


def test_the_person_says_what_the_rows_show_and_the_finding_keeps_them(asked: tuple[ProcessServices, UUID]) -> None:
    services, job = asked
    question, harmless = item_of(services, job, HARMLESS)
    with gateway_over(services) as client:
        run = client.post(f"/v1/jobs/{job}/run", json={"item": harmless}, headers=key_for(services.database, "default")).json()

    answer(services.database, job, f"{harmless} yes", request_id=question)
    run_all(services)
    while open_questions(services.database, job):
        answer(services.database, job, "stop")
        run_all(services)

    result = read_result(services.database, job)
    assert result is not None
    found = Diagnosis.model_validate(result.content)
    assert found.gathered is not None
    (shown,) = [each for each in found.gathered.findings if each.sensor == "asked"]
    assert (shown.outcome, shown.sql) == (CheckOutcome.CONFIRMED, run["query"])
    assert [list(row) for row in shown.rows] == run["rows"]


def test_items_are_run_from_the_shell(
    asked: tuple[ProcessServices, UUID], database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, job = asked
    _, harmless = item_of(services, job, HARMLESS)
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        told = _flat(commands, "answer", job, "--run", harmless)
        assert f"Item {harmless}, run on orders" in told
        assert MARK in told
        assert f'"{harmless} yes"' in told
        assert json.loads(commands.out("answer", job, "--run", harmless, "--json"))[0]["language"] == "sql"
    assert len(open_questions(services.database, job)) == 1, "it is not answered by that"


def _flat(commands: Commands, *arguments: object) -> str:
    return " ".join(commands.out(*arguments).split())


@pytest.mark.parametrize(
    ("method", "language"),
    [
        ("SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction'; -- longer than 10 minutes", "sql"),
        ('{app="orders"} |= "timeout"', "logql"),
        ('sum(count_over_time({app="orders"} |= "error" [5m]))', "logql"),
        ("rate(node_cpu_seconds_total[5m])", "promql"),
        ('up{job="node"} == 0', "promql"),
        ("disk", None),
        ("cpu and disk", None),
        ("Look into the log of the broker", None),
        ("top, then press M", None),
        ("SELECT * FROM orders", None),
        ("SHOW max_connections", None),
        ("EXPLAIN ANALYZE SELECT 1", None),
        ("", None),
        ("DELETE FROM pg_stat_activity", None),
        ("SELECT pg_sleep(9)", None),
    ],
)
def test_what_a_method_is_is_told_by_parsing(method: str, language: str | None) -> None:
    all_three = System(name="orders", source="orders_db", logs=Sensor(name="tos"), metrics=Sensor(name="prod"))

    found = recognised(method, all_three)

    assert (found.language if found else None) == language
    if language:
        sensor = {"sql": "source", "logql": "logs", "promql": "metrics"}[language]
        without = all_three.model_copy(update={sensor: None})
        assert (again := recognised(method, without)) is None or again.language != language


def test_a_page_shows_the_system_and_runs_a_method_by_its_button(asked: tuple[ProcessServices, UUID]) -> None:
    services, job = asked
    question, number = item_of(services, job, HARMLESS)
    with console_over(services) as client:
        admin = browser(client, services.database, "default")
        address = f"/console/jobs/{job}/questions/{question}/run/{number}"

        assert f'hx-post="{address}"' in admin.get(f"/console/jobs/{job}").text
        assert ran(services, job) == [], "to show it runs nothing"
        assert MARK in admin.post(address).text
        assert len(ran(services, job)) == 1
        assert "orders_db" in admin.get("/console/systems").text
        looked = admin.post("/console/systems/orders/look").text
        assert "orders" in looked
        bank = browser(client, services.database, "bank", Scope.READ, Scope.ANSWER)
        assert bank.post(address).status_code == 404


def test_a_server_is_added_in_a_page_and_its_url_is_kept_in_the_secrets_file_alone(
    asked: tuple[ProcessServices, UUID], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, _ = asked
    secrets = tmp_path / "secrets.env"
    monkeypatch.setenv("BULLPEN_SECRETS", str(secrets))
    url = os.environ[variable("orders_db")]
    with console_over(services) as client:
        admin = browser(client, services.database, "default")

        assert admin.post("/console/sources", data={"name": "files", "url": "duckdb:///etc/passwd"}).status_code == 400
        assert admin.post("/console/sources", data={"name": "wrong", "url": url.replace("watch@", "other@")}).status_code >= 400
        assert not secrets.exists() or "WRONG" not in secrets.read_text("utf-8"), "a URL that does not work is not kept"
        added = admin.post("/console/sources", data={"name": "again", "url": url})
        assert added.headers["HX-Redirect"] == "/console/sources/again"
        assert variable("again") in secrets.read_text("utf-8")
        assert secrets.stat().st_mode & 0o077 == 0
        assert "watch@" not in admin.get("/console/sources/again").text
        assert not services.database.row("SELECT 1 FROM sources s WHERE s::text LIKE '%%watch%%'")
        reader = browser(client, services.database, "shop", Scope.READ)
        assert reader.post("/console/sources", data={"name": "x", "url": url}).status_code == 403
