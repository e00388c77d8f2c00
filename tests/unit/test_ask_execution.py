"""What is said of a result that ran: which columns measure something, what is a share of a whole, and in which order its rows are."""

from types import SimpleNamespace
from typing import Any

import pytest

from contracts.ask.request import AskRequest
from contracts.ask.results import Cell, ChartWish, Queried
from contracts.ask.steps import Carried
from contracts.sources import QueryResult
from contracts.statements import Count, Number, Statement
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.said import said
from workers.engines.results.charts import chart_of
from workers.engines.results.findings import FindingKind, findings_of
from workers.engines.sql.limit_ties import further_than_limit
from workers.kinds.ask.roles.conversation import choice_in
from workers.kinds.ask.rows import table_block
from workers.kinds.ask.work.execution import _is_limited, _sorted_by, codes_in, ordered  # pyright: ignore[reportPrivateUsage]
from workers.kinds.ask.work.statements import source_of
from workers.kinds.base import ShowOptions
from workers.saying import text_of

ORDERS = TableDetail(
    name="orders",
    primary_key=("order_no",),
    foreign_keys=(ForeignKey(columns=("shop",), table="shops", references=("shop",)),),
    columns=(
        ColumnDetail(name="order_no", type="INT"),
        ColumnDetail(name="shop", type="INT"),
        ColumnDetail(name="jahr", type="INT"),
        ColumnDetail(name="phone", type="TEXT"),
        ColumnDetail(name="paid", type="NUMERIC"),
    ),
)
FLOOR: Any = SimpleNamespace(tables=lambda _: (ORDERS,), every=lambda _: (ORDERS,), dialect=lambda _: "postgres")


def result(columns: tuple[str, ...], types: tuple[str, ...], *rows: tuple[Cell, ...]) -> QueryResult:
    return QueryResult(
        source="shop", columns=columns, types=types, rows=rows, result_bytes=1, duration_ms=1, statement="SELECT 1", execution_id=1,
        locks=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "columns", "types", "row", "codes"),
    [
        ("SELECT order_no, paid FROM orders", ("order_no", "paid"), ("INT", "NUMERIC"), (10_000_000_001, "5.00"), {"order_no"}),
        ("SELECT shop AS s, SUM(paid) FROM orders GROUP BY 1", ("s", "sum"), ("INT", "NUMERIC"), (7, "5.00"), {"s"}),
        ("SELECT jahr, COUNT(*) AS n FROM orders GROUP BY jahr", ("jahr", "n"), ("INT", "INT"), (2024, 5), {"jahr"}),
        ("SELECT phone, paid FROM orders", ("phone", "paid"), ("TEXT", "NUMERIC"), ("01701234567", "5.00"), {"phone"}),
    ],
)
def test_keys_groups_and_texts_are_no_quantities(
    sql: str, columns: tuple[str, ...], types: tuple[str, ...], row: tuple[Cell, ...], codes: set[str]
) -> None:
    """They were shown with separators of thousands, and drawn."""
    found = codes_in(result(columns, types, row), [row], sql, FLOOR, "shop")
    shown = table_block(
        Queried(source="shop", sql=sql, columns=columns, types=types, codes=tuple(found), rows=(row,), row_count=1), ShowOptions()
    )

    assert found == codes
    assert isinstance(shown.rows[0][0], Count | Number) is False


def test_a_small_share_that_comes_as_text_is_not_shown_as_nothing() -> None:
    rows = (("East", "0.0012345678901234567"), ("West", "0.0034567890123456789"))

    shown = table_block(
        Queried(source="shop", sql="x", columns=("region", "rate"), types=("TEXT", "NUMERIC"), rows=rows, row_count=2), ShowOptions()
    )

    assert isinstance(shown.rows[0][1], Number)
    assert shown.rows[0][1].digits == 4


def test_a_result_that_is_cut_is_said_to_be_so() -> None:
    found = Queried(source="shop", sql="x", columns=("n",), types=("INT",), rows=((5,),) * 25, row_count=10_000, is_cut=True)

    assert isinstance(caption := table_block(found, ShowOptions()).caption, Statement)
    assert text_of(caption, "en").startswith("20 of at least 10,000 rows")


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (("90.3333333333333333", "10.6666666666666667", "50.3333333333333333"), "acb"),
        ((900, None, 1500), "cab"),
    ],
)
def test_the_best_come_first_whatever_the_numbers_are_kept_in(values: tuple[Cell, ...], order: str) -> None:
    wish: Any = SimpleNamespace(chart=ChartWish(order="best_first"))
    found = result(("store", "revenue"), ("TEXT", "NUMERIC"), *zip("abc", values, strict=True))

    assert "".join(str(row[0]) for row in ordered(found, wish)) == order


