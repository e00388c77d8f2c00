"""Locks 4 and 5 alone: attacks that no other lock has looked at write nothing, and no statement runs past its limits."""

import json
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from contracts.sources import Source, SourceKind, SourceLimits
from tests.integration.test_sources_parsing import ATTACKS, ATTACKS_BY_ENGINE
from tests.support.campaign import sample
from tests.support.said import said
from tests.support.sources import Shop
from workers.catalogue.forms.source import introspect
from workers.errors import StatementRefused, UnsafeAccount
from workers.sources.addresses import kind_of_address, variable
from workers.sources.limits import run_within
from workers.sources.sessions.base import Opening
from workers.sources.sessions.mysql import grant_fault

WRITES = [
    "INSERT INTO customers VALUES (99, 'x', 'x')",
    "UPDATE orders SET total = 0",
    "DELETE FROM orders",
    "DROP TABLE orders",
    "CREATE TABLE x (id INT)",
    "SELECT 1; INSERT INTO customers VALUES (99, 'x', 'x')",
    "COMMIT; INSERT INTO customers VALUES (99, 'x', 'x')",
    "ROLLBACK; BEGIN; DELETE FROM orders; COMMIT",
    "SET TRANSACTION READ WRITE; DELETE FROM orders",
    "ALTER TABLE orders ADD COLUMN x INT",
    "TRUNCATE TABLE orders",
    "CREATE VIEW y AS SELECT 1",
    "CREATE INDEX i ON orders (total)",
]

WALLS = {
    SourceKind.POSTGRES: [
        "COPY orders TO PROGRAM 'id'",
        "COPY orders FROM '/etc/passwd'",
        "SELECT poke()",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * INTO x FROM orders",
        "SET TRANSACTION READ WRITE",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; COMMIT; INSERT INTO customers VALUES (99)",
        "WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d",
        "SELECT lo_import('/etc/passwd')",
        "SELECT * FROM orders FOR UPDATE",
        "CREATE TEMP TABLE x (id int); SELECT 1",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "DO $$ BEGIN DELETE FROM orders; END $$",
    ],
    SourceKind.MYSQL: [
        "SELECT * FROM orders INTO OUTFILE '/tmp/source-attack'",
        "SELECT LOAD_FILE('/etc/passwd') IS NULL AND (SELECT 1 FROM mysql.user)",
        "SET GLOBAL max_connections = 1",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE orders",
        "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE orders",
        "CREATE USER x",
        "GRANT ALL ON *.* TO reader@'127.0.0.1'",
    ],
    SourceKind.SQLITE: [
        "ATTACH DATABASE 'attacked' AS x",
        "CREATE TEMP TABLE x (id INT)",
        "PRAGMA writable_schema = 1",
        "PRAGMA journal_mode = WAL",
        "VACUUM INTO 'attacked'",
        "SELECT load_extension('x')",
        "REINDEX",
        "ANALYZE",
        "SAVEPOINT x",
        "PRAGMA table_info('orders')",
        "DETACH main",
        "REPLACE INTO orders VALUES (1)",
    ],
    SourceKind.DUCKDB: [
        "COPY orders TO '/tmp/source-attack'",
        "ATTACH '/tmp/source-attack' AS x",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SET enable_external_access = true",
        "EXPORT DATABASE '/tmp/source-attack'",
        "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
        "PRAGMA memory_limit = '8GB'",
        "SELECT * FROM local_name",
        "RESET lock_configuration",
        "SELECT * FROM '/etc/passwd'",
    ],
}

ENDLESS = {
    SourceKind.POSTGRES: "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b, generate_series(1, 100) c",
    SourceKind.MYSQL: "SELECT COUNT(*) FROM " + ", ".join(f"information_schema.collations c{number}" for number in range(6)),
    SourceKind.SQLITE: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
    SourceKind.DUCKDB: "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c WHERE a.range + b.range * c.range = 7",
}


