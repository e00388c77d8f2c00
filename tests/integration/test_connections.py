"""The connections of a process to Postgres: how many are opened, which are kept, and what the others see of each other's."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from workers.blackboard import engine
from workers.blackboard.engine import Database

KEPT, MOST = 2, 4
"""Of a pool of two: the connections that stay, and those that may be open at once."""


@pytest.fixture
def pooled(database_url: str) -> Iterator[Database]:
    db = Database(database_url, pool_size=KEPT, name="pooled")
    yield db
    db.close()


def open_connections(database_url: str) -> set[int]:
    with psycopg.connect(database_url) as admin:
        return {pid for (pid,) in admin.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'pooled'")}


def meet(db: Database, threads: int) -> None:
    """Use as many connections at the same time."""
    together = threading.Barrier(threads)

    def use(_: int) -> None:
        with db.session():
            together.wait(60)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(use, range(threads)))


def test_threads_that_meet_again_find_the_connections_of_last_time(pooled: Database, database_url: str) -> None:
    """A new connection costs as much as several steps."""
    meet(pooled, MOST)
    first = open_connections(database_url)

    for _ in range(5):
        meet(pooled, MOST)

    assert len(first) == MOST
    assert open_connections(database_url) == first


def test_what_nobody_needed_for_a_while_is_closed(pooled: Database, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    meet(pooled, MOST)
    monkeypatch.setattr(engine, "IDLE_S", -1.0)

    for _ in range(MOST):
        meet(pooled, 1)

    give_up = threading.Event()
    ends = threading.Timer(60, give_up.set)
    ends.start()
    while len(open_connections(database_url)) != KEPT and not give_up.is_set():  # the server notices a moment later
        give_up.wait(0.05)
    ends.cancel()
    assert len(open_connections(database_url)) == KEPT


def test_a_connection_that_was_left_in_a_transaction_is_not_used_again(pooled: Database, database_url: str) -> None:
    with pooled.session() as left:
        left.execute("BEGIN")

    with pooled.session() as another:
        assert another is not left
    assert left.closed


def test_a_statement_without_rows_gives_none_and_one_without_columns_too(pooled: Database) -> None:
    assert pooled.statement("SELECT 1 AS one WHERE false") == []
    assert pooled.statement("SET statement_timeout = 0") == []
    assert pooled.statement("SELECT 1 AS one") == [{"one": 1}]
