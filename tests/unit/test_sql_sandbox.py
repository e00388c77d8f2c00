"""The sandbox of reviews runs users' SQL: in a process of its own, which is replaced when a statement took too much."""

from collections.abc import Generator
from datetime import date
from decimal import Decimal

import psutil
import pytest

from workers.engines.sql import sandbox as sandboxes
from workers.engines.sql.sandbox import RunFailed, Sandbox, open_sandbox

ATTACKS = [
    "SELECT repeat(repeat('x', 10000), 300) AS a FROM range(600)",
    "SELECT levenshtein(repeat('ab', 150000), repeat('ba', 150000)) AS d",
    "SELECT array_slice(range(1000000), 1, 999999 - (r.range % 2)) AS a FROM range(1000) r",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
]


@pytest.fixture
def sandbox() -> Generator[Sandbox]:
    with open_sandbox() as found:
        yield found


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_script_that_takes_too_much_fails_and_the_next_one_runs(sandbox: Sandbox, attack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = psutil.Process().memory_info().rss
    monkeypatch.setattr(sandboxes, "RUN_S", 1.0)
    with pytest.raises(RunFailed):
        sandbox.run([], attack)
    monkeypatch.undo()

    assert sandbox.run([("CREATE TABLE t (a INTEGER)", ()), ("INSERT INTO t VALUES (?)", [(1,), (2,)])], "SELECT sum(a) FROM t").rows == (
        (3,),
    )
    assert psutil.Process().memory_info().rss - before < 150 << 20


def test_a_script_leaves_nothing_behind_even_where_it_fails(sandbox: Sandbox) -> None:
    made = [("CREATE TABLE t (a INTEGER)", ())]
    with pytest.raises(RunFailed, match="nosuch"):
        sandbox.run(made, "SELECT nosuch FROM t")

    assert sandbox.run(made, "SELECT count(*) AS n FROM t").rows == ((0,),)
    with pytest.raises(RunFailed, match="does not exist"):
        sandbox.run([], "SELECT * FROM t")


def test_values_come_back_as_the_driver_gave_them(sandbox: Sandbox) -> None:
    row = (date(2026, 1, 31), Decimal("1.50"), 2**100, b"\x00\xff", [1, None], {"a": "x"}, None, True)

    found = sandbox.run(
        [
            ("CREATE TABLE t (a DATE, b DECIMAL(10, 2), c HUGEINT, d BLOB, e INTEGER[], f STRUCT(a VARCHAR), g VARCHAR, h BOOLEAN)", ()),
            ("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [row]),
        ],
        "SELECT * FROM t",
    )

    assert found.rows == (row,)
