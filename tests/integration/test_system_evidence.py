"""A diagnosis that looks for itself: whole jobs over a Postgres that is the incident's system."""

import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from contracts.checks import CheckOutcome, Gathered, System
from contracts.diagnose.deliverables import Diagnosis, Verdict
from contracts.jobs import SubmitJob
from contracts.sources import Source, SourceKind
from contracts.tickets import Ticket
from tests.support.commands import Commands, commands_on
from tests.support.gateway import gateway_over, key_for
from tests.support.said import kept
from tests.support.servers import Servers
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.checks import looking
from workers.checks.gathering import CONNECTION, Looking, gather
from workers.checks.library import library
from workers.checks.looking import NoConnection, look_at_postgres
from workers.checks.systems import add_system, get_system, list_systems, named_in
from workers.coordinator.actions import open_questions
from workers.coordinator.intake import accept
from workers.coordinator.replay import fork
from workers.errors import Conflict, InvalidInput, NotFound, StatementRefused
from workers.reading.results import read_result
from workers.sources import add_source, list_executions
from workers.sources.addresses import variable
from workers.tickets import import_tickets

LOCKED = "checkout in orders hangs since ten, nobody gets through"
TICKETS = [
    Ticket.model_validate(
        {
            "ticket_id": f"T-{number}",
            "description": "Reports come late",
            "root_cause": cause,
            "solution": "mend it",
            "anomalies": [{"description": sign}],
        }
    )
    for number, (cause, sign) in enumerate((("A full disk", "the disk is full"), ("A slow network", "packets are lost")), start=1)
]


