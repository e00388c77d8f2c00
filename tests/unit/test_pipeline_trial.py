"""The trial: scripts run on generated rows, and what they leave is checked."""

from decimal import Decimal

import pytest

from contracts.pipelines.analysis import AnalysisResult, EtlTarget, HistoryColumns, TargetColumn
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind, CheckStatus, TrialCheck, TrialReport
from contracts.sql_review import WriteMode
from contracts.tables import ColumnDetail, TableDetail
from tests.support.pipelines import (
    CUSTOMERS,
    DROP,
    KEPT,
    ORDERS,
    PAYMENTS,
    REVENUE,
    TABLES,
    TARGET,
    UPSERT,
    analysis_of,
    chinese,
    english,
    script_of,
    workflow_of,
)
from tests.support.texts import foreign_words
from workers.engines.pipelines import trial
from workers.engines.pipelines.trial.checks import check_grain, check_versions
from workers.engines.pipelines.warehouse import Answer


def tried(*scripts: SqlScript, analysis: AnalysisResult | None = None, dialect: str = "duckdb", **given: object) -> TrialReport:
    found = analysis or analysis_of()
    tables = (*TABLES, KEPT) if found.target.exists else TABLES
    return trial(found, workflow_of(*scripts, dialect=dialect), scripts, tables, dialect=dialect, **given)  # type: ignore[arg-type]


def check(report: TrialReport, kind: CheckKind) -> TrialCheck:
    return next(item for item in report.checks if item.kind is kind)


def failed(report: TrialReport) -> list[CheckKind]:
    return [item.kind for item in report.failures]


def test_a_right_script_runs_twice_and_passes_every_check() -> None:
    report = tried(script_of(DROP, REVENUE))

    assert failed(report) == []
    assert report.has_run
    assert {item.kind for item in report.checks if item.status is CheckStatus.PASSED} == set(CheckKind) - {
        CheckKind.INCREMENT,
        CheckKind.REQUIREMENT,
        CheckKind.SOURCE,
    }
    assert report.target_rows > 10
    assert report.engine.startswith("duckdb ")
    assert report.not_tried == ()


def test_the_same_seed_gives_the_same_report() -> None:
    assert tried(script_of(DROP, REVENUE), seed=7) == tried(script_of(DROP, REVENUE), seed=7)


def test_a_join_that_repeats_the_key_is_shown_on_the_rows_that_it_takes() -> None:
    per_order = REVENUE.replace("COUNT(o.order_id)", "1").replace("COALESCE(SUM(o.amount), 0)", "o.amount").partition("GROUP BY")[0]

    grain = check(tried(script_of(DROP, per_order)), CheckKind.GRAIN)

    assert grain.status is CheckStatus.FAILED
    assert english(grain.text) == "`mart.customer_revenue` has several rows with the same customer_id."
    assert {table.name: len(table.rows) for table in grain.given} == {"shop.customers": 1, "shop.orders": 2}
    assert len({row[0] for row in grain.shown[0].rows}) == 1


def test_customers_without_an_order_must_not_be_lost() -> None:
    report = tried(script_of(DROP, REVENUE.replace("LEFT JOIN", "JOIN")))

    kept = check(report, CheckKind.ROWS_KEPT)

    assert failed(report) == [CheckKind.ROWS_KEPT]
    assert [table.name for table in kept.given] == ["shop.customers"]
    assert kept.shown[0].columns == ("customer_id", "name", "region")


def test_customers_that_the_script_leaves_out_itself_are_not_missed() -> None:
    """Whether the requirement restricts the table that is kept, no code can tell: it is not checked, and said to be unchecked."""
    restricted = REVENUE.replace("GROUP BY", "WHERE c.region = 'north' GROUP BY")

    report = tried(script_of(DROP, restricted))

    assert failed(report) == []
    assert check(report, CheckKind.ROWS_KEPT).status is not CheckStatus.PASSED


