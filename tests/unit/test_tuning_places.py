"""The place of a problem is the line in which it is mended; a line that only uses what another one says is named beside it."""

import pytest

from contracts.code import OperationKind, ScriptFacts
from contracts.tune.plan import Setting
from contracts.verdicts import ScriptSpot
from tests.support.advice import script_of
from tests.support.said import said
from tests.support.tuning import plan_of, run_of, stage_of
from workers.engines.code.python_script import read_script
from workers.engines.code.scala_script import read_scala
from workers.engines.scripts.given import NamedScript
from workers.engines.sql.operations.script import read_sql
from workers.engines.verdicts.thresholds import MIB
from workers.kinds.tune.rules.advice.rewrites.own_settings import settings_made
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.saying import text_of_spot

PARTITIONS = "spark.sql.shuffle.partitions"

PYTHON = """from pyspark.sql import Window, functions as F
rows = spark.read.parquet("/w/rows")
{before}
placed = rows.withColumn("place", F.rank().over({window}))
"""
SCALA = """val rows = spark.read.parquet("/w/rows")
{before}
val placed = rows
  .withColumn("place", rank().over({window}))
"""


@pytest.mark.parametrize(
    ("facts", "line", "used", "text"),
    [
        (read_script(PYTHON.format(before='w = Window.orderBy("t")', window="w")), 3, 4, "orderBy('t')"),
        (read_script(PYTHON.format(before='w = Window.partitionBy("k").orderBy("t")', window="w")), 3, 4, "partitionBy('k')"),
        (read_script(PYTHON.format(before='w = Window.orderBy("t")\nv = w.partitionBy("k")', window="v")), 4, 5, "partitionBy('k')"),
        (read_script(PYTHON.format(before='def by_time():\n    return Window.orderBy("t")', window="by_time()")), 4, 5, "orderBy('t')"),
        (
            read_script(PYTHON.format(before="", window='Window.orderBy("t")')),
            4,
            None,
            "withColumn('place', F.rank().over(Window.orderBy('t')))",
        ),
        (read_script(PYTHON.format(before="", window='\n  Window.orderBy("t")\n')), 5, 4, "orderBy('t')"),
        (read_scala(SCALA.format(before='val w = Window.orderBy("t")', window="w")), 2, 4, 'orderBy("t")'),
        (
            read_scala(SCALA.format(before="", window='Window.orderBy("t")')),
            4,
            None,
            'withColumn("place", rank().over(Window.orderBy("t")))',
        ),
        (read_sql("SELECT k,\n  rank() OVER w AS place\nFROM rows\nWINDOW w AS (ORDER BY t);"), 4, 2, "w AS (ORDER BY t)"),
        (read_sql("SELECT k,\n  rank() OVER (ORDER BY t) AS place\nFROM rows;"), 2, None, "rank() OVER (ORDER BY t) AS place"),
    ],
)
def test_a_window_stands_where_it_is_specified(facts: ScriptFacts, line: int, used: int | None, text: str) -> None:
    """T8: what is to be changed is the specification; the line of `over` only uses it."""
    (window,) = [one for one in facts.operations if one.kind is OperationKind.WINDOW]

    assert (window.line, window.used_line, window.text) == (line, used, text)


def test_of_several_windows_the_one_over_all_rows_is_the_place() -> None:
    """T8."""
    facts = read_script(
        PYTHON.format(before='a = Window.partitionBy("k")\nb = Window.orderBy("t")', window="a)).withColumn('n', F.lag('t').over(b")
    )
    both = [one for one in facts.operations if one.kind is OperationKind.WINDOW]
    one_call = 'placed = rows.select(F.rank().over(a), F.lag("t").over(b))\n'
    facts = read_script(PYTHON.format(before='a = Window.partitionBy("k")\nb = Window.orderBy("t")', window="a") + one_call)

    assert [one.line for one in both] == [3, 4]
    assert facts.operations[-1].line == 4
    assert facts.operations[-1].columns == ("k",)


def test_a_line_that_uses_it_is_said_in_both_languages() -> None:
    """Statements."""
    spot = ScriptSpot(line=3, operation="window", text="orderBy('t')", used_line=9)

    assert (said(text_of_spot(spot)), said(text_of_spot(spot), "zh")) == ("`orderBy('t')`, used in line 9", "`orderBy('t')`，第 9 行使用")


