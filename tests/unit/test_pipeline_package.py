"""The package: what a data engineer would commit, run as its recipient runs it."""

import ast
import hashlib
import json
import re
import runpy
import sqlite3
import subprocess
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest
import yaml

from contracts.pipelines.analysis import AggregateWork, AnalysisResult, AnalysisStep, TargetColumn
from contracts.pipelines.expressions import ColumnOf, NamedExpression
from contracts.pipelines.package import PackageFile
from contracts.pipelines.script import ColumnLineage, SqlScript
from contracts.pipelines.wishes import PackageForm
from contracts.sql_review import WriteMode
from contracts.statements import Shown
from tests.support.campaign import sample
from tests.support.dbt import build, build_again, needs_dbt
from tests.support.openlineage import JOB_EVENT
from tests.support.pipelines import (
    DROP,
    KEPT,
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
from workers.engines.pipelines import package, trial
from workers.engines.pipelines.package.profiles import profile

BROUGHT = REVENUE.partition("AS\n")[2]
NEW = "mart.customer_revenue__new"
COLUMNS = "customer_id, region, orders, revenue"
WHOLE = script_of(DROP, REVENUE)
UPSERTED = script_of(
    f"INSERT INTO mart.customer_revenue ({COLUMNS}) {BROUGHT} ON CONFLICT (customer_id) DO UPDATE SET region = excluded.region, "
    "orders = excluded.orders, revenue = excluded.revenue WHERE excluded.orders >= customer_revenue.orders"
)
REPLACED = script_of(
    f"DROP TABLE IF EXISTS {NEW}",
    f"CREATE TABLE {NEW} AS {BROUGHT}",
    f"CREATE TABLE IF NOT EXISTS mart.customer_revenue AS SELECT {COLUMNS} FROM {NEW} WHERE FALSE",
    f"DELETE FROM mart.customer_revenue WHERE EXISTS (SELECT 1 FROM {NEW} AS new WHERE new.customer_id = customer_revenue.customer_id)",
    f"INSERT INTO mart.customer_revenue ({COLUMNS}) SELECT {COLUMNS} FROM {NEW}",
    f"DROP TABLE IF EXISTS {NEW}",
    temporary=(NEW,),
)
UPDATED = script_of(
    "UPDATE mart.customer_revenue SET revenue = 0 WHERE customer_id NOT IN (SELECT customer_id FROM shop.orders)",
    "INSERT INTO mart.customer_revenue "
    + BROUGHT.replace("GROUP BY", "WHERE c.customer_id NOT IN (SELECT customer_id FROM mart.customer_revenue) GROUP BY"),
)
SHAPES = {
    "a table": (WHOLE, TARGET, "table"),
    "an upsert": (UPSERTED, UPSERT, "incremental"),
    "replaced by key": (REPLACED, UPSERT.model_copy(update={"exists": False}), "incremental"),
    "a script": (UPDATED, UPSERT, "script"),
}


def packed(
    *scripts: SqlScript, form: PackageForm = PackageForm.SQL, analysis: AnalysisResult | None = None, text: Any = english,
    depends: dict[str, tuple[str, ...]] | None = None,
) -> tuple[PackageFile, ...]:  # fmt: skip
    found = analysis or analysis_of()
    tables = (*TABLES, KEPT) if found.target.exists else TABLES
    workflow = workflow_of(*scripts, depends=depends)
    report = trial(found, workflow, scripts, tables, dialect="duckdb")
    return package(found, workflow, scripts, (), report, tables, form=form, text=text)


def written(files: Sequence[PackageFile], folder: Path) -> Path:
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    return folder


def shop_in(path: Path) -> None:
    """The shop's tables with a few rows."""
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA shop; CREATE SCHEMA mart;")
        connection.execute("CREATE TABLE shop.customers (customer_id INTEGER PRIMARY KEY, name VARCHAR, region VARCHAR)")
        connection.execute("CREATE TABLE shop.orders (order_id INT, customer_id INT, status VARCHAR, amount DECIMAL(10,2))")
        connection.execute("INSERT INTO shop.customers VALUES (1, 'Ada', 'north'), (2, '林', '东'), (3, NULL, 'south')")
        connection.execute("INSERT INTO shop.orders VALUES (1, 1, 'completed', 10), (2, 1, 'completed', 5), (3, 2, 'failed', 7)")


def rows_in(path: Path, table: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [(row[0], row[1], row[2], float(row[3])) for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()]


RIGHT = [(1, "north", 2, 15.0), (2, "东", 0, 0.0), (3, "south", 0, 0.0)]


@needs_dbt
@pytest.mark.parametrize("shape", sample([*SHAPES], every=2))
def test_dbt_builds_the_project_twice_and_every_test_in_it_passes(shape: str, tmp_path: Path) -> None:
    script, target, materialized = SHAPES[shape]
    folder = written(packed(script, form=PackageForm.DBT, analysis=analysis_of(target)), tmp_path)
    shop_in(folder / "warehouse.duckdb")

    builds = [build_again(folder) for _ in range(2)]

    assert f"materialized='{materialized}'" in (folder / "models/customer_revenue.sql").read_text(encoding="utf-8")
    assert [(done.returncode, done.stdout[-1500:] if done.returncode else "") for done in builds] == [(0, ""), (0, "")]
    assert "ERROR=0" in builds[1].stdout
    assert rows_in(folder / "warehouse.duckdb", "mart.customer_revenue") == RIGHT


ADDED = script_of(f"INSERT INTO mart.customer_revenue ({COLUMNS}) {BROUGHT} ON CONFLICT (customer_id) DO NOTHING")


@needs_dbt
@pytest.mark.parametrize(("script", "mode"), [(REPLACED, WriteMode.UPSERT), (ADDED, WriteMode.APPEND)])
def test_dbt_goes_on_with_the_table_that_is_named(script: SqlScript, mode: WriteMode, tmp_path: Path) -> None:
    """dbt made another table, in a schema whose name began with that of the profile, and tested that."""
    target = UPSERT.model_copy(update={"mode": mode})
    folder = written(packed(script, form=PackageForm.DBT, analysis=analysis_of(target)), tmp_path)
    shop_in(folder / "warehouse.duckdb")
    with duckdb.connect(str(folder / "warehouse.duckdb")) as connection:
        types = "customer_id INTEGER PRIMARY KEY, region VARCHAR, orders BIGINT, revenue DECIMAL(12,2)"
        connection.execute(f"CREATE TABLE mart.customer_revenue ({types})")
        connection.execute("INSERT INTO mart.customer_revenue VALUES (1, 'north', 1, 1), (9, 'before', 1, 1)")

    done = build_again(folder)

    assert (done.returncode, done.stdout[-1500:] if done.returncode else "") == (0, "")
    first = RIGHT[0] if mode is WriteMode.UPSERT else (1, "north", 1, 1.0)
    assert rows_in(folder / "warehouse.duckdb", "mart.customer_revenue") == [first, *RIGHT[1:], (9, "before", 1, 1.0)]


@needs_dbt
def test_dbt_makes_a_table_with_the_key_that_its_script_needs(tmp_path: Path) -> None:
    target = UPSERT.model_copy(update={"mode": WriteMode.APPEND})
    folder = written(packed(ADDED, form=PackageForm.DBT, analysis=analysis_of(target)), tmp_path)
    shop_in(folder / "warehouse.duckdb")

    done = build_again(folder)

    assert (done.returncode, done.stdout[-1500:] if done.returncode else "") == (0, "")
    assert rows_in(folder / "warehouse.duckdb", "mart.customer_revenue") == RIGHT


def test_a_dbt_model_says_the_database_of_its_table() -> None:
    wanted = TARGET.model_copy(update={"table": "warehouse.mart.customer_revenue"})
    script = script_of(REVENUE.replace("mart.", "warehouse.mart."), target=wanted.table)

    files = {file.path: file.text for file in packed(script, form=PackageForm.DBT, analysis=analysis_of(wanted))}

    assert "schema='mart', database='warehouse'" in files["models/customer_revenue.sql"]


@needs_dbt
def test_dbt_tests_fail_where_a_promise_is_broken(tmp_path: Path) -> None:
    folder = written(packed(script_of(DROP, REVENUE.replace("LEFT JOIN", "JOIN")), form=PackageForm.DBT), tmp_path)
    shop_in(folder / "warehouse.duckdb")

    done = build(folder)

    assert done.returncode == 1
    assert "customer_revenue_keeps_rows" in done.stdout


def test_a_name_that_bigquery_quotes_as_a_whole_is_no_quotation_around_the_template() -> None:
    """`` FROM `{{ source(...) }}` `` is a table of that name."""
    query = "SELECT customer_id, COUNT(*) AS orders FROM `acme-prod.shop.orders` GROUP BY customer_id"
    script = script_of("DROP TABLE IF EXISTS mart.customer_revenue", f"CREATE TABLE mart.customer_revenue AS {query}", dialect="bigquery")
    found, workflow = analysis_of(reads=("shop.orders",)), workflow_of(script).model_copy(update={"dialect": "bigquery"})
    report = trial(found, workflow, (script,), TABLES, dialect="bigquery")

    files = package(found, workflow, (script,), (), report, TABLES, form=PackageForm.DBT, text=english)

    (model,) = [file.text for file in files if file.path.startswith("models/") and file.path.endswith(".sql")]
    assert "FROM {{ source('shop', 'orders') }} AS orders" in model


def test_jobs_refer_to_each_other_in_dbt_and_wait_for_each_other_in_airflow() -> None:
    first = script_of(
        "DROP TABLE IF EXISTS mart.done",
        "CREATE TABLE mart.done AS SELECT * FROM shop.orders WHERE status = 'completed'",
        job="first",
        target="mart.done",
    )
    second = script_of(DROP, REVENUE.replace("shop.orders", "mart.done"), job="second")

    files = {file.path: file.text for file in packed(first, second, form=PackageForm.DBT, depends={"second": ("first",)})}
    flow = json.loads({file.path: file.text for file in packed(first, second, depends={"second": ("first",)})}["pipeline.json"])

    assert "FROM {{ source('shop', 'customers') }} AS c" in files["models/customer_revenue.sql"]
    assert "LEFT JOIN {{ ref('done') }} AS o" in files["models/customer_revenue.sql"]
    assert [(job["job"], job["depends"]) for job in flow["jobs"]] == [("first", []), ("second", ["first"])]


@pytest.mark.parametrize(
    ("by", "text", "tests"), [(("customer_id",), english, []), (("customer_id", "status"), chinese, ["done_key_is_unique"])]
)
def test_a_table_on_the_way_says_what_its_rows_are_and_its_key_is_tested(by: tuple[str, ...], text: Any, tests: list[str]) -> None:
    """A key of one column is a test of dbt; one of several is a query."""
    columns = ", ".join(by)
    first = script_of(
        "DROP TABLE IF EXISTS mart.done",
        f"CREATE TABLE mart.done AS SELECT {columns}, COUNT(*) AS orders FROM shop.orders GROUP BY {columns}",
        job="first",
        target="mart.done",
    ).model_copy(
        update={"lineage": (*(ColumnLineage(column=item, origins=(("shop.orders", item),)) for item in by), ColumnLineage(column="orders"))}
    )
    grouped = AnalysisStep(
        id="done", name="group",
        work=AggregateWork(input="orders", by=tuple(NamedExpression(name=item, value=ColumnOf(step="orders", name=item)) for item in by)),
    )  # fmt: skip
    analysis = analysis_of()
    analysis = analysis.model_copy(update={"steps": (*analysis.steps, grouped)})
    second = script_of(DROP, REVENUE, job="second")
    workflow = workflow_of(first, second, depends={"second": ("first",)})
    jobs = (workflow.jobs[0].model_copy(update={"step_ids": ("done",)}), *workflow.jobs[1:])
    workflow = workflow.model_copy(update={"jobs": jobs})

    files = {f.path: f.text for f in package(analysis, workflow, (first, second), (), None, TABLES, form=PackageForm.DBT, text=text)}
    model = yaml.safe_load(files["models/models.yml"])["models"][0]

    assert model["name"] == "done"
    assert ("One row for each" in model["description"]) == (text is english)
    assert ("unique" in model["columns"][0].get("data_tests", [])) == (not tests)
    assert [path for path in files if path.startswith("tests/done")] == [f"tests/{name}.sql" for name in tests]
    assert model["columns"][0] | {"data_tests": []} == {
        "name": "customer_id", "description": text(analysis.target.columns[0].description), "data_type": "integer", "data_tests": [],
    }  # fmt: skip
    assert "not_null" in model["columns"][0]["data_tests"]


def test_a_table_on_the_way_that_was_designed_has_its_key_tested_and_its_columns_described() -> None:
    """Its steps are known in words only, so that nothing else says its key."""
    first = script_of(
        "DROP TABLE IF EXISTS mart.done",
        "CREATE TABLE mart.done AS SELECT order_id, SUM(amount) AS Paid FROM shop.orders GROUP BY order_id",
        job="first",
        target="mart.done",
    )
    second = script_of(DROP, REVENUE, job="second")
    workflow = workflow_of(first, second, depends={"second": ("first",)})
    columns = (
        TargetColumn(name="order_id", type="BIGINT"),
        TargetColumn(name="Paid", type="DECIMAL(12,2)", description="What was paid"),
    )
    stage = workflow.jobs[0].stages[0].model_copy(update={"columns": columns, "key": ("order_id",)})
    workflow = workflow.model_copy(update={"jobs": (workflow.jobs[0].model_copy(update={"stages": (stage,)}), *workflow.jobs[1:])})

    files = package(analysis_of(), workflow, (first, second), (), None, TABLES, form=PackageForm.DBT, text=english)
    model = yaml.safe_load(next(file.text for file in files if file.path == "models/models.yml"))["models"][0]

    key, paid = model["columns"]
    assert (key["name"], key["data_type"], key["data_tests"]) == ("order_id", "BIGINT", ["unique"])
    assert (paid["data_type"], paid["description"]) == ("DECIMAL(12,2)", "What was paid")


def test_the_runner_runs_the_jobs_and_the_tests(tmp_path: Path) -> None:
    folder = written(packed(WHOLE), tmp_path)
    shop_in(folder / "warehouse.duckdb")

    runs = [
        subprocess.run([sys.executable, "run.py", "warehouse.duckdb"], cwd=folder, capture_output=True, text=True, check=False)
        for _ in range(2)
    ]

    assert [(run.returncode, run.stderr) for run in runs] == [(0, ""), (0, "")]
    assert runs[0].stdout.count("ok    ") == 3
    assert rows_in(folder / "warehouse.duckdb", "mart.customer_revenue") == RIGHT


def test_the_runner_writes_an_sqlite_file_and_leaves_nothing_of_a_job_that_fails(tmp_path: Path) -> None:
    folder = written(packed(WHOLE), tmp_path)
    run = runpy.run_path(str(folder / "run.py"))
    file = tmp_path / "warehouse.sqlite"
    job = {"job": "made", "retries": 0, "retry_delay_s": 0, "file": "sql/made.sql"}
    connection = run["connect"]("sqlite", str(file))
    (folder / "sql" / "made.sql").write_text("CREATE TABLE made AS SELECT 1 AS n;\n", encoding="utf-8")
    run["run_job"](connection, job)
    (folder / "sql" / "made.sql").write_text("DROP TABLE made;\n-- next statement\nSELECT no_such_column;\n", encoding="utf-8")

    with pytest.raises(sqlite3.OperationalError, match="no_such_column"):
        run["run_job"](connection, job)

    connection.close()
    assert sqlite3.connect(file).execute("SELECT n FROM made").fetchall() == [(1,)]
    assert profile("p", "sqlite")["p"]["outputs"]["dev"]["type"] == "sqlite"


def test_the_runner_leaves_nothing_of_a_job_that_fails_and_says_which_test_is_broken(tmp_path: Path) -> None:
    folder = written(packed(script_of(DROP, REVENUE.replace("LEFT JOIN", "JOIN"))), tmp_path)
    shop_in(folder / "warehouse.duckdb")

    broken = subprocess.run([sys.executable, "run.py", "warehouse.duckdb"], cwd=folder, capture_output=True, text=True, check=False)
    before = rows_in(folder / "warehouse.duckdb", "mart.customer_revenue")
    path = next((folder / "sql").iterdir())
    path.write_text(path.read_text(encoding="utf-8") + "\n-- next statement\nSELECT no_such_column FROM shop.orders;\n", encoding="utf-8")
    flow = json.loads((folder / "pipeline.json").read_text(encoding="utf-8"))
    flow["jobs"][0]["retries"] = 0
    (folder / "pipeline.json").write_text(json.dumps(flow), encoding="utf-8")
    failing = subprocess.run([sys.executable, "run.py", "warehouse.duckdb"], cwd=folder, capture_output=True, text=True, check=False)

    assert broken.returncode == 1
    assert "FAILED tests/customer_revenue_keeps_rows.sql" in broken.stdout
    assert failing.returncode == 1
    assert "no_such_column" in failing.stderr
    assert rows_in(folder / "warehouse.duckdb", "mart.customer_revenue") == before


def test_what_lasts_is_said_at_once_and_not_tried_again(tmp_path: Path) -> None:
    """A schema that was not there was tried four times in three minutes, and no attempt said why it failed."""
    folder = written(packed(WHOLE), tmp_path)
    shop_in(folder / "warehouse.duckdb")
    with duckdb.connect(str(folder / "warehouse.duckdb")) as connection:
        connection.execute("DROP SCHEMA mart CASCADE")
    flow = json.loads((folder / "pipeline.json").read_text(encoding="utf-8"))
    assert flow["jobs"][0]["retries"] > 0

    failing = subprocess.run([sys.executable, "run.py", "warehouse.duckdb"], cwd=folder, capture_output=True, text=True, check=False)
    run = runpy.run_path(str(folder / "run.py"))

    assert failing.returncode == 1
    assert failing.stderr.startswith("revenue: failed: Catalog Error")
    assert "mart" in failing.stderr
    assert "Traceback" not in failing.stderr
    assert "next attempt" not in failing.stderr
    assert not run["is_lasting"](sqlite3.OperationalError("database is locked"))
    assert "`CREATE SCHEMA IF NOT EXISTS mart`" in (folder / "README.md").read_text(encoding="utf-8")


class Operator:
    """What the DAG needs of an Airflow operator."""

    made: list["Operator"] = []

    def __init__(self, **given: Any) -> None:
        self.given, self.downstream_task_ids = given, set[str]()
        Operator.made.append(self)

    def __rshift__(self, other: "Operator") -> "Operator":
        self.downstream_task_ids.add(other.given["task_id"])
        return other

    def __rrshift__(self, others: list["Operator"]) -> "Operator":
        for other in others:
            other.downstream_task_ids.add(self.given["task_id"])
        return self


class Dag:
    """What the file needs of a DAG."""

    made: list[dict[str, Any]] = []

    def __init__(self, **given: Any) -> None:
        Dag.made.append(given)

    def __enter__(self) -> "Dag":
        return self

    def __exit__(self, *_: object) -> None:
        return None


def test_the_dag_has_a_task_for_each_job_and_each_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(packed(WHOLE, form=PackageForm.AIRFLOW), tmp_path)
    source = (folder / "dags/customer_revenue.py").read_text(encoding="utf-8")
    for name in ("airflow", "airflow.sdk", "airflow.providers", "airflow.providers.common", "airflow.providers.common.sql"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    operators: Any = types.ModuleType("airflow.providers.common.sql.operators.sql")
    operators.SQLExecuteQueryOperator, operators.SQLCheckOperator = type("Run", (Operator,), {}), type("Check", (Operator,), {})
    monkeypatch.setitem(sys.modules, "airflow.providers.common.sql.operators", types.ModuleType("operators"))
    monkeypatch.setitem(sys.modules, "airflow.providers.common.sql.operators.sql", operators)
    sys.modules["airflow.sdk"].DAG = Dag  # type: ignore[attr-defined]
    pendulum: Any = types.ModuleType("pendulum")
    pendulum.datetime = lambda *moment, tz: (*moment, tz)
    monkeypatch.setitem(sys.modules, "pendulum", pendulum)
    Operator.made.clear()
    Dag.made.clear()

    exec(compile(ast.parse(source), "dag.py", "exec"), {"__file__": str(folder / "dags/customer_revenue.py"), "__name__": "dag"})  # noqa: S102 the file is what is tested

    assert Dag.made[0]["dag_id"] == "customer_revenue"
    assert Dag.made[0]["schedule"] == "0 3 * * *"
    assert Dag.made[0]["start_date"] == (2024, 1, 1, "UTC")
    tasks = {made.given["task_id"]: made for made in Operator.made}
    assert tasks["revenue"].given["sql"][0].endswith(DROP)
    assert tasks["revenue"].downstream_task_ids == {name for name in tasks if name.startswith("test_")} != set()
    assert all(type(made).template_fields == () for made in Operator.made)  # type: ignore[attr-defined]


AIRFLOW = Path(sys.prefix, "airflow", "bin", "python")


@pytest.mark.skipif(not AIRFLOW.exists(), reason="Airflow is not installed beside the tests; the DAG was checked without it")
def test_airflow_itself_reads_the_dag(tmp_path: Path) -> None:
    folder = written(packed(WHOLE, form=PackageForm.AIRFLOW), tmp_path)
    program = (
        "import runpy, sys; found = runpy.run_path(sys.argv[1]); dag = found['dag']; "
        "print(dag.dag_id, sorted((task.task_id, sorted(task.downstream_task_ids)) for task in dag.tasks))"
    )

    done = subprocess.run(
        [str(AIRFLOW), "-c", program, str(folder / "dags/customer_revenue.py")], capture_output=True, text=True, check=False,
        env={"AIRFLOW_HOME": str(tmp_path / "airflow"), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip

    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("customer_revenue [('revenue', ['test_")


def test_lineage_is_openlineage_with_columns() -> None:
    script = WHOLE.model_copy(
        update={"lineage": (ColumnLineage(column="revenue", origins=(("shop.orders", "amount"),)), ColumnLineage(column="orders"))}
    )

    stated, found = (
        json.loads({file.path: file.text for file in packed(each)}["lineage/customer_revenue.json"]) for each in (script, WHOLE)
    )

    for event in (stated, found):
        jsonschema.validate(event, JOB_EVENT, format_checker=jsonschema.FormatChecker())
        assert [(item["namespace"], item["name"]) for item in event["inputs"]] == [("shop", "shop.customers"), ("shop", "shop.orders")]
    fields = found["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert {(item["name"], item["field"]) for item in fields["region"]["inputFields"]} == {("shop.customers", "region")}
    assert ("shop.orders", "amount") in {(item["name"], item["field"]) for item in fields["revenue"]["inputFields"]}
    assert stated["outputs"][0]["facets"]["columnLineage"]["fields"]["orders"] == {"inputFields": []}


@pytest.mark.parametrize("form", PackageForm)
def test_equal_jobs_give_equal_files(form: PackageForm) -> None:
    files = packed(WHOLE, form=form)

    assert files == packed(WHOLE, form=form)
    for file in files:
        data = file.text.encode("utf-8")
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (file.sha256, file.bytes)


HOSTILE = "x'); DROP TABLE t; --\n{{ env_var('SECRET') }} {% raw %} <script> ../../etc | `id` \"\"\" \\"


@pytest.mark.parametrize("form", PackageForm)
def test_user_text_is_never_a_path_a_template_or_a_program(form: PackageForm, tmp_path: Path) -> None:
    target = TARGET.model_copy(
        update={"description": HOSTILE, "columns": tuple(column.model_copy(update={"description": HOSTILE}) for column in TARGET.columns)}
    )
    analysis = analysis_of(target, assumptions=(HOSTILE,)).model_copy(update={"summary": HOSTILE, "requirement": HOSTILE})
    script = script_of(DROP, REVENUE.replace("'completed'", "'{{ completed }}'")).model_copy(update={"says": (HOSTILE,)})

    files = packed(script, form=form, analysis=analysis)

    assert all(re.fullmatch(r"\.gitignore|[A-Za-z0-9_]+(/[A-Za-z0-9_]+)?\.(md|json|sql|yml|py)", file.path) for file in files)
    if form is PackageForm.DBT:
        for file in files:
            if file.path.endswith((".sql", ".yml")):
                assert not re.search(
                    r"\{\{ env_var\('SECRET'|\{\{ completed|\{% raw", file.text.replace("{{ '{{' }}", "").replace("{{ '{%' }}", "")
                )
            if file.path.endswith(".yml"):
                yaml.safe_load(file.text)
    for file in files:
        if file.path.endswith(".py"):
            assert "SECRET" not in file.text
        if file.path.startswith(("sql/", "models/")) and file.path.endswith(".sql"):
            lines = [line for line in file.text.splitlines() if "DROP TABLE t" in line]
            assert all(line.startswith(("--", "COMMENT ON ")) for line in lines)  # as a comment, or within one literal


def test_a_requirement_cannot_end_the_block_that_quotes_it() -> None:
    analysis = analysis_of().model_copy(update={"requirement": "Build x.\n```\n# not a heading\n````\n| a | b |"})

    readme = next(file.text for file in packed(WHOLE, analysis=analysis) if file.path == "README.md")

    assert "`````text\nBuild x.\n```\n# not a heading\n````\n| a | b |\n`````" in readme


def test_a_name_that_is_no_identifier_gives_way_to_the_job() -> None:
    target = TARGET.model_copy(update={"table": 'mart."../客户"', "keeps_all": ""})

    files = packed(
        script_of('CREATE OR REPLACE TABLE mart."../客户" AS SELECT 1 AS customer_id', target='mart."../客户"'),
        analysis=analysis_of(target, reads=()),
    )

    assert "sql/01_revenue.sql" in {file.path for file in files}
    assert all(".." not in file.path for file in files)


@pytest.mark.parametrize(("text", "wanted"), [(english, "## What it makes"), (chinese, "## 产出")])
def test_the_readme_is_in_the_readers_language(text: Any, wanted: str) -> None:
    analysis = analysis_of(assumptions=("Failed orders are left out.",))

    readme = next(file.text for file in packed(WHOLE, analysis=analysis, text=text) if file.path == "README.md")

    assert wanted in readme
    assert "Failed orders are left out." in readme
    assert "```text\n" in readme
    assert "每个客户一行。\n" in readme
    assert "| `revenue` | `decimal(12,2)` |" in readme


def said_raw(shown: Shown) -> str:
    return shown if isinstance(shown, str) else shown.model_dump_json()


def test_a_package_needs_no_catalogue_of_texts() -> None:
    assert packed(WHOLE, text=said_raw)


@pytest.mark.parametrize("form", [PackageForm.SQL, pytest.param(PackageForm.DBT, marks=needs_dbt)])
def test_what_the_table_is_stands_in_the_files_and_in_the_database(form: PackageForm, tmp_path: Path) -> None:
    files = packed(WHOLE, form=form)
    folder = written(files, tmp_path)
    shop_in(folder / "warehouse.duckdb")

    if form is PackageForm.DBT:
        done = build_again(folder)
    else:
        done = subprocess.run([sys.executable, "run.py", "warehouse.duckdb"], cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout[-1500:]
    with duckdb.connect(str(folder / "warehouse.duckdb"), read_only=True) as connection:
        tables = connection.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'customer_revenue'").fetchall()
        columns = connection.execute(
            "SELECT comment FROM duckdb_columns() WHERE table_name = 'customer_revenue' AND column_name = 'revenue'"
        ).fetchall()
    assert tables == [("Revenue a customer | 每个客户的收入",)]
    assert columns == [("completed orders; 0 without any",)]
    assert "每个客户的收入" in next(file.text for file in files if file.path == "README.md")
