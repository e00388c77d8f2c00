"""A question that names a unit is answered in this unit or not at all."""

from datetime import datetime

import pytest

from contracts.questions import QuestionReading, Verdict
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions import Reader
from workers.engines.questions.units import asked_units, unit_of

TABLES = (
    TableDetail(
        name="parcels", rows=9, primary_key=("parcel_id",),
        columns=(
            ColumnDetail(name="parcel_id", type="integer", distinct=9),
            ColumnDetail(name="weight_kg", type="real"),
            ColumnDetail(name="minutes", type="integer", description="Handling time"),
            ColumnDetail(name="distance", type="real", description="Way of the parcel in km"),
            ColumnDetail(name="fee", type="real"),
        ),
    ),
)  # fmt: skip


def read(question: str) -> QuestionReading:
    return Reader(TABLES, datetime(2026, 11, 21)).read(question)  # noqa: DTZ001 local time of the source


@pytest.mark.parametrize(
    "question",
    [
        "What is the average weight in kg?", "What is the total distance in kilometers?", "What are the average minutes in minutes?",
        "What is the average fee in dollars?", "What is the average weight?",
    ],
)  # fmt: skip
def test_a_unit_that_the_column_has_or_may_have_is_answered(question: str) -> None:
    assert read(question).verdict is Verdict.ANSWERED


@pytest.mark.parametrize(
    "question",
    ["What is the average weight in pounds?", "What are the average minutes in hours?", "What is the total distance in miles?"],
)
def test_another_unit_is_not_answered_with_the_figures_as_they_are(question: str) -> None:
    reading = read(question)

    assert reading.verdict is Verdict.UNPLACED
    assert [remark.code for remark in reading.remarks] == ["questions.remark.other_unit"]


def test_units_are_read_from_names_descriptions_and_words() -> None:
    assert [unit_of(column) for column in TABLES[0].columns] == [None, ("weight", "kg"), ("time", "min"), ("length", "km"), None]
    assert asked_units("平均重量（公斤）是多少？") == [("weight", "kg")]
    assert asked_units("How many orders in 2026 in the web?") == []
