"""Connections beyond those that a process keeps: they stay for a moment, so that a process at its limit does not open one a request."""

from contextlib import ExitStack

import pytest

from workers.blackboard import engine
from workers.blackboard.engine import Database

OPEN = "SELECT count(*) AS open FROM pg_stat_activity WHERE application_name = 'spare'"


def peak(database: Database, number: int) -> set[int]:
    """Use so many connections at once; the processes of Postgres behind them."""
    with ExitStack() as stack:
        connections = [stack.enter_context(database.session()) for _ in range(number)]
        return {connection.info.backend_pid for connection in connections}


def test_a_peak_reuses_the_connections_of_the_last_one(database_url: str, database: Database) -> None:
    used = Database(database_url, pool_size=2, name="spare")
    first = peak(used, 4)
    assert len(first) == 4
    assert peak(used, 4) == first
    used.close()


def test_connections_that_nobody_has_used_for_a_while_are_closed(
    database_url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = Database(database_url, pool_size=2, name="spare")
    peak(used, 4)
    monkeypatch.setattr(engine, "SPARE_S", 0.0)
    kept = peak(used, 1)
    assert len(peak(used, 4) - kept) >= 2
    monkeypatch.undo()
    used.close()
