"""What a test wrote is not there for the next one, however it was written."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from tests.support.databases import LARGEST_BYTES, Databases
from tests.support.servers import Servers

JOBS = (
    "INSERT INTO jobs (id, kind, owner, status, priority, rev, decided_rev, human_rev, admitted, engine, budget, body_hash) "
    "SELECT gen_random_uuid(), 'x', 'o', 'succeeded', 5, 1, 1, 1, true, 'rules', '{}', repeat('x', 900) FROM generate_series(1, :number)"
)
JOB = JOBS.replace(":number", "1")
ENOUGH_JOBS = JOBS.replace(":number", str(LARGEST_BYTES // 900))
TABLES = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname"


@pytest.fixture
def lent(servers: Servers, template: str) -> Iterator[Databases]:
    made = Databases(servers, template)
    yield made
    made.close()


def number(url: str) -> int:
    """It stays, whatever the database's name."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    assert row
    return row[0]


def content(url: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    with psycopg.connect(url) as connection:
        tables = [table for (table,) in connection.execute(TABLES)]
        return {table: connection.execute(sql.SQL("TABLE {}").format(sql.Identifier(table))).fetchall() for table in tables}


def after(lent: Databases, statement: str) -> bool:
    """Whether the next test gets the same database when one has run this."""
    with lent.lend() as url:
        first, new = number(url), content(url)
        with psycopg.connect(url) as connection:
            connection.execute(statement.encode())
    with lent.lend() as again:
        assert again != url
        assert content(again) == new
        return number(again) == first


@pytest.mark.parametrize(
    "statement",
    [
        JOB,
        "UPDATE history_state SET tickets = tickets + 7",
        "DELETE FROM alembic_version",
        "CREATE TEMPORARY TABLE passing AS SELECT 1",
        "SELECT 1",
    ],
)
def test_rows_are_put_back_and_the_database_is_lent_again(lent: Databases, statement: str) -> None:
    assert after(lent, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE of_the_test (id int)",
        "CREATE SCHEMA of_the_test",
        "ALTER TABLE jobs ADD COLUMN of_the_test int",
        "ALTER TABLE jobs DISABLE TRIGGER ALL",
        "ALTER TABLE jobs DROP COLUMN body_hash",
        "CREATE OR REPLACE FUNCTION of_the_test() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "GRANT SELECT ON jobs TO PUBLIC",
        "ALTER TABLE jobs ENABLE ROW LEVEL SECURITY",
        f"{JOB}; ANALYZE jobs",
        ENOUGH_JOBS,
    ],
)
def test_what_is_more_than_rows_gets_the_next_test_a_new_one(lent: Databases, statement: str) -> None:
    """Plans included: they rest on statistics and on pages."""
    assert not after(lent, statement)


def test_who_still_has_the_database_at_the_end_is_cut_off(lent: Databases) -> None:
    """Its address leads nowhere afterwards either."""
    with lent.lend() as url:
        left = psycopg.connect(url, autocommit=True)
    with lent.lend():
        with pytest.raises(psycopg.OperationalError):
            left.execute(JOB)
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            psycopg.connect(url)


def test_a_database_that_a_test_dropped_is_not_missed(lent: Databases, servers: Servers) -> None:
    with lent.lend() as url, psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(url.rpartition("/")[2])))

    assert after(lent, JOB)
