"""A loop that runs one plan for one value after another: what it costs, in which line, and when one pass over all values is advised."""

import json
from pathlib import Path

import pytest

from contracts.figures import FigureId
from contracts.spark import JobFacts, RunFacts, SqlExecution, StageStatus
from contracts.tune.plan import FixKind
from contracts.verdicts import Findings, Severity, TuningClass, Verdict, VerdictKind
from tests.support.advice import script_of
from tests.support.said import said
from tests.support.tuning import START, plan_of, run_of, stage_of
from workers.engines.code.notebooks import read_python
from workers.engines.code.python_script import read_script
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.looped import Loops, merged, overlap_ms
from workers.engines.spark.verdicts.script_loops import repeated_in_script
from workers.engines.verdicts import figure_of
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.rewrites.loops import one_pass
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff
from workers.kinds.tune.rules.advice.rewrites.source import Source
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.headline import headline

LOG = Path(__file__).parents[1] / "support" / "logs" / "days_one_by_one.zstd"
"""A run of the script below: Spark 3.5.9, two slots, twenty days of 10,000 rows each. For forty days it took
36.2 s, and its one pass 10.7 s for the same rows."""

SCRIPT = '''"""Copy the events of each day into its own folder of daily counts."""
from datetime import date, timedelta

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("daily_counts").getOrCreate()
users = spark.read.parquet("/data/users")

first = date(2026, 1, 1)
for offset in range(20):
    day = (first + timedelta(days=offset)).isoformat()
    events = spark.read.parquet("/data/events").filter(F.col("day") == day)
    counts = events.join(users, "user_id").groupBy("country").agg(F.count("*").alias("events"))
    counts.write.mode("overwrite").parquet(f"/data/out/daily_counts/day={day}")

spark.stop()
'''
ANY_DAY = 'functools.reduce(lambda one, other: one | other, [F.col("day") == day for day in all_day], F.lit(False))'
REWRITTEN = f"""first = date(2026, 1, 1)
all_day = []
for offset in range(20):
    day = (first + timedelta(days=offset)).isoformat()
    all_day.append(day)
events = spark.read.parquet("/data/events").filter({ANY_DAY})
counts = events.join(users, "user_id").groupBy("day", "country").agg(F.count("*").alias("events"))
counts.write.mode("overwrite").option("partitionOverwriteMode", "dynamic").partitionBy("day").parquet("/data/out/daily_counts")
"""


@pytest.fixture(scope="module")
def run() -> RunFacts:
    return read_run(LOG)


def of_loop(findings: Findings) -> Verdict:
    return next(verdict for verdict in findings.verdicts if verdict.kind is VerdictKind.REPEATED_PLANS)


def rewritten(text: str) -> str | None:
    """The script with one pass in place of its loop."""
    source = Source.read(text)
    assert source is not None
    line = next(number for number, line in enumerate(text.splitlines(), start=1) if line.startswith("for "))
    found = one_pass(script_of(text), source, line)
    return apply_diff(found.diff, text) if found else None


def test_the_headline_of_a_loop_is_its_share_of_the_run_and_its_line(run: RunFacts) -> None:
    """T5: the driver's time between the turns was nobody's, and no line of the loop was named."""
    findings = find(run, script_of(SCRIPT).facts)
    verdict = of_loop(findings)

    assert findings.tuning_class is TuningClass.OTHER
    assert verdict.severity is Severity.PROBLEM
    assert verdict.run_share > 0.5
    assert (figure_of(verdict, FigureId.TURNS) or verdict.figures[0]).value == 20
    assert verdict.blame.spots[0].line == 11
    plan = advise(findings, run, [script_of(SCRIPT)])
    first = said(headline(findings, plan.fixes))
    assert first.startswith("The same work again and again: ")
    assert "ran the same plan 20 times" in first
    assert "Line 11: `for offset in range(20)`." in first


