"""Files as people have them when they ask: the History Server's stages, notebooks, pasted plans and pages, sparkMeasure, loops."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.bundles import Artefact, Catalogue
from contracts.code import OperationKind, ScriptFacts
from contracts.statements import Statement, name
from contracts.tune.plan import FixKind, TuningPlan
from contracts.tune.steps import Classification
from contracts.verdicts import Severity, TuningClass, Verdict, VerdictKind
from tests.support.said import said
from workers.bundles.registry import load_kinds
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.spark.plan_text import read_plans
from workers.kinds.tune.report.findings import findings_shown
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.classify import is_symptom
from workers.kinds.tune.rules.first_look import classify_by_words
from workers.kinds.tune.rules.key_code import key_code
from workers.kinds.tune.rules.known import Known, ReadFacts
from workers.kinds.tune.rules.summarise import report
from workers.saying.document import Items

KINDS = load_kinds(())


def kind_of(file: str, text: str) -> str:
    """What the file is taken for."""
    return max(KINDS.values(), key=lambda kind: kind.sniff(file, text.encode())).name


def known_of(tmp_path: Path, **files: str) -> Known:
    """What is read of these files; `__` in a name is its dot."""
    reads: list[ReadFacts] = []
    for word, text in files.items():
        file = word.replace("__", ".")
        path = tmp_path / file
        path.write_text(text, encoding="utf-8")
        kind = kind_of(file, text)
        parsed: Parsed = KINDS[kind].parse(ArtefactSource(file, path, path.stat().st_size))
        artefact = Artefact(name=file, kind=kind, size_bytes=path.stat().st_size, sha256="0" * 64)
        reads.append(ReadFacts.of(artefact, parsed, lambda parsed=parsed: parsed.facts, reason="", shapes=None))
    return Known(tuple(reads))


def planned_for(known: Known) -> TuningPlan:
    return advise(known.findings(), known.run, known.scripts, known.tables, plans=known.plans)


def found(known: Known, kind: VerdictKind) -> list[Verdict]:
    return [verdict for verdict in known.findings().verdicts if verdict.kind is kind]


JOIN_JOB = """from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("daily").getOrCreate()
visits = spark.read.parquet("/lake/visits")
shops = spark.read.parquet("/lake/shops")
joined = visits.join(shops, visits.shop == shops.id, "left")
joined.groupBy("region").agg(F.sum("spend").alias("spend")).write.parquet("/lake/out")
"""


def history_stage(**more: Any) -> dict[str, Any]:
    return {
        "status": "COMPLETE",
        "stageId": 4,
        "attemptId": 0,
        "numTasks": 200,
        "executorRunTime": 12_240_000,
        "shuffleReadBytes": 65_712_345_678,
        "shuffleReadRecords": 812_340_112,
        "memoryBytesSpilled": 103_500_000_000,
        "diskBytesSpilled": 34_100_000_000,
        "name": "parquet at daily.py:8",
        "taskMetricsDistributions": {
            "quantiles": [0, 0.25, 0.5, 0.75, 1.0],
            "executorRunTime": [3_000, 9_000, 11_000, 14_000, 2_820_000],
            "shuffleReadMetrics": {"readBytes": [22_000_000, 92_000_000, 100_000_000, 115_000_000, 44_880_000_000]},
        },
        **more,
    }


def test_the_history_servers_quantiles_are_skew_at_the_join_with_the_spill_as_its_symptom(tmp_path: Path) -> None:
    """T2, T5: the distributions were not read, so that 45 GB in one task were called a spill, and more memory advised."""
    scan = {"stageId": 3, "numTasks": 640, "executorRunTime": 2_900_000, "inputBytes": 85_000_000_000, "name": "parquet at daily.py:8"}
    known = known_of(tmp_path, stages__json=json.dumps([history_stage(), scan]), daily__py=JOIN_JOB)
    findings = known.findings()
    (skew,) = found(known, VerdictKind.DATA_SKEW)
    (spill,) = found(known, VerdictKind.SPILL)

    assert findings.tuning_class is TuningClass.DATA_SKEW
    assert (skew.severity, skew.stage_ids) == (Severity.PROBLEM, (4,))
    assert "41.8 GiB" in said(skew.summary)
    assert "256 times the usual" in said(skew.summary)
    assert (skew.blame.spots[0].line, skew.blame.spots[0].operation) == (7, "join")
    assert is_symptom(spill, findings.verdicts)
    assert planned_for(known).fixes[0].kind in (FixKind.SALT, FixKind.SPLIT_HOT_KEYS, FixKind.SKEW_JOIN)


def notebook(*cells: str) -> str:
    body = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell.splitlines(keepends=True)} for cell in cells]
    title = {"cell_type": "markdown", "metadata": {}, "source": ["# A report with spark"]}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [title, *body]}, indent=1)


REPORT = notebook(
    '%%configure -f\n{"conf": {"spark.sql.shuffle.partitions": "2000"}}',
    "%matplotlib inline\nfrom pyspark.sql import functions as F\norders = spark.read.parquet('/lake/orders')\n"
    "lines = spark.read.parquet('/lake/lines')",
    "big = orders.join(lines, 'order_id')\nbig.count()",
    "res = None\nfor c in countries:\n    part = big.filter(F.col('country') == c).groupBy('sku').agg(F.sum('amount').alias('a'))\n"
    "    res = part if res is None else res.union(part)",
    "res.coalesce(1).write.parquet('/lake/out')\nres.toPandas().head()",
)


def script_of(known: Known) -> ScriptFacts:
    (script,) = known.scripts
    return script.facts


def test_a_notebook_is_a_script_whose_lines_are_named_by_cell(tmp_path: Path) -> None:
    """T11: it was not recognised as anything of a run."""
    known = known_of(tmp_path, report__ipynb=REPORT)
    facts = script_of(known)
    joins = [operation for operation in facts.operations if operation.kind is OperationKind.JOIN]

    assert kind_of("report.ipynb", REPORT) == "pyspark_script"
    assert facts.settings == {"spark.sql.shuffle.partitions": "2000"}
    assert [(join.cell, join.cell_line) for join in joins] == [(4, 1)]
    assert facts.unreadable is None


def test_what_a_notebook_does_again_and_again_is_named_with_its_cells(tmp_path: Path) -> None:
    """T5: a union in a loop that reads a join again in each turn, and a count of it."""
    known = known_of(tmp_path, report__ipynb=REPORT)
    findings = known.findings()
    texts = [said(verdict.summary) for verdict in findings.verdicts]
    code = key_code(findings, known.scripts, classify_by_words("", known.scripts, _catalogue()))
    shown = [said(name(spot.text)) for spot in code.spots]

    assert any("puts parts together by union" in text for text in texts)
    assert any("join(lines, 'order_id')" in text and "is computed again" in text for text in texts)
    assert any(text.startswith("coalesce(1)") for text in shown)
    assert any(text.startswith("toPandas()") for text in shown)
    assert {spot.cell for spot in code.spots} >= {4, 5, 6}


def _catalogue() -> Catalogue:
    return Catalogue(bundle="b:0", kept="", content_hash="0", artefacts=())


DATABRICKS = """# Databricks notebook source
# MAGIC %md
# MAGIC A title

