"""Tables as a model reads them: what it compares with is written as the data have it."""

import pytest

from contracts.tables import ColumnDetail, ForeignKey, JoinEvidence, JoinPath, TableDetail
from workers.engines.sql.schema_text import beside_keys, rows_text, table_text

SHIPS = TableDetail(
    name="ships",
    schema_name="main",
    columns=(
        ColumnDetail(name="ship_id", type="INTEGER", values=("1", "10", "2")),
        ColumnDetail(name="flag", type="VARCHAR", values=("LR", "mt ")),
        ColumnDetail(name="port_id", type="INTEGER"),
    ),
    foreign_keys=(ForeignKey(columns=("port_id",), table="main.ports", references=("port_id",)),),
)


@pytest.mark.parametrize("line", ["ship_id INTEGER,  -- values: 1, 2, 10", "flag VARCHAR,  -- values: 'LR', 'mt '"])
def test_values_are_written_as_their_type_has_them(line: str) -> None:
    """Numbers without quotes and in their order; the blank behind a text, which a comparison minds, is seen."""
    assert line in table_text(SHIPS, "duckdb")


def test_a_blank_at_the_end_of_a_cell_is_seen() -> None:
    assert "(3, 'mt ', NULL)" in rows_text(SHIPS, [(3, "mt ", None)], "duckdb")


@pytest.mark.parametrize(
    ("left", "right", "is_beside"),
    [("main.ships", "main.ports", False), ("main.ports", "main.ships", False), ("main.ships", "main.yards", True)],
)
def test_a_declared_key_is_not_said_twice(left: str, right: str, is_beside: bool) -> None:
    path = JoinPath(left=left, right=right, left_columns=("port_id",), right_columns=("port_id",), evidence=JoinEvidence.NAMES)

    assert bool(beside_keys([path], [SHIPS])) is is_beside