def test_a_script_that_cannot_run_again_is_caught() -> None:
    report = tried(script_of(REVENUE))

    assert failed(report) == [CheckKind.RUNS]
    assert "customer_revenue" in english(report.failures[0].text)


def test_rows_that_are_added_again_by_a_second_run_are_shown() -> None:
    append = analysis_of(UPSERT.model_copy(update={"mode": WriteMode.APPEND, "key": ()}))
    insert = "INSERT INTO mart.customer_revenue " + REVENUE.partition("AS\n")[2]

    second = check(tried(script_of(insert), analysis=append), CheckKind.SECOND_RUN)

    assert second.status is CheckStatus.FAILED
    assert [table.name for table in second.shown] == ["+"]


def test_a_result_that_depends_on_the_order_of_the_rows_is_caught() -> None:
    latest = REVENUE.replace("COALESCE(SUM(o.amount), 0)", "FIRST(o.note)")
    target = TARGET.model_copy(update={"columns": (*TARGET.columns[:3], TARGET.columns[3].model_copy(update={"type": ""}))})

    report = tried(script_of(DROP, latest), analysis=analysis_of(target))

    assert failed(report) == [CheckKind.SECOND_RUN]


def test_columns_types_and_nulls_are_held_against_the_documentation() -> None:
    other = REVENUE.replace("c.region", "CAST(NULL AS date) AS region", 1).replace(", c.region", "").replace("orders,", "order_count,")

    report = tried(script_of(DROP, other))

    assert {CheckKind.COLUMNS, CheckKind.TYPES, CheckKind.NOT_NULL} <= set(failed(report))


def test_tables_that_the_design_does_not_name_are_found() -> None:
    more = REVENUE.replace(
        "GROUP BY", "WHERE c.customer_id NOT IN (SELECT p.order_id FROM shop.payments p WHERE p.order_id IS NOT NULL) GROUP BY"
    )

    lineage = check(tried(script_of(DROP, more)), CheckKind.LINEAGE)

    assert lineage.status is CheckStatus.FAILED
    assert "shop.payments" in english(lineage.text)


def test_a_job_may_not_read_the_temporary_table_of_another() -> None:
    first = script_of(
        "DROP TABLE IF EXISTS done",
        "CREATE TABLE done AS SELECT * FROM shop.orders WHERE status = 'completed'",
        "DROP TABLE IF EXISTS mart.kept",
        "CREATE TABLE mart.kept AS SELECT customer_id FROM shop.customers",
        job="first",
        target="mart.kept",
        temporary=("done",),
    )
    second = script_of(DROP, REVENUE.replace("shop.orders", "done")).model_copy(update={"reads": ("shop.customers", "done")})

    report = tried(first, second)

    texts = [english(item.text) for item in report.failures if item.kind is CheckKind.TEMPORARY]
    assert "The job `revenue` reads `done`, a temporary table of the job `first`." in texts
    assert "The job `first` leaves tables behind that are not its output: done." in texts


def test_rows_that_come_between_two_runs_arrive() -> None:
    brought = REVENUE.partition("AS\n")[2]
    upsert = (
        f"INSERT INTO mart.customer_revenue {brought} ON CONFLICT (customer_id) DO UPDATE SET region = excluded.region, "
        "orders = excluded.orders, revenue = excluded.revenue"
    )
    ignoring = f"INSERT INTO mart.customer_revenue {brought} ON CONFLICT (customer_id) DO NOTHING"

    right, wrong = (tried(script_of(statement), analysis=analysis_of(UPSERT)) for statement in (upsert, ignoring))

    assert check(right, CheckKind.INCREMENT).status is CheckStatus.PASSED
    assert failed(right) == []
    assert failed(wrong) == [CheckKind.INCREMENT]


