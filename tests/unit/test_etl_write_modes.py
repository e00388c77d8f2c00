"""The write modes of `etl`: code writes each of them around one query, whoever wrote it, and a second run changes nothing."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from contracts.etl.answers import AnalysisAnswer, ScriptAnswer
from contracts.pipelines.analysis import (
    AnalysisResult,
    AnalysisStep,
    EtlTarget,
    HistoryColumns,
    Origin,
    SourceWork,
    TargetColumn,
)
from contracts.pipelines.review import DesignRule
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind, CheckStatus, TrialReport
from contracts.pipelines.wishes import Component, Environment, PackageForm
from contracts.sql_review import WriteMode
from contracts.statements import name
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.pipelines import package
from workers.engines.sql.trees import NotParsed
from workers.engines.steps import NotWritable, written
from workers.kinds.etl.roles.by_model import Known as ModelKnown
from workers.kinds.etl.roles.by_model import write_by_model
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import JobSpec, job_spec
from workers.kinds.etl.rules.design_review import review_design
from workers.kinds.etl.rules.writing import problem_of, script_of, written_query
from workers.kinds.etl.work.trying import try_scripts
from workers.kinds.registry import load_kinds
from workers.llm import ScriptedChat
from workers.saying import text_of

PRICES = TableDetail(
    name="prices",
    columns=(
        ColumnDetail(name="article_id", type="INTEGER", nullable=False),
        ColumnDetail(name="price", type="INTEGER", nullable=False),
        ColumnDetail(name="since", type="DATE", nullable=False),
    ),
    primary_key=("article_id",),
)
QUERY = "SELECT article_id, price, since FROM prices"
KEPT = HistoryColumns(valid_from="valid_from", valid_to="valid_to", is_current="is_current")


def target(mode: WriteMode, columns: str = "article_id price since", key: str = "article_id", **more: object) -> EtlTarget:
    made = EtlTarget(table="offers", mode=mode, columns=tuple(TargetColumn(name=item) for item in columns.split()), key=tuple(key.split()))
    return made.model_copy(update=more)


HISTORY = target(WriteMode.HISTORY, "article_id price valid_from valid_to is_current", "article_id valid_from", history=KEPT)
VERSIONS = "SELECT article_id, price, since AS valid_from FROM prices"


def tree(sql: str) -> exp.Query:
    made = sqlglot.parse_one(sql)
    assert isinstance(made, exp.Query)
    return made


def spec_of(wanted: EtlTarget) -> tuple[AnalysisResult, JobSpec]:
    steps = (
        AnalysisStep(id="prices", name="read", inputs=("prices",), work=SourceWork(table="prices")),
        AnalysisStep(id="words", name="as the requirement says", inputs=("prices",), depends_on=("prices",)),
    )
    found = AnalysisResult(source="shop", summary="", steps=steps, target=wanted, tables=("prices",), confidence=1, read_by=Origin.MODEL)
    workflow = design(found, Component.SQL, Environment.DEV, "duckdb", Known())
    return found, job_spec(found, workflow, workflow.jobs[0])


def tried(wanted: EtlTarget, sql: str, tables: tuple[TableDetail, ...] = (PRICES,)) -> tuple[SqlScript, TrialReport]:
    """A query of a model, written in the target's mode and run in the trial."""
    found, spec = spec_of(wanted)
    statements, temporary = written_query(sql, spec, tables)
    assert problem_of(statements, spec) is None
    script = script_of(spec, statements, tables, temporary=temporary, written_by=Origin.MODEL)
    workflow = design(found, Component.SQL, Environment.DEV, "duckdb", Known())
    return script, try_scripts(found, workflow, [script], tables)


def drops(script: SqlScript | tuple[str, ...]) -> list[str]:
    statements = script.statements if isinstance(script, SqlScript) else script
    return [statement for statement in statements if statement.startswith("DROP")]


@pytest.mark.parametrize("mode", [WriteMode.UPSERT, WriteMode.APPEND, WriteMode.HISTORY])
def test_a_models_query_never_drops_the_target_where_its_rows_are_kept(mode: WriteMode) -> None:
    wanted, sql = (HISTORY, VERSIONS) if mode is WriteMode.HISTORY else (target(mode), QUERY)

    script, report = tried(wanted, sql)

    assert all("offers__new" in statement for statement in drops(script))
    assert [check for check in report.checks if check.status is CheckStatus.FAILED] == []
    assert any(check.kind is CheckKind.INCREMENT and check.status is CheckStatus.PASSED for check in report.checks)


