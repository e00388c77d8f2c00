"""What a stage holds, for a reader: nothing that JSON can say ends the page, and what is not shown is said."""

from itertools import repeat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.base import Json
from contracts.statements import passage
from workers.console.pages import Look
from workers.console.plain_content import MOST_COLUMNS, MOST_ROWS, content_blocks
from workers.saying.document import Document, Table
from workers.saying.markdown import to_markdown

LOOK = Look("en", "auto", "/console/jobs")
CHINESE = Look("zh", "auto", "/console/jobs")
TITLE = passage("x")


def shown(content: Json, look: Look = LOOK) -> str:
    return to_markdown(Document(title=TITLE, blocks=content_blocks(content, look)), look.language)


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in repeat(None, levels):
        value = [value]
    return value


UNUSUAL: list[tuple[Json, str]] = [
    ({"a": [{}]}, "- –"),
    ({"files": [{"sha256": "ab"}]}, "| ab |"),
    ({"columns": ["sha256"], "rows": [["ab"]]}, "| ab |"),
    ({"columns": [], "rows": [[1]]}, "- 1"),
    ({"columns": ["a"], "rows": [[1, 2]]}, "- 1, 2"),
    ({"a": nested(2_000)}, "…"),
]


@pytest.mark.parametrize(
    ("content", "expected"),
    UNUSUAL,
    ids=["no fields", "only a hash", "a column called like one", "no columns", "a row that is too long", "deep"],
)
def test_what_fits_no_table_is_shown_another_way(content: Json, expected: str) -> None:
    assert expected in shown(content)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "sha256", "columns", "rows", "name", ""]), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["a", "sha256", "columns", "rows"]), values))
def test_every_object_can_be_shown(content: Json) -> None:
    shown(content)


def test_two_columns_of_one_name_are_both_shown() -> None:
    made = next(block for block in content_blocks({"columns": ["a", "a", "b"], "rows": [[1, 2, 3]] * 2}, LOOK) if isinstance(block, Table))

    assert "| 1 | 2 | 3 |" in to_markdown(Document(title=TITLE, blocks=(made,)), "en")


def test_a_column_that_is_described_is_headed_by_its_name() -> None:
    described = [{"name": "paid", "type": "DOUBLE"}, {"name": "city", "type": "VARCHAR"}]

    assert "| paid | city |" in shown({"columns": described, "rows": [[1.5, "Rome"]]})


@pytest.mark.parametrize(
    ("look", "rows", "columns", "items"),
    [
        (LOOK, "Rows that are not shown here: 3", "Columns that are not shown here: 2", "Items that are not shown here: 4"),
        (CHINESE, "此处未显示的行数：3", "此处未显示的列数：2", "此处未显示的项数：4"),
    ],
    ids=["en", "zh"],
)
def test_what_is_cut_is_said(look: Look, rows: str, columns: str, items: str) -> None:
    titles = [f"c{place}" for place in range(MOST_COLUMNS + 2)]
    table = shown({"columns": titles, "rows": [list(titles)] * (MOST_ROWS + 3)}, look)
    fields = shown({"a": [dict.fromkeys(titles, 1)]}, look)

    assert rows in table
    assert columns in table
    assert columns in fields
    assert rows.partition("3")[0] not in fields
    assert items in shown({"a": ["x" * 100] * (MOST_ROWS + 4)}, look)
    assert "not shown" not in shown({"a": ["x" * 100] * MOST_ROWS})
