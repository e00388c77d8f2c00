"""A package of Postgres scripts, run by its own runner on a real server."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from contracts.pipelines.wishes import PackageForm
from tests.support.pipelines import DROP, REVENUE, TABLES, analysis_of, english, script_of, workflow_of
from tests.support.servers import Servers
from workers.engines.pipelines import package, trial


@pytest.fixture
def shop_url(servers: Servers) -> Iterator[str]:
    name = f"pipeline_{uuid4().hex[:8]}"
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        with psycopg.connect(servers.database_url(name), autocommit=True) as made:
            made.execute("CREATE SCHEMA shop")
            made.execute("CREATE SCHEMA mart")
            made.execute("CREATE TABLE shop.customers (customer_id integer PRIMARY KEY, region varchar)")
            made.execute("CREATE TABLE shop.orders (order_id integer, customer_id integer, status varchar, amount numeric(10,2))")
            made.execute("INSERT INTO shop.customers VALUES (1, 'north'), (2, '东')")
            made.execute("INSERT INTO shop.orders VALUES (1, 1, 'completed', 10), (2, 1, 'completed', 5), (3, 2, 'failed', 7)")
        yield servers.database_url(name)
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_the_runner_loads_and_tests_a_table_in_postgres_as_often_as_it_is_started(shop_url: str, tmp_path: Path) -> None:
    script = script_of(DROP, REVENUE, dialect="postgres")
    workflow = workflow_of(script, dialect="postgres")
    report = trial(analysis_of(), workflow, [script], TABLES, dialect="postgres")
    for file in package(analysis_of(), workflow, [script], (), report, TABLES, form=PackageForm.SQL, text=english):
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")

    runs = [
        subprocess.run([sys.executable, "run.py", shop_url], cwd=tmp_path, capture_output=True, text=True, check=False) for _ in range(2)
    ]

    assert report.has_run
    assert [(run.returncode, run.stderr) for run in runs] == [(0, ""), (0, "")]
    with psycopg.connect(shop_url) as shop:
        rows = shop.execute("SELECT customer_id, region, orders, revenue FROM mart.customer_revenue ORDER BY 1").fetchall()
    assert [(key, region, orders, float(revenue)) for key, region, orders, revenue in rows] == [(1, "north", 2, 15.0), (2, "东", 0, 0.0)]