def run(shop: Shop, statement: str, limits: SourceLimits | None = None, **opening: Any) -> list[tuple[Any, ...]]:
    limits = limits or SourceLimits(timeout_s=60)
    with shop.engine.open(Opening(timeout_s=limits.timeout_s, **opening)) as session:
        return run_within(session, statement, {}, limits).rows


def attack(shop: Shop, statement: str) -> bool:
    """Whether the engine refused it."""
    try:
        with shop.engine.open(Opening(timeout_s=1)) as session:
            for _ in session.run(statement, {}).rows:
                pass
    except (UnicodeError, ValueError):
        return True
    except Exception as error:
        if shop.engine.brief(error, values_hidden=False) is None:
            raise
        return True
    return False


@pytest.mark.parametrize("number", range(len(WRITES)))
def test_the_read_only_session_alone_lets_nothing_be_written(shop: Shop, number: int) -> None:
    before = shop.fingerprint()

    refused = attack(shop, WRITES[number])

    assert shop.fingerprint() == before
    assert refused


def test_the_read_only_session_alone_holds_against_the_attacks_of_its_engine(shop: Shop) -> None:
    local_name = [1]  # a name that DuckDB would find in a caller's frame
    before = shop.fingerprint()

    passed = [statement for statement in WALLS[shop.kind] if not attack(shop, statement)]

    assert shop.fingerprint() == before
    assert not Path("/tmp/source-attack").exists()  # noqa: S108 the attacks' own target
    # these two change nothing in a file that is open for reading
    assert set(passed) <= {"SAVEPOINT x", "REINDEX"}, local_name


def test_every_attack_of_the_other_locks_writes_nothing_either(shop: Shop) -> None:
    before = shop.fingerprint()
    slow = ("SLEEP", "sleep", "GET_LOCK", "BENCHMARK", "x" * 50, "REPEAT", "blob", "range(")

    for statement in [*ATTACKS, *ATTACKS_BY_ENGINE[shop.kind]]:
        if not any(word in statement for word in slow):
            attack(shop, statement)

    assert shop.fingerprint() == before


def test_injections_as_whole_statements_write_nothing(shop: Shop, eval_data: Path) -> None:
    """The read-only session alone; the file says which they are."""
    payloads = sample(json.loads((eval_data / "hostile" / "sqli_payloads.json").read_text("utf-8")), every=4)
    before = shop.fingerprint()

    for payload in payloads:
        if not any(word in payload.lower() for word in ("sleep", "benchmark", "waitfor", "delay")):
            attack(shop, payload)

    assert shop.fingerprint() == before


def test_injections_as_values_are_values(shop: Shop, eval_data: Path) -> None:
    payloads = [value.replace("\x00", "") for value in json.loads((eval_data / "hostile" / "sqli_payloads.json").read_text("utf-8"))]
    before = shop.fingerprint()
    statement = "SELECT id FROM customers WHERE name = " + shop.engine.value_form.format("v")

    with shop.engine.open(Opening(timeout_s=60)) as session:
        found = [run_within(session, statement, {"v": payload}, SourceLimits(timeout_s=60)).rows for payload in payloads]

    assert [rows for rows in found if rows] == []
    assert shop.fingerprint() == before


def test_a_runaway_statement_is_cancelled_at_the_server(shop: Shop) -> None:
    """It would run for ever, on whatever machine. `python -m tests.bench.runaway` measures how soon it is gone."""
    with pytest.raises(StatementRefused, match="cancelled after 1 s"):
        run(shop, ENDLESS[shop.kind], SourceLimits(timeout_s=1), read_only=False)

    give_up_at = time.monotonic() + 60
    while shop.runs_still(ENDLESS[shop.kind]):
        assert time.monotonic() < give_up_at, "the engine runs it on"
        time.sleep(0.05)


def test_our_own_clock_cancels_where_the_server_s_limit_was_lifted(shop: Shop) -> None:
    with pytest.raises(StatementRefused, match="cancelled"), shop.engine.open(Opening(timeout_s=60)) as session:
        run_within(session, ENDLESS[shop.kind], {}, SourceLimits(timeout_s=1))


