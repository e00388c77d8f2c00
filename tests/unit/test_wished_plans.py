"""A query that is filled in makes the plan that the reader makes of the same question."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from contracts.base import Json
from contracts.plan_wishes import PlanWish
from contracts.tables import TableDetail
from tests.support.opened_shop import opened_shop
from tests.support.said import said
from tests.support.shop import shop_tables
from workers.engines.questions import Reader
from workers.engines.wished_plans import NoPlan, joinable, plan_of

NOW = datetime(2026, 10, 31, 18)  # noqa: DTZ001 local time of the shop


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TableDetail, ...]]:
    with opened_shop(tmp_path_factory.mktemp("shop")) as connection:
        yield shop_tables(connection)


def wish(tables: tuple[TableDetail, ...], table: str, **parts: Any) -> PlanWish:
    """With short names: `orders.channel` for the column of the full name."""
    full = {item.name: item.full_name for item in tables}

    def place(column: str) -> str:
        return f"{full[column.partition('.')[0]]}.{column.partition('.')[2]}"

    made: Json = {"source": "shop", "table": full[table], **parts}
    made["others"] = [full[name] for name in parts.get("others", ())]
    made["columns"] = [place(column) for column in parts.get("columns", ())]
    made["figures"] = [{**item, **({"column": place(item["column"])} if "column" in item else {})} for item in parts.get("figures", ())]
    made["conditions"] = [{**item, "column": place(item["column"])} for item in parts.get("conditions", ())]
    made["time"] = place(parts["time"]) if "time" in parts else None
    return PlanWish.model_validate(made)


SUM = {"aggregate": "sum", "column": "payments.amount"}
ROWS = {"aggregate": "count"}


@pytest.mark.parametrize(
    ("question", "table", "parts"),
    [
        ("how many orders are there per channel?", "orders", {"figures": [ROWS], "columns": ["orders.channel"]}),
        ("number of orders per month", "orders", {"figures": [ROWS], "time": "orders.ordered_at", "unit": "month"}),
        (
            "total amount of payments by method in 2025",
            "payments",
            {"figures": [SUM], "columns": ["payments.method"], "time": "payments.paid_at", "since": "2025-01-01", "until": "2025-12-31"},
        ),
        ("total amount of payments by region", "payments", {"others": ["customers"], "figures": [SUM], "columns": ["customers.region"]}),
    ],
)
def test_it_is_the_plan_of_the_reader(tables: tuple[TableDetail, ...], question: str, table: str, parts: Json) -> None:
    [reading] = Reader(tables, NOW).read(question).readings

    assert plan_of(wish(tables, table, **parts), tables) == reading.plan


@pytest.mark.parametrize(
    ("table", "parts", "says"),
    [
        ("orders", {}, "Choose a figure, or columns to list"),
        ("orders", {"figures": [SUM]}, "of a table that was not chosen"),
        ("orders", {"figures": [{"aggregate": "sum", "column": "orders.channel"}]}, "channel"),
        ("orders", {"figures": [ROWS], "since": "2025-01-01"}, "a column that says when"),
        ("payments", {"others": ["order_items"], "figures": [SUM]}, "amount"),
        ("orders", {"figures": [ROWS], "conditions": [{"column": "orders.status", "values": ["lost"]}]}, "lost"),
    ],
)
def test_what_makes_no_plan_is_said(tables: tuple[TableDetail, ...], table: str, parts: Json, says: str) -> None:
    with pytest.raises(NoPlan) as refused:
        plan_of(wish(tables, table, **parts), tables)

    assert says in " ".join(said(problem) for problem in refused.value.problems)


def test_only_tables_that_can_be_joined_in_one_way_are_offered(tables: tuple[TableDetail, ...]) -> None:
    names = {item.full_name: item.name for item in tables}
    orders = next(item.full_name for item in tables if item.name == "orders")

    found = {names[name] for name in joinable(orders, tables)}

    assert {"customers", "order_items"} <= found
    assert "orders" not in found
