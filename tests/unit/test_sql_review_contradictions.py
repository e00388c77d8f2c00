"""What a statement says against itself, or against a clause of its request, is shown on rows and blocks; its like that may be meant does
not."""

import pytest

from contracts.sql_review import Defect, ReviewTarget, Severity, WriteMode
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox


def column(name: str, kind: str, *, nullable: bool = False) -> ColumnDetail:
    return ColumnDetail(name=name, type=kind, nullable=nullable)


KENNELS = TableDetail(
    name="kennels",
    columns=(column("kennel_id", "INTEGER"), column("wing", "TEXT")),
    primary_key=("kennel_id",),
)
STAYS = TableDetail(
    name="stays",
    columns=(
        column("stay_id", "INTEGER"),
        column("kennel_id", "INTEGER", nullable=True),
        column("dog", "TEXT", nullable=True),
        column("weight", "TEXT"),
        column("fee", "NUMERIC(8,2)"),
        column("grams", "INTEGER"),
        column("began_at", "TIMESTAMP"),
        column("left_at", "TIMESTAMP"),
        column("due_on", "DATE"),
        column("op", "TEXT"),
        column("cancelled_at", "TIMESTAMP", nullable=True),
    ),
    primary_key=("stay_id",),
    foreign_keys=(ForeignKey(columns=("kennel_id",), table="kennels", references=("kennel_id",)),),
)
RATES = TableDetail(
    name="rates",
    columns=(column("size", "TEXT"), column("valid_from", "DATE"), column("valid_to", "DATE", nullable=True), column("fee", "INTEGER")),
    primary_key=("size", "valid_from"),
)
TABLES = (KENNELS, STAYS, RATES)


def blocked(sql: str, target: ReviewTarget | None = None, requirement: str = "") -> set[Defect]:
    with open_sandbox() as sandbox:
        found = review([sql], TABLES, "postgres", sandbox, target=target, requirement=requirement)
    assert all(finding.counterexample is not None for finding in found.blockers)
    return {finding.defect for finding in found.findings if finding.severity is Severity.BLOCKER}


def made(query: str) -> str:
    return f"CREATE TABLE result AS {query}"


def only(condition: str) -> ReviewTarget:
    return ReviewTarget(table="result", key=("stay_id",), only=(("stays", condition),))


@pytest.mark.parametrize(
    ("condition", "wrong", "right"),
    [
        ("dog IS DISTINCT FROM 'Rex'", "dog <> 'Rex'", "dog IS DISTINCT FROM 'Rex'"),
        ("due_on <= DATE '2024-05-31'", "due_on < DATE '2024-05-31'", "due_on <= DATE '2024-05-31'"),
        ("CAST(weight AS INTEGER) <= 90", "weight <= '90'", "CAST(weight AS INTEGER) <= 90"),
        ("dog IS NOT NULL", "dog IS NULL", "dog <> 'Rex'"),
    ],
)
def test_a_condition_keeps_what_the_clause_on_its_columns_keeps(condition: str, wrong: str, right: str) -> None:
    query = "SELECT stay_id FROM stays WHERE "

    assert blocked(made(query + wrong), only(condition))
    assert blocked(made(query + right), only(condition)) == set()