@pytest.mark.parametrize("now", ["CURRENT_DATE", "LOCALTIMESTAMP"])
def test_the_day_of_the_run_is_that_of_the_rows(now: str) -> None:
    report = tried(script_of(DROP, REVENUE.replace("= 'completed'", f"= 'completed' WHERE o.ordered_at >= {now} - INTERVAL '9' DAY")))

    assert check(report, CheckKind.NOT_EMPTY).status is CheckStatus.PASSED


LOOKUP = "CREATE TABLE mart.customer_revenue AS SELECT o.order_id, r.rate FROM shop.orders o LEFT JOIN shop.{0} r ON r.{1} = o.{1}"


@pytest.mark.parametrize(("table", "column"), [("rates", "status"), ("payments", "order_id")])
def test_a_key_that_a_lookup_relies_on_is_said_where_nothing_speaks_against_it(table: str, column: str) -> None:
    rates = TableDetail(
        name=table,
        schema_name="shop",
        columns=(
            ColumnDetail(name=column, type=("varchar" if column == "status" else "integer")),
            ColumnDetail(name="rate", type="decimal(8,4)"),
        ),
        foreign_keys=PAYMENTS.foreign_keys if table == "payments" else (),
    )
    target = TARGET.model_copy(update={"columns": (), "key": ("order_id",), "keeps_all": ""})
    script = script_of(DROP, LOOKUP.format(table, column))
    analysis = analysis_of(target, reads=("shop.orders", f"shop.{table}"))

    report = trial(analysis, workflow_of(script), [script], (CUSTOMERS, ORDERS, rates), dialect="duckdb")

    if table == "rates":
        assert failed(report) == []
        assert "`shop.rates` has at most one row for each status" in english(report.not_tried[0])
    else:
        assert failed(report) == [CheckKind.GRAIN]  # payments reference orders, so there may be several for one


