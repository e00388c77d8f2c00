"""Types that engines have of their own: lists of labels, and money."""

import re

import pytest

from contracts.ask.results import Cell
from contracts.queries import Aggregate, Condition, Measure, Operator, QueryPlan, Selected, Source
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.known_by import shown_columns
from workers.engines.results.table import ColumnRole
from workers.engines.sql.build import build_sql
from workers.engines.sql.build_values import BOOLEAN, NUMERIC, TEMPORAL
from workers.kinds.ask.rows import cell_shown
from workers.saying import text_of


@pytest.mark.parametrize("type_", ["enum('interim','declined')", "ENUM('updated', 'timeout')", "Enum8('bool' = 1)"])
def test_the_labels_of_an_enum_are_texts_whatever_they_say(type_: str) -> None:
    assert not any(pattern.search(type_) for pattern in (NUMERIC, TEMPORAL, BOOLEAN))


@pytest.mark.parametrize(
    ("type_", "pattern"),
    [("UInt64", NUMERIC), ("tinyint", NUMERIC), ("longint", NUMERIC), ("money", NUMERIC), ("timestamptz", TEMPORAL), ("bit", BOOLEAN)],
)
def test_other_types_are_known_as_before(type_: str, pattern: re.Pattern[str]) -> None:
    assert pattern.search(type_)


def test_money_is_a_number_before_it_is_averaged_or_compared() -> None:
    rooms = TableDetail(name="rooms", columns=(ColumnDetail(name="price", type="money"), ColumnDetail(name="kind", type="text")))
    price = Measure(column="rooms.price", aggregate=Aggregate.AVERAGE)
    plan = QueryPlan(
        sources=(Source(alias="rooms", table="rooms"),),
        selected=(Selected(value=price, label="average_price"),),
        filters=(Condition(column="rooms.price", operator=Operator.GREATER, values=("100",)),),
    )

    statement = build_sql(plan, (rooms,), "postgres", pretty=False)

    assert 'AVG(CAST("rooms"."price" AS DECIMAL))' in statement
    assert 'CAST("rooms"."price" AS DECIMAL) > 100' in statement


@pytest.mark.parametrize("comment", ["姓名", "员工姓名", "Name of the employee", "employee name"])
def test_a_terse_column_that_its_comment_calls_a_name_is_what_people_know_a_row_by(comment: str) -> None:
    columns = (
        ColumnDetail(name="id", type="int"), ColumnDetail(name="xm", type="text", description=comment),
        ColumnDetail(name="gw", type="text", description="岗位"),
    )  # fmt: skip

    assert shown_columns(TableDetail(name="staff", columns=columns, primary_key=("id",))) == ["xm"]


@pytest.mark.parametrize(("cell", "shown"), [("8113.9333333333333333", "8,113.93"), ("123456789012345678.25", "123456789012345678.25")])
def test_an_average_of_decimals_is_rounded_and_a_great_decimal_keeps_its_digits(cell: Cell, shown: str) -> None:
    assert text_of(cell_shown(cell, ColumnRole.QUANTITY), "en") == shown
