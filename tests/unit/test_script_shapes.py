"""Loops that are no statement, and notebooks of SQL: parts in a list, `functools.reduce`, a while, `%python` below `%sql`."""

import pytest

from tests.support.said import said
from workers.engines.artefacts.scripts import sniff_pyspark
from workers.engines.code.notebooks import read_python
from workers.engines.code.python_script import read_script
from workers.engines.spark.verdicts.script_loops import repeated_in_script

HEAD = """import functools
from pyspark.sql import DataFrame, SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
base = spark.table("raw.measurements")
dims = spark.table("raw.sensors")
"""
APPENDED = """parts = []
hour = 0
while hour < 24:
    part = base.join(dims, "sensor").filter(F.hour("ts") == hour).groupBy("sensor").agg(F.max("value").alias("peak"))
    parts.append(part.withColumn("hour", F.lit(hour)))
    hour += 1
"""
LISTED = 'parts = [base.join(dims, "sensor").where(F.col("kind") == k).groupBy("site").count() for k in ("temp", "hum")]\n'


def hints(text: str) -> list[str]:
    return [said(verdict.summary) for verdict in repeated_in_script(read_script(text))]


@pytest.mark.parametrize("made", [APPENDED, LISTED], ids=["appended", "listed"])
@pytest.mark.parametrize(
    "joined",
    [
        "functools.reduce(DataFrame.unionByName, parts)",
        "reduce(lambda one, other: one.union(other), parts)",
        "reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts[1:], parts[0])",
    ],
)
def test_parts_that_a_list_holds_and_reduce_puts_together_are_a_loop_of_unions(made: str, joined: str) -> None:
    line = 8 if made is APPENDED else 6

    found = hints(f'{HEAD}{made}whole = {joined}\nwhole.write.parquet("/out")\n')

    assert any(text.startswith(f"The loop in line {line} puts parts together by union") and "measurements" in text for text in found)


def test_columns_that_reduce_adds_one_by_one_are_named() -> None:
    added = "wide = functools.reduce(lambda table, name: table.withColumn(name, F.round(F.col(name), 2)), base.columns, base)\n"

    assert hints(f'{HEAD}{added}wide.write.parquet("/out")\n') == [
        "The loop in line 6 adds columns one by one, and each makes the plan longer: one select with all of them does the same."
    ]


def test_reduce_of_numbers_changes_nothing() -> None:
    assert hints(f"{HEAD}total = functools.reduce(lambda a, b: a + b, [1, 2, 3])\nbase.count()\n") == []


SQL_NOTEBOOK = """-- Databricks notebook source
-- MAGIC %md
-- MAGIC # Daily report

-- COMMAND ----------

SET spark.sql.shuffle.partitions = 4000;

-- COMMAND ----------

CREATE OR REPLACE TEMP VIEW big AS
SELECT o.*, l.sku FROM lake.orders o JOIN lake.lines l ON o.id = l.order_id

-- COMMAND ----------

-- MAGIC %python
-- MAGIC df = spark.table("big")
-- MAGIC for day in days:
-- MAGIC     df.filter(df.day == day).groupBy("sku").count().write.mode("append").parquet("/lake/out")
"""


def test_a_notebook_of_sql_is_read_with_its_cells_of_python() -> None:
    facts = read_python(SQL_NOTEBOOK)

    assert sniff_pyspark(SQL_NOTEBOOK, "Daily report.sql") > 0.9
    assert facts.settings == {"spark.sql.shuffle.partitions": "4000"}
    assert {(operation.cell, operation.kind.value) for operation in facts.operations} >= {(3, "join"), (4, "group"), (4, "write")}
    (loop,) = [said(verdict.summary) for verdict in repeated_in_script(facts)]
    assert loop.startswith("The loop in line [4]:3 runs a job in each turn, which reads orders and lines again")


def test_a_cell_of_python_in_a_notebook_of_python_may_say_so() -> None:
    text = (
        "# Databricks notebook source\n# MAGIC %python\n# MAGIC df = spark.read.parquet('/lake/a')\n\n# COMMAND ----------\n\ndf.count()\n"
    )

    assert [(operation.cell, operation.kind.value) for operation in read_python(text).operations] == [(1, "read"), (2, "action")]