@pytest.mark.parametrize(
    ("wrong", "right", "defect"),
    [
        (
            "SELECT COALESCE(dog, 'none') AS dog, SUM(fee) AS fee FROM stays WHERE dog <> '' GROUP BY 1",
            "SELECT COALESCE(dog, 'none') AS dog, SUM(fee) AS fee FROM stays WHERE dog IS NOT NULL GROUP BY 1",
            Defect.NULL_NAMED,
        ),
        (
            "SELECT COALESCE(k.wing, 'none') AS wing, SUM(fee) AS fee FROM stays s JOIN kennels k ON k.kennel_id = s.kennel_id GROUP BY 1",
            "SELECT k.wing, SUM(s.fee) AS fee FROM stays s JOIN kennels k ON k.kennel_id = s.kennel_id GROUP BY 1",
            Defect.NULL_NAMED,
        ),
        (
            "SELECT stay_id, LAST_VALUE(dog) OVER (PARTITION BY kennel_id ORDER BY began_at, stay_id) AS dog FROM stays",
            "SELECT stay_id, FIRST_VALUE(dog) OVER (PARTITION BY kennel_id ORDER BY began_at, stay_id) AS dog FROM stays",
            Defect.FRAME_ENDS_HERE,
        ),
        (
            "SELECT stay_id FROM stays WHERE left_at > due_on",
            "SELECT stay_id FROM stays WHERE CAST(left_at AS DATE) > due_on",
            Defect.DAY_AS_MIDNIGHT,
        ),
        (
            "SELECT stay_id FROM stays WHERE weight BETWEEN '9' AND '12'",
            "SELECT stay_id FROM stays WHERE CAST(weight AS INTEGER) BETWEEN 9 AND 12",
            Defect.TEXT_AS_NUMBER,
        ),
        (
            "SELECT stay_id, CAST(grams / 1000 AS NUMERIC(10,3)) AS kilos FROM stays",
            "SELECT stay_id, grams / 1000 AS kilos FROM stays",
            Defect.INTEGER_DIVISION,
        ),
        (
            "SELECT kennel_id, COUNT(*) FILTER (WHERE fee > 10) / COUNT(*) AS share FROM stays GROUP BY kennel_id",
            "SELECT kennel_id, 1.0 * COUNT(*) FILTER (WHERE fee > 10) / COUNT(*) AS share FROM stays GROUP BY kennel_id",
            Defect.INTEGER_DIVISION,
        ),
        (
            "SELECT stay_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY dog ORDER BY stay_id DESC) AS n FROM stays WHERE op <> 'D') x "
            "WHERE n = 1",
            "SELECT stay_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY dog ORDER BY stay_id DESC) AS n FROM stays "
            "WHERE cancelled_at IS NULL) x WHERE n = 1",
            Defect.FILTERED_BEFORE_LATEST,
        ),
    ],
)
def test_a_contradiction_blocks_and_its_like_does_not(wrong: str, right: str, defect: Defect) -> None:
    assert defect in blocked(made(wrong), ReviewTarget(table="result"))
    assert blocked(made(right), ReviewTarget(table="result")) == set()


def test_rows_that_a_clause_leaves_out_are_left_out_before_the_latest_is_chosen() -> None:
    query = "SELECT DISTINCT ON (dog) dog, fee FROM stays WHERE op <> 'D' ORDER BY dog, stay_id DESC"

    assert blocked(made(query), ReviewTarget(table="result", key=("dog",))) == {Defect.FILTERED_BEFORE_LATEST}
    assert blocked(made(query), ReviewTarget(table="result", key=("dog",), only=(("stays", "op <> 'D'"),))) == set()


def test_a_frame_has_the_length_that_its_column_names() -> None:
    query = (
        "SELECT size, valid_from, SUM(fee) OVER (ORDER BY size, valid_from ROWS BETWEEN {} PRECEDING AND CURRENT ROW) AS fee_3 FROM rates"
    )
    target = ReviewTarget(table="result", columns=("size", "valid_from", "fee_3"), key=("size", "valid_from"))

    assert blocked(made(query.format(3)), target) == {Defect.FRAME_LENGTH}
    assert blocked(made(query.format(2)), target) == set()


@pytest.mark.parametrize(("zone", "is_wrong"), [("Europe/Zurich", True), ("UTC", False)])
def test_a_day_is_of_the_zone_that_is_named(zone: str, is_wrong: bool) -> None:
    sql = made("SELECT CAST(began_at AS DATE) AS day, COUNT(*) AS stays FROM stays GROUP BY 1")
    right = sql.replace("began_at AS", "began_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Zurich' AS")
    requirement = f"began_at is UTC; a day is one of {zone}."

    assert blocked(sql, ReviewTarget(table="result"), requirement) == ({Defect.TIME_ZONE} if is_wrong else set())
    assert blocked(right, ReviewTarget(table="result"), "began_at is UTC; a day is one of Europe/Zurich.") == set()


def test_a_history_that_is_read_to_its_last_day_has_rows_that_end_on_it() -> None:
    sql = made("SELECT size, fee FROM rates WHERE DATE '2024-03-01' BETWEEN valid_from AND COALESCE(valid_to, DATE '9999-12-31')")

    assert blocked(sql, ReviewTarget(table="result", key=("size",))) == set()
    assert blocked(made("SELECT size, fee FROM rates"), ReviewTarget(table="result", key=("size",))) == {Defect.GRAIN}


def test_versions_of_a_history_differ_in_their_beginning() -> None:
    target = ReviewTarget(table="result", key=("size",), mode=WriteMode.HISTORY)

    assert blocked(made("SELECT size, fee, valid_from FROM rates"), target) == set()


def test_what_falls_into_another_year_is_made() -> None:
    march = "due_on >= DATE '2024-03-01' AND due_on < DATE '2024-04-01'"

    found = blocked(made("SELECT stay_id FROM stays WHERE EXTRACT(MONTH FROM due_on) = 3"), only(march))

    assert found == {Defect.ROWS_NOT_LEFT_OUT}