def runs(
    wanted: EtlTarget, sql: str, deliveries: Sequence[Sequence[tuple[object, ...]]], dialect: str = "duckdb", days: Sequence[str] = ()
) -> list[tuple[object, ...]]:
    """The target after a run on each delivery, each run made twice. `days`: of the runs."""
    statements, _ = written(tree(sql), wanted, dialect)
    connection = sqlite3.connect(":memory:") if dialect == "sqlite" else duckdb.connect(":memory:")
    connection.execute("CREATE TABLE prices (article_id INTEGER, price INTEGER, since DATE)")
    left: list[tuple[object, ...]] = []
    for place, rows in enumerate(deliveries):
        connection.execute("DELETE FROM prices")
        if rows:
            connection.executemany("INSERT INTO prices VALUES (?, ?, ?)", rows)
        today = f"CAST('{days[place]}' AS {'TEXT' if dialect == 'sqlite' else 'DATE'})" if days else "CURRENT_DATE"
        for number in range(2):
            for statement in statements:
                connection.execute(statement.replace("CURRENT_DATE", today))
            found = sorted(connection.execute("SELECT * FROM offers").fetchall(), key=str)
            assert number == 0 or found == left, "the second run changes nothing"
            left = found
    connection.close()
    return [tuple(cell if isinstance(cell, int) else str(cell) for cell in row) for row in left]


FIRST: list[tuple[object, ...]] = [(1, 10, "2026-01-01"), (2, 20, "2026-01-01")]
LATER: list[tuple[object, ...]] = [(1, 11, "2026-01-05"), (3, 30, "2025-12-01")]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_each_mode_leaves_its_rows_when_later_late_and_repeated_ones_come(dialect: str) -> None:
    assert [row[:2] for row in runs(target(WriteMode.OVERWRITE), QUERY, [FIRST, LATER], dialect)] == [(1, 11), (3, 30)]
    assert [row[:2] for row in runs(target(WriteMode.UPSERT), QUERY, [FIRST, LATER], dialect)] == [(1, 11), (2, 20), (3, 30)]
    assert [row[:2] for row in runs(target(WriteMode.APPEND), QUERY, [FIRST, LATER], dialect)] == [(1, 10), (2, 20), (3, 30)]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize("end", ["9999-12-31", ""])
def test_a_key_that_is_gone_is_closed_on_the_day_of_the_run_where_that_is_wanted(dialect: str, end: str) -> None:
    """It stayed current for ever. A run without rows is a failed load, not the end of all; a key that comes again is opened again."""
    both, one, none = FIRST, FIRST[1:], list[tuple[object, ...]]()
    days = ["2026-01-02", "2026-01-05", "2026-01-06", "2026-01-09"]
    closing = HISTORY.model_copy(update={"history": KEPT.model_copy(update={"closes_missing": True, "open_end": end})})

    found = runs(closing, VERSIONS, [both, one, none, both], dialect, days)
    kept = runs(HISTORY, VERSIONS, [both, one, none, both], dialect, days)

    still = end or "None"
    assert [(*row[:2], *map(str, row[2:4]), bool(row[4])) for row in found] == [
        (1, 10, "2026-01-01", "2026-01-05", False),
        (1, 10, "2026-01-09", still, True),
        (2, 20, "2026-01-01", still, True),
    ]
    assert [(*row[:2], str(row[3]), bool(row[4])) for row in kept] == [(1, 10, "9999-12-31", True), (2, 20, "9999-12-31", True)]


def test_a_key_that_is_gone_on_the_day_on_which_it_began_is_closed_by_the_first_run_after_it() -> None:
    """Its end was before its beginning, and its key came twice when it was back."""
    closing = HISTORY.model_copy(update={"history": KEPT.model_copy(update={"closes_missing": True})})
    today: list[tuple[object, ...]] = [(1, 10, "2026-01-02"), (2, 20, "2026-01-01")]
    days = ["2026-01-02", "2026-01-02", "2026-01-02", "2026-01-03"]

    found = runs(closing, VERSIONS, [today, today[1:], today, today[1:]], days=days)

    assert [(*row[:2], *map(str, row[2:4]), bool(row[4])) for row in found] == [
        (1, 10, "2026-01-02", "2026-01-03", False),
        (2, 20, "2026-01-01", "9999-12-31", True),
    ]


