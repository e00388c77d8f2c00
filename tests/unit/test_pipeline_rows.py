"""Generated rows honour what the catalogue knows, and hold what scripts forget."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from contracts.sql_review import SampleTable
from contracts.tables import ColumnDetail, TableDetail
from tests.support.pipelines import CUSTOMERS, ORDERS, PAYMENTS, TABLES
from workers.engines.pipelines.rows import Generator
from workers.engines.pipelines.rows.values import LAST_DAY
from workers.engines.sql.review.rows import Data, Recipe
from workers.engines.sql.script import read_script

QUERY = (
    "SELECT c.customer_id, o.order_id, p.paid FROM shop.customers c JOIN shop.orders o ON o.customer_id = c.customer_id "
    "JOIN shop.payments p ON p.order_id = o.order_id WHERE o.ordered_at >= DATE '2024-05-01' AND o.note = 'gift'"
)


def made(seed: int = 1, tables: tuple[TableDetail, ...] = TABLES, query: str = QUERY, samples: tuple[SampleTable, ...] = ()) -> Data:
    return Generator(Recipe(read_script(query, tables, "duckdb", None)), samples=samples).make(seed)


def column(data: Data, table: TableDetail, name: str) -> list[Any]:
    place = [item.name for item in table.columns].index(name)
    return [row[place] for row in data[table.full_name]]


@given(seed=st.integers(0, 10_000))
def test_keys_are_unique_and_references_lead_to_rows(seed: int) -> None:
    data = made(seed)

    orders = column(data, ORDERS, "order_id")
    assert len(set(orders)) == len(orders)
    assert set(column(data, ORDERS, "customer_id")) <= set(column(data, CUSTOMERS, "customer_id"))
    assert {value for value in column(data, PAYMENTS, "order_id") if value is not None} <= set(orders)


@given(seed=st.integers(0, 10_000))
def test_domains_bounds_and_nulls_are_honoured(seed: int) -> None:
    data = made(seed)

    assert set(column(data, CUSTOMERS, "region")) <= {"north", "south", "东"}
    assert all(0 <= value <= 500 for value in column(data, ORDERS, "amount"))
    assert None not in column(data, ORDERS, "amount")
    assert all(len(value) <= 40 for value in column(data, CUSTOMERS, "name") if value is not None)


def test_the_same_seed_makes_the_same_rows_and_another_seed_others() -> None:
    assert made(3) == made(3)
    assert made(3) != made(4)


def test_rows_hold_what_scripts_forget() -> None:
    data = made()

    names = column(data, CUSTOMERS, "name")
    assert None in names
    assert "" in names
    assert any(not name.isascii() for name in names if name)
    payments = data[PAYMENTS.full_name]
    assert len(set(payments)) < len(payments)  # nothing forbids a row that is there twice
    children = [value for value in column(data, PAYMENTS, "order_id") if value is not None]
    assert len(set(children)) < len(children)  # an order with several payments
    assert set(column(data, ORDERS, "order_id")) - set(children)  # and orders without any


def test_values_that_the_script_compares_with_are_there() -> None:
    data = made()

    assert "gift" in column(data, ORDERS, "note")
    days = [moment for moment in column(data, ORDERS, "ordered_at") if isinstance(moment, datetime)]
    assert min(days) < datetime(2024, 5, 1) < max(days)  # noqa: DTZ001 columns without a time zone


def test_null_shares_and_few_rows_of_the_catalogue_are_kept() -> None:
    table = TableDetail(
        name="t",
        columns=(
            ColumnDetail(name="a", type="integer", nulls=5_000),
            ColumnDetail(name="b", type="integer", nulls=0),
            ColumnDetail(name="c"),
        ),
        rows=10_000,
    )
    few = table.model_copy(update={"name": "few", "rows": 3, "primary_key": ("b",)})

    data = made(tables=(table, few), query="SELECT t.a, few.b FROM t CROSS JOIN few")

    nulls = [row[0] is None for row in data["t"]]
    assert 0.3 < sum(nulls) / len(nulls) < 0.7
    assert all(row[1] is not None for row in data["t"])
    assert len(data["few"]) < 12


def test_texts_that_a_script_converts_are_numbers() -> None:
    table = TableDetail(name="t", columns=(ColumnDetail(name="amount", type="varchar", nullable=False),))

    data = made(tables=(table,), query="SELECT CAST(amount AS decimal(10,2)) AS amount FROM t")

    assert all(isinstance(row[0], Decimal) for row in data["t"])


def test_samples_of_the_source_take_the_place_of_generated_rows() -> None:
    sample = SampleTable(name="shop.customers", columns=("customer_id", "region"), rows=(("7", "north"), ("9", "south")))

    data = made(samples=(sample,))

    assert data["shop.customers"] == [("7", None, "north"), ("9", None, "south")]
    assert set(column(data, ORDERS, "customer_id")) <= {"7", "9"}


def test_a_script_that_asks_what_day_it_is_finds_rows_of_yesterday() -> None:
    """Data that ends long after the day of the trial is moved to it: without that no row of a daily load is ever tried."""
    columns = (
        ColumnDetail(name="id", type="INTEGER"),
        ColumnDetail(name="read_at", type="TIMESTAMP", minimum="2031-01-01", maximum="2031-03-04"),
    )
    readings = TableDetail(name="readings", columns=columns, primary_key=("id",), rows=4000)
    query = "SELECT id FROM readings WHERE read_at >= CURRENT_DATE - INTERVAL '1' DAY AND read_at < CURRENT_DATE"

    for seed in range(5):
        days = [moment.date() for moment in column(made(seed, (readings,), query), readings, "read_at") if moment is not None]
        assert LAST_DAY - timedelta(days=1) in days