def test_rows_behind_a_limit_are_no_whole() -> None:
    rows = [("A", 500.0), ("B", 300.0), ("C", 200.0)]

    whole, cut = (findings_of(["product", "revenue"], rows, is_whole=is_whole, sorted_by="revenue") for is_whole in (True, False))

    assert FindingKind.SHARE in {finding.kind for finding in whole}
    assert [said(finding.text) for finding in cut] == ["A has the highest revenue: 500."], "C may be far from the lowest"
    up = findings_of(["product", "revenue"], rows[::-1], is_whole=False, sorted_by="revenue")
    assert [said(finding.text) for finding in up] == ["C has the lowest revenue: 200."]
    assert findings_of(["product", "revenue"], rows, is_whole=False, sorted_by="product") == (), "how they lie says nothing"
    assert _is_limited("SELECT product FROM t ORDER BY 1 LIMIT 3", "postgres", 3)
    assert not _is_limited("SELECT product FROM t ORDER BY 1 LIMIT 3", "postgres", 2)
    assert not _is_limited("SELECT product FROM (SELECT * FROM t LIMIT 3) AS s", "postgres", 9)
    for sql, first in (
        ("SELECT product, sum(x) AS revenue FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 3", "revenue"),
        ("SELECT product, x AS revenue FROM t ORDER BY 2 LIMIT 3 OFFSET 2", ""),
    ):
        assert _sorted_by(further_than_limit(sql, "postgres", ["product", "revenue"]), ["product", "revenue"]) == first


def test_bars_over_time_keep_its_order_and_what_is_not_drawn_is_counted() -> None:
    rows = [(f"2025-{month:02}-{day:02}", float(day * month % 53)) for month in (1, 2) for day in range(1, 29)]

    drawn = chart_of(["day", "revenue"], rows, mark="bar")

    assert drawn is not None
    assert [row["x"] for row in drawn.data] == [day for day, _ in rows[-30:]]
    assert drawn.left_out == len(rows) - 30


@pytest.mark.parametrize(
    ("keeps", "sql", "source"),
    [(False, "SELECT 1 FROM staff", "hr"), (True, "SELECT 1 FROM staff", "shop"), (False, "SELECT 1 FROM orders", "shop")],
)
def test_a_statement_runs_where_its_tables_are_unless_the_user_chose_the_source(keeps: bool, sql: str, source: str) -> None:
    tables = {"shop": (TableDetail(name="orders", columns=()),), "hr": (TableDetail(name="staff", columns=()),)}
    by_name = tables.__getitem__
    floor: Any = SimpleNamespace(visible=tables, tables=by_name, every=by_name, dialect=lambda _: "postgres")
    carried = Carried(source="shop", keeps_source=keeps)
    step: Any = SimpleNamespace(earlier=lambda _: None, request=AskRequest(question="x"), understanding=SimpleNamespace(carried=carried))

    assert source_of(floor, step, sql) == source


@pytest.mark.parametrize(
    ("reply", "chosen", "rest"),
    [
        ("1. the net amount", 1, ""), ("2. net", 2, "net"), ("1.19 * sum of orders.amount", 0, ""), ("2", 2, ""), ("1.5 million", 0, ""),
        ("2, but only for paid orders", 2, "but only for paid orders"), ("The second one. Also per month", 2, "Also per month"),
        ("选第二个，只要已付款的", 2, "只要已付款的"), ("the gross amount; in EUR", 2, "in EUR"), ("per month, 2", 0, ""),
    ],
)  # fmt: skip
def test_what_is_said_beside_a_choice_is_kept_apart_from_it(reply: str, chosen: int, rest: str) -> None:
    """A number with digits behind its point is no choice."""
    found = choice_in(reply, ("the net amount", "the gross amount"), "en")

    assert (found.number, found.rest) == (chosen, rest)


def test_small_shares_are_told_apart() -> None:
    (found,) = findings_of(["carrier", "share"], [("Bikes", 0.025), ("Vans", 0.018)])

    assert said(found.text) == "Bikes has the highest share, 2.5%: 1.4 times as much as Vans, which has the lowest, 1.8%."