def test_rows_and_bytes_are_cut(shop: Shop) -> None:
    statement = "SELECT id, note FROM orders"
    with shop.engine.open(Opening(timeout_s=60)) as session:
        by_rows = run_within(session, statement, {}, SourceLimits(timeout_s=60, rows=2))
    long = "SELECT '" + "x" * 600 + "' AS a FROM orders"
    with shop.engine.open(Opening(timeout_s=60)) as session:
        by_bytes = run_within(session, long, {}, SourceLimits(timeout_s=60, result_bytes=1_000))
    with shop.engine.open(Opening(timeout_s=60)) as session:
        whole = run_within(session, statement, {}, SourceLimits(timeout_s=60, rows=4))

    assert (len(by_rows.rows), by_rows.cut) == (2, "rows")
    assert (len(by_bytes.rows), by_bytes.cut, by_bytes.result_bytes) == (1, "bytes", 600)
    assert (len(whole.rows), whole.cut) == (4, None)


def test_a_statement_that_costs_too_much_is_not_begun(shop: Shop) -> None:
    if shop.kind is not SourceKind.POSTGRES:
        pytest.skip("this engine estimates no cost here")
    statement = "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e"

    with pytest.raises(StatementRefused, match="estimates a cost"):
        run(shop, statement, SourceLimits(timeout_s=60, cost=100))

    assert run(shop, "SELECT 1", SourceLimits(timeout_s=60, cost=100)) == [(1,)]


def test_tables_of_another_database_are_elsewhere(shop: Shop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The URL names a database: what else the account may read is queried by its full name, and is no part of the catalogue."""
    if shop.kind is not SourceKind.MYSQL:
        pytest.skip("an account of the other engines is in one database")
    monkeypatch.setenv(variable("shop"), shop.url)

    known = {table.full_name for table in shop.engine.introspect().tables}
    catalogued = {table.full_name for table, _ in introspect(Source(name="shop", kind=shop.kind), tmp_path).tables}

    assert known - catalogued == {"beside.notes"}
    assert "shop.orders" in catalogued
    assert kind_of_address("shop") is SourceKind.MYSQL


def test_an_account_that_could_write_is_named(shop: Shop) -> None:
    assert shop.engine.faults() == []
    if shop.admin is not None:
        assert shop.admin.faults()


def test_a_superuser_is_not_let_in_unless_the_operator_insists(shop: Shop) -> None:
    if shop.kind is not SourceKind.POSTGRES or shop.admin is None:
        pytest.skip("superusers are a matter of Postgres")
    with pytest.raises(UnsafeAccount, match="superuser"), shop.admin.open(Opening(timeout_s=60)):
        pass
    with shop.admin.open(Opening(timeout_s=60, superuser=True)) as session, pytest.raises(psycopg.Error, match="read-only"):
        session.run("DELETE FROM orders", {})


@pytest.mark.parametrize(
    ("grant", "fault"),
    [
        ("GRANT USAGE ON *.* TO `r`@`%` IDENTIFIED BY PASSWORD '*1'", None),
        ("GRANT SELECT, SHOW VIEW ON `shop`.* TO `r`@`%`", None),
        ("GRANT SELECT (`id`, `name`) ON `shop`.`customers` TO `r`@`%`", None),
        ("GRANT SELECT, INSERT ON `shop`.* TO `r`@`%`", "it has INSERT on `shop`.*"),
        ("GRANT FILE ON *.* TO `r`@`%`", "it has FILE on *.*"),
        ("GRANT ALL PRIVILEGES ON *.* TO `r`@`%` WITH GRANT OPTION", "it has ALL PRIVILEGES, GRANT OPTION on *.*"),
        ("GRANT `writers` TO `r`@`%`", "it has a role, whose rights are not looked into: “GRANT `writers`”"),
    ],
)
def test_grants_are_read(grant: str, fault: str | None) -> None:
    found = grant_fault(grant)
    assert (None if found is None else said(found)) == fault