# COMMAND ----------

df = spark.table("sales.orders")
df.createOrReplaceTempView("orders")

# COMMAND ----------

# MAGIC %sql
# MAGIC SELECT o.id, c.name
# MAGIC FROM orders o JOIN sales.customers c ON o.customer = c.id
"""


def test_a_databricks_notebook_has_its_cells_of_sql(tmp_path: Path) -> None:
    """T11."""
    known = known_of(tmp_path, orders__py=DATABRICKS)
    joins = [operation for operation in script_of(known).operations if operation.kind is OperationKind.JOIN]

    assert [join.cell for join in joins] == [3]
    assert script_of(known).unreadable is None


BY_COUNTRY = """from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
events = spark.read.parquet("/lake/events")
fx = spark.read.parquet("/lake/fx")
result = None
for row in events.select("country").distinct().collect():
    one = events.filter(F.col("country") == row.country).join(fx, "currency")
    one = one.groupBy("event").agg(F.sum("amount").alias("eur"))
    result = one if result is None else result.union(one)
for name in ["a", "b", "c"]:
    result = result.withColumn(name, F.lit(0))
result.write.parquet("/lake/out")
"""


def test_a_loop_of_unions_and_a_loop_of_columns_are_named(tmp_path: Path) -> None:
    """T5: a collect and a grouping were named, and not the loop."""
    verdicts = found(known_of(tmp_path, by_country__py=BY_COUNTRY), VerdictKind.REPEATED_PLANS)
    texts = [said(verdict.summary) for verdict in verdicts]

    assert any(text.startswith("The loop in line 7 puts parts together") and "events" in text for text in texts)
    assert any(text.startswith("The loop in line 11 adds columns one by one") for text in texts)
    assert {verdict.severity for verdict in verdicts} == {Severity.HINT}
    assert {spot.line for verdict in verdicts for spot in verdict.blame.spots} >= {8, 9, 10, 12}


def test_a_loop_over_a_kept_table_is_not_called_a_repetition(tmp_path: Path) -> None:
    """T5."""
    kept = 'big = spark.table("a").join(spark.table("b"), "k").cache()\nfor n in range(3):\n    big.filter(big.x == n).count()\n'

    assert not found(known_of(tmp_path, kept__py="import pyspark\n" + kept), VerdictKind.REPEATED_PLANS)


EXPLAIN = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- HashAggregate(keys=[user#11L], functions=[count(distinct shop#31L)])
   +- Exchange hashpartitioning(user#11L, 200), ENSURE_REQUIREMENTS, [plan_id=71]
      +- Project [user#11L, shop#31L]
         +- CartesianProduct (abs((lat#12 - lat#32)) < 0.1)
            :- Filter isnotnull(lat#12)
            :  +- FileScan parquet crm.users[user#11L,lat#12] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[hdfs://n/users]
            +- Filter isnotnull(lat#32)
               +- FileScan parquet crm.shops[shop#31L,lat#32] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[hdfs://n/shops]
"""
NEAR = """from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
users = spark.table("crm.users")
shops = spark.table("crm.shops")
near = users.join(shops, F.abs(users.lat - shops.lat) < 0.1)
near.groupBy("user").agg(F.countDistinct("shop")).write.saveAsTable("crm.near")
"""


