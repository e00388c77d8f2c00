"""A year belongs to what is added up, and not to a thing that is listed beside it."""

from datetime import datetime

import pytest

from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.questions import Reader

GUIDES = TableDetail(
    name="guides", primary_key=("guide_id",), rows=9,
    columns=(
        ColumnDetail(name="guide_id", type="INTEGER"), ColumnDetail(name="full_name", type="TEXT"),
        ColumnDetail(name="hired_on", type="DATE"),
    ),
)  # fmt: skip
TOURS = TableDetail(
    name="tours", primary_key=("tour_id",), rows=50,
    foreign_keys=(ForeignKey(columns=("guide_id",), table="guides", references=("guide_id",)),),
    columns=(
        ColumnDetail(name="tour_id", type="INTEGER"), ColumnDetail(name="guide_id", type="INTEGER"),
        ColumnDetail(name="started_at", type="TIMESTAMP"),
    ),
)  # fmt: skip
LEGS = TableDetail(
    name="legs", primary_key=("leg_id",), rows=200,
    foreign_keys=(ForeignKey(columns=("tour_id",), table="tours", references=("tour_id",)),),
    columns=(
        ColumnDetail(name="leg_id", type="INTEGER"), ColumnDetail(name="tour_id", type="INTEGER"),
        ColumnDetail(name="distance_km", type="REAL"),
    ),
)  # fmt: skip


@pytest.mark.parametrize("question", ["Top 3 guides by total distance in 2026", "What is the total distance per guide in 2026?"])
def test_the_time_of_what_rows_belong_to_comes_before_that_of_a_thing_beside_them(question: str) -> None:
    reading = Reader((GUIDES, TOURS, LEGS), datetime(2026, 11, 24)).read(question)  # noqa: DTZ001 the reader only needs a day

    assert [[period.column for period in found.plan.periods] for found in reading.readings] == [["tours.started_at"]]
