"""What a trial assumes of the tables that it makes rows of: what the key of the target says, as far as the catalogue does not speak
against it."""

import pytest
import sqlglot
from sqlglot import exp

from contracts.pipelines.analysis import EtlTarget, TargetColumn
from contracts.pipelines.trial import CheckKind, CheckStatus, TrialReport
from contracts.sql_review import WriteMode
from contracts.tables import ColumnDetail, TableDetail
from tests.support.pipelines import analysis_of, chinese, english, script_of, workflow_of
from workers.engines.pipelines import trial
from workers.engines.steps import written

UNIQUE = "Assumed: of the rows of `shop.raw` that the script keeps, no two have the same id. The catalogue does not say so"
FILLED = "Assumed: every row of `shop.raw` that the script keeps has a value in id. The catalogue does not say so"
REPEATED, EMPTY = "`t` has several rows with the same id.", "`t` has rows without a value in id."
PLAIN = "SELECT id, name FROM shop.raw"
FILTERED = f"{PLAIN} WHERE name = 'a'"
GROUPED = "SELECT id, COUNT(*) AS n FROM shop.raw GROUP BY id"


def raw(nulls: int | None = None, distinct: int | None = None, key: str = "", *, nullable: bool | None = None) -> TableDetail:
    columns = (
        ColumnDetail(name="row_no", type="INTEGER", nullable=False),
        ColumnDetail(name="id", type="INTEGER", nullable=nullable, nulls=nulls, distinct=distinct),
        ColumnDetail(name="name", type="VARCHAR"),
    )
    return TableDetail(name="raw", schema_name="shop", rows=10_000, columns=columns, primary_key=(key,) if key else ())


def tried(query: str, table: TableDetail, *, nullable: bool | None = None) -> TrialReport:
    columns = (TargetColumn(name="id", nullable=nullable), TargetColumn(name="n" if "GROUP" in query else "name"))
    found = analysis_of(EtlTarget(table="t", columns=columns, key=("id",)), reads=("shop.raw",))
    script = script_of("DROP TABLE IF EXISTS t", f"CREATE TABLE t AS {query}", target="t")
    return trial(found, workflow_of(script), [script], [table], dialect="duckdb")


@pytest.mark.parametrize(
    ("query", "table", "text"),
    [
        (PLAIN, raw(0, 100), REPEATED),
        (PLAIN, raw(5_000, 5_000), EMPTY),
        (GROUPED, raw(5_000, 10, "row_no"), EMPTY),
    ],
)
def test_a_key_that_statistics_speak_against_fails(query: str, table: TableDetail, text: str) -> None:
    grain = next(check for check in tried(query, table).checks if check.kind is CheckKind.GRAIN)

    assert (grain.status, english(grain.text)) == (CheckStatus.FAILED, text)


@pytest.mark.parametrize(
    ("query", "table", "said"),
    [
        (PLAIN, raw(), [FILLED, UNIQUE]),
        (PLAIN, raw(nullable=False), [UNIQUE]),
        (PLAIN, raw(0, 10_000), []),
        (GROUPED, raw(nullable=True), [FILLED]),
        (GROUPED, raw(nullable=False), []),
        (f"{PLAIN} WHERE NOT id IS NULL", raw(nullable=True), [UNIQUE]),
        (FILTERED, raw(0, 100), [UNIQUE]),
        (GROUPED.replace("GROUP", "WHERE name = 'a' GROUP"), raw(5_000, 10), [FILLED]),
    ],
)
def test_what_a_key_needs_and_nothing_says_is_said(query: str, table: TableDetail, said: list[str]) -> None:
    report = tried(query, table)

    assert [check.text for check in report.failures] == []
    assert [english(text).partition(";")[0] for text in report.not_tried] == said
    assert all(chinese(text).startswith("假定") for text in report.not_tried)


def test_a_key_that_may_be_null_is_tried_with_nulls() -> None:
    report = tried(GROUPED, raw(5_000, 10, "row_no"), nullable=True)

    assert report.failures == ()
    assert report.not_tried == ()


@pytest.mark.parametrize(("dialect", "is_said"), [("spark", True), ("hive", True), ("databricks", False), ("duckdb", False)])
def test_a_table_whose_rows_are_changed_must_be_one_that_allows_it(dialect: str, is_said: bool) -> None:
    """Plain tables of Spark and Hive refuse each run of a script that passes on the engine of the trial."""
    columns = (TargetColumn(name="row_no"), TargetColumn(name="name"))
    target = EtlTarget(table="t", columns=columns, key=("row_no",), mode=WriteMode.UPSERT)
    query = sqlglot.parse_one("SELECT row_no, name FROM raw")
    assert isinstance(query, exp.Query)
    statements, temporary = written(query, target, dialect)
    script = script_of(*statements, target="t", dialect=dialect, temporary=temporary)

    found = analysis_of(target, reads=("shop.raw",))
    report = trial(found, workflow_of(script, dialect=dialect), [script], [raw(key="row_no")], dialect=dialect)

    assert report.failures == ()
    assert [english(text).partition(":")[0] for text in report.not_tried] == (
        ["`t` must be a table whose rows can be changed, such as one of Delta, Iceberg or Hive ACID"] if is_said else []
    )