def test_a_pasted_plan_tells_a_join_without_a_key_and_its_line(tmp_path: Path) -> None:
    """T5, T11: the text of EXPLAIN was not recognised, and the join was only said to lead to skew."""
    known = known_of(tmp_path, explain__txt=EXPLAIN, near__py=NEAR)
    (crossed,) = found(known, VerdictKind.CROSS_JOIN)
    plan = planned_for(known)

    assert kind_of("explain.txt", EXPLAIN) == "explained_plan"
    assert crossed.severity is Severity.PROBLEM
    assert "every row meets every row" in said(crossed.summary)
    assert "abs((lat#12 - lat#32)) < 0.1" in said(crossed.summary)
    assert crossed.blame.spots[0].line == 5
    assert [fix.kind for fix in plan.fixes] == [FixKind.REWRITE_CROSS_JOIN]


FORMATTED = """== Physical Plan ==
* HashAggregate (5)
+- Exchange (4)
   +- BroadcastNestedLoopJoin Inner BuildRight (3)
      :- Scan parquet a (1)
      +- BroadcastExchange (2)


(1) Scan parquet a
Output [1]: [x#1]
Location: InMemoryFileIndex [file:/a]

(3) BroadcastNestedLoopJoin
Join type: Inner
Join condition: (x#1 < y#2)
"""


