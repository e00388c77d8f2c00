"""Table metadata and heavy keys."""

from typing import Any

import pytest

from contracts.verdicts import ColumnRef
from workers.engines.artefacts.tables import read_tables
from workers.engines.scripts.keys import heavy_keys

ORDERS = ColumnRef(table="orders", column="k")
CUSTOMERS = ColumnRef(table="customers", column="k")


def orders(*top: tuple[Any, int]) -> dict[str, Any]:
    return {
        "orders": {
            "rows": 1_000,
            "columns": {"k": "bigint"},
            "distinct_k": 500,
            "top_k": [{"value": value, "rows": rows} for value, rows in top],
        }
    }


def test_the_column_with_the_heavy_key_comes_first() -> None:
    """T1."""
    tables = read_tables(orders((7, 400)) | {"customers": {"rows": 500, "distinct_k": 500, "top_k": [{"value": 7, "rows": 1}]}})

    columns, keys = heavy_keys((CUSTOMERS, ORDERS), tables)

    assert columns == (ORDERS, CUSTOMERS)
    assert [(key.value, key.share, key.table_rows, key.distinct) for key in keys] == [("7", 0.4, 1_000, 500)]


@pytest.mark.parametrize(
    ("top", "sentinel"),
    [
        ([(-1, 400), (5, 2)], True),
        ([(None, 400), (5, 399)], True),
        ([("unknown", 400)], True),
        ([(0, 400), (1, 390)], False),
        ([(42, 400), (5, 2)], False),
    ],
)
def test_a_stand_in_for_unknown_keys_is_told_from_a_hot_key(top: list[tuple[Any, int]], sentinel: bool) -> None:
    """T3: the one is filtered or split off, the other salted. Two hot keys beside each other are keys, whatever they look like."""
    _, keys = heavy_keys((ORDERS,), read_tables(orders(*top)))

    assert keys[0].is_sentinel is sentinel


def test_keys_with_a_fair_share_are_not_heavy() -> None:
    """T1: of a column with four values each has a quarter."""
    table = {"orders": {"rows": 1_000, "distinct_k": 4, "top_k": [{"value": value, "rows": 250} for value in range(4)]}}

    assert heavy_keys((ORDERS,), read_tables(table)) == ((ORDERS,), ())


@pytest.mark.parametrize("told", [None, [], {"t": 3}, {"t": {"rows": "many", "columns": [], "top_k": [3, {"rows": -1}], "distinct_": 3}}])
def test_metadata_of_another_form_is_left_out(told: object) -> None:
    """T1: it is optional, and raises nothing."""
    assert all(table.rows is None and not table.columns for table in read_tables(told))