@pytest.fixture
def watched(servers: Servers, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of the database as its owner; the source `orders_db` is the same by an account that may only monitor."""
    name = f"watcher_{uuid4().hex[:8]}"
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'watch' IN ROLE pg_monitor").format(sql.Identifier(name)))
    parts = urlsplit(database_url)
    monkeypatch.setenv(variable("orders_db"), urlunsplit(parts._replace(netloc=f"{name}:watch@{parts.netloc.rpartition('@')[2]}")))
    yield database_url
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(name)))


@pytest.fixture
def board(services: ProcessServices, watched: str) -> ProcessServices:
    """A history of two tickets, and the system."""
    import_tickets(services.database, None, enumerate(TICKETS, 1))
    add_source(services.database, services.settings.data_dir, Source(name="orders_db", kind=SourceKind.POSTGRES))
    add_system(services.database, System(name="orders", source="orders_db", match=("host=db1*", "checkout")))
    return services


_END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'waits'"
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE application_name = 'waits' AND wait_event_type = 'Lock' AND now() - query_start > interval '3 s'"
)


def _wait_in_line(url: str) -> None:
    with suppress(psycopg.OperationalError), psycopg.connect(url, application_name="waits") as connection:
        connection.execute("UPDATE carts SET n = 3 WHERE id = 1")


@contextmanager
def lock_chain(url: str) -> Iterator[None]:
    """A session that forgot to commit, and two that wait for it."""
    with psycopg.connect(url) as holder, psycopg.connect(url, autocommit=True) as look, ThreadPoolExecutor(2) as pool:
        holder.execute("CREATE TABLE IF NOT EXISTS carts (id int PRIMARY KEY, n int)")
        holder.execute("INSERT INTO carts VALUES (1, 1) ON CONFLICT DO NOTHING")
        holder.commit()
        holder.execute("UPDATE carts SET n = 2 WHERE id = 1")
        for _ in range(2):
            pool.submit(_wait_in_line, url)
        try:
            while (look.execute(_WAITING).fetchone() or (0,))[0] < 2:
                time.sleep(0.1)
            yield
        finally:
            look.execute(_END)
            holder.rollback()


@pytest.fixture
def commands(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as made:
        yield made


def at(services: ProcessServices, owner: str = "default") -> Looking:
    return Looking(services.database, services.settings.data_dir, owner)


def diagnosed(services: ProcessServices, description: str, **more: Any) -> tuple[UUID, Diagnosis | None]:
    """The job, and its result where it has ended."""
    request = {"kind": "diagnose", "description": description, **more}
    job = accept(services.database, SubmitJob(job=request), owner_cap=100).job_id
    run_all(services)
    result = read_result(services.database, job)
    return job, None if result is None else Diagnosis.model_validate(result.content)


def test_a_cause_that_is_seen_in_the_named_system_is_the_diagnosis_without_a_question(board: ProcessServices, watched: str) -> None:
    with lock_chain(watched):
        job, found = diagnosed(board, LOCKED, system="orders")

    assert found is not None
    assert (found.verdict, found.by_data, found.turns) == (Verdict.DIAGNOSED, True, 0)
    assert found.gathered is not None
    (cause,) = [each for each in found.gathered.causes if each.severity >= 0.5]
    assert found.cause_id == f"postgres.{cause.check}"
    assert cause.group == "locks"
    assert any(each.because_of for each in found.gathered.findings), "sessions that wait follow from the one that blocks them"
    assert all(each.outcome is CheckOutcome.CONFIRMED for each in found.gathered.findings if each.because_of)
    (row,) = list_executions(board.database, source="orders_db", job_id=job)
    assert "idle_transaction_blocks" in row.statement


def test_what_was_seen_is_said_before_the_first_question(board: ProcessServices, watched: str) -> None:
    """A word that names the system may mean something else: a short queue is shown, and the dialogue goes on."""
    with lock_chain(watched):
        job, found = diagnosed(board, LOCKED)
    assert found is None
    (asked,) = open_questions(board.database, job)
    assert "looked at orders: 2 sessions wait" in kept(asked["payload"]["text"])
    job, _ = diagnosed(board, "everything in orders is slow")
    (asked,) = open_questions(board.database, job)
    assert "looked at orders: " in kept(asked["payload"]["text"])


def test_who_takes_the_incident_over_sees_what_was_seen(board: ProcessServices, watched: str, commands: Commands) -> None:
    with lock_chain(watched):
        job, found = diagnosed(board, LOCKED)

    page = commands.out("show", job, "--handover", "--format", "md")

    assert found is None, "it waits for an answer"
    assert "2 sessions wait" in page
    assert "Nothing was checked yet." not in page


@pytest.mark.parametrize(
    ("description", "more", "says"),
    [
        ("orders and billing hang", {}, "names several systems (billing, orders)"),
        ("it hangs", {}, "names none of the registered systems"),
        ("it hangs", {"system": "nosuch"}, "There is no system nosuch"),
    ],
)
def test_why_nothing_was_looked_at_is_said_before_the_first_question(
    board: ProcessServices, description: str, more: dict[str, Any], says: str
) -> None:
    add_system(board.database, System(name="billing", source="orders_db"))

    job, found = diagnosed(board, description, **more)

    assert found is None
    (asked,) = open_questions(board.database, job)
    assert says in kept(asked["payload"]["text"])


def test_what_an_operator_rules_out_is_not_named(board: ProcessServices, watched: str) -> None:
    with lock_chain(watched):
        job, found = diagnosed(board, LOCKED, system="orders")
        assert found is not None
        copy = fork(board.database, job, "diagnosis", edit={"rule_out": [found.cause_id], "ask": False})
        run_all(board)
    result = read_result(board.database, copy)
    assert result is not None
    assert Diagnosis.model_validate(result.content).cause_id != found.cause_id


def test_an_alert_becomes_a_diagnosis_without_a_person(board: ProcessServices, watched: str) -> None:
    """Alert, job, findings: the label names the system, and nobody is asked."""
    alert = {
        "labels": {"alertname": "HighLatency", "host": "db1.example.com"},
        "annotations": {"summary": "p99 is above 5 s"},
        "fingerprint": "f1",
    }
    with lock_chain(watched), gateway_over(board) as client:
        client.headers.update(key_for(board.database, "shop"))
        (taken,) = client.post("/v1/alerts", json={"alerts": [alert]}).json()["alerts"]
        run_all(board)
        result = client.get(f"/v1/jobs/{taken['job_id']}/result").json()

    found = Diagnosis.model_validate(result["content"])
    assert (found.verdict, found.by_data) == (Verdict.DIAGNOSED, True)


def test_a_system_that_is_fine_leaves_the_dialogue_as_it_is(board: ProcessServices) -> None:
    job, found = diagnosed(board, LOCKED)

    assert found is None or not found.by_data
    row = board.database.row("SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'evidence'", {"id": job})
    assert row is not None
    gathered = Gathered.model_validate(row["content"])
    assert not [each for each in gathered.causes if each.severity >= 0.3 and each.group != "settings"], (
        "the tests' server is fast, not durable"
    )
    assert len(gathered.of(CheckOutcome.DENIED)) > len(library(SourceKind.POSTGRES)) / 2


def test_what_is_found_in_a_system_that_the_incident_does_not_name_is_a_guess_at_most(board: ProcessServices, watched: str) -> None:
    with lock_chain(watched):
        job, found = diagnosed(board, "everything is slow", max_turns=1)

    assert found is None or found.verdict is not Verdict.DIAGNOSED
    row = board.database.row("SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'evidence'", {"id": job})
    assert row is not None
    assert not Gathered.model_validate(row["content"]).is_named


def test_nobody_is_looked_at_where_no_system_or_several_are_meant(board: ProcessServices) -> None:
    add_system(board.database, System(name="billing", source="orders_db", match=("invoice*",)))

    for description, says in (("everything is slow", "names none"), ("orders and billing hang", "names several")):
        job, _ = diagnosed(board, description)
        row = board.database.row("SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'evidence'", {"id": job})
        assert row is not None
        assert says in row["content"]["nothing"]
    job, _ = diagnosed(board, "everything is slow", system="billing")
    row = board.database.row("SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'evidence'", {"id": job})
    assert row is not None
    assert row["content"]["system"] == "billing"


def test_that_there_is_no_connection_is_a_finding(board: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable("orders_db"), "postgresql://watcher:secret@127.0.0.1:9/orders")

    found = gather(at(board), get_system(board.database, "orders"))

    (only,) = found.findings
    assert (only.check, only.outcome) == (CONNECTION, CheckOutcome.CONFIRMED)
    assert "secret" not in found.model_dump_json()
    _, made = diagnosed(board, "nothing works", system="orders")
    assert made is not None
    assert (made.verdict, made.cause_id) == (Verdict.DIAGNOSED, "postgres.connection")


@pytest.mark.parametrize("address", ["postgresql://watcher:se%ZZcret@127.0.0.1:9/orders", ""])
def test_an_address_that_is_none_stops_no_diagnosis_and_shows_no_password(
    board: ProcessServices, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv(variable("orders_db"), address)

    job, found = diagnosed(board, "nothing works", system="orders")

    assert found is None
    (asked,) = open_questions(board.database, job)
    assert "Nothing was looked at: " in kept(asked["payload"]["text"])
    assert "ZZcret" not in str(board.database.statement("SELECT content FROM deliverables WHERE job_id = %(id)s", {"id": job}))


def test_a_wrong_password_is_no_cause(board: ProcessServices, watched: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable("orders_db"), watched.replace("bullpen:", "nobody:", 1))

    found = gather(at(board), get_system(board.database, "orders"))

    assert [each.outcome for each in found.findings] == [CheckOutcome.UNDECIDED]


def test_a_server_that_freezes_does_not_hold_the_step(watched: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "GRACE_S", 0.5)
    url, slept = os.environ[variable("orders_db")], "SELECT 0.1::float AS severity, pg_sleep(5)"
    checks = [library(SourceKind.POSTGRES)[0].model_copy(update={"sql": slept})]

    with psycopg.connect(watched, autocommit=True) as owner, ThreadPoolExecutor(1) as pool:
        stopped = pool.submit(_freeze, owner)
        with pytest.raises(NoConnection):  # the server's own limit does not end it any more
            list(look_at_postgres(url, checks, check_s=3.0, all_s=3.0))
        os.kill(stopped.result(), signal.SIGCONT)


def _freeze(owner: psycopg.Connection[Any]) -> int:
    """Stop the process that runs a check; its id."""
    running = "SELECT pid FROM pg_stat_activity WHERE application_name = 'bullpen-check' AND wait_event = 'PgSleep'"
    while (row := owner.execute(running).fetchone()) is None:
        time.sleep(0.02)
    os.kill(row[0], signal.SIGSTOP)
    return int(row[0])


def test_the_owners_of_a_source_hold_here_too(services: ProcessServices, watched: str) -> None:
    add_source(services.database, services.settings.data_dir, Source(name="orders_db", kind=SourceKind.POSTGRES, owners=("ann",)))
    system = add_system(services.database, System(name="orders", source="orders_db", owners=("ann",)))

    with pytest.raises(StatementRefused):
        gather(at(services, "bob"), system)
    assert list_systems(services.database, "bob") == []
    assert list_systems(services.database, "ann") == [system]


def test_a_system_needs_a_source_whose_engine_has_checks(services: ProcessServices, watched: str) -> None:
    with pytest.raises(NotFound):
        add_system(services.database, System(name="orders", source="nowhere"))
    services.database.statement(
        "INSERT INTO sources (name, kind, limits, owners, insisted, sample) VALUES ('f', 'sqlite', '{}', '{}', false, false)"
    )
    with pytest.raises(InvalidInput):
        add_system(services.database, System(name="orders", source="f"))
    add_source(services.database, services.settings.data_dir, Source(name="orders_db", kind=SourceKind.POSTGRES))
    add_system(services.database, System(name="orders", source="orders_db"))
    with pytest.raises(Conflict):
        add_system(services.database, System(name="orders", source="orders_db"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("orders hangs", ["orders"]),
        ("Orders: hangs.", ["orders"]),
        ("预订系统orders卡住了", ["orders"]),
        ("HighLatency\nhost=db1.example.com, severity=page", ["orders"]),
        ("reorders hang", []),
        ("checkout-2 hangs", []),
        ("host=db2", []),
    ],
)
def test_a_system_is_meant_by_its_name_a_word_or_a_label(text: str, names: list[str]) -> None:
    system = System(name="orders", source="orders_db", match=("host=db1*", "checkout"))

    assert [found.name for found in named_in([system], text)] == names


def test_a_person_looks_by_the_command(board: ProcessServices, watched: str, commands: Commands) -> None:
    assert "orders" in commands.out("system", "list")
    assert "Looked up in orders" in commands("system", "look", "orders").stdout
    with lock_chain(watched):
        out = commands.out("system", "look", "orders", "--sql", code=1)
    assert "Looked up in orders" in out
    assert "SELECT" in out
    assert "lock_wait" in commands.out("system", "checks")
    commands.out("system", "remove", "orders")
    assert "There is no system" in commands.out("system", "list")


def test_doctor_says_which_systems_cannot_be_looked_at(
    board: ProcessServices, watched: str, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def systems() -> list[dict[str, str]]:
        return [check for check in json.loads(commands("doctor", "--json").stdout)["checks"] if check["name"] == "systems"]

    assert [(check["state"], check["finding"]) for check in systems()] == [("ok", "orders")]
    monkeypatch.delenv(variable("orders_db"))
    (away,) = systems()
    assert away["state"] == "warn"
    assert variable("orders_db") in away["finding"]
    assert "bullpen system look orders" in away["next_move"]
