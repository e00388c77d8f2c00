"""Statements that blow up in an embedded engine: they end within limits that the operating system holds, and this process stays small."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from contracts.sources import Lock, SourceKind, SourceLimits
from tests.support.campaign import sample
from tests.support.sources import Shop, duckdb_shop, sqlite_shop
from workers.engines.embedded.process import EngineFailed
from workers.errors import StatementRefused
from workers.sources.limits import Fetched, run_within
from workers.sources.sessions.base import Opening

GROWS_BY = 150 << 20
"""Bytes that this process may grow by, whatever a statement does."""

LIMITS = SourceLimits(timeout_s=2)
PATIENT = SourceLimits(timeout_s=60)
"""For what is to end well, on a machine that may be busy."""

ATTACKS = {
    SourceKind.DUCKDB: [
        "SELECT repeat(repeat('x', 10000), 300) AS a FROM range(600)",
        "SELECT levenshtein(repeat('ab', 150000), repeat('ba', 150000)) AS d",
        "SELECT regexp_extract_all(repeat(repeat('x', 10000), 100), '(x+x+)+y') AS a FROM range(1000)",
        "SELECT regexp_extract_all(repeat(repeat('x', 10000), 100), 'x') AS a FROM range(1000)",
        "SELECT array_slice(range(1000000), 1, 999999 - (r.range % 2)) AS a FROM range(1000) r",
        "SELECT a.range AS a, repeat('x', 1000) || a.range AS b FROM range(1000000) a, range(100) b ORDER BY hash(a.range), 2",
        "SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE hash(a.range) = hash(b.range + 1)",
        "SELECT list(repeat('x', 1000)) AS a FROM range(100000000)",
        "SELECT ['' FOR x IN range(1000000)] AS a FROM range(1000)",
        "SELECT replace(repeat('x', 10000), 'x', repeat('y', 10000)) AS a FROM range(100)",
        "SELECT repeat('x', 2000000000) AS a",
    ],
    SourceKind.SQLITE: [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT printf('%.*c', 1000000, 'x') || i AS a FROM n ORDER BY a",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) SELECT zeroblob(10000000) FROM n",
        "SELECT zeroblob(1000000000)",
        "SELECT printf('%.*c', 1000000000, 'x')",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) "
        "SELECT replace(printf('%.*c', 10000, 'x'), 'x', printf('%.*c', 1000, 'y')) AS a FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT group_concat(printf('%.*c', 1000000, 'x')) FROM n",
        "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e, orders f, orders g, orders h, orders i, orders j, "
        "orders k, orders l, orders m, orders n, orders o, orders p, orders q, orders r",
        "WITH RECURSIVE n(i, s) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, s || s FROM n) SELECT max(length(s)) FROM n",
    ],
}


@pytest.fixture(params=[SourceKind.DUCKDB, SourceKind.SQLITE])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Shop]:
    with (duckdb_shop if request.param is SourceKind.DUCKDB else sqlite_shop)(tmp_path) as found:
        yield found


def fetch(shop: Shop, statement: str, limits: SourceLimits = LIMITS) -> Fetched:
    with shop.engine.open(Opening(timeout_s=limits.timeout_s)) as session:
        return run_within(session, statement, {}, limits)


def ended_by(shop: Shop, statement: str) -> str:
    """The lock that refused it, the engine's own refusal (such as of a text that is too long), or that it had a result."""
    try:
        found = fetch(shop, statement)
    except StatementRefused as refused:
        return refused.lock
    except EngineFailed as failed:
        return failed.kind
    return "a result within its limits" if found.result_bytes <= LIMITS.result_bytes else "a result beyond its limits"


@contextmanager
def growth() -> Generator[list[int]]:
    """By how many bytes this process has grown at most within the block."""
    process, seen, done = psutil.Process(), [0], threading.Event()
    before = process.memory_info().rss

    def look() -> None:
        while not done.wait(0.01):
            seen[0] = max(seen[0], process.memory_info().rss - before)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield seen
    finally:
        done.set()
        looking.join()


@pytest.mark.parametrize("number", sample(range(max(map(len, ATTACKS.values()))), every=3))
def test_a_statement_that_blows_up_ends_within_its_limits_and_leaves_this_process_small(shop: Shop, number: int) -> None:
    if number >= len(ATTACKS[shop.kind]):
        pytest.skip("fewer attacks of this engine")
    fetch(shop, "SELECT 1 AS one", PATIENT)

    with growth() as grown:
        ended = ended_by(shop, ATTACKS[shop.kind][number])

    assert ended in ("a result within its limits", Lock.LIMITS, "DataError", "OutOfRangeException", "InvalidInputException")
    assert grown[0] < GROWS_BY
    assert fetch(shop, "SELECT count(*) AS n FROM orders", PATIENT).rows == [(4,)]


