"""前三名 and 占全部的比例: ranks with a counter, and parts of a whole, in Chinese."""

from datetime import datetime

import pytest

from contracts.queries import Relation
from contracts.questions import Verdict
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.questions import Reader

RIDERS = TableDetail(
    name="riders", description="骑手", primary_key=("rider_id",), rows=9,
    columns=(
        ColumnDetail(name="rider_id", type="INTEGER"), ColumnDetail(name="full_name", type="TEXT"),
        ColumnDetail(name="tariff", type="TEXT", description="资费：basic 基础，student 学生", values=("basic", "student"), distinct=2),
    ),
)  # fmt: skip
RENTALS = TableDetail(
    name="rentals", description="租借", primary_key=("rental_id",), rows=50,
    foreign_keys=(ForeignKey(columns=("rider_id",), table="riders", references=("rider_id",)),),
    columns=(
        ColumnDetail(name="rental_id", type="INTEGER"), ColumnDetail(name="rider_id", type="INTEGER"),
        ColumnDetail(name="price", type="REAL", description="租金"),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader((RIDERS, RENTALS), datetime(2026, 11, 24))  # noqa: DTZ001 the reader only needs a day


@pytest.mark.parametrize(
    ("question", "limit"),
    [("租借次数最多的前三名骑手是谁？", 3), ("租借次数最多的3名骑手", 3), ("租金最高的前5笔租借", 5), ("租金最高的5笔租借", 5)],
)
def test_a_counter_behind_a_number_is_no_word_of_its_own(reader: Reader, question: str, limit: int) -> None:
    reading = reader.read(question)

    assert reading.verdict is Verdict.ANSWERED
    assert reading.readings[0].plan.limit == limit


@pytest.mark.parametrize("question", ["学生资费骑手占全部骑手的比例是多少？", "学生资费骑手占所有骑手的百分比"])
def test_a_part_of_all_is_a_ratio_of_counts(reader: Reader, question: str) -> None:
    reading = reader.read(question)

    assert reading.verdict is Verdict.ANSWERED
    (shown,) = reading.readings[0].plan.selected
    assert shown.relation is Relation.RATIO
    assert [condition.values for condition in shown.value.where] == [("student",)]
    assert shown.other is not None
    assert shown.other.where == ()
