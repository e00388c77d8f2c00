"""What a row of a target may be, beside things and units of time: weekdays, hours of the day, the first things of each group."""

# ruff: noqa: E501 requirements as users write them, and rows

from datetime import UTC, datetime

import pytest

from contracts.pipelines.analysis import EtlClarification
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.requirement_rows import assert_gives
from workers.engines.requirements import RequirementReading, read_requirement
from workers.kinds.etl.rules.answers import with_answers
from workers.saying import text_of

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SETUP = (
    "CREATE TABLE keepers (keeper_id INTEGER, full_name VARCHAR, grade VARCHAR, left_on DATE)",
    "INSERT INTO keepers VALUES (1, 'Ada', 'senior', NULL), (2, 'Bo', 'senior', NULL), (3, 'Cy', 'junior', '2025-02-01'), (4, 'Bo', 'junior', NULL)",
    "CREATE TABLE feedings (feeding_id INTEGER, keeper_id INTEGER, fed_at TIMESTAMP, kind VARCHAR, kilos DOUBLE)",
    "INSERT INTO feedings VALUES (1, 1, '2025-03-03 08:10:00', 'hay', 4), (2, 1, '2025-03-04 08:50:00', 'fish', 2), (3, 2, '2025-03-10 17:00:00', 'hay', 5), "
    "(4, NULL, '2025-03-10 08:05:00', 'hay', 7), (5, 3, '2025-03-09 17:30:00', 'fish', 1)",
    "CREATE TABLE donations (donation_id INTEGER, keeper_id INTEGER, amount DOUBLE)",
    "INSERT INTO donations VALUES (1, 1, 20), (2, 3, 5)",
)


def column(
    name: str, type_: str, *, nulls: int = 0, distinct: int | None = None, description: str = "", values: tuple[str, ...] = ()
) -> ColumnDetail:
    return ColumnDetail(name=name, type=type_, nullable=nulls > 0, nulls=nulls, distinct=distinct, description=description, values=values)


KEEPER = ForeignKey(columns=("keeper_id",), table="keepers", references=("keeper_id",))
TABLES = (
    TableDetail(
        name="keepers", rows=4, primary_key=("keeper_id",),
        columns=(
            column("keeper_id", "INTEGER", distinct=4), column("full_name", "VARCHAR", distinct=3), column("grade", "VARCHAR", values=("senior", "junior")),
            column("left_on", "DATE", nulls=3, description="null while active"),
        ),
    ),
    TableDetail(
        name="feedings", rows=5, primary_key=("feeding_id",), foreign_keys=(KEEPER,),
        columns=(
            column("feeding_id", "INTEGER", distinct=5), column("keeper_id", "INTEGER", nulls=1), column("fed_at", "TIMESTAMP"),
            column("kind", "VARCHAR", values=("hay", "fish")), column("kilos", "DOUBLE"),
        ),
    ),
    TableDetail(
        name="donations", rows=2, primary_key=("donation_id",), foreign_keys=(KEEPER,),
        columns=(column("donation_id", "INTEGER", distinct=2), column("keeper_id", "INTEGER"), column("amount", "DOUBLE")),
    ),
)  # fmt: skip


def read(text: str) -> RequirementReading:
    return read_requirement(text, TABLES, (), NOW)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (
            "Build by_weekday, one row per weekday of fed_at: weekday; feedings (number of feedings).",
            "SELECT ISODOW(fed_at), COUNT(*) FROM feedings GROUP BY 1",
        ),
        (
            "Build by_hour, one row per weekday and hour of day: feedings (number of feedings); kilos (sum of kilos).",
            "SELECT ISODOW(fed_at), HOUR(fed_at), COUNT(*), SUM(kilos) FROM feedings GROUP BY 1, 2",
        ),
        ("Build by_hour: number of feedings by weekday and hour of day", "SELECT ISODOW(fed_at), HOUR(fed_at), COUNT(*) FROM feedings GROUP BY 1, 2"),
        ("建立 by_hour，每个时段一行：hour；n（feedings 的数量）。", "SELECT HOUR(fed_at), COUNT(*) FROM feedings GROUP BY 1"),
        ("建立 by_day，按星期几统计：weekday；n（feedings 的数量）。", "SELECT ISODOW(fed_at), COUNT(*) FROM feedings GROUP BY 1"),
        (
            "Build generous: keeper_id and full_name of active keepers who have never donated.",
            "SELECT 2, 'Bo' UNION ALL SELECT 4, 'Bo'",
        ),
        (
            "Build hay_share, one row per keeper: keeper_id; hay_share (hay feedings divided by all feedings, in percent with one decimal).",
            "SELECT * FROM (VALUES (1, 50.0), (2, 100.0), (3, 0.0), (4, NULL))",
        ),
        (
            "Build best: for every grade the one keeper with the highest kilos (sum of kilos of their feedings): grade, full_name, kilos.",
            "SELECT * FROM (VALUES ('senior', 'Ada', 6), ('junior', 'Cy', 1))",
        ),
    ],
)  # fmt: skip
def test_weekdays_hours_and_first_things_are_read(text: str, gold: str) -> None:
    """The key that decides among equal things need not be shown; a column may be a percentage that is rounded."""
    assert_gives(read(text), TABLES, SETUP, gold)