DIALECTS = {
    "postgres": (DROP, REVENUE.replace("COALESCE(SUM(o.amount), 0)", "COALESCE(SUM(o.amount)::numeric(12,2), 0)")),
    "mysql": ("DROP TABLE IF EXISTS mart.customer_revenue", REVENUE.replace("AS\nSELECT", "ENGINE=InnoDB AS SELECT")),
    "trino": (DROP, REVENUE.replace("AS\nSELECT", "WITH (format = 'ORC') AS SELECT")),
    "spark": (
        "CREATE TABLE IF NOT EXISTS mart.customer_revenue (customer_id INT, region STRING, orders BIGINT, revenue DECIMAL(12,2)) "
        "USING parquet",
        "INSERT OVERWRITE TABLE mart.customer_revenue " + REVENUE.partition("AS\n")[2],
    ),
    "hive": (
        "SET hive.exec.dynamic.partition.mode=nonstrict",
        "CREATE TABLE IF NOT EXISTS mart.customer_revenue (customer_id INT COMMENT 'key', orders BIGINT, revenue DECIMAL(12,2)) "
        "PARTITIONED BY (region STRING) STORED AS ORC",
        "INSERT OVERWRITE TABLE mart.customer_revenue PARTITION (region) SELECT c.customer_id, COUNT(o.order_id) AS orders, "
        "COALESCE(SUM(o.amount), 0) AS revenue, c.region FROM shop.customers c LEFT JOIN shop.orders o ON o.customer_id = c.customer_id "
        "AND o.status = 'completed' GROUP BY c.customer_id, c.region",
    ),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_scripts_of_other_dialects_are_translated_and_run(dialect: str) -> None:
    columns = TARGET.columns if dialect != "hive" else (TARGET.columns[0], *TARGET.columns[2:], TARGET.columns[1])
    analysis = analysis_of(TARGET.model_copy(update={"columns": columns}))

    report = tried(script_of(*DIALECTS[dialect], dialect=dialect), analysis=analysis, dialect=dialect)

    assert [(item.kind, english(item.text)) for item in report.failures] == []
    assert report.has_run
    assert report.translated


@pytest.mark.parametrize(("by", "failures"), [("c.customer_id", []), ("1", []), ("c.name", [CheckKind.RUNS])])
@pytest.mark.parametrize("dialect", ["postgres", "mysql", "sqlite"])
def test_a_column_that_the_key_of_a_grouping_decides_may_be_selected(dialect: str, by: str, failures: list[CheckKind]) -> None:
    """These dialects let it; a name that several customers share decides nothing."""
    grouped = REVENUE.replace("GROUP BY c.customer_id, c.region", f"GROUP BY {by}")

    assert failed(tried(script_of(DROP, grouped, dialect=dialect), dialect=dialect)) == failures


def test_mysql_replaces_by_key_without_naming_it() -> None:
    brought = REVENUE.partition("AS\n")[2]
    upsert = (
        f"INSERT INTO mart.customer_revenue {brought} ON DUPLICATE KEY UPDATE region = VALUES(region), orders = VALUES(orders), "
        "revenue = VALUES(revenue)"
    )

    report = tried(script_of(upsert, dialect="mysql"), analysis=analysis_of(UPSERT), dialect="mysql")

    assert report.has_run
    assert failed(report) == []


@pytest.mark.parametrize(
    "statement",
    [
        "CALL refresh_everything()",
        "SELECT customer_id, some_udf_of_theirs(region) AS r FROM shop.customers",
        "SELECT * FROM somewhere.unknown",
        "this is not sql at all (",
    ],
)
def test_what_cannot_be_tried_is_said_and_never_passes(statement: str) -> None:
    report = tried(script_of(DROP, REVENUE, statement))

    assert not report.has_run
    assert check(report, CheckKind.RUNS).status is CheckStatus.NOT_TRIED
    assert report.not_tried
    assert all(english(text) != chinese(text) for text in report.not_tried)


TYPES = {
    "postgres": ("jsonb", "uuid", "int4range", "citext", "money", "inet", "timestamp with time zone", "integer[]", "numeric", "bytea",
                 "time", "interval", "serial", "name", "xml", "mood", "bit(3)", "USER-DEFINED", "ARRAY"),
    "mysql": ("enum('a','b')", "set('x','y')", "year", "mediumint", "tinyint(1)", "int(11)", "bigint unsigned", "json", "datetime(6)",
              "time", "varbinary(16)", "bit(1)", "point", "longtext"),
    "hive": ("map<string,int>", "array<struct<a:int,b:string>>", "struct<a:int>", "string", "binary", "decimal(38,18)"),
    "spark": ("interval day to second", "long", "timestamp_ntz", "array<string>"),
    "trino": ("row(a integer, b varchar)", "timestamp(3) with time zone", "ipaddress", "map(varchar, integer)", "time(3)", "hyperloglog"),
    "duckdb": ("HUGEINT", "STRUCT(a INTEGER)", "INTEGER[]", "ENUM('a','b')", "BLOB", "TIMESTAMP WITH TIME ZONE", "INTERVAL", "JSON", ""),
}  # fmt: skip


@pytest.mark.parametrize("dialect", TYPES)
def test_tables_with_any_type_of_column_can_be_made(dialect: str) -> None:
    columns = [ColumnDetail(name=f"列 {number}", type=kind) for number, kind in enumerate(TYPES[dialect])]
    table = TableDetail(
        name='odd"name', schema_name="shop", columns=(ColumnDetail(name="id", type="integer"), *columns), primary_key=("id",)
    )
    quoted = 'shop.`odd"name`' if dialect in ("mysql", "hive", "spark") else 'shop."odd""name"'
    script = script_of(DROP, f"CREATE TABLE mart.customer_revenue AS SELECT * FROM {quoted} AS t", dialect=dialect)
    target = TARGET.model_copy(update={"columns": (), "key": ("id",), "keeps_all": ""})

    report = trial(analysis_of(target, reads=('shop.odd"name',)), workflow_of(script, dialect=dialect), [script], [table], dialect=dialect)

    assert [english(text) for text in report.not_tried] == []
    assert failed(report) == []
    assert report.has_run


def test_a_table_without_known_columns_is_said() -> None:
    bare = TableDetail(name="orders", schema_name="shop", columns=())
    script = script_of(DROP, REVENUE)

    report = trial(analysis_of(), workflow_of(script), [script], (CUSTOMERS, bare), dialect="duckdb")

    assert not report.has_run
    assert failed(report) == []
    assert "shop.orders" in english(report.not_tried[0])


def test_a_job_without_sql_is_said() -> None:
    workflow = workflow_of(script_of(DROP, REVENUE), script_of("SELECT 1", job="copy", target="x"))

    report = trial(analysis_of(), workflow, [script_of(DROP, REVENUE)], TABLES, dialect="duckdb")

    assert [english(text) for text in report.not_tried] == ["The job `copy` runs with SPARK_SQL and has no SQL, so it was not tried."]


def test_a_target_that_stays_empty_is_not_called_tried() -> None:
    report = tried(
        script_of(DROP, REVENUE.replace("GROUP BY", "WHERE 1 = 0 GROUP BY")),
        analysis=analysis_of(TARGET.model_copy(update={"keeps_all": ""})),
    )

    assert check(report, CheckKind.NOT_EMPTY).status is CheckStatus.NOT_TRIED


@pytest.mark.parametrize("language", ["en", "zh"])
def test_reports_are_said_in_the_readers_language(language: str) -> None:
    reports = [tried(script_of(DROP, REVENUE)), tried(script_of(REVENUE)), tried(script_of(DROP, REVENUE.replace("LEFT JOIN", "JOIN")))]

    texts = [item.text for report in reports for item in report.checks if item.kind is not CheckKind.RUNS]

    assert [(english(text), foreign_words(text, language)) for text in texts if foreign_words(text, language)] == []


BY_DAY = analysis_of(
    EtlTarget(
        table="mart.daily",
        columns=(
            TargetColumn(name="customer_id", type="integer"),
            TargetColumn(name="day", type="date"),
            TargetColumn(name="n", type="bigint"),
        ),
        key=("customer_id", "day"),
        mode=WriteMode.UPSERT,
        exists=True,
    ),
    reads=("shop.orders",),
)
DAILY = TableDetail(
    name="daily",
    schema_name="mart",
    columns=(
        ColumnDetail(name="customer_id", type="integer"),
        ColumnDetail(name="day", type="date"),
        ColumnDetail(name="n", type="bigint"),
    ),
    primary_key=("customer_id", "day"),
)


@pytest.mark.parametrize(
    ("deleted", "is_right"),
    [
        ("WHERE day IN (SELECT CAST(ordered_at AS DATE) FROM shop.orders)", True),
        ("WHERE date_trunc('month', day) IN (SELECT date_trunc('month', ordered_at) FROM shop.orders)", True),
        ("WHERE day >= (SELECT MAX(day) FROM mart.daily) - INTERVAL '30' DAY", True),
        ("", False),
    ],
)
def test_days_of_a_target_may_be_replaced_and_those_that_the_source_no_longer_has_stay(deleted: str, is_right: bool) -> None:
    since = "WHERE CAST(ordered_at AS DATE) > COALESCE((SELECT MAX(day) FROM mart.daily), DATE '1900-01-01')" if "MAX" in deleted else ""
    insert = f"INSERT INTO mart.daily SELECT customer_id, CAST(ordered_at AS DATE), COUNT(*) FROM shop.orders {since} GROUP BY ALL"
    script = script_of(f"DELETE FROM mart.daily {deleted}", insert, target="mart.daily")

    report = trial(BY_DAY, workflow_of(script), [script], (*TABLES, DAILY), dialect="duckdb")

    assert failed(report) == ([] if is_right else [CheckKind.INCREMENT])
    assert is_right or "are lost" in english(check(report, CheckKind.INCREMENT).text)


@pytest.mark.parametrize(("conflict", "is_right"), [("DO NOTHING", True), ("DO UPDATE SET status = excluded.status", False)])
def test_rows_that_are_only_appended_do_not_change_with_the_source(conflict: str, is_right: bool) -> None:
    columns = (TargetColumn(name="order_id", type="integer"), TargetColumn(name="status", type="varchar"))
    copies = EtlTarget(table="mart.copies", columns=columns, key=("order_id",), mode=WriteMode.APPEND, exists=True)
    known = TableDetail(
        name="copies",
        schema_name="mart",
        columns=tuple(ColumnDetail(name=column.name, type=column.type) for column in columns),
        primary_key=("order_id",),
    )
    insert = f"INSERT INTO mart.copies SELECT order_id, status FROM shop.orders ON CONFLICT (order_id) {conflict}"
    script = script_of(insert, target="mart.copies")
    analysis = analysis_of(copies, reads=("shop.orders",))

    report = trial(analysis, workflow_of(script), [script], (*TABLES, known), dialect="duckdb")

    assert failed(report) == ([] if is_right else [CheckKind.INCREMENT])
    assert is_right or "lost or changed" in english(check(report, CheckKind.INCREMENT).text)


@pytest.mark.parametrize(
    ("later", "text"),
    [
        (("2024-02-01", "9999-12-31", "open"), ""),
        (("2024-02-01", "9999-12-31", "paid"), "differ in nothing"),
        (("2024-03-01", "9999-12-31", "paid"), ""),  # nothing held in between
        (("2024-01-15", "9999-12-31", "open"), "overlap"),
    ],
)
def test_versions_that_follow_each_other_differ(later: tuple[str, str, str], text: str) -> None:
    kept = HistoryColumns(valid_from="since", valid_to="till")
    target = EtlTarget(table="mart.states", columns=(), key=("order_id",), mode=WriteMode.HISTORY, history=kept)
    rows = ((1, "2024-01-01", "2024-02-01", "paid"), (1, *later), (2, "2024-02-01", "9999-12-31", "paid"))

    found = check_versions(target, Answer(("order_id", "since", "till", "status"), ("INTEGER", "DATE", "DATE", "VARCHAR"), rows))

    assert (found is None) if not text else (found is not None and text in english(found.text))


def test_a_key_of_a_history_that_was_stored_without_its_beginning_may_have_versions() -> None:
    stored = {
        "table": "mart.states", "mode": "history", "columns": [{"name": "order_id"}, {"name": "Since"}], "key": ["order_id"],
        "history": {"valid_from": "since", "valid_to": "till"},
    }  # fmt: skip
    target = EtlTarget.model_validate(stored)
    found = Answer(("order_id", "Since"), ("INTEGER", "DATE"), ((1, "2024-01-01"), (1, "2024-02-01")))

    assert check_grain(target, found) is None
    assert target.key == ("order_id", "Since") == EtlTarget.model_validate_json(target.model_dump_json()).key
    assert EtlTarget.model_validate(stored | {"mode": "upsert"}).key == ("order_id",)


@pytest.mark.parametrize(
    ("type_", "keys", "is_unique"),
    [
        ("BIGINT", (10_000_000_001, 10_000_000_002), True),
        ("DECIMAL(18,2)", (Decimal("12345678901.01"), Decimal("12345678901.02")), True),
        ("VARCHAR", ("01", "1"), True),
        ("VARCHAR", ("4420794600011", "4420794600012"), True),
        ("DOUBLE", (0.1 + 0.2, 0.3), False),
        ("BIGINT", (7, 7), False),
    ],
)
def test_keys_are_equal_where_their_values_are(type_: str, keys: tuple[object, object], is_unique: bool) -> None:
    target = EtlTarget(table="facts", mode=WriteMode.OVERWRITE, columns=(TargetColumn(name="id"),), key=("id",))

    found = check_grain(target, Answer(("id",), (type_,), tuple((key,) for key in keys)))

    assert (found is None) is is_unique
