"""What is advised for failures that a plain log reports, with the place that its trace or the script names."""

from pathlib import Path

import pytest

from contracts.artefacts import LogFacts
from contracts.bundles import ArtefactRead
from contracts.code import OperationKind, ScriptFacts, ScriptOperation
from contracts.spark import ExecutorFacts, FailureKind, StageStatus
from contracts.tune.plan import Fix, TuningPlan
from contracts.verdicts import Findings
from tests.support.advice import script_of
from tests.support.said import said
from tests.support.tuning import run_of, stage_of
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.artefacts.plain_log import read_plain_log
from workers.engines.scripts.given import NamedScript
from workers.engines.spark.logged_places import traced_spots
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.container_memory import more_overhead
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.known import Known, ReadFacts

YARN = """\
26/04/02 01:00:09 INFO SparkContext: Submitted application: monthly_closing
26/04/02 01:18:40 WARN TaskSetManager: Lost task 7.1 in stage 9.0 (TID 3120) (node11.example executor 12): ExecutorLostFailure \
(executor 12 exited caused by one of the running tasks) Reason: Container killed by YARN for exceeding physical memory limits. \
12.3 GB of 12 GB physical memory used. Consider boosting spark.executor.memoryOverhead.
Traceback (most recent call last):
  File "/srv/etl/monthly_closing.py", line 6, in close
    closed.write.parquet("/out/closed")
  File "/opt/spark/python/lib/pyspark.zip/pyspark/sql/readwriter.py", line 1656, in parquet
py4j.protocol.Py4JJavaError: An error occurred while calling o77.parquet.
"""

KUBERNETES = """\
2026-04-02 01:18:40 ERROR TaskSchedulerImpl: Lost executor 2 on 10.8.1.9:
The executor with id 2 exited with exit code 137(SIGKILL, possible container OOM).
     exit code: 137
     termination reason: OOMKilled
"""

EXIT_137 = """\
26/04/02 01:18:40 ERROR YarnScheduler: Lost executor 5 on n4: Container from a bad node: container_17_0001_01_000006 on host: n4. \
Exit status: 137. Diagnostics: Container killed on request. Exit code is 137
"""

RESULT = """\
26/04/02 03:00:00 INFO DAGScheduler: Submitting 900 missing tasks
26/04/02 03:09:11 ERROR TaskSetManager: Total size of serialized results of 512 tasks (2.1 GiB) is bigger than \
spark.driver.maxResultSize (2.0 GiB)
"""

RESULT_BEHIND_A_LONG_HEAD = """\
26/04/02 03:09:11 ERROR FileFormatWriter: Aborting job 0f0c1d3e-1111-2222-3333-444455556666 of a query with a long name that says little. \
org.apache.spark.SparkException: Job aborted due to stage failure: Total size of serialized results of 512 tasks (2.1 GiB) is bigger than \
spark.driver.maxResultSize (2.0 GiB)
"""

PYTHON = """\
def clean(text):
    return text.strip()

closed = spark.read.parquet("/in/sales").rdd.map(clean).toDF()
def close():
    closed.write.parquet("/out/closed")
"""

COLLECTS = """\
scores = spark.read.parquet("/in/scores")
frame = scores.select("id", "score").toPandas()
"""


def logged(tmp_path: Path, text: str, *scripts: NamedScript) -> tuple[Findings, TuningPlan]:
    path = tmp_path / "driver.log"
    path.write_text(text)
    facts = read_plain_log(ArtefactSource("driver.log", path, path.stat().st_size)).facts
    reads = [ReadFacts(ArtefactRead(name="driver.log", kind="plain_log", round=0, reason=""), lambda: facts, None)]
    reads += [
        ReadFacts(ArtefactRead(name=script.name, kind="pyspark_script", round=0, reason=""), lambda script=script: (script.facts,), None)
        for script in scripts
    ]
    known = Known(tuple(reads))
    findings = known.findings()
    return findings, advise(findings, None, scripts)


def first(plan: TuningPlan) -> Fix:
    return plan.fixes[0]


