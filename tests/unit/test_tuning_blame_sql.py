"""Where a verdict comes from when the job is written in SQL or Scala, or in several scripts."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from contracts.code import ScriptFacts
from contracts.spark import RunFacts
from contracts.verdicts import Blame, VerdictKind
from tests.support.said import said
from tests.unit.test_tuning_blame import SCRIPT, join_plan, origin, skewed
from workers.engines.artefacts.tables import read_tables
from workers.engines.code.python_script import read_script
from workers.engines.code.scala_script import read_scala
from workers.engines.scripts.several import in_one
from workers.engines.spark.eventlog import read_run
from workers.engines.sql.operations.script import read_sql
from workers.kinds.tune.rules.findings import find

SQL = """
CREATE TEMPORARY VIEW regions AS
SELECT o.region, p.id FROM Orders o
JOIN People p USING (region);

INSERT OVERWRITE TABLE mart.joined
SELECT *
FROM People
INNER JOIN Orders
  ON People.id = Orders.CUSTOMER;
"""


def places(blame: Blame) -> list[tuple[int, str]]:
    return [(spot.line, spot.operation) for spot in blame.spots]


def test_a_join_by_the_same_keys_is_found_in_a_script_of_sql() -> None:
    """T11: capitals do not count in SQL, and another join of the same tables is not it."""
    blame = origin(skewed(join_plan()), read_sql(SQL))

    assert places(blame) == [(9, "join")]
    assert blame.spots[0].text == "INNER JOIN Orders ON People.id = Orders.CUSTOMER"


def test_the_line_inside_of_a_statement_is_named_and_not_that_of_its_call() -> None:
    """T11."""
    text = 'orders.createOrReplaceTempView("o")\nrows = spark.sql("""\n  SELECT *\n  FROM people p\n  JOIN o ON p.id = o.customer""")\n'
    script = read_script(SCRIPT.partition("other =")[0] + text)

    blame = origin(skewed(join_plan()), script)

    assert places(blame) == [(9, "join")]


def test_without_a_plan_the_keys_are_those_of_the_tables_that_the_aliases_name() -> None:
    """T11: of an operation in SQL it is known which side has which column."""
    text = "spark.sql('''SELECT * FROM people p\nJOIN orders o\nON p.id = o.customer''').rdd.mapPartitions(f).count()"

    blame = origin(skewed(name="count at /jobs/nightly.py:3"), read_script("def f(it): return it\n\n" + text))

    assert [(one.table, one.column) for one in blame.columns] == [("people", "id"), ("orders", "customer")]


RDDS = """object Job extends App {
  val words = sc.textFile("/w/words").map(line => (line, 1))
  val sums = words.groupByKey().mapValues(_.sum)
  val top = sums.sortBy(_._2).map(pair => pair._1)
  top.count()
}
"""


def test_the_line_of_a_stage_of_scala_leads_to_the_call_there() -> None:
    """T11: the stage reads what is shuffled next upstream."""
    assert places(origin(skewed(name="mapValues at Job.scala:3"), read_scala(RDDS))) == [(3, "map"), (3, "group")]


@pytest.mark.parametrize("name", ["runJob at SparkHadoopWriter.scala:3", "count at Job.py:5", "collect at Other.scala:4"])
def test_a_line_of_another_file_is_not_taken_for_one_of_the_script(name: str) -> None:
    """T11: Spark also names lines of libraries."""
    assert places(origin(skewed(name=name), read_scala(RDDS))) == []


def test_a_stage_that_is_named_by_a_shuffle_is_the_one_before_it() -> None:
    """T11: PySpark names the stage that writes for `reduceByKey` after it; what it reads is shuffled further up."""
    text = (
        "pairs = sc.textFile('/w/a').map(f)\ngrouped = pairs.groupByKey()\nsums = grouped.map(g).reduceByKey(add)\nsums.map(h).collect()\n"
    )

    blame = origin(skewed(name="reduceByKey at /jobs/nightly.py:3"), read_script(text))

    assert places(blame) == [(3, "group"), (3, "map"), (2, "group")]


def test_of_several_scripts_the_one_is_named_that_has_the_operation() -> None:
    """T11."""
    load = read_script("spark.table('orders').filter('x > 1')")
    scripts = in_one({"etl/load.py": load, "etl/report.sql": read_sql(SQL), "b.sql": read_sql("select form x join")})

    (spot,) = origin(skewed(join_plan()), scripts).spots

    assert (spot.artefact, spot.line) == ("etl/report.sql", 9)
    assert said(scripts.unreadable) == "b.sql: The SQL in line 1 cannot be read: its grammar is not understood from here on."


def test_of_several_scripts_a_line_counts_in_its_own_file() -> None:
    """T11."""
    first = read_script("\n\nsc.textFile('/w/a').groupByKey().count()")
    second = read_script("\n\nsc.textFile('/w/b').distinct().count()")
    scripts = in_one({"a.py": first, "src/b.py": second})

    (spot,) = origin(skewed(name="count at /jobs/b.py:3"), scripts).spots

    assert (spot.artefact, spot.operation) == ("src/b.py", "distinct")


def test_a_script_of_which_a_part_cannot_be_read_says_so_and_is_used() -> None:
    """T11."""
    findings = find(skewed(join_plan()), read_sql("select form x join;" + SQL))

    assert said(findings.not_known[0]).endswith("Lines of that part cannot be named.")
    assert places(findings.verdicts[0].blame)


REWRITTEN: dict[str, tuple[VerdictKind, str, str]] = {
    "join": (
        VerdictKind.DATA_SKEW,
        "SELECT o.*, c.segment\nFROM {orders} o\nJOIN customers c\n  ON o.customer_id = c.customer_id",
        "JOIN customers c",
    ),
    "collect": (
        VerdictKind.DATA_SKEW,
        "SELECT customer_id, size(items) AS n\nFROM (\n  SELECT customer_id, collect_list(payload0) AS items\n  FROM {orders}\n"
        "  GROUP BY customer_id\n) per_customer",
        "GROUP BY customer_id",
    ),
    "nobc": (
        VerdictKind.BROADCASTABLE_JOIN,
        "SELECT segment, sum(amount)\nFROM {orders}\nJOIN segments\n  USING (customer_id)\nGROUP BY segment",
        "JOIN segments",
    ),
    "spill": (VerdictKind.SPILL, "SELECT *\nFROM {orders}\nORDER BY payload0", "ORDER BY payload0"),
    "tiny": (
        VerdictKind.TINY_TASKS,
        "SELECT region, sum(amount) AS s\nFROM {orders}\nWHERE amount < 20\nGROUP BY region",
        "GROUP BY region",
    ),
}
"""Kinds of the generated jobs, rewritten in SQL for these tests: the verdict, the query, and the line that is to be named."""

Writer = Callable[[str], tuple[ScriptFacts, str]]


@cache
def run_of_case(case: Path) -> RunFacts:
    return read_run(case / "eventlog.zstd")


def as_sql(query: str) -> tuple[ScriptFacts, str]:
    text = f"-- nightly\nINSERT OVERWRITE TABLE mart.nightly\n{query};\n"
    return read_sql(text), text


def as_pyspark(query: str) -> tuple[ScriptFacts, str]:
    text = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
    text += f'query = """\n{query}\n"""\nspark.sql(query).write.save("/out")\n'
    return read_script(text), text


def as_scala(query: str) -> tuple[ScriptFacts, str]:
    margin = query.replace("\n", "\n    |")
    text = f'object Nightly extends App {{\n  val out = spark.sql("""\n    |{margin}\n  """.stripMargin)\n  out.write.parquet("/out")\n}}\n'
    return read_scala(text), text


@pytest.mark.parametrize("written", [as_sql, as_pyspark, as_scala])
def test_a_generated_job_is_traced_to_the_same_columns_and_to_its_line_in_sql(eval_data: Path, written: Writer) -> None:
    """T2, T11: whichever language the job is written in, the table and the column are the same and the line is the clause's."""
    traced = 0
    for row in map(json.loads, (eval_data / "spark_generated" / "labels.jsonl").read_text().splitlines()):
        kind = row["kind"].split("_")[0]
        if row["label"] == "none" or kind not in REWRITTEN:
            continue
        case = eval_data / "spark_generated" / row["id"]
        verdict, query, line = REWRITTEN[kind]
        original = (case / "script.py").read_text()
        orders = original.partition("/warehouse/orders_")[2][0]
        script, text = written(query.format(orders=f"warehouse.orders_{orders}"))
        tables = read_tables(json.loads((case / "tables.json").read_text()))
        run = run_of_case(case)

        found, before = (
            next(one for one in find(run, facts, tables).verdicts if one.kind is verdict) for facts in (script, read_script(original))
        )

        first = found.blame.spots[0]
        assert text.splitlines()[first.line - 1][first.column :].startswith(line), (row["kind"], found.blame.spots)
        assert found.blame.columns == before.blame.columns
        assert found.blame.keys == before.blame.keys
        traced += 1

    assert traced == 6
