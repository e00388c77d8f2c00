"""Checks that operators write: allowed statements only, tried on planted data, run after their approval."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contracts.access import Scope
from contracts.checks import CheckOutcome, System
from contracts.log_sources import LogKind, LogSource
from contracts.own_checks import OwnCheck
from contracts.sources import Source, SourceKind
from tests.support.commands import Commands, commands_on
from tests.support.gateway import gateway_over, key_for
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.checks.gathering import Looking, gather
from workers.checks.library import library
from workers.checks.looking import MOST_ROWS, NoConnection, look_at_postgres
from workers.checks.own import add_check, approve_check, list_checks, read_check, try_planted
from workers.checks.statements import parse_check, printed
from workers.checks.systems import add_system, get_system, read_sensor
from workers.errors import Conflict, InvalidInput, StatementRefused
from workers.logs import add_log
from workers.sources import add_source
from workers.sources.addresses import variable

IDLE = """
name: idle_reports
title: Reports hold their sessions idle for more than ten minutes
advice: Close the sessions of the report server.
is_cause: true
sql: |
  SELECT pid, now() - state_change AS idle FROM pg_stat_activity
   WHERE application_name = 'reports' AND state = 'idle' AND state_change < now() - interval '10 minutes' ORDER BY idle DESC
tests:
  - expect: confirmed
    tables: {pg_stat_activity: [{pid: 1, application_name: reports, state: idle, state_change: {ago_s: 900}}]}
  - expect: denied
    tables: {pg_stat_activity: [{pid: 1, application_name: reports, state: idle, state_change: {ago_s: 60}}]}
  - expect: denied
"""
EXPORT = """
name: exports_fail
title: The nightly export fails
fine: The export is well.
logql: '{app="export"} |= "export failed"'
tests:
  - expect: confirmed
    lines: [{line: "export failed: no rows", labels: {app: export}}]
  - expect: denied
    lines: [{line: "export done", labels: {app: export}}]
  - expect: undecided
"""
QUEUE = """
name: queue_grows
title: The queue reaches its limit within the hour
promql: rabbitmq_queue_messages / 100000
rule: {read: trend, reaches: 1, toward: up, within_s: 3600, over_s: 3600}
tests:
  - expect: confirmed
    series: [{curve: [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]}]
  - expect: denied
    series: [{curve: [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]}]