def frames(tmp_path: Path, text: str) -> list[tuple[str, int, str]]:
    path = tmp_path / "driver.log"
    path.write_text(text)
    (facts,) = read_plain_log(ArtefactSource("driver.log", path, path.stat().st_size)).facts
    assert isinstance(facts, LogFacts)
    return [(frame.file, frame.line, frame.text) for frame in facts.frames]


@pytest.mark.parametrize("log", [YARN, KUBERNETES, EXIT_137])
def test_executors_that_were_killed_for_memory_get_memory_and_nothing_about_preempted_machines(tmp_path: Path, log: str) -> None:
    _, plan = logged(tmp_path, log)
    text = said(first(plan).what)

    assert "spark.executor.memoryOverhead" in text
    assert "spark.executor.cores" in text
    assert "Smaller partitions" in text
    assert not any(word in text for word in ("preempt", "decommission", "in Python run here"))
    assert "spark.task.maxFailures" not in [setting.name for setting in first(plan).configuration]


def test_the_overhead_follows_from_what_the_container_had_and_python_is_named_where_it_runs(tmp_path: Path) -> None:
    """12 GB with a heap of a tenth less: the overhead was 1.1 GB, so 2.5 GB are proposed."""
    _, plan = logged(tmp_path, YARN, script_of(PYTHON, "monthly_closing.py"))

    assert [(setting.name, setting.value) for setting in first(plan).configuration] == [("spark.executor.memoryOverhead", "2560m")]
    assert "spark.executor.pyspark.memory" in said(first(plan).what)


@pytest.mark.parametrize(
    ("settings", "error", "wanted"),
    [
        ({"spark.executor.memoryOverhead": "1g"}, "", ["2g"]),
        ({"spark.executor.memoryOverhead": "1024"}, "", ["2g"]),
        ({"spark.executor.memory": "20g"}, "", ["4g"]),
        ({"spark.executor.memory": "8g"}, "9.1 GB of 9 GB physical memory used", ["2g"]),
        ({"spark.executor.memory": "1g"}, "", ["1g"]),
        ({}, "OOMKilled", []),
    ],
)
def test_the_overhead_is_doubled(settings: dict[str, str], error: str, wanted: list[str]) -> None:
    case = Case(find(run_of(stage_of(1, [1_000] * 4))), None, [], (), settings=settings)

    assert [value for _, value in more_overhead(case, error)] == wanted


def test_the_line_of_the_script_in_the_trace_is_the_place(tmp_path: Path) -> None:
    findings, plan = logged(tmp_path, YARN, script_of(PYTHON, "monthly_closing.py"))
    (spot,) = findings.verdicts[0].blame.spots

    assert (spot.artefact, spot.line) == ("monthly_closing.py", 6)
    assert "line 6 of monthly_closing.py" in said(first(plan).what)


def test_a_trace_names_its_place_without_the_script_too(tmp_path: Path) -> None:
    _, plan = logged(tmp_path, YARN)

    assert "line 6 of monthly_closing.py" in said(first(plan).what)


def test_a_trace_ends_at_the_innermost_frame_of_the_users_code(tmp_path: Path) -> None:
    python = (
        'Traceback (most recent call last):\n  File "/a/run.py", line 40, in <module>\n    main()\n'
        '  File "/a/lib/steps.py", line 12, in main\n    step()\n  File "/usr/lib/python3.11/site-packages/x/y.py", line 3, in z\n    q()\n'
        "ValueError: no\n"
    )
    java = (
        "java.lang.IllegalStateException: no\n\tat org.apache.spark.sql.Dataset.collect(Dataset.scala:3000)\n"
        "\tat acme.jobs.Daily$.load(Daily.scala:31)\n\tat acme.jobs.Daily$.main(Daily.scala:12)\n"
        "\tat java.base/java.lang.Thread.run(Thread.java:829)\n"
    )

    assert frames(tmp_path, python) == [("steps.py", 12, "step()")]
    assert frames(tmp_path, java) == [("Daily.scala", 31, "")]
    assert frames(tmp_path, python + java) == [("steps.py", 12, "step()"), ("Daily.scala", 31, "")]