def test_the_formatted_plan_has_the_conditions_below_its_tree() -> None:
    """T11."""
    (plan,) = read_plans(FORMATTED)

    assert [node.name for node in plan.nodes][:3] == ["HashAggregate", "Exchange", "BroadcastNestedLoopJoin"]
    assert "(x#1 < y#2)" in plan.nodes[2].simple_string
    assert [node.parent for node in plan.nodes] == [None, 0, 1, 2, 2]


def test_of_an_adaptive_plan_the_final_one_is_read() -> None:
    """T11."""
    text = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   *(2) BroadcastHashJoin [k#1], [k#2], Inner, BuildRight, false
   :- *(2) Scan ExistingRDD[k#1]
   +- BroadcastQueryStage 0
+- == Initial Plan ==
   SortMergeJoin [k#1], [k#2], Inner
"""
    (plan,) = read_plans(text)

    assert "SortMergeJoin" not in [node.name for node in plan.nodes]
    assert "BroadcastHashJoin" in [node.name for node in plan.nodes]


PAGE = """Details for Stage 7 (Attempt 0)
Total Time Across All Tasks: 3.4 h
Summary Metrics for 200 Completed Tasks
Metric\tMin\t25th percentile\tMedian\t75th percentile\tMax
Duration\t3 s\t9 s\t11 s\t14 s\t47 min
GC Time\t0 ms\t20 ms\t50 ms\t80 ms\t9 s
Shuffle Read Size / Records\t21.0 MiB / 120000\t88 MiB / 500000\t95.4 MiB / 540000\t110 MiB / 600000\t41.8 GiB / 230000000
"""


def test_the_table_of_a_stage_copied_from_the_ui_is_read(tmp_path: Path) -> None:
    """T2, T11."""
    known = known_of(tmp_path, page__txt=PAGE)
    (skew,) = found(known, VerdictKind.DATA_SKEW)

    assert kind_of("page.txt", PAGE) == "stage_table"
    assert (skew.severity, skew.stage_ids) == (Severity.PROBLEM, (7,))
    assert "41.8 GiB" in said(skew.summary)


def test_what_a_copied_stage_spilled_is_kept_with_its_time_and_what_it_read(tmp_path: Path) -> None:
    """It affected 0 % of a time that was in another line."""
    spilled = "Spill (Memory): 96.2 GiB\nSpill (Disk): 11.3 GiB\nShuffle Read Size / Records: 46.9 GiB / 831204411\nSummary"
    known = known_of(tmp_path, page__txt=PAGE.replace("Summary", spilled, 1))
    (spill,) = found(known, VerdictKind.SPILL)

    assert (spill.severity, spill.share) == (Severity.PROBLEM, 1.0)
    assert "11.3 GiB" in said(spill.summary)
    assert "46.9 GiB" in said(spill.summary)


MEASURE = """Scheduling mode = FIFO
Spark Context default degree of parallelism = 8

Aggregated Spark stage metrics:
numStages => 3
numTasks => 417
elapsedTime => 213520 (3.6 min)
executorRunTime => 1600000 (27 min)
jvmGCTime => 480000 (8.0 min)
bytesRead => 1000000000 (953.7 MB)
shuffleTotalBytesRead => 6000000000 (5.6 GB)
shuffleBytesWritten => 6000000000 (5.6 GB)
diskBytesSpilled => 9000000000 (8.4 GB)
"""


@pytest.mark.parametrize("kind", [VerdictKind.SPILL, VerdictKind.GC_PRESSURE, VerdictKind.SHUFFLE_VOLUME])
def test_the_report_of_sparkmeasure_is_read(tmp_path: Path, kind: VerdictKind) -> None:
    """T11."""
    known = known_of(tmp_path, measure__txt=MEASURE)

    assert kind_of("measure.txt", MEASURE) == "stage_table"
    assert found(known, kind)


def test_sums_of_all_stages_are_called_so_and_share_nothing_of_the_run(tmp_path: Path) -> None:
    """ "Stage all: spill, 100% of the run"."""
    known = known_of(tmp_path, measure__txt=MEASURE)
    (verdict,) = found(known, VerdictKind.SPILL)

    assert said(verdict.summary).startswith("All stages together: ")
    assert planned_for(known).fixes

    findings = known.findings()
    told = report(findings, Classification(tuning_class=findings.tuning_class, scores=findings.scores), planned_for(known), language="en")
    items = [item for block in findings_shown(told, details=True) if isinstance(block, Items) for item in block.items]
    assert [item.text.code for item in items if isinstance(item.text, Statement)] == ["tune.report.finding"] * 3, "without a share"


def test_a_skew_at_an_operator_that_nothing_tells_gets_no_other_partitioning(tmp_path: Path) -> None:
    """`repartition(n)` before a join or a grouping is lost in its shuffle."""
    fixes = planned_for(known_of(tmp_path, stages__json=json.dumps([history_stage()]))).fixes

    assert [fix.kind for fix in fixes if fix.kind in (FixKind.REPARTITION, FixKind.SALT)] == [FixKind.SALT]


def test_the_sums_of_sparkmeasure_are_those_of_the_stage_that_took_nearly_all(tmp_path: Path) -> None:
    stages = "\nStages and their duration:\nStage 0 => 402 (0.4 s)\nStage 1 => 212300 (3.5 min)\n"

    (verdict,) = found(known_of(tmp_path, measure__txt=MEASURE + stages), VerdictKind.GC_PRESSURE)

    assert verdict.stage_ids == (1,)


def test_the_stages_of_sparkmeasure_as_a_table_are_read(tmp_path: Path) -> None:
    """T11: its own spelling of the columns."""
    text = (
        "jobId,stageId,name,stageDuration,numTasks,executorRunTime,jvmGCTime,diskBytesSpilled,shuffleTotalBytesRead,shuffleBytesWritten\n"
        "0,3,count at A.scala:7,90000,200,700000,300000,5000000000,4000000000,0\n"
    )
    known = known_of(tmp_path, stages__csv=text)

    assert found(known, VerdictKind.SPILL)
    assert found(known, VerdictKind.GC_PRESSURE)


def progress_of(batch: int, *, took_ms: int, work_ms: int, run: str = "5ab") -> str:
    return json.dumps(
        {"id": "0f1", "runId": run, "batchId": batch, "numInputRows": 500, "durationMs": {"addBatch": work_ms, "triggerExecution": took_ms},
         "sources": [{"description": "KafkaV2", "numInputRows": 200}]},
        indent=2,
    )  # fmt: skip


IDLE = json.dumps(
    {"id": "0f1", "runId": "5ab", "batchId": 99, "numInputRows": 0, "durationMs": {"latestOffset": 10, "triggerExecution": 900}}
)
AT = "24/05/06 02:13:44"
PROGRESS = f"{AT} INFO MicroBatchExecution: Streaming query made progress: "
BEHIND = f"{AT} WARN ProcessingTimeExecutor: Current batch is falling behind. " + (
    "The trigger interval is 7500 milliseconds, but spent 10000 milliseconds"
)


@pytest.mark.parametrize(("work_ms", "is_behind"), [(7_000, False), (9_900, True)])
def test_the_progress_of_a_streams_batches_is_read_from_its_log(tmp_path: Path, work_ms: int, is_behind: bool) -> None:
    """A driver's log of a stream that fell behind said "0 errors, 12 warnings"; a batch that is logged twice counts once."""
    lines = [PROGRESS + progress_of(7 + n, took_ms=10_000, work_ms=work_ms) for n in range(4) for _ in range(2)]
    lines += [BEHIND] * 4 if is_behind else []
    known = known_of(tmp_path, driver__log="\n".join(lines))

    (verdict,) = found(known, VerdictKind.STREAMING_TRIGGERS)

    assert verdict.severity is Severity.PROBLEM
    assert "4 micro-batches took 10 s each for 500 rows" in said(verdict.summary)
    assert ("by 10 s in all; that counts as lost" in said(verdict.summary)) is is_behind
    assert not planned_for(known).fixes


@pytest.mark.parametrize(
    "lines",
    [
        [PROGRESS + IDLE] * 500,
        [PROGRESS + progress_of(n, took_ms=1_100, work_ms=1_000) for n in range(3)] + [PROGRESS + IDLE] * 500,
        [PROGRESS + progress_of(n, took_ms=10_000, work_ms=9_000) for n in range(40)],
        [PROGRESS + progress_of(n, took_ms=12, work_ms=2) for n in range(40)],
    ],
    ids=["idle", "idle after batches", "a tenth", "milliseconds"],
)
def test_a_stream_that_waits_for_rows_or_loses_little_has_no_problem(tmp_path: Path, lines: list[str]) -> None:
    """Spark logs progress of triggers without rows, too: an idle stream was one that loses all its time."""
    assert not found(known_of(tmp_path, driver__log="\n".join(lines)), VerdictKind.STREAMING_TRIGGERS)


@pytest.mark.parametrize("is_sorted", [False, True])
def test_two_queries_in_a_log_are_kept_apart(tmp_path: Path, is_sorted: bool) -> None:
    """The long batches of one hid what the other loses."""
    rows = [
        progress_of(n, took_ms=ms, work_ms=work, run=run)
        for n in range(4)
        for run, ms, work in (("a1", 2_000, 500), ("b2", 50_000, 49_500))
    ]
    (verdict,) = found(
        known_of(tmp_path, driver__log="\n".join(PROGRESS + json.dumps(json.loads(row), sort_keys=is_sorted) for row in rows)),
        VerdictKind.STREAMING_TRIGGERS,
    )

    assert said(verdict.summary).startswith("Of the query's run a1: 4 micro-batches took 2 s each")


def test_a_log_of_json_lines_tells_of_batches_and_of_falling_behind(tmp_path: Path) -> None:
    messages = [text for n in range(4) for text in (progress_of(n, took_ms=10_000, work_ms=9_900), BEHIND)]
    lines = [json.dumps({"ts": "2024-05-06T02:13:44Z", "level": "INFO", "msg": message}) for message in messages]
    (verdict,) = found(known_of(tmp_path, driver__log="\n".join(lines)), VerdictKind.STREAMING_TRIGGERS)

    assert "4 batches took longer" in said(verdict.summary)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("helper.py", 'def lost(progress):\n    return progress["batchId"], progress["durationMs"]["triggerExecution"]\n'),
        ("Listener.java", 'class Listener {\n  String id = "batchId", took = "triggerExecution";\n}\n'),
        ("ticket.md", 'The stream is late. Its progress:\n\n    {"batchId": 12, "triggerExecution": 9000}\n\nWhat is wrong?\n'),
        ("ticket.txt", 'The stream is late.\nIts progress:\n{"batchId": 12, "triggerExecution": 9000}\nWhat is wrong?\n'),
    ],
)
def test_a_text_that_names_the_progress_of_batches_is_no_log(file: str, text: str) -> None:
    assert kind_of(file, text) != "plain_log"


def test_a_log_with_progress_is_as_surely_a_log_as_one_without() -> None:
    text = f"{AT} INFO DAGScheduler: up\n" * 9 + PROGRESS + IDLE

    assert KINDS["plain_log"].sniff("driver.log", text.encode()) == 0.9


def test_the_progress_of_batches_alone_is_read_too(tmp_path: Path) -> None:
    text = "[" + ",".join(progress_of(number, took_ms=10_000, work_ms=7_000) for number in range(4)) + "]"

    assert found(known_of(tmp_path, recent__json=text), VerdictKind.STREAMING_TRIGGERS)


def test_a_damaged_notebook_says_so(tmp_path: Path) -> None:
    """T11."""
    known = known_of(tmp_path, broken__ipynb='{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["spark.table(')

    assert script_of(known).unreadable is not None


FLINK = "2026-03-01 10:00:01,120 WARN  org.apache.flink.runtime.checkpoint.CheckpointFailureManager [] - Checkpoint 41 expired.\n"


def test_a_log_of_another_engine_counts_only_where_nothing_of_spark_was_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    assert known_of(tmp_path / "a", taskmanager__log=FLINK).other_engine == "Flink"
    assert known_of(tmp_path / "b", taskmanager__log=FLINK, page__txt=PAGE).other_engine == ""


FABRIC = """# Fabric notebook source

# METADATA ********************

# META {
# META   "kernel_info": {"name": "synapse_pyspark"}
# META }

# CELL ********************

from pyspark.sql import functions as F
stock = spark.read.format("delta").load("Tables/stock")

# CELL ********************

# MAGIC %%sql
# MAGIC SELECT m.* FROM moves m CROSS JOIN calendar c WHERE m.day <= c.day

# CELL ********************

pdf = stock.join(moves, "item_id").toPandas()
"""


def test_a_notebook_of_fabric_has_its_cells_of_sql(tmp_path: Path) -> None:
    """Its cells of SQL are comments to Python, and were passed over."""
    (script,) = known_of(tmp_path, notebook__py=FABRIC).scripts

    joins = [(each.cell, each.cell_line) for each in script.facts.operations if each.kind is OperationKind.JOIN]
    assert joins == [(2, 2), (3, 1)]


def zeppelin(*paragraphs: str) -> str:
    return json.dumps({"paragraphs": [{"text": text, "status": "FINISHED"} for text in paragraphs], "name": "Daily", "id": "2JX1"})


def test_a_note_of_zeppelin_is_a_script_with_settings(tmp_path: Path) -> None:
    """It was not recognised, and nothing said what to do."""
    note = zeppelin(
        "%md\n# Daily",
        "%spark.conf\nspark.sql.shuffle.partitions 2000",
        "%spark.pyspark\nuse = spark.table('lake.usage')\nj = use.join(spark.table('lake.cells'), 'cell_id')",
        "%sql\nselect region, sum(mb) from lake.usage group by region",
    )
    assert kind_of("daily.zpln", note) == "pyspark_script"

    (script,) = known_of(tmp_path, daily__zpln=note).scripts

    assert script.facts.settings == {"spark.sql.shuffle.partitions": "2000"}
    shown = [(each.kind, each.cell, each.cell_line) for each in script.facts.operations if each.kind is not OperationKind.READ]
    assert (OperationKind.JOIN, 3, 2) in shown
    assert {cell for _, cell, _ in shown} == {3, 4}


NOT_IN = """== Physical Plan ==
BroadcastNestedLoopJoin BuildRight, LeftAnti, ((user_id#10L = user_id#20L) OR isnull((user_id#10L = user_id#20L)))
:- FileScan parquet [user_id#10L,page#11] Location: InMemoryFileIndex(1 paths)[file:/lake/visits]
+- BroadcastExchange IdentityBroadcastMode, [plan_id=31]
   +- FileScan parquet [user_id#20L] Location: InMemoryFileIndex(1 paths)[file:/lake/optouts]
"""


def test_not_in_is_named_with_what_nulls_mean(tmp_path: Path) -> None:
    """It was said that no column has to equal another, and nothing of NOT EXISTS."""
    known = known_of(tmp_path, explain__txt=NOT_IN)

    (verdict,) = found(known, VerdictKind.CROSS_JOIN)

    assert "NOT EXISTS" in said(verdict.summary)
    assert "null" in said(verdict.summary)


def test_a_failed_stage_of_the_history_server_comes_first(tmp_path: Path) -> None:
    """A job that had failed was said to have no dominating problem."""
    failed = history_stage(status="FAILED", stageId=7, numFailedTasks=3, failureReason="MetadataFetchFailedException: Missing an output")
    retried = [history_stage(stageId=5, status="FAILED", attemptId=0, failureReason="x"), history_stage(stageId=5, attemptId=1)]

    known = known_of(tmp_path, stages__json=json.dumps([failed, *retried]))

    (verdict,) = found(known, VerdictKind.FAILURES)
    assert verdict.severity is Severity.PROBLEM
    assert verdict.stage_ids == (7,)
    assert verdict.error == "MetadataFetchFailedException: Missing an output"
    assert said(verdict.summary).startswith("Stage 7 was aborted.")


@pytest.mark.parametrize(("first", "retry"), [("3", "3 (retry 1)"), ("Stage 3", "Stage 3 (retry 1)")])
def test_a_stage_whose_retry_ended_well_is_not_aborted(tmp_path: Path, first: str, retry: str) -> None:
    """Spark's page writes the attempt behind the number."""
    rows = f"Stage Id,Status,Duration,Tasks\n{first},FAILED,5 s,10\n{retry},COMPLETE,9 s,10\n{first.replace('3', '4')},FAILED,5 s,10\n"

    known = known_of(tmp_path, stages__csv=rows)

    (verdict,) = found(known, VerdictKind.FAILURES)
    assert verdict.stage_ids == (4,)


def test_a_python_function_over_all_pairs_is_named(tmp_path: Path) -> None:
    plan = """== Physical Plan ==
*(3) Project [name#3]
+- *(3) Filter pythonUDF0#50: boolean
   +- BatchEvalPython [similar(name#3, title#12)], [pythonUDF0#50]
      +- CartesianProduct
         :- *(1) FileScan parquet crm.people[name#3] Batched: true
         +- *(2) FileScan parquet crm.titles[title#12] Batched: true
"""

    (verdict,) = found(known_of(tmp_path, plan__txt=plan), VerdictKind.CROSS_JOIN)

    assert "`similar(name#3, title#12)` looks at each pair" in said(verdict.summary)


STAGES = """Stage Id\tDescription\tSubmitted\tDuration\tTasks: Succeeded/Total\tInput\tOutput\tShuffle Read\tShuffle Write
9\tsave at Job.scala:40 +details\t2026/01/31 03:12:01\t1.4 min\t200/200\t\t1.0 GiB\t1.7 GiB\t
7\tsave at Job.scala:40 +details\t2026/01/31 03:11:01\t48 min\t200/200\t\t\t46.9 GiB\t1.7 GiB
3\tsave at Job.scala:38 +details\t2026/01/31 03:10:31\t5 s\t8/8\t1.0 GiB\t\t\t20 MiB
"""
WITHOUT_TITLE = PAGE.split("\n", 2)[2]


@pytest.mark.parametrize(
    "files",
    [{"a__txt": STAGES, "b__txt": WITHOUT_TITLE}, {"a__txt": f"{STAGES}\n{WITHOUT_TITLE}"}, {"a__txt": f"{WITHOUT_TITLE}\n{STAGES}"}],
)
def test_the_table_of_a_stage_without_its_title_is_joined_to_the_stage_that_has_as_many_tasks(
    tmp_path: Path, files: dict[str, str]
) -> None:
    """It was a stage of its own, called ?: of two stages of 200 tasks, one is too short for the longest task."""
    known = known_of(tmp_path, **files)
    (skew,) = found(known, VerdictKind.DATA_SKEW)

    assert skew.stage_ids == (7,)
    assert "Stage 7" in said(skew.summary)
    assert "?" not in said(skew.summary)


def test_a_stage_that_may_be_another_is_not_joined(tmp_path: Path) -> None:
    known = known_of(tmp_path, a__txt=STAGES.replace("1.4 min", "50 min").replace("1.7 GiB\t\n", "45.0 GiB\t\n"), b__txt=WITHOUT_TITLE)

    assert [skew.stage_ids for skew in found(known, VerdictKind.DATA_SKEW)] == [()]