def test_one_pass_is_advised_where_each_step_of_the_loop_does_for_all_days_what_it_does_for_one(run: RunFacts) -> None:
    """T5, T27: applied and run by Spark 3.5.9, it wrote the same rows."""
    plan = advise(find(run, script_of(SCRIPT).facts), run, [script_of(SCRIPT)])

    fix = next(fix for fix in plan.fixes if fix.kind is FixKind.MERGE_TURNS)
    assert REWRITTEN in (apply_diff(fix.diff, SCRIPT) or "")
    assert "keeps the folder of an earlier run" in said(fix.risk_note)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('F.col("day") == day', 'F.col("day") >= day'),
        ('.groupBy("country")', '.orderBy("country").groupBy("country")'),
        ('.groupBy("country")', '.limit(3).groupBy("country")'),
        ('.groupBy("country").agg', ".agg"),
        ('.groupBy("country")', '.withColumn("n", F.row_number().over(w)).groupBy("country")'),
        ('.groupBy("country")', '.withColumn("n", F.rand()).groupBy("country")'),
        ("counts.write", "counts.cache().write"),
        ('join(users, "user_id")', 'join(events, "user_id")'),
        ('join(users, "user_id")', 'join(users, "user_id", "right")'),
        ("overwrite", "error"),
        ("day={day}", "{day}"),
        ("day={day}", "day={offset}"),
        ('parquet("/data/events")', 'parquet(f"/data/events/{offset}")'),
        ("    counts =", "    fetch(day)\n    counts ="),
        ("    counts =", "    if offset:\n        continue\n    counts ="),
        ("spark.stop()", "counts.show()"),
        ("users = spark", "counts = users = spark"),
        ("= events.join(users", "= counts.join(users"),
        ('.groupBy("country")', '.withColumn("n", newest).groupBy("country")'),
        ('.groupBy("country")', '.withColumn("n", ranked()).groupBy("country")'),
        ('.groupBy("country")', '.withColumn("n", F.lag("n")).groupBy("country")'),
        ('.groupBy("country")', '.withColumn("DAY", F.lit(1)).groupBy("country")'),
        ('.groupBy("country")', '.filter("rand() < 0.1").groupBy("country")'),
        ('F.count("*").alias("events")', "total"),
        ('F.count("*").alias("events")', 'F.first("n").alias("events")'),
        ('join(users, "user_id")', 'join(spark.read.parquet("/data/users"), "user_id")'),
        ('join(users, "user_id")', 'join(users.limit(100), "user_id")'),
        ('"/data/users")', '"/data/users").limit(100)'),
        ('"/data/users"', '"/data/out/daily_counts"'),
        ('"/data/users"', '"/data/out"'),
        ('"/data/users"', '"/data/out/daily_counts/kind=a"'),
        ('"/data/users"', '"hdfs://name/data/out/daily_counts/"'),
        ('"/data/users"', "sys.argv[1]"),
        ('"/data/users"', '"/data/*"'),
        ('"/data/events"', '"/data/out/daily_counts"'),
        ('.mode("overwrite").parquet(', '.mode("overwrite").format("delta").save('),
        ('.mode("overwrite").parquet(', '.mode("overwrite").save('),
        ('.mode("overwrite")', '.mode("overwrite").option("replaceWhere", "x")'),
        ('.mode("overwrite")', '.mode("overwrite").options(**given)'),
        ("range(20)", "pending(spark)"),
    ],
)  # fmt: skip
def test_no_loop_is_rewritten_whose_steps_may_do_something_else_for_all_days_at_once(was: str, now: str) -> None:
    """T27: wrong advice is worse than none."""
    text = SCRIPT.replace(was, now)
    assert text != SCRIPT

    if now.startswith("counts = users"):
        assert rewritten(text) is not None  # a name from before that the loop sets anew
    else:
        assert rewritten(text) is None


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('join(users, "user_id")', 'join(F.broadcast(users), "user_id", "left")'),
        ('.groupBy("country")', '.withColumn("n", F.upper(F.col("a")) + 1).filter(F.col("n") > 3).groupBy("country")'),
        ('.parquet(f"', '.format("parquet").option("compression", "zstd").save(f"'),
        ('spark.read.parquet("/data/users")', 'spark.read.option("header", True).format("csv").load("s3://bucket/users")'),
    ],
)
def test_a_loop_is_rewritten_whose_steps_are_known(was: str, now: str) -> None:
    """T27."""
    assert was in SCRIPT
    assert rewritten(SCRIPT.replace(was, now)) is not None


def test_one_pass_compares_each_value_as_the_loop_did() -> None:
    """`isin` makes one type of the column and of all its values: "01" found no number 1, which the loop did find."""
    found = rewritten(SCRIPT) or ""

    assert "isin" not in found
    assert "import functools\n" in found


def with_folders(run: RunFacts, was: str, now: str) -> RunFacts:
    """The run with other values in its folders."""

    def changed(execution: SqlExecution) -> SqlExecution:
        nodes = (node.model_copy(update={"simple_string": node.simple_string.replace(was, now)}) for node in execution.nodes)
        return execution.model_copy(update={"nodes": tuple(nodes)})

    return run.model_copy(update={"executions": tuple(map(changed, run.executions))})


