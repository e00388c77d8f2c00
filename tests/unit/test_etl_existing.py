"""SQL that people have already becomes a specification: what it says is taken, what it does not say is asked for, and no Jinja is run."""

import subprocess
from pathlib import Path

import duckdb
import pytest
import sqlglot
import yaml

from contracts.existing_sql import ExistingSql
from contracts.pipelines.analysis import AnalysisResult
from contracts.sql_review import WriteMode
from contracts.tables import ColumnDetail, TableDetail
from tests.support.dbt import DBT, needs_dbt
from workers.errors import InvalidInput, NotFound
from workers.kinds.base import DraftedSpec
from workers.kinds.etl.existing import existing_spec
from workers.kinds.etl.existing.jinja import NeedsDbt, compiled
from workers.kinds.etl.existing.stated import key_of, mode_of, units_of
from workers.kinds.etl.rules.specification import analysis_in
from workers.saying import text_of

A_QUERY = "SELECT city, COUNT(*) AS n FROM orders GROUP BY city"


def table(name: str, *columns: str, key: str = "") -> TableDetail:
    typed = tuple(ColumnDetail(name=column.split()[0], type=column.split()[1]) for column in columns)
    return TableDetail(name=name, schema_name="main", columns=typed, primary_key=(key,) if key else ())


TABLES = (
    table("orders", "order_id INTEGER", "customer_id INTEGER", "amount DOUBLE", "updated_at TIMESTAMP", key="order_id"),
    table("payments", "payment_id INTEGER", "order_id INTEGER", "paid DOUBLE", key="payment_id"),
)


def spec_of(**given: object) -> DraftedSpec:
    return existing_spec(ExistingSql.model_validate(given), "shop", "duckdb")


def analysis_of(text: str) -> AnalysisResult:
    return analysis_in(text, "shop", "duckdb", TABLES)


@pytest.mark.parametrize(
    ("sql", "target", "mode", "key"),
    [
        (f"CREATE OR REPLACE TABLE mart.t AS {A_QUERY}", "mart.t", WriteMode.OVERWRITE, ("city",)),
        (f"CREATE VIEW t AS {A_QUERY}", "t", WriteMode.OVERWRITE, ("city",)),
        (f"TRUNCATE TABLE t; INSERT INTO t (town, n) {A_QUERY}", "t", WriteMode.OVERWRITE, ("town",)),
        (f"INSERT INTO t {A_QUERY}", "t", WriteMode.APPEND, ("city",)),
        ("INSERT INTO t SELECT a, b FROM s", "t", WriteMode.APPEND, None),
        ("INSERT INTO t SELECT a, (SELECT MAX(p.b) FROM p WHERE p.a = s.a) AS b FROM s", "t", WriteMode.APPEND, None),
        ("INSERT INTO t SELECT a, b * 100 / (SELECT SUM(b) FROM s) AS b FROM s", "t", WriteMode.APPEND, None),
        ("INSERT INTO t SELECT a, SUM(b) OVER () AS b FROM s", "t", WriteMode.APPEND, None),
        ("INSERT INTO t SELECT MAX(a) AS a, (SELECT COUNT(*) FROM p) AS b FROM s", "t", WriteMode.APPEND, ()),
        ("INSERT INTO t SELECT a, b FROM s ON CONFLICT (a) DO NOTHING", "t", WriteMode.APPEND, ("a",)),
        ("INSERT INTO t SELECT a, b FROM s ON CONFLICT (a) DO UPDATE SET b = excluded.b", "t", WriteMode.UPSERT, ("a",)),
        (
            "MERGE INTO t USING s ON t.a = s.a AND s.c = t.c WHEN MATCHED THEN UPDATE SET b = s.b "
            "WHEN NOT MATCHED THEN INSERT (a, b, c) VALUES (s.a, s.b, s.c)",
            "t", WriteMode.UPSERT, ("a", "c"),
        ),
        ("DELETE FROM t WHERE a IN (SELECT a FROM s); INSERT INTO t SELECT a, b FROM s", "t", WriteMode.UPSERT, ("a",)),
        ("DELETE FROM t WHERE d >= '2025-01-01'; INSERT INTO t SELECT a, d FROM s", "t", None, None),
        ("CREATE TABLE IF NOT EXISTS t (a INT PRIMARY KEY, b INT); INSERT INTO t SELECT a, b FROM s", "t", WriteMode.APPEND, ("a",)),
        ("CREATE TABLE t AS WITH x AS (SELECT DISTINCT a, b FROM s) SELECT * FROM x", "t", WriteMode.OVERWRITE, ("a", "b")),
        ("CREATE TABLE t AS SELECT SUM(a) AS a FROM s -- by customer", "t", WriteMode.OVERWRITE, ()),
        ("CREATE TABLE t AS SELECT a, SUM(b) OVER () AS b FROM s", "t", WriteMode.OVERWRITE, None),
        ("CREATE TABLE t AS SELECT a, SUM(b) AS b FROM s GROUP BY ROLLUP (a)", "t", WriteMode.OVERWRITE, None),
    ],
)  # fmt: skip
def test_target_mode_and_grain_are_what_the_statements_say(sql: str, target: str, mode: WriteMode | None, key: object) -> None:
    [unit] = units_of([tree for tree in sqlglot.parse(sql, read="postgres") if tree is not None], "t.sql")

    assert (unit.table, mode_of(unit), key_of(unit)) == (target, mode, key)