def test_a_history_that_closes_what_is_gone_passes_its_trial() -> None:
    wanted = HISTORY.model_copy(update={"history": KEPT.model_copy(update={"closes_missing": True, "open_end": ""})})

    _, report = tried(wanted, VERSIONS)

    assert [check for check in report.checks if check.status is CheckStatus.FAILED] == []


def test_an_append_by_partition_writes_the_partitions_again_that_come() -> None:
    wanted = target(WriteMode.APPEND, key="", partition_by=("since",))

    found = runs(wanted, QUERY, [FIRST, [(1, 10, "2026-01-01"), (4, 40, "2026-01-02")]])

    assert [row[:2] for row in found] == [(1, 10), (4, 40)]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_days_of_one_run_in_which_nothing_changed_open_no_version(dialect: str) -> None:
    days = [(1, 10, "2026-01-01"), (1, 10, "2026-01-02"), (1, 11, "2026-01-03"), (1, 11, "2026-01-04"), (1, 10, "2026-01-05")]
    again = [(1, 10, "2026-01-06"), (1, 12, "2026-01-07"), (1, 12, "2026-01-08")]

    found = runs(HISTORY, VERSIONS, [days, again], dialect)

    assert [row[1:4] for row in found] == [
        (10, "2026-01-01", "2026-01-03"),
        (10, "2026-01-05", "2026-01-07"),
        (11, "2026-01-03", "2026-01-05"),
        (12, "2026-01-07", "9999-12-31"),
    ]


def test_a_history_closes_what_changed_and_takes_no_late_row_for_a_change() -> None:
    late = [(1, 9, "2025-12-24"), (2, 21, "2026-02-01")]

    found = runs(HISTORY, VERSIONS, [FIRST, late])

    assert found == [
        (1, 10, "2026-01-01", "9999-12-31", True),
        (2, 20, "2026-01-01", "2026-02-01", False),
        (2, 21, "2026-02-01", "9999-12-31", True),
    ]


def test_a_run_may_bring_several_versions_of_a_key() -> None:
    brought = [(1, 10, "2026-01-01"), (1, 12, "2026-02-01"), (1, 15, "2026-03-01")]
    more = [*brought, (1, 18, "2026-04-01"), (1, 19, "2026-05-01")]

    assert runs(HISTORY, VERSIONS, [brought, brought, more]) == [
        (1, 10, "2026-01-01", "2026-02-01", False),
        (1, 12, "2026-02-01", "2026-03-01", False),
        (1, 15, "2026-03-01", "2026-04-01", False),
        (1, 18, "2026-04-01", "2026-05-01", False),
        (1, 19, "2026-05-01", "9999-12-31", True),
    ]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_a_key_that_may_be_null_has_one_version_at_a_time(dialect: str) -> None:
    """Each run opened the version of the null key again, and none closed it."""
    columns = tuple(column.model_copy(update={"nullable": column.name == "article_id"}) for column in HISTORY.columns)
    wanted = HISTORY.model_copy(update={"columns": columns, "history": KEPT.model_copy(update={"closes_missing": True})})
    first: list[tuple[object, ...]] = [(None, 10, "2026-01-01"), (2, 20, "2026-01-01")]
    changed: list[tuple[object, ...]] = [(None, 11, "2026-01-03"), (2, 20, "2026-01-01")]
    days = ["2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05"]

    found = runs(wanted, VERSIONS, [first, changed, first[1:], changed], dialect, days)

    assert [(row[0], row[1], *map(str, row[2:4])) for row in found] == [
        (2, 20, "2026-01-01", "9999-12-31"),
        ("None", 10, "2026-01-01", "2026-01-03"),
        ("None", 11, "2026-01-03", "2026-01-04"),
        ("None", 11, "2026-01-05", "9999-12-31"),
    ]


@pytest.mark.parametrize(("nullable", "many"), [(None, 2), (True, 2), (False, 3)])
def test_a_partition_without_a_value_is_replaced_too(nullable: bool | None, many: int) -> None:
    wanted = target(WriteMode.APPEND, key="", partition_by=("since",))
    wanted = wanted.model_copy(update={"columns": tuple(item.model_copy(update={"nullable": nullable}) for item in wanted.columns)})
    statements, _ = written(tree(QUERY), wanted, "duckdb")
    connection = duckdb.connect(":memory:")
    connection.execute("CREATE TABLE prices (article_id INTEGER, price INTEGER, since DATE)")
    connection.execute("INSERT INTO prices VALUES (1, 10, NULL), (2, 20, '2026-01-01')")
    for statement in (*statements, *statements):
        connection.execute(statement)

    assert connection.execute("SELECT COUNT(*) FROM offers").fetchall() == [(many,)]