@pytest.mark.parametrize(("was", "now"), [("(day#", "(cast(day# as int"), ("/day=2026-01-0", "/day=2026-01-")])
def test_values_that_are_not_written_as_the_column_has_them_are_not_merged(run: RunFacts, was: str, now: str) -> None:
    """A column of numbers finds "01" and has a folder of 1."""
    script = script_of(SCRIPT)
    changed = with_folders(run, was, now)

    assert FixKind.MERGE_TURNS not in [fix.kind for fix in advise(find(changed, script.facts), changed, [script]).fixes]


def test_of_two_loops_none_is_rewritten_for_what_the_other_one_did(run: RunFacts) -> None:
    """The loop that could be rewritten was advised with the figures of the one that could not."""
    script = script_of(
        SCRIPT.replace('.agg(F.count("*").alias("events"))', '.agg(F.count("*").alias("events")).orderBy("country")').replace(
            "spark.stop()",
            """for day in ["2026-01-01"]:
    e = spark.read.parquet("/data/tiny").filter(F.col("day") == day)
    e.write.mode("append").parquet(f"/data/out2/day={day}")
""",
        )
    )
    plan = advise(find(run, script.facts), run, [script])

    assert FixKind.MERGE_TURNS not in [fix.kind for fix in plan.fixes]
    assert any("was not rewritten" in said(text) for text in plan.left_out)


def test_a_loop_over_other_files_than_the_plan_reads_is_not_rewritten(run: RunFacts) -> None:
    script = script_of(SCRIPT.replace("/data/events", "/data/tiny"))

    assert FixKind.MERGE_TURNS not in [fix.kind for fix in advise(find(run, script.facts), run, [script]).fixes]


def test_a_loop_that_is_not_rewritten_is_named_with_what_to_look_at_and_why_not(run: RunFacts) -> None:
    """T27."""
    script = script_of(SCRIPT.replace('.groupBy("country")', '.limit(9).groupBy("country")'))
    findings = find(run, script.facts)
    plan = advise(findings, run, [script])

    assert FixKind.MERGE_TURNS not in [fix.kind for fix in plan.fixes]
    assert any("The loop in line 11 was not rewritten" in said(text) for text in plan.left_out)
    assert "one pass over all values" in said(of_loop(findings).summary)


def test_a_loop_of_another_script_is_not_rewritten(run: RunFacts) -> None:
    """T27: the plan that was repeated does not work with the column that this loop goes over."""
    script = script_of(SCRIPT.replace("day", "month").replace("months=", "days="))

    plan = advise(find(run, script.facts), run, [script])

    assert not [fix for fix in plan.fixes if fix.kind is FixKind.MERGE_TURNS]


def test_a_function_that_a_loop_calls_is_repeated_by_the_loop() -> None:
    """T5."""
    facts = read_script(
        "def copy(day):\n    spark.read.parquet('/e').filter(F.col('day') == day).write.parquet(f'/o/{day}')\n\n"
        "for day in days:\n    copy(day)\n"
    )

    assert {operation.loop_line for operation in facts.operations} == {4}
    assert {operation.loop_text for operation in facts.operations} == {"for day in days"}


def query(number: int, begin: int, end: int, line: str, stages: tuple[int, ...]) -> object:
    made = plan_of((0, line, {}, stages), execution_id=number)
    return made.model_copy(update={"started_at": START + begin, "ended_at": START + end, "stage_ids": stages})


def test_commands_without_a_task_and_calls_within_a_library_are_no_loop() -> None:
    """T7: seven views that were made were the turns of a loop."""
    views = [query(number, 100 * number, 100 * number + 50, "Execute CreateViewCommand", ()) for number in range(7)]
    stages = [stage_of(number, [10]).model_copy(update={"name": "parquet at NativeMethodAccessorImpl.java:0"}) for number in range(4)]
    jobs = tuple(
        JobFacts(job_id=number, stage_ids=(number,), submitted_at=START + number, completed_at=START + number + 1,
                 status=StageStatus.SUCCEEDED)
        for number in range(4)
    )  # fmt: skip

    assert Loops(run_of(*stages, executions=views, jobs=jobs)).turns == 0  # pyright: ignore[reportArgumentType]