"""


@pytest.fixture
def commands(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as made:
        yield made


@pytest.mark.parametrize("text", [IDLE, EXPORT, QUEUE])
def test_a_check_is_right_on_the_data_that_it_plants_and_says_where_it_is_not(database: Database, text: str) -> None:
    check = read_check(text)
    assert [result.is_right for result in try_planted(database, check)] == [True] * len(check.tests)

    wrong = read_check(text.replace("expect: confirmed", "expect: denied"))
    assert not try_planted(database, wrong)[0].is_right
    stored = add_check(database, wrong, by="ann")
    with pytest.raises(Conflict, match="of its tests fail"):
        approve_check(database, stored.hash, by="root")
    assert list_checks(database, approved=True) == []


def test_a_test_reads_nothing_real(database: Database) -> None:
    """The sessions of this very test are there, but not in its planted data."""
    check = read_check(IDLE.replace("AND state_change < now() - interval '10 minutes'", "OR true"))

    assert [result.found for result in try_planted(database, check)] == [
        CheckOutcome.CONFIRMED,
        CheckOutcome.CONFIRMED,
        CheckOutcome.DENIED,
    ]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("FROM pg_stat_activity", "FROM customers", "customers may not be read"),
        ("FROM pg_stat_activity", "FROM pg_authid", "pg_authid"),
        ("FROM pg_stat_activity", "FROM public.pg_stat_activity", "public.pg_stat_activity"),
        ("SELECT pid", "SELECT pg_terminate_backend(pid)", "pg_terminate_backend"),
        ("SELECT pid", "SELECT pg_read_file('/etc/passwd')", "pg_read_file"),
        ("ORDER BY idle DESC", "ORDER BY idle DESC; DROP TABLE jobs", "one query"),
        ("SELECT pid", "SELECT 'jobs'::regclass", "not allowed"),
        ("name: idle_reports", "name: lock_wait", "shipped check"),
        ("expect: denied", "expect: perhaps", "tests.1.expect"),
        ("tests:", "rule: {read: threshold, above: 3}\ntests:", "put the bar into its WHERE"),
        ("name:", "name: &a x\nfine: *a\nx:", "aliases"),
    ],
)
def test_what_may_not_run_is_not_even_stored(old: str, new: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read_check(IDLE.replace(old, new, 1))


def test_a_trend_says_from_which_side() -> None:
    with pytest.raises(InvalidInput, match="toward: up"):
        read_check(QUEUE.replace(", toward: up", ""))


def test_a_with_hides_nothing_behind_its_name() -> None:
    for statement in (
        "WITH a AS (WITH users AS (SELECT 1) SELECT 1) SELECT * FROM users",
        "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a",
        "SELECT * FROM (WITH users AS (SELECT 1) SELECT * FROM users) x, users",
        'WITH "PG_STATS" AS (SELECT 1 AS x) SELECT most_common_vals FROM pg_stats',
        'WITH pg_stats AS (SELECT 1 AS x) SELECT most_common_vals FROM "PG_STATS"',
    ):
        with pytest.raises(StatementRefused):
            parse_check(statement)
    assert "pg_catalog.pg_locks" in printed(parse_check("WITH l AS (SELECT * FROM pg_locks) SELECT count(*) FROM l"))


def test_no_more_rows_are_made_than_are_read(database_url: str) -> None:
    """A client that is sent all rows holds them all."""
    sql = "SELECT 1 / (n - 200) AS severity FROM generate_series(1, 1000) AS n"
    (looked,) = look_at_postgres(database_url, (library(SourceKind.POSTGRES)[0].model_copy(update={"sql": sql}),), superuser=True)

    assert (looked.why_not, len(looked.rows)) == ("", MOST_ROWS)


@pytest.mark.parametrize(
    ("address", "is_evidence"),
    [
        ("postgresql://a:b@127.0.0.1:1/x", True),
        ("postgresql://a:b@no-such-host.invalid/x", False),
        ("SERVER?sslmode=require", False),
        ("postgresql://nobody:b@SERVER", False),
    ],
)
def test_a_wrong_address_of_ours_says_nothing_of_the_server(database_url: str, address: str, is_evidence: bool) -> None:
    url = address.replace("SERVER", database_url if address.startswith("SERVER") else database_url.rpartition("@")[2])
    with pytest.raises(NoConnection) as refused:
        list(look_at_postgres(url, (), superuser=True))
    assert refused.value.is_evidence is is_evidence


def test_a_filter_is_no_check_of_metrics() -> None:
    """Without a series nothing could be denied."""
    with pytest.raises(InvalidInput, match="write it as the rule"):
        read_check(QUEUE.replace("/ 100000", "> 100000"))


def test_a_check_runs_after_its_approval_and_an_edit_is_another_check(
    services: ProcessServices, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = services.database
    (tmp_path / "lines").mkdir()
    line = {"ts": datetime.now(UTC).isoformat(), "labels": {"app": "export"}, "line": "export failed: disk"}
    (tmp_path / "lines" / "a.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    monkeypatch.setenv("BULLPEN_LOG_APPS_URL", str(tmp_path / "lines"))
    add_log(db, services.settings.data_dir, LogSource(name="apps", kind=LogKind.FILES))
    monkeypatch.setenv(variable("orders_db"), database_url)
    add_source(db, services.settings.data_dir, Source(name="orders_db", kind=SourceKind.POSTGRES, insisted=True))
    add_system(db, System(name="exports", source="orders_db", logs=read_sensor('apps{app="export"}', ())))

    def found() -> dict[str, CheckOutcome]:
        looked = gather(Looking(db, services.settings.data_dir, "default"), get_system(db, "exports"))
        return {looked.id_of(each): each.outcome for each in looked.findings if each.sensor == "own"}

    export, idle = (add_check(db, read_check(text), by="ann") for text in (EXPORT, IDLE))
    assert found() == {}, "stored is not approved"
    approve_check(db, export.hash[:8], by="root")
    approve_check(db, idle.hash, by="root")
    assert found() == {"own.exports_fail": CheckOutcome.CONFIRMED, "own.idle_reports": CheckOutcome.DENIED}

    edited = add_check(db, read_check(EXPORT.replace("nightly", "daily")), by="ann")
    assert edited.hash != export.hash
    assert edited.approved_at is None
    assert [each.hash for each in list_checks(db, approved=True)] == [export.hash, idle.hash]
    approve_check(db, edited.hash, by="root")
    assert {each.hash for each in list_checks(db, approved=True)} == {edited.hash, idle.hash}
    other = add_check(db, read_check(EXPORT.replace("name: exports_fail", "name: others\nsystems: [billing]")), by="ann")
    approve_check(db, other.hash, by="root")
    assert "own.others" not in found()


def test_only_an_operators_key_approves(services: ProcessServices) -> None:
    body = OwnCheck.model_validate(read_check(EXPORT)).to_json()
    with gateway_over(services) as client:
        own, foreign = (key_for(services.database, who) for who in ("ann", "bank"))
        admin = key_for(services.database, "root", Scope.ADMIN)
        added = client.post("/v1/checks", json=body, headers=own)
        assert added.status_code == 201
        address = f"/v1/checks/{added.json()['hash']}"
        assert client.post(f"{address}/approve", headers=own).status_code == 403
        assert client.get("/v1/checks", headers=foreign).json() == []
        approved = client.post(f"{address}/approve", headers=admin).json()
        assert (approved["approved_by"], approved["added_by"]) == ("root", "ann")
        assert len(client.get("/v1/checks", headers=foreign).json()) == 1
        assert client.post("/v1/checks", json={**body, "logql": None, "sql": "SELECT * FROM jobs"}, headers=own).status_code == 400


def test_checks_are_tried_added_approved_and_listed_from_the_shell(commands: Commands, tmp_path: Path) -> None:
    file = tmp_path / "export.yaml"
    file.write_text(EXPORT, "utf-8")

    assert "as it has to be" in commands.out("checks", "test", file)
    told = commands.out("checks", "add", file)
    assert "does not run unattended yet" in told
    (stored,) = json.loads(commands.out("checks", "list", "--json"))["own"]
    assert "approved by" in " ".join(commands.out("checks", "approve", stored["hash"][:12]).split())
    listed = " ".join(commands.out("checks", "list").split())
    assert "log_error_burst" in listed
    assert "nightly export" in listed
    assert "已由" in commands.out("checks", "list", "--own", "--language", "zh")
    file.write_text(EXPORT.replace("expect: confirmed", "expect: denied"), "utf-8")
    assert "found confirmed, expected denied" in commands.out("checks", "test", file, code=1)
    assert "is removed" in commands.out("checks", "remove", stored["hash"])