def test_what_the_statements_do_not_say_is_asked_for_with_the_option_that_says_it(tmp_path: Path) -> None:
    file = tmp_path / "t.sql"
    file.write_text("SELECT order_id, amount FROM main.orders", "utf-8")

    open_, closed = spec_of(sql=str(file)), spec_of(sql=str(file), target="t", grain="order_id")

    assert [option in text_of(said, "en") for option, said in zip(("--target", "--grain"), open_.lacks, strict=True)] == [True, True]
    assert "order_id, amount" in text_of(open_.lacks[1], "en")
    assert yaml.safe_load(open_.text)["grain"] == ["TODO"]
    assert closed.lacks == ()
    assert analysis_of(closed.text).target.key == ("order_id",)


def test_the_files_of_a_folder_are_named_queries_in_the_order_in_which_they_are_read(tmp_path: Path) -> None:
    (tmp_path / "a_last.sql").write_text("CREATE TABLE last AS SELECT customer_id, COUNT(*) AS n FROM big GROUP BY customer_id", "utf-8")
    (tmp_path / "b_big.sql").write_text("CREATE VIEW main.big AS SELECT * FROM stage.clean WHERE amount > 10", "utf-8")
    (tmp_path / "c_clean.sql").write_text("-- as they come\nCREATE VIEW stage.clean AS SELECT customer_id, amount FROM orders", "utf-8")

    found = yaml.safe_load(spec_of(sql=str(tmp_path)).text)

    assert (found["target"], found["mode"], found["grain"]) == ("last", "overwrite", ["customer_id"])
    assert [query["name"] for query in found["queries"]] == ["clean", "big"]
    assert analysis_of(spec_of(sql=str(tmp_path)).text).tables == ("main.orders",)