def test_others_are_answered_while_a_statement_that_cannot_be_interrupted_runs_and_it_can_be_cancelled(tmp_path: Path) -> None:
    with duckdb_shop(tmp_path) as shop, shop.engine.open(Opening(timeout_s=300)) as session:
        refusals: list[Exception] = []

        def attack() -> None:
            try:
                run_within(session, ATTACKS[SourceKind.DUCKDB][1], {}, SourceLimits(timeout_s=300))
            except Exception as error:
                refusals.append(error)

        running = threading.Thread(target=attack)
        running.start()
        try:
            answers = [fetch(shop, "SELECT count(*) AS n FROM orders", SourceLimits(timeout_s=300)).rows for _ in range(3)]
            was_running = running.is_alive()
        finally:
            give_up_at = time.monotonic() + 60
            while running.is_alive() and time.monotonic() < give_up_at:
                session.cancel()
                running.join(timeout=0.5)

    assert answers == [[(4,)]] * 3
    assert was_running
    assert [type(error) for error in refusals] == [EngineFailed]


def test_a_statement_without_memory_is_refused_with_the_limit_and_what_to_do(tmp_path: Path) -> None:
    with duckdb_shop(tmp_path) as shop, pytest.raises(StatementRefused) as refused:
        fetch(shop, ATTACKS[SourceKind.DUCKDB][0], SourceLimits(timeout_s=60))

    assert refused.value.lock is Lock.LIMITS
    assert "BULLPEN_STATEMENT_MEMORY_MB" in str(refused.value)
    assert "1.5 GiB" in str(refused.value)


def test_rows_that_are_long_are_counted_before_they_are_sent(shop: Shop) -> None:
    """Five hundred rows of a megabyte were once fetched before anybody looked at their size."""
    long = {
        SourceKind.DUCKDB: "SELECT repeat('x', 1000000) AS a FROM range(60)",
        SourceKind.SQLITE: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60) "
        "SELECT printf('%.*c', 1000000, 'x') FROM n",
    }

    found = fetch(shop, long[shop.kind], SourceLimits(timeout_s=60))

    assert found.cut == "bytes"
    assert len(found.rows) == 10
    assert found.result_bytes == 10_000_000


def test_a_row_that_is_longer_than_the_whole_result_may_be_is_left_out(tmp_path: Path) -> None:
    with duckdb_shop(tmp_path) as shop:
        found = fetch(shop, "SELECT repeat('x', 3000) AS a", SourceLimits(timeout_s=60, result_bytes=2_000))

    assert (found.rows, found.cut) == ([], "bytes")


def test_a_statement_after_one_that_was_not_read_to_its_end_has_its_own_rows(tmp_path: Path) -> None:
    with duckdb_shop(tmp_path) as shop, shop.engine.open(Opening(timeout_s=60)) as session:
        run_within(session, "SELECT range AS a FROM range(100000)", {}, SourceLimits(timeout_s=60, rows=1))

        assert run_within(session, "SELECT 'second' AS a", {}, SourceLimits(timeout_s=60)).rows == [("second",)]


def test_many_threads_have_children_at_once(shop: Shop) -> None:
    found: list[int] = []

    def ask(number: int) -> None:
        found.append(fetch(shop, f"SELECT {number} AS n", SourceLimits(timeout_s=300)).rows[0][0])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == list(range(12))


def test_children_are_forked_again_after_their_zygote_was_killed(shop: Shop) -> None:
    fetch(shop, "SELECT 1 AS one", PATIENT)
    for process in psutil.Process().children():
        if "workers.engines.embedded.zygote" in process.cmdline():
            process.kill()
            process.wait()

    assert fetch(shop, "SELECT 2 AS two", SourceLimits(timeout_s=60)).rows == [(2,)]


def test_no_child_is_left_when_a_session_has_ended(shop: Shop) -> None:
    with shop.engine.open(Opening(timeout_s=60)) as session:
        run_within(session, "SELECT 1 AS one", {}, SourceLimits(timeout_s=60))
        zygotes = [process for process in psutil.Process().children() if "workers.engines.embedded.zygote" in process.cmdline()]
        running = [child for zygote in zygotes for child in zygote.children()]

    assert len(running) >= 1
    assert [child for child in running if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []
