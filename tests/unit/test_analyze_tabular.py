"""The table in a tool's result that no procedure describes."""

import pytest

from contracts.base import Json
from workers.kinds.analyze.rules.tabular import MOST_ROWS, table_in


def test_rows_beside_the_names_of_their_columns_are_a_table() -> None:
    """As `query_source` answers; `row_count` says that rows were cut."""
    table, rest = table_in(
        {"columns": [{"name": "store"}, "sales"], "rows": [["A", 1.5], ["B", None]], "row_count": 90, "took_ms": 3}, "follow"
    )

    assert table is not None
    assert (table.columns, table.rows, table.row_count) == (("store", "sales"), (("A", 1.5), ("B", None)), 90)
    assert rest == {"took_ms": 3}


def test_the_only_list_of_flat_objects_is_a_table_with_every_key() -> None:
    table, rest = table_in({"cells": [{"cell": "C1", "load": 80}, {"cell": "C2", "note": "x"}], "network": "N"}, "follow")

    assert table is not None
    assert (table.columns, table.rows) == (("cell", "load", "note"), (("C1", 80, None), ("C2", None, "x")))
    assert (table.key, rest) == ("cell", {"network": "N"})


def test_a_long_table_is_cut_and_says_so() -> None:
    table, _ = table_in({"rows": [[n] for n in range(MOST_ROWS + 7)], "columns": ["n"]}, "follow")

    assert table is not None
    assert (len(table.rows), table.row_count) == (MOST_ROWS, MOST_ROWS + 7)


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"degrees": 21.5},
        {"a": [{"x": 1}], "b": [{"y": 2}]},
        {"a": [{"x": [1]}]},
        {"a": [1, 2]},
        {"a": []},
        {"columns": ["n"], "rows": []},
        {"columns": ["n"], "rows": [[1, 2]]},
        {"columns": ["n"], "rows": [[{"deep": 1}]]},
    ],
)
def test_what_is_no_single_table_is_shown_as_it_came(result: Json) -> None:
    assert table_in(result, "follow") == (None, result)