def test_a_folder_that_makes_several_tables_asks_which(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.sql").write_text(f"CREATE TABLE {name} AS {A_QUERY}", "utf-8")

    with pytest.raises(InvalidInput, match=r"a, b.*--target"):
        spec_of(sql=str(tmp_path))

    assert yaml.safe_load(spec_of(sql=str(tmp_path), target="b").text)["target"] == "b"


def test_statements_that_write_stay_as_they_are(tmp_path: Path) -> None:
    """Nothing is written around a script: its own way of merging is what is judged."""
    text = (
        "CREATE TABLE IF NOT EXISTS main.kept (order_id INTEGER PRIMARY KEY, amount DOUBLE);\n"
        "INSERT INTO main.kept SELECT order_id, amount FROM orders ON CONFLICT (order_id) DO UPDATE SET amount = excluded.amount;\n"
    )
    (tmp_path / "kept.sql").write_text(text, "utf-8")
    found = spec_of(sql=str(tmp_path / "kept.sql"))

    analysis = analysis_of(found.text)

    assert yaml.safe_load(found.text)["script"].strip() == text.strip().rstrip(";")
    assert (analysis.target.mode, [column.name for column in analysis.target.columns]) == (WriteMode.UPSERT, ["order_id", "amount"])
    assert analysis.sql.count("ON CONFLICT") == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT 1 AS a,\n b FRM orders WHERE ((", "t.sql, line 2"),
        ("SELECT a FROM t; VACUUM", "VACUUM"),
        ("", "no statement"),
        ("SELECT a FROM t -- " + "x" * 60_000, "60,019"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "t.sql").write_text(text, "utf-8")

    with pytest.raises(InvalidInput, match=says):
        spec_of(sql=str(tmp_path / "t.sql"))


@pytest.mark.parametrize("dialect", ["mysql", "sqlite"])
def test_a_replace_is_an_upsert_by_the_key_that_its_table_declares(tmp_path: Path, dialect: str) -> None:
    declared = "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, x INTEGER);"
    replaced = "REPLACE INTO t (id, x) SELECT o.id, SUM(o.x) FROM o GROUP BY o.id;"
    (tmp_path / "t.sql").write_text(f"{declared}\n{replaced}", "utf-8")
    (tmp_path / "u.sql").write_text(replaced, "utf-8")
    (tmp_path / "v.sql").write_text(f"{declared.replace('x INTEGER', 'x INTEGER UNIQUE')}\n{replaced}", "utf-8")

    (tmp_path / "w.sql").write_text(f"{declared}\nCREATE UNIQUE INDEX w ON t (x);\n{replaced}", "utf-8")
    (tmp_path / "x.sql").write_text(f"{declared.replace('x INTEGER', 'x INTEGER, UNIQUE (x)')}\n{replaced}", "utf-8")
    (tmp_path / "y.sql").write_text(f"{declared}\nCREATE INDEX y ON t (x);\n{replaced}", "utf-8")

    made = {name: existing_spec(ExistingSql(sql=str(tmp_path / f"{name}.sql")), "shop", dialect) for name in "tuvwxy"}

    read = yaml.safe_load(made["t"].text)
    assert (read["target"], read["mode"], read["grain"], made["t"].lacks) == ("t", "upsert", ["id"], ())
    assert sqlglot.parse_one(read["sql"], read=dialect).named_selects == ["id", "x"]  # type: ignore[attr-defined]
    assert [[item.code for item in made[name].lacks] for name in "uvwxy"] == [["etl.existing.no_key"]] * 4 + [[]]


def test_a_replace_that_is_not_alone_is_refused_with_what_to_write(tmp_path: Path) -> None:
    """It was said to be left out: with it went all that the file does."""
    (tmp_path / "t.sql").write_text("DELETE FROM t WHERE x IS NULL; REPLACE INTO t SELECT id, x FROM o", "utf-8")

    for dialect, instead in (("mysql", "ON DUPLICATE KEY UPDATE"), ("sqlite", r"ON CONFLICT \(KEY\)")):
        with pytest.raises(InvalidInput, match=rf"replaces the rows .*{instead}.*--mode upsert --grain KEY"):
            existing_spec(ExistingSql(sql=str(tmp_path / "t.sql")), "shop", dialect)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT {{ dbt_utils.star(ref('a')) }} FROM a",
        "SELECT 1\n{% for a in b %}",
        "{{ ''.__class__ }}",
        "{{ ref(name) }}",
        "{{ ref('a'",
        "{{ config(materialized=var('x')) }}",
        "{{ " + "(" * 4_000 + " }}",
    ],
)
def test_jinja_is_never_run(text: str) -> None:
    with pytest.raises(NeedsDbt):
        compiled(text, str, lambda group, name: f"{group}.{name}", "this_one")


def test_ref_source_config_and_this_are_read_as_values() -> None:
    text = (
        "{# a comment #}{{ config(materialized='incremental', unique_key=['a', 'b'], enabled=true) }}\n"
        "SELECT {{- ref('m') }}, {{ source('r', 't') }}, {{ this }}"
    )

    found = compiled(text, str.upper, lambda group, name: f"{group}.{name}", "me")

    assert found.sql.split() == ["SELECT", "M,", "r.t,", "me"]
    assert found.config == {"materialized": "incremental", "unique_key": ["a", "b"], "enabled": True}


MODELS = {
    "dbt_project.yml": "name: store\nmodel-paths: [models]\nmodels:\n  store:\n    marts: {+materialized: table}\n",
    "models/s.yml": (
        "sources:\n  - {name: raw, schema: main, tables: [{name: orders}, {name: payments}]}\n"
        "models:\n  - name: totals\n    description: What each order was paid\n    columns:\n"
        "      - {name: order_id, description: Its number, data_tests: [unique, not_null, {relationships: {to: x, field: y}}]}\n"
        "  - name: revenue\n    columns:\n      - {name: customer_id, tests: [unique]}\n"
    ),
    "models/stg_orders.sql": "select * from {{ source('raw', 'orders') }}",
    "models/stg_payments.sql": "select * from {{ source('raw', 'payments') }}",
    "models/marts/totals.sql": (
        "with paid as (select order_id, sum(paid) as paid from {{ ref('stg_payments') }} group by 1)\n"
        "select o.order_id, p.paid from {{ ref('stg_orders') }} o left join paid p on p.order_id = o.order_id"
    ),
    "models/marts/revenue.sql": (
        "select o.customer_id, sum(o.amount) as amount, sum(p.paid) as paid\n"
        "from {{ ref('stg_orders') }} o join {{ ref('stg_payments') }} p on p.order_id = o.order_id group by o.customer_id"
    ),
    "models/marts/looped.sql": "{% for i in [1] %} select {{ i }} {% endfor %}",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in MODELS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_a_model_is_read_with_its_tests_and_the_queries_of_what_it_refers_to(project: Path) -> None:
    made = spec_of(dbt=str(project), select="totals")
    found = yaml.safe_load(made.text)
    analysis = analysis_of(made.text)

    assert (found["mode"], found["grain"], found["description"]) == ("overwrite", ["order_id"], "What each order was paid")
    assert found["columns"][0] == {"name": "order_id", "meaning": "Its number", "nullable": False}
    assert [query["name"] for query in found["queries"]] == ["stg_orders", "stg_payments"]
    assert analysis.tables == ("main.orders", "main.payments")
    assert "relationships (order_id)" in text_of(made.notes[0], "en")


def test_a_model_that_only_dbt_can_compile_is_refused_with_its_line(project: Path) -> None:
    with pytest.raises(InvalidInput, match=r"models/marts/looped.sql.*dbt compile"):
        spec_of(dbt=str(project), select="looped")

    with pytest.raises(NotFound, match="revenue"):
        spec_of(dbt=str(project), select="revenues")


@needs_dbt
def test_an_incremental_model_is_judged_by_what_its_later_runs_read(project: Path) -> None:
    """As dbt compiles it, where its table exists; and a file that has changed since then is not taken for what was compiled."""
    (project / "profiles.yml").write_text("store:\n  target: dev\n  outputs:\n    dev: {type: duckdb, path: store.duckdb}\n", "utf-8")
    (project / "dbt_project.yml").write_text(MODELS["dbt_project.yml"] + "profile: store\n", "utf-8")
    model = project / "models" / "marts" / "current.sql"
    model.write_text(
        "{{ config(materialized='incremental', unique_key='order_id') }}\n"
        "select order_id, amount, updated_at from {{ ref('stg_orders') }}\n"
        "{% if is_incremental() %} where updated_at > (select max(updated_at) from {{ this }}) {% endif %}",
        "utf-8",
    )
    with duckdb.connect(str(project / "store.duckdb")) as connection:
        connection.execute("CREATE TABLE current (order_id INTEGER, amount DOUBLE, updated_at TIMESTAMP)")
        connection.execute("CREATE TABLE orders (order_id INTEGER, customer_id INTEGER, amount DOUBLE, updated_at TIMESTAMP)")
    done = subprocess.run(
        [str(DBT), "compile", "--select", "+current", "--profiles-dir", "."], cwd=project, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stdout[-1_500:]

    made = spec_of(dbt=str(project), select="current")
    model.write_text(model.read_text("utf-8").replace(">", ">="), "utf-8")

    found = yaml.safe_load(made.text)
    assert (found["mode"], found["grain"]) == ("upsert", ["order_id"])
    assert "NOT EXISTS" in found["sql"]
    with pytest.raises(InvalidInput, match="is not what dbt compiled any more"):
        spec_of(dbt=str(project), select="current")


def test_the_options_name_one_thing() -> None:
    for given in ({"sql": "a", "dbt": "b", "select": "c"}, {"dbt": "b"}, {"target": "t"}):
        with pytest.raises(ValueError, match="--"):
            ExistingSql.model_validate(given)


def test_clauses_that_the_package_does_not_keep_are_named(tmp_path: Path) -> None:
    """PARTITION BY and CLUSTER BY of BigQuery were dropped without a word."""
    (tmp_path / "a.sql").write_text(f"CREATE OR REPLACE TABLE `p-1.mart.t` PARTITION BY city CLUSTER BY n AS {A_QUERY}")

    made = existing_spec(ExistingSql(sql=str(tmp_path / "a.sql")), "shop", "bigquery")

    assert [text_of(line, "en") for line in made.notes] == [
        "Not kept in the package: `PARTITION BY city`, `CLUSTER BY n`. Add them where the table is made."
    ]


def test_a_statement_of_another_dialect_is_refused_with_the_dialects_that_read_it(tmp_path: Path) -> None:
    """It was called neither reviewable nor triable, to be left out, though it was the only one."""
    (tmp_path / "a.sql").write_text(f"CREATE OR REPLACE TABLE `p-1.mart.t` PARTITION BY city CLUSTER BY n AS {A_QUERY}")

    with pytest.raises(InvalidInput) as refused:
        spec_of(sql=str(tmp_path / "a.sql"))

    assert refused.value.says is not None
    assert "is not understood as duckdb. It can be read as bigquery: say which with `--dialect`." in text_of(refused.value.says, "en")
