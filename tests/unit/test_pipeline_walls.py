"""The walls around a trial: no files, no network, no settings, and memory and time that the operating system holds."""

from pathlib import Path

import pytest

from contracts.pipelines.trial import CheckKind
from tests.support.pipelines import TABLES, analysis_of, english, script_of, workflow_of
from workers.engines.pipelines import trial
from workers.engines.pipelines.warehouse import Limits, WarehouseError, open_warehouse

QUICK = Limits(statement_s=1.0)

FORBIDDEN = [
    "COPY (SELECT 1) TO '{0}/out.csv'",
    "COPY t FROM '/etc/passwd'",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT content FROM read_text('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/*')",
    "ATTACH '{0}/other.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SELECT * FROM read_parquet('https://example.com/x.parquet')",
    "EXPORT DATABASE '{0}/export'",
    "SET memory_limit = '100GB'",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "PRAGMA profiling_output = '{0}/profile.json'",
    "CREATE SECRET s (TYPE S3)",
    "SELECT getenv('PATH')",
]
ENDLESS = [
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "SELECT count(*) FROM range(10000000) a, range(10000000) b",
    "CREATE TABLE big AS SELECT repeat('x', 1000) AS s FROM range(100000000)",
]
HUGE = [
    "SELECT repeat('x', 2000000000)",
    "SELECT count(*) FROM (SELECT unnest(range(100000000)))",
    "SELECT printf('%2000000000d', 1)",
    "SELECT list(repeat('x', 1000)) FROM range(100000000)",
]


def test_nothing_outside_the_process_can_be_read_written_or_set(tmp_path: Path) -> None:
    with open_warehouse() as warehouse:
        warehouse.run("CREATE TABLE t (line VARCHAR)")

        for statement in FORBIDDEN:
            with pytest.raises(WarehouseError):
                warehouse.run(statement.format(tmp_path))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("statement", [*ENDLESS, *HUGE])
def test_a_statement_that_would_take_all_time_or_memory_is_ended(statement: str) -> None:
    with open_warehouse(QUICK) as warehouse, pytest.raises(WarehouseError) as refused:
        warehouse.run(statement)

    assert refused.value.kind in ("OutOfTime", "OutOfMemory")


def test_a_script_that_does_not_end_fails_its_trial() -> None:
    endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
    script = script_of("CREATE TABLE mart.customer_revenue AS " + endless)

    report = trial(analysis_of(reads=()), workflow_of(script), [script], TABLES, dialect="duckdb", limits=QUICK)

    assert [check.kind for check in report.failures] == [CheckKind.RUNS]
    assert "did not end within 1 seconds" in english(report.failures[0].text)


@pytest.mark.parametrize(
    "statement", ["COPY shop.customers TO '/tmp/x.csv'", "ATTACH 'x.db' AS x", "INSTALL httpfs", "PRAGMA database_list"]
)
def test_statements_about_the_engine_are_not_even_given_to_it(statement: str) -> None:
    script = script_of("CREATE OR REPLACE TABLE mart.customer_revenue AS SELECT 1 AS customer_id", statement)

    report = trial(analysis_of(), workflow_of(script), [script], TABLES, dialect="duckdb")

    assert not report.has_run
    assert report.target_rows == 0
    assert report.not_tried


def test_a_warehouse_ends_with_its_trial() -> None:
    with open_warehouse() as warehouse:
        assert warehouse.run("SELECT 1").rows == ((1,),)

    with pytest.raises(WarehouseError, match="has ended"):
        warehouse.run("SELECT 1")