def test_what_lies_between_two_turns_is_the_loops_up_to_what_planning_takes() -> None:
    """T5: code of the script's own between the turns would run in one pass too."""
    scan = "FileScan parquet [day#1] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/w/loans]"
    stages = [
        stage_of(number, [500] * 2, cpu_ms=1_000).model_copy(
            update={"first_launch_at": START + 5_000 * number, "last_finish_at": START + 5_000 * number + 500,
                    "submitted_at": START + 5_000 * number, "completed_at": START + 5_000 * number + 500}
        )
        for number in range(6)
    ]  # fmt: skip
    queries = [query(number, 5_000 * number, 5_000 * number + 600, scan, (number,)) for number in range(6)]
    run = run_of(*stages, executions=queries, ended_at=START + 26_000, wall_ms=26_000, spark_version="3.5.1")  # pyright: ignore[reportArgumentType]
    script = script_of("for day in days:\n    fetch(day)\n    spark.read.parquet('/w/loans').write.parquet(day)\n")
    findings = find(run, script.facts)
    driver = next(verdict for verdict in findings.verdicts if verdict.kind is VerdictKind.DRIVER_WORK)

    assert Loops(run).turns == 6
    assert driver.blame.spots[0].line == 1
    assert "Between the 6 turns of a loop no stage ran" in said(driver.summary)
    assert of_loop(findings).share < driver.share
    assert said(headline(findings, advise(findings, run, [script]).fixes)).startswith("Time in the driver: ")


@pytest.mark.parametrize(("spans", "took"), [((), 0), (((0, 5), (3, 8)), 8), (((2, 4), (6, 20)), 6), (((-5, 1), (11, 12)), 1)])
def test_overlaps_count_once(spans: tuple[tuple[int, int], ...], took: int) -> None:
    assert overlap_ms(0, 10, merged(spans)) == took


SCAN = "FileScan parquet [day#1] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/w/loans]"


def in_a_row(kinds: str) -> RunFacts:
    """A query of one second every ten seconds: equal letters are equal queries."""
    queries = [
        query(number, 10_000 * number, 10_000 * number + 1_000, SCAN.replace("loans", kind), (number,)) for number, kind in enumerate(kinds)
    ]
    stages = [stage_of(number, [500] * 2) for number in range(len(kinds))]
    return run_of(*stages, executions=queries)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("kinds", "turns"),
    [("aaaa", 4), ("ababab", 3), ("abaca", 0), ("xaaay", 3), ("aaxaa", 0), ("aaaaxaaa", 4), ("ababxab", 0), ("aaabbb", 3), ("", 0)],
)
def test_turns_follow_each_other_with_nothing_else_between(kinds: str, turns: int) -> None:
    """A query that somebody runs once an hour, with others in between, was a loop."""
    assert Loops(in_a_row(kinds)).turns == turns


def test_time_between_turns_is_that_of_one_loop() -> None:
    loops = Loops(in_a_row("aaaxbbb"))
    begins = [(begin - START) // 10_000 for begin, _ in loops.between]

    assert begins == [0, 1, 4, 5]
    assert len(loops.within) == 4


def only_counted(execution: SqlExecution, later: int) -> SqlExecution:
    """The query once more, as another one that writes nothing."""
    nodes = [
        node.model_copy(update={"stage_ids": tuple(later + stage for stage in node.stage_ids)})
        for node in execution.nodes
        if not node.name.startswith("Execute")
    ]
    stages = tuple(later + stage for stage in execution.stage_ids)
    return execution.model_copy(update={"execution_id": later + execution.execution_id, "stage_ids": stages, "nodes": tuple(nodes)})


def test_a_loop_is_said_to_have_as_many_turns_as_its_figure(run: RunFacts) -> None:
    """A piece that each turn runs twice made it 40 beside 20."""
    twice = [again for execution in run.executions for again in (execution, only_counted(execution, 1_000))]
    verdict = of_loop(find(run.model_copy(update={"executions": tuple(twice)}), script_of(SCRIPT).facts))
    turns = figure_of(verdict, FigureId.TURNS)

    assert turns is not None
    assert f"ran the same plan {turns.value:.0f} times" in said(verdict.summary)


def test_the_loop_of_a_notebook_is_in_the_cell_of_its_line(run: RunFacts) -> None:
    """It was called line 10 of the cell of the function that it calls, which has three."""
    cells = [
        "def one(day):\n    e = spark.read.parquet('/data/events').filter(F.col('day') == day)\n"
        "    e.write.mode('overwrite').parquet(f'/out/day={day}')\n",
        "days = ['a', 'b']\n",
        "z = 3\nfor day in days:\n    one(day)\n",
    ]
    made = [{"cell_type": "code", "source": cell, "execution_count": None} for cell in cells]
    facts = read_python(json.dumps({"cells": made, "metadata": {"language_info": {"name": "python"}, "x": "spark"}, "nbformat": 4}))
    spots = of_loop(find(run, facts)).blame.spots

    assert {(operation.cell, operation.loop_cell, operation.loop_cell_line) for operation in facts.operations} == {(1, 3, 2)}
    assert [(spot.cell, spot.cell_line) for spot in spots[:1]] == [(3, 2)]
    assert [said(verdict.summary) for verdict in repeated_in_script(facts) if "[3]:2" in said(verdict.summary)]