@pytest.mark.parametrize("dialect", ["oracle", "tsql", "redshift"])
def test_nulls_are_compared_in_words_that_each_engine_has(dialect: str) -> None:
    statements, _ = written(tree(VERSIONS), HISTORY, dialect)

    assert all("DISTINCT FROM" not in statement for statement in statements)
    compared = sqlglot.parse_one(statements[1], read=dialect).find(exp.Or)
    assert compared is not None
    for left, right, is_equal in [("1", "1", True), ("1", "2", False), ("NULL", "1", False), ("NULL", "NULL", True)]:
        sides = {"today": left, "offers": right}
        shown = compared.copy()
        for node in list(shown.find_all(exp.Column)):
            node.replace(sqlglot.parse_one(sides[node.table]))
        assert duckdb.execute(exp.select(shown).sql("duckdb")).fetchall() == [(is_equal,)]


def test_a_table_that_was_there_is_emptied_and_not_dropped() -> None:
    statements, temporary = written(tree(QUERY), target(WriteMode.OVERWRITE, exists=True), "postgres")
    hive, _ = written(tree(QUERY), target(WriteMode.OVERWRITE, exists=True), "hive")

    assert all("offers__new" in statement for statement in drops(statements))
    assert temporary == ("offers__new",)
    assert any(statement.startswith("INSERT OVERWRITE TABLE offers") for statement in hive)
    assert drops(written(tree(QUERY), target(WriteMode.OVERWRITE), "postgres")[0]) == ["DROP TABLE IF EXISTS offers"]


def test_a_temporary_table_takes_no_name_that_somebody_else_has() -> None:
    statements, temporary = written(tree(QUERY), target(WriteMode.UPSERT), "duckdb", ["Offers__new"])

    assert temporary == ("offers__new2",)
    assert all("offers__new2" in statement for statement in drops(statements))


def test_a_mode_that_lacks_what_it_needs_is_refused_and_is_an_issue_of_the_design() -> None:
    bare = [target(WriteMode.UPSERT, key=""), target(WriteMode.APPEND, key=""), target(WriteMode.HISTORY)]

    for wanted in bare:
        with pytest.raises(NotWritable):
            written(tree(QUERY), wanted, "duckdb")
        found, _ = spec_of(wanted)
        review = review_design(found, design(found, Component.SQL, Environment.DEV, "duckdb", Known()), [PRICES])
        assert {issue.rule for issue in review.issues} == {DesignRule.KEY}


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE offers; CREATE TABLE offers AS SELECT article_id, price, since FROM prices",
        "CREATE OR REPLACE TABLE offers AS SELECT article_id, price, since FROM prices",
        "DELETE FROM offers; INSERT INTO offers SELECT article_id, price, since FROM prices",
        "INSERT INTO offers SELECT article_id, price, since FROM prices; TRUNCATE TABLE offers",
        "DELETE FROM offers WHERE 1 = 1; INSERT INTO offers SELECT article_id, price, since FROM prices",
        "INSERT INTO offers SELECT article_id, price, since FROM prices; ALTER TABLE offers DROP COLUMN price",
        "INSERT INTO offers SELECT article_id, price, since FROM prices; ALTER TABLE offers RENAME TO old_offers",
    ],
)
def test_a_script_that_loses_the_rows_of_a_kept_target_is_refused(sql: str) -> None:
    _, kept = spec_of(target(WriteMode.UPSERT))
    _, again = spec_of(target(WriteMode.OVERWRITE))

    problem = problem_of([sql], kept)

    assert problem is not None
    assert not isinstance(problem, str)
    assert problem.code == "etl.script.loses_rows"
    assert problem_of([sql], again) is None


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE IF EXISTS offers__new, prices",
        "TRUNCATE TABLE offers__new, prices",
        "INSERT INTO offers SELECT * FROM prices; ALTER TABLE prices DROP COLUMN price",
        "SELECT * INTO prices FROM offers",
        "WITH gone AS (DELETE FROM prices RETURNING *) INSERT INTO offers SELECT * FROM gone",
    ],
)
def test_a_script_that_changes_another_table_anywhere_is_refused(sql: str) -> None:
    _, spec = spec_of(target(WriteMode.OVERWRITE))

    problem = problem_of([sql], spec)

    assert problem is not None
    assert not isinstance(problem, str)
    assert (problem.code, problem.values["table"]) == ("etl.script.writes_elsewhere", name("prices"))