@pytest.mark.parametrize("log", [RESULT, RESULT_BEHIND_A_LONG_HEAD])
def test_results_too_large_for_the_driver_are_to_be_written_and_not_to_be_tried_again(tmp_path: Path, log: str) -> None:
    findings, plan = logged(tmp_path, log, script_of(COLLECTS, "scores.py"))
    text = said(first(plan).what)

    assert [(spot.artefact, spot.line) for spot in findings.verdicts[0].blame.spots] == [("scores.py", 2)]
    assert "toPandas()` (line 2 of scores.py)" in text
    assert text.index("write.parquet") < text.index("raise spark.driver.maxResultSize")
    assert "next attempt" not in text


def test_an_error_in_a_log_is_not_said_to_have_passed_or_to_come_back(tmp_path: Path) -> None:
    lost = "26/04/02 03:09:11 WARN TaskSetManager: Lost task 1.0 in stage 2.0 (TID 7) (n1 executor 1): acme.BadRecordException: row 7\n"
    _, plan = logged(tmp_path, lost * 12)
    text = said(first(plan).what)

    assert "next attempt" not in text
    assert "comes back with each retry" not in text
    assert "does not show whether a later attempt went well" in text


def failing(status: StageStatus, reason: str = "") -> TuningPlan:
    """A run one of whose stages had failures of the user's own, and ended so."""
    run = run_of(stage_of(1, [20_000] * 9))
    kind = FailureKind(reason="ExceptionFailure" if not reason else "ExecutorLostFailure", error="acme.BadRecord", message="row 7", count=9)
    stages = [
        stage.model_copy(update={"failed_tasks": 9, "failures": (kind,), "lost_task_ms": 90_000, "status": status})
        for stage in run.stages[:1]
    ]
    executor = ExecutorFacts(executor_id="3", removed_at=1, removed_reason=reason)
    run = run.model_copy(update={"stages": (*stages, *run.stages[1:]), "executors": (*run.executors, executor)})
    return advise(find(run), run, [])


@pytest.mark.parametrize(("status", "passed"), [(StageStatus.SUCCEEDED, True), (StageStatus.UNFINISHED, False)])
def test_only_a_stage_that_was_done_after_all_says_that_the_next_attempt_went_well(status: StageStatus, passed: bool) -> None:
    texts = [said(fix.what) for fix in failing(status).fixes if "BadRecord" in said(fix.what) or "row 7" in said(fix.what)]

    assert len(texts) == 1
    assert ("went well in the next attempt" in texts[0]) is passed


def test_attempts_that_ended_with_an_executor_killed_for_memory_get_memory() -> None:
    plan = failing(StageStatus.SUCCEEDED, "Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used.")
    texts = [said(fix.what) for fix in plan.fixes]

    assert any("spark.executor.memoryOverhead" in text for text in texts)
    assert not any("preempted" in text for text in texts)


def test_a_failed_task_of_a_run_has_the_line_of_its_trace() -> None:
    """The innermost frame of the script, and not that of a library below it; nothing where no frame is of the script."""
    operation = ScriptOperation(number=0, kind=OperationKind.READ, line=4, text="withColumn('city', city_of('id'))", artefact="nightly.py")
    script = ScriptFacts(operations=(operation,))
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/opt/spark/python/pyspark/worker.py", line 1247, in main\n    process()\n'
        '  File "/jobs/nightly.py", line 12, in city_of\n    with open(path) as file:\n'
        '  File "/usr/lib/python3.11/codecs.py", line 30, in open\n    return file\n'
        "FileNotFoundError: no such file"
    )

    (spot,) = traced_spots([trace], script)

    assert (spot.line, spot.text, spot.artefact) == (12, "with open(path) as file:", "nightly.py")
    assert traced_spots([trace.replace("/jobs/nightly.py", "/jobs/other.py")], script) == ()
