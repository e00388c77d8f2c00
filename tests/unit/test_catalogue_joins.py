"""Joins of tables by equal names: what the data refute is not suggested."""

import pytest

from contracts.tables import ColumnDetail, TableDetail
from workers.catalogue.joins import _by_names  # pyright: ignore[reportPrivateUsage] what is found without a database


def table(name: str, column: ColumnDetail, rows: int) -> TableDetail:
    return TableDetail(name=name, schema_name="main", columns=(column,), rows=rows)


def column(name: str, kind: str, low: str, high: str, distinct: int) -> ColumnDetail:
    return ColumnDetail(name=name, type=kind, minimum=low, maximum=high, distinct=distinct)


@pytest.mark.parametrize(
    ("left", "right", "joins"),
    [
        (column("paid", "DECIMAL(10,2)", "0", "500", 80), column("paid", "DECIMAL(10,2)", "0", "900", 40), False),
        (column("is_valid", "INTEGER", "0", "1", 2), column("is_valid", "INTEGER", "0", "1", 2), False),
        (column("store_code", "VARCHAR", "C-0001", "C-0999", 99), column("store_code", "VARCHAR", "X-0001", "X-0500", 50), False),
        (column("store_code", "VARCHAR", "C-0001", "C-0999", 99), column("store_code", "VARCHAR", "C-0500", "C-2000", 50), True),
        (column("store_id", "INTEGER", "1", "99", 80), column("store_id", "INTEGER", "5", "70", 40), True),
        (column("storeId", "INTEGER", "1", "99", 80), column("storeId", "INTEGER", "5", "70", 40), True),
    ],
)
def test_equal_names_join_where_they_are_those_of_keys_and_their_values_meet(left: ColumnDetail, right: ColumnDetail, joins: bool) -> None:
    found = list(_by_names({"a": table("orders", left, 100), "b": table("invoices", right, 100)}))

    assert bool(found) is joins