SLIVERS = 'spark.conf.set("spark.sql.shuffle.partitions", 2000)\nspark.read.parquet("/w/rows").groupBy("k").count().write.parquet("/w/n")\n'


def test_tasks_that_a_setting_of_the_script_makes_tiny_are_mended_in_its_line() -> None:
    """T5: where the script does not say how many there are, the place is the operation."""
    stage = stage_of(2, [12] * 2000, wall_ms=12_000, shuffle_read_bytes=[1000] * 2000)
    plan = plan_of(
        (0, "HashAggregate(keys=[k#1], functions=[count(1)])", {}, (2,)),
        (1, "Exchange hashpartitioning(k#1, 2000), ENSURE_REQUIREMENTS", {"shuffle bytes written": 2 * MIB}, (1, 2)),
        (2, "FileScan parquet [k#1] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/w/rows]", {}, (1,)),
    )
    run = run_of(stage, executions=[plan], spark_version="3.5.1", configuration={"spark.sql.adaptive.enabled": "false", PARTITIONS: "2000"})
    findings = find(run, script_of(SLIVERS).facts)
    other = find(run, script_of(SLIVERS.replace("2000", "1000")).facts)

    assert findings.verdicts[0].blame.spots[0] == ScriptSpot(line=1, operation="setting", text=f"{PARTITIONS} = 2000")
    assert [spot.line for spot in other.verdicts[0].blame.spots] == [2]


@pytest.mark.parametrize(
    ("name", "text", "setting", "wanted"),
    [
        ("a.py", 'spark.conf.set("spark.sql.shuffle.partitions", 2000)\n', (PARTITIONS, "8"), ", 8)"),
        ("a.py", 'spark.conf.set("spark.sql.shuffle.partitions", "2000")\n', (PARTITIONS, "8"), ', "8")'),
        (
            "a.py",
            'b = SparkSession.builder.config(\n    "spark.sql.adaptive.enabled",\n    False,\n)\n',
            ("spark.sql.adaptive.enabled", "true"),
            "True",
        ),
        ("a.py", 'spark.conf.set("spark.sql.autoBroadcastJoinThreshold", 7)\n', ("spark.sql.autoBroadcastJoinThreshold", "64m"), '"64m"'),
        ("a.scala", 'spark.conf.set("spark.sql.shuffle.partitions", 2000)\n', (PARTITIONS, "8"), ", 8)"),
        ("a.scala", 'spark.conf.set("spark.sql.adaptive.enabled", false)\n', ("spark.sql.adaptive.enabled", "true"), ", true)"),
        ("a.sql", "-- 2000\nSET spark.sql.shuffle.partitions = 2000;\nSELECT 1;\n", (PARTITIONS, "8"), "partitions = 8;"),
        ("a.sql", "SET spark.sql.shuffle.partitions=2000;\nSELECT 1;\n", (PARTITIONS, "8"), "partitions=8;"),
    ],
)
def test_a_setting_of_the_script_is_changed_there(name: str, text: str, setting: tuple[str, str], wanted: str) -> None:
    """T31: what a script sets wins over the configuration of the submission, in all three languages."""
    read = {"py": read_script, "scala": read_scala, "sql": read_sql}[name.rsplit(".", 1)[-1]]
    script = NamedScript(name, read(text), text)

    changed, diff = settings_made([script], [Setting(name=setting[0], value=setting[1])])
    new = apply_diff(diff, text)

    assert changed == name
    assert new is not None
    assert wanted in new
    assert "2000" not in new.replace("-- 2000", "")
    assert read(new).settings == {setting[0]: setting[1]}


def test_a_setting_of_another_script_or_of_a_variable_is_left_alone() -> None:
    """T31: nothing is changed where the value is not written."""
    text = 'count = 2000\nspark.conf.set("spark.sql.shuffle.partitions", count)\n'
    script = NamedScript("a.py", read_script(text), text)

    assert settings_made([script], [Setting(name=PARTITIONS, value="8")]) == ("", "")
    assert settings_made([script], [Setting(name="spark.speculation", value="true")]) == ("", "")
