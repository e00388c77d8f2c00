"""A requirement as a dbt project that is built: names that are not Latin, and references that lead nowhere."""

from functools import partial
from pathlib import Path

import duckdb

from contracts.pipelines.wishes import Component, Environment, PackageForm
from contracts.tables import ColumnDetail, TableDetail
from tests.support.dbt import build_again, needs_dbt
from tests.support.etl_jobs import SPECS
from workers.engines.pipelines import package, trial
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.specification import analysis_in
from workers.kinds.etl.rules.writing import write_script
from workers.saying import text_of


def column(name: str, nulls: int) -> ColumnDetail:
    return ColumnDetail(name=name, type="VARCHAR", nullable=nulls > 0, nulls=nulls)


DETAILED = (
    TableDetail(name="客户", rows=2, primary_key=("客户编号",), columns=(column("客户编号", 0), column("姓名", 1))),
    TableDetail(name="订单", rows=3, primary_key=("订单编号",), columns=(column("订单编号", 0), column("客户编号", 2))),
    TableDetail(name="退货", rows=1, primary_key=("退货编号",), columns=(column("退货编号", 0), column("客户编号", 0))),
)
"""Orders of the shop's counter have no customer."""


@needs_dbt
def test_a_project_over_chinese_names_and_references_that_may_be_null_builds(tmp_path: Path) -> None:
    """A part leaves out what refers to nothing, tests keep the names of their columns, and aliases are those of the source."""
    analysis = analysis_in((SPECS / "customers_in_chinese.yaml").read_text("utf-8"), "shop", "duckdb", DETAILED)
    workflow = design(analysis, Component.SQL, Environment.DEV, "duckdb", Known())
    scripts = [write_script(job_spec(analysis, workflow, job), DETAILED) for job in workflow.jobs]
    report = trial(analysis, workflow, scripts, DETAILED, dialect="duckdb")
    files = package(analysis, workflow, scripts, (), report, DETAILED, form=PackageForm.DBT, text=partial(text_of, language="zh"))
    for file in files:
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    with duckdb.connect(str(tmp_path / "warehouse.duckdb")) as connection:
        connection.execute(
            'CREATE TABLE "客户" ("客户编号" VARCHAR, "姓名" VARCHAR); CREATE TABLE "退货" ("退货编号" VARCHAR, "客户编号" VARCHAR)'
        )
        connection.execute('CREATE TABLE "订单" ("订单编号" VARCHAR, "客户编号" VARCHAR)')
        connection.execute("INSERT INTO \"客户\" VALUES ('K1', '张三'), ('K2', NULL); INSERT INTO \"退货\" VALUES ('T1', 'K1')")
        connection.execute("INSERT INTO \"订单\" VALUES ('D1', 'K1'), ('D2', NULL), ('D3', NULL)")

    done = build_again(tmp_path)

    assert done.returncode == 0, done.stdout[-1500:]
    assert f"unique_{workflow.name}_客户编号" in done.stdout
    with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as connection:
        assert connection.execute('SELECT * FROM "客户汇总" ORDER BY 1').fetchall() == [("K1", 1, 1), ("K2", 0, 0)]