def test_a_weekday_says_how_it_is_counted() -> None:
    reading = read("Build by_weekday, one row per weekday of fed_at: weekday; feedings (number of feedings).")

    assert "weekday is a number from 1, Monday, to 7, Sunday." in [text_of(item, "en") for item in reading.assumptions]


@pytest.mark.parametrize(
    ("choice", "gold"),
    [
        (1, "SELECT HOUR(fed_at), COUNT(*) FROM feedings GROUP BY 1"),
        (2, "SELECT CAST(fed_at AS DATE), HOUR(fed_at), COUNT(*) FROM feedings GROUP BY 1, 2"),
    ],
)
def test_an_hour_may_be_one_of_the_day_or_of_one_day_and_is_asked_about(choice: int, gold: str) -> None:
    text = "Build hours: number of feedings per hour"
    asked = read(text)
    form = EtlClarification(ambiguities=asked.ambiguities, confidence=asked.confidence)

    choices = [text_of(item, "en") for item in asked.ambiguities[0].choices]
    assert asked.target is None
    assert choices[:2] == ["one row per hour of day of fed_at", "one row per day of fed_at and hour of day of fed_at"]
    assert_gives(read(with_answers(text, [(form, choices[choice - 1])])), TABLES, SETUP, gold)


def test_a_day_has_no_hours() -> None:
    assert read("Build hours, one row per hour of day of left_on: hour; n (number of keepers).").target is None


def test_units_that_a_list_names_alone_are_offered_as_what_a_row_is() -> None:
    asked = read("Build months: month; kilos (sum of kilos); so_far (running total).")

    assert "one row per month of fed_at" in [text_of(item, "en") for item in asked.ambiguities[0].choices]


def test_the_first_things_are_not_the_first_of_their_rows() -> None:
    """Ten customers are not the customers of the ten greatest orders; nor are the ten of each group ten of all."""
    things = read("建立 best：2025年 kilos 最高的前2名 keepers：full_name、kilos。")
    groups = read("建立 best：每个 grade kilos 最高的前2名 keepers：grade、full_name、kilos。")

    for reading in (things, groups):
        if reading.target is not None:
            steps = [step.work for step in reading.steps]
            assert any(getattr(work, "kind", "") == "aggregate" for work in steps), reading.steps


def test_groups_without_rows_and_a_key_that_is_not_shown_are_said() -> None:
    grouped = read("Build hay_days, one row per weekday: weekday; hay (number of feedings with kind hay).")
    things = read("Build names, one row per keeper: full_name; feedings (number of feedings).")

    assert any("no row meets the conditions" in text_of(item, "en") for item in grouped.assumptions)
    assert any("keeper_id, is not among the columns" in text_of(item, "en") for item in things.assumptions)


def test_a_part_leaves_out_rows_that_refer_to_nothing() -> None:
    """Its key is never null, so a test that it has a value holds on any rows."""
    reading = read("Build facts, one row per keeper: keeper_id; feedings (number of feedings); donated (sum of amount of donations).")

    tests = [step.work for step in reading.steps if getattr(step.work, "kind", "") == "filter"]
    assert ["keeper_id" in work.model_dump_json() and "not_null" in work.model_dump_json() for work in tests if work is not None] == [True]


@pytest.mark.parametrize("text", ["Top 2 keepers by kilos per grade", "Top 2 keepers by kilos per kind of feedings"])
def test_the_first_things_of_each_group_are_not_the_first_groups(text: str) -> None:
    """A question may show the first groups; a table of the first things of each is asked about."""
    reading = read(text)

    assert reading.target is None
    assert not any("first 2 rows" in text_of(choice, "en").lower() for point in reading.ambiguities for choice in point.choices)