def test_a_text_that_changes_tables_is_no_query_of_a_model() -> None:
    _, spec = spec_of(target(WriteMode.UPSERT))

    for sql in (
        "INSERT INTO offers SELECT article_id, price, since FROM prices",
        "WITH gone AS (DELETE FROM prices RETURNING *) SELECT article_id, price, since FROM gone",
        "SELECT article_id, price, since INTO offers FROM prices",
    ):
        with pytest.raises(NotParsed):
            written_query(sql, spec, [PRICES])


def test_a_column_of_a_models_query_without_a_name_goes_back_to_it() -> None:
    """It was not counted, and left out of the table."""
    load_kinds()
    _, spec = spec_of(target(WriteMode.UPSERT, "article_id price since", history=None))
    chat = ScriptedChat(*(ScriptAnswer(sql=sql) for sql in (f"{QUERY.replace('since', 'since, MAX(1)')} GROUP BY ALL", QUERY)))

    made = write_by_model(chat, spec, ModelKnown(dialect="duckdb", tables=[PRICES]), ())

    assert len(chat.asked) == 2
    assert "MAX" not in "".join(made.statements)


def test_a_model_is_told_that_a_history_takes_every_version() -> None:
    """It was told to yield one row a key, and that no two rows have the same key."""
    load_kinds()
    _, spec = spec_of(HISTORY)
    chat = ScriptedChat(ScriptAnswer(sql=VERSIONS))

    write_by_model(chat, spec, ModelKnown(dialect="duckdb", tables=[PRICES]), ())

    prompt = " ".join(str(chat.asked[0]).split())
    assert "one row for each version" in prompt
    assert "article_id, valid_from" in prompt


def test_rows_that_come_late_behind_a_watermark_are_missed_in_the_trial() -> None:
    """An append that reads only what is newer than what is there loses the late row."""
    rows = PRICES.model_copy(update={"name": "sales", "primary_key": ("article_id",)})
    offers = PRICES.model_copy(update={"name": "offers"})
    sql = "SELECT article_id, price, since FROM sales WHERE since > (SELECT COALESCE(MAX(o.since), DATE '1900-01-01') FROM offers o)"
    wanted = target(WriteMode.APPEND, exists=True)

    _, report = tried(wanted, sql, (rows, offers))

    assert CheckKind.INCREMENT in {check.kind for check in report.failures}


def test_an_answer_of_a_model_names_history_and_partitions() -> None:
    answer = AnalysisAnswer.model_validate(
        {"steps": [], "table": "t", "columns": [{"name": "a"}], "confidence": 1, "mode": "history", "valid_from": "f", "valid_to": "t"}
    )

    assert (answer.mode, answer.valid_from, answer.partition_by) == ("history", "f", ())


@pytest.mark.parametrize(
    ("sql", "says", "says_not"),
    [
        (VERSIONS, "`valid_from` is the time of the change in the data (`prices.since`)", "CURRENT_DATE"),
        (
            VERSIONS.replace("since AS", "CURRENT_DATE AS"),
            "`valid_from` is the day of the run that saw the change",
            "the time of the change in",
        ),
    ],
)
def test_a_package_says_the_clock_of_its_schedule_and_which_moment_a_version_begins_with(sql: str, says: str, says_not: str) -> None:
    found, spec = spec_of(HISTORY)
    statements, temporary = written_query(sql, spec, (PRICES,))
    script = script_of(spec, statements, (PRICES,), temporary=temporary, written_by=Origin.MODEL)
    workflow = design(found, Component.SQL, Environment.DEV, "duckdb", Known()).model_copy(update={"schedule": "0 2 * * *"})
    at = datetime(2026, 3, 1, tzinfo=ZoneInfo("Europe/Zurich"))

    made = package(
        found, workflow, [script], (), None, (PRICES,), form=PackageForm.AIRFLOW, text=lambda shown: text_of(shown, "en"), made_at=at
    )
    files = {file.path: file.text for file in made}

    assert json.loads(files["pipeline.json"])["timezone"] == "Europe/Zurich"
    assert "Schedule: `0 2 * * *`, on the clock of `Europe/Zurich`." in files["README.md"]
    assert "a row holds from `valid_from` until before `valid_to`" in files["README.md"]
    assert says in files["README.md"]
    assert says_not not in files["README.md"]
