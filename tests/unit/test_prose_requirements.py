"""Requirements in free prose: what is read gives the rows that are meant, and what is not read is not guessed."""

# ruff: noqa: E501 requirements as users write them

from datetime import UTC, datetime

import duckdb
import pytest

from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.requirement_cases import CASES, SCHEMAS
from tests.support.requirement_rows import assert_gives
from workers.engines.requirements import RequirementReading, described_keys, read_requirement
from workers.engines.requirements.prose.periods import normal_times
from workers.engines.requirements.prose.pieces import name_of
from workers.engines.requirements.prose.schema import Schema
from workers.engines.requirements.prose.scope import Scope
from workers.engines.steps import Relations, statements_of

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def tables_of(schema: str) -> tuple[TableDetail, ...]:
    return described_keys(SCHEMAS[schema][0])


def read(schema: str, text: str) -> RequirementReading:
    return read_requirement(text, tables_of(schema), (), NOW)


@pytest.mark.parametrize(("name", "schema", "text", "gold"), CASES, ids=[case[0] for case in CASES])
def test_a_requirement_gives_the_rows_that_are_meant(name: str, schema: str, text: str, gold: str) -> None:
    assert_gives(read(schema, text), tables_of(schema), SCHEMAS[schema][1], gold)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("clinic", "Build happy_patients, one row per patient: patient_id; joy (how happy they are)."),
        ("clinic", "Build ward_fees, one row per ward: ward; fees (sum of fee). Leave out the rich patients."),
        ("clinic", "Build first_two: the two doctors with the highest luck: doctor_id, luck."),
        ("parcels", "Build parcels_by_day, one row per day: day; parcels (number of parcels sent or delivered on the moon)."),
        ("meters", "Build meter_days for every meter in readings and every day: meter_id, day, kwh."),
        ("forum", "Build all_posts: all rows of posts_2023 and posts_2025 together, with post_id."),
        ("forum", "建立 quiet：最近很安静的会员的 member_id。"),
        ("lib", "Make open_loans: loan_id, mood of the reader and taken_on of all loans that have not been returned."),
        ("lib", "Build loans_by_grp per grp: grp, loans (number of loans), quality (how good they were)."),
        ("bake", "Build town_sales, one row per town and month: town, month, turnover (sum of pieces * price), last_day (turnover of the previous day)."),
    ],
)  # fmt: skip
def test_a_sentence_that_is_not_read_leaves_the_requirement_open(schema: str, text: str) -> None:
    reading = read(schema, text)

    assert reading.target is None or reading.ambiguities
    assert reading.unread or reading.ambiguities


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("visits in January and February 2024", "visits between 2024-01-01 and 2024-02-29"),
        ("the three months from 1993-07-01", "between 1993-07-01 and 1993-09-30"),
        ("2024 年 1 月和 2 月", "2024-01-01至2024-02-29"),
        ("in January and March 2024", "in January and March 2024"),
    ],
)
def test_months_that_share_a_year_are_one_period(text: str, normal: str) -> None:
    """`January` alone would be that of this year."""
    assert normal_times(text) == normal


def test_a_time_in_a_negation_belongs_to_what_is_missing() -> None:
    """2025年6月没有借阅的读者: the loans are of June, not the readers."""
    reading = read("lib", "建立 idle_readers：2025 年 6 月没有任何借阅的读者的 reader_id。")

    kept = [step for step in reading.steps if step.work is not None and step.work.kind == "filter"]
    assert [step.work.input for step in kept if step.work is not None and step.work.kind == "filter"] == ["loans"]


def test_a_period_before_is_found_by_its_date_and_not_by_its_row() -> None:
    """A month without rows is no month before."""
    reading = read("clinic", "Build fees_by_month by month: month, fees (sum of fee of all visits), before (fees of the previous month).")
    rows = "CREATE TABLE visits AS SELECT * FROM (VALUES (1, TIMESTAMP '2025-01-05', 10.0), (2, TIMESTAMP '2025-03-05', 20.0)) v(visit_id, visited_at, fee)"

    assert reading.target is not None
    with duckdb.connect(":memory:") as connection:
        connection.execute(rows)
        statements, _ = statements_of(Relations(reading.steps, tables_of("clinic"), "duckdb"), reading.steps[-1], reading.target, "duckdb")
        for statement in statements:
            connection.execute(statement)
        assert [row[2] for row in connection.execute("SELECT * FROM fees_by_month ORDER BY 1").fetchall()] == [None, None]


def test_a_thing_that_two_ways_lead_to_is_not_chosen_by_the_nearer_way() -> None:
    """The country of the vendor is two references away, that of the client three: rows per country may mean either."""
    found = name_of("country", Scope(Schema(TRADE), TRADE[-1]))
    named = name_of("vendor country", Scope(Schema(TRADE), TRADE[-1]))

    assert found is None
    assert named is not None
    assert named.step == "line>vendor_id>country_id"


def linked(name: str, *others: str) -> TableDetail:
    """A table with a key, a name and references."""
    columns = (f"{name}_id", f"{name}_name", *(f"{other}_id" for other in others))
    keys = tuple(ForeignKey(columns=(f"{other}_id",), table=other, references=(f"{other}_id",)) for other in others)
    return TableDetail(
        name=name, columns=tuple(ColumnDetail(name=column) for column in columns), primary_key=(f"{name}_id",), foreign_keys=keys
    )  # fmt: skip


TRADE = (
    linked("country"), linked("vendor", "country"), linked("client", "country"), linked("purchase", "client"), linked("line", "vendor", "purchase"),
)  # fmt: skip
