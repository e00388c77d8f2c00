"""The facts of a run, from logs small enough to be counted by hand, whole and broken."""

import random
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.spark import BytesSource, LogRefusal, RunFacts, StageStatus
from tests.support.eventlog import (
    START,
    Event,
    app_end,
    app_start,
    databricks_start,
    environment,
    executor_added,
    job_end,
    job_start,
    log_start,
    small_run,
    stage_event,
    task_end,
    to_bytes,
)
from tests.support.said import said, why_refused
from workers.engines.spark.eventlog import KeepLimits, ReadLimits, read_run
from workers.engines.spark.eventlog.configuration import platform_of, what_matters
from workers.engines.spark.eventlog.distributions import Buckets, column_sums, exact_quantiles
from workers.errors import UnreadableLog

SQL = "org.apache.spark.sql.execution.ui.SparkListener"


def read(tmp_path: Path, events: list[Event] | bytes, keep: KeepLimits | None = None, limits: ReadLimits | None = None) -> RunFacts:
    path = tmp_path / "log"
    path.write_bytes(events if isinstance(events, bytes) else to_bytes(events))
    return read_run(path, limits or ReadLimits(), keep or KeepLimits())


def test_the_facts_of_a_small_run_are_the_ones_counted_by_hand(tmp_path: Path) -> None:
    """T1."""
    run = read(tmp_path, small_run())

    first, second = run.stages
    assert (first.stage_id, first.status, first.planned_tasks, first.succeeded_tasks) == (0, StageStatus.SUCCEEDED, 3, 3)
    assert (first.task_ms, first.run_ms, first.gc_ms, first.cpu_ms) == (600, 597, 6, 600)
    assert first.call_site == ("com.acme.Job$.main(Job.scala:42)",)
    assert first.operators == ("Exchange",)
    spread = second.distributions["shuffle_read_bytes"]
    assert (spread.count, spread.sum, spread.min, spread.median, spread.max, spread.exact) == (4, 93_003, 1_000, 1_002, 90_000, True)
    assert [(task.value, task.task_id) for task in spread.heaviest] == [(90_000, 6), (1_002, 5), (1_001, 4), (1_000, 3)]
    assert (second.time_ratio, second.bytes_ratio, second.bytes_source) == (71.43, 89.82, BytesSource.SHUFFLE)
    assert (second.parent_ids, second.job_ids, second.run_share) == ((0,), (0,), 0.8966)
    assert (run.wall_ms, run.idle_ms, run.slots, run.platform) == (7_000, 1_600, 4, "yarn")
    assert [(step.stage_id, step.waited_for, step.driver_gap_ms) for step in run.critical_path] == [(0, None, 1_000), (1, 0, 100)]
    (executor,) = run.executors
    assert (executor.tasks, executor.task_ms, executor.shuffle_read_bytes, executor.cores) == (7, 5_780, 93_003, 4)


def test_without_start_and_end_events_the_first_and_last_one_stand_for_them(tmp_path: Path) -> None:
    """T1: Databricks writes neither."""
    events = [event for event in small_run() if "Application" not in event["Event"]][1:]

    run = read(tmp_path, [databricks_start(0), *events])

    assert (run.start_from, run.end_from) == ("first_event", "last_event")
    assert (run.started_at, run.ended_at) == (START, START + 6_600)
    assert run.spark_version == "3.5.0"


def test_an_empty_log_is_read_as_what_it_is(tmp_path: Path) -> None:
    """T1."""
    run = read(tmp_path, b"")

    assert (run.reading.lines, run.stages, run.wall_ms, run.platform) == (0, (), None, "unknown")


def test_malformed_lines_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    """T1."""
    bad = [
        b'{"Event":"SparkListenerTaskEnd",_"Stage ID":0}',
        b"\xff\xfe\x00garbage",
        b'{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Info":{"Launch Time":1e400}}',
        b'{"Event":"SparkListenerTaskStart","Stage ID":',
        b'{"Event":"SparkListenerStageSubmitted","Stage Info":' + b"[" * 100_000,
        b'{"Event":"SparkListenerTaskEnd","Stage ID":1,"Task Info":{"Finish Time":9223372036854775807,"Launch Time":-9223372036854775807}}',
        b"[]",
        b"null",
    ]
    good = to_bytes(small_run()).splitlines()

    run = read(tmp_path, b"\n".join([*good[:10], *bad, b"", b"   ", *good[10:]]))

    assert run.reading.malformed_lines == len(bad)
    assert run.reading.lines == len(good) + len(bad)
    assert [bad.line for bad in run.reading.bad_lines] == [*range(11, 11 + len(bad))]
    assert [stage.succeeded_tasks for stage in run.stages] == [3, 4]
    assert run.stages[1].task_ms == 5_180


def test_a_log_that_breaks_off_within_a_line_says_so(tmp_path: Path) -> None:
    """T1: what was written before stands."""
    run = read(tmp_path, to_bytes(small_run()[:13])[:-25])

    assert said(run.reading.truncated) == "log: its last line breaks off"
    assert [(stage.status, stage.succeeded_tasks) for stage in run.stages] == [(StageStatus.SUCCEEDED, 3), (StageStatus.UNFINISHED, 1)]
    assert run.end_from == "last_event"


def test_a_line_beyond_all_measure_is_skipped(tmp_path: Path) -> None:
    """T1."""
    events = to_bytes(small_run()[:1]) + b'{"Event":"x","y":"' + b"z" * 5_000 + b'"}\n' + to_bytes(small_run()[1:])

    run = read(tmp_path, events, limits=ReadLimits(line_bytes=4_000))

    assert run.reading.malformed_lines == 1
    assert [stage.succeeded_tasks for stage in run.stages] == [3, 4]


def test_spaces_and_unknown_events_and_fields_do_not_matter(tmp_path: Path) -> None:
    """T1: a log that passed through another tool; events of plug-ins; a byte order mark."""
    import json

    spaced = b"".join(json.dumps(event).encode() + b"\r\n" for event in [*small_run(), {"Event": "com.acme.Own", "a": 1}])

    run = read(tmp_path, b"\xef\xbb\xbf" + spaced)

    assert [stage.succeeded_tasks for stage in run.stages] == [3, 4]
    assert run.reading.malformed_lines <= 1  # the mark spoils the first line at most


def test_a_failed_stage_and_its_second_attempt_are_two(tmp_path: Path) -> None:
    """T1: with what failed, how often, and what it cost."""
    error = {"Reason": "ExceptionFailure", "Class Name": "java.io.IOException", "Description": "disk full"}
    killed = {"Reason": "TaskKilled", "Kill Reason": "another attempt succeeded"}
    events = [
        log_start(),
        app_start(),
        stage_event(0, 2, START),
        task_end(0, 0, 100),
        *(task_end(0, task, 40, reason=error) for task in (1, 2, 3)),
        task_end(0, 4, 10, reason=killed),
        stage_event(0, 2, START, START + 200, **{"Failure Reason": "Job aborted due to stage failure"}),
        stage_event(0, 1, START + 300, attempt=1),
        task_end(0, 5, 70, attempt=1),
        stage_event(0, 1, START + 300, START + 400, attempt=1),
        copy_of(task_end(0, 6, 500, reason=killed)),
        copy_of(task_end(0, 7, 300, reason=killed | {"Kill Reason": "Stage cancelled: Job 0 cancelled"})),
    ]

    failed, second = read(tmp_path, events).stages

    assert (failed.status, failed.failure) == (StageStatus.FAILED, "Job aborted due to stage failure")
    assert (failed.succeeded_tasks, failed.failed_tasks, failed.killed_tasks, failed.lost_task_ms) == (1, 6, 3, 930)
    assert (failed.copies_in_vain, failed.copies_in_vain_ms) == (1, 500)  # not a task whose copy was first, nor one of a cancelled stage
    assert [(kind.reason, kind.error, kind.count) for kind in failed.failures] == [
        ("ExceptionFailure", "java.io.IOException", 3),
        ("TaskKilled", "another attempt succeeded", 2),
        ("TaskKilled", "Stage cancelled: Job 0 cancelled", 1),
    ]
    assert failed.failures[0].message == "disk full"
    assert (second.attempt, second.status, second.succeeded_tasks) == (1, StageStatus.SUCCEEDED, 1)


def test_a_long_failure_message_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    """The last `Caused by` names the cause."""
    told = "Job aborted.\n" + "\tat a.b.C(C.scala:1)\n" * 100 + "Caused by: java.io.IOException: No space left on device"
    long = {"Reason": "ExceptionFailure", "Class Name": "a.Long", "Description": told}
    short = {"Reason": "ExceptionFailure", "Class Name": "a.Short", "Description": "disk full"}
    run = read(tmp_path, [stage_event(0, 2, START), task_end(0, 0, 5, reason=long), task_end(0, 1, 5, reason=short)])

    failures = {failure.error: failure for failure in run.stages[0].failures}

    assert failures["a.Long"].message == told[:500]
    assert failures["a.Long"].tail == told[-500:]
    assert failures["a.Short"].tail == ""


def test_spark_1_leaves_out_what_a_task_had_nothing_of(tmp_path: Path) -> None:
    """T1: no stage attempt, no metrics at all."""
    event = task_end(0, 0, 30)
    del event["Stage Attempt ID"], event["Task Metrics"]

    (stage,) = read(tmp_path, [event]).stages

    assert (stage.attempt, stage.succeeded_tasks, stage.task_ms, stage.run_ms, stage.bytes_source) == (0, 1, 30, 0, BytesSource.NONE)


def test_plan_metrics_are_found_by_their_accumulators(tmp_path: Path) -> None:
    """T1: of tasks and of the driver, under the plan as it is at the end."""

    def node(name: str, *children: Event, **metrics: int) -> Event:
        listed = [{"name": key, "accumulatorId": value, "metricType": "sum"} for key, value in metrics.items()]
        return {"nodeName": name, "simpleString": f"{name} [id#1]", "children": list(children), "metrics": listed}

    first = node("AdaptiveSparkPlan", node("SortMergeJoin", node("Scan csv", rows=1), node("Scan orc", rows=2), out=3))
    last = node("AdaptiveSparkPlan", node("BroadcastHashJoin", node("Scan csv", rows=1), node("Scan orc", rows=2, files=4), out=5))
    values: list[Event] = [{"ID": 2**64 - 1, "Value": "1", "Metadata": "sql"}, {"ID": 1, "Value": "x", "Metadata": "sql"}]
    values += [{"ID": number, "Name": "rows", "Value": str(number * 100), "Internal": True, "Metadata": "sql"} for number in (1, 2, 3)]
    events = [
        {"Event": SQL + "SQLExecutionStart", "executionId": 7, "description": "save", "sparkPlanInfo": first, "time": START,
         "modifiedConfigs": {"spark.sql.shuffle.partitions": "7", "spark.acme.password": "hunter2"}},
        job_start(0, [0, 1], execution=7),
        stage_event(1, 1, START, START + 10, Accumulables=values),
        {"Event": SQL + "SQLAdaptiveExecutionUpdate", "executionId": 7, "sparkPlanInfo": last},
        {"Event": SQL + "DriverAccumUpdates", "executionId": 7, "accumUpdates": [[4, 12], [99, 1]]},
        job_end(0, START + 20),
        {"Event": SQL + "SQLExecutionEnd", "executionId": 7, "time": START + 30, "errorMessage": ""},
    ]  # fmt: skip

    run = read(tmp_path, events)

    (execution,) = run.executions
    assert [(n.name, n.parent) for n in execution.nodes] == [
        ("AdaptiveSparkPlan", None),
        ("BroadcastHashJoin", 0),
        ("Scan csv", 1),
        ("Scan orc", 1),
    ]
    assert [[metric.value for metric in n.metrics] for n in execution.nodes] == [[], [None], [100], [200, 12]]
    assert execution.nodes[3].stage_ids == (1,)
    assert (execution.job_ids, execution.replanned, execution.error, execution.ended_at) == ((0,), 1, None, START + 30)
    assert execution.configuration == {"spark.sql.shuffle.partitions": "7"}
    assert run.jobs[0].skipped_stage_ids == (0,)


def test_plans_that_are_too_large_together_leave_those_of_the_longest_executions(tmp_path: Path) -> None:
    """T1: a plan that cannot be read is left out as well, and how many nodes are is said."""
    broken = {"nodeName": "A", "children": [{"nodeName": 7}]}
    events: list[Event] = []
    for number, took in enumerate((5, 900, 10, 700, 20)):
        plan = broken if number == 3 else {"nodeName": "A", "simpleString": "x" * 300, "children": [], "metrics": []}
        events += [
            {"Event": SQL + "SQLExecutionStart", "executionId": number, "sparkPlanInfo": plan, "time": START},
            {"Event": SQL + "SQLExecutionEnd", "executionId": number, "time": START + took},
        ]

    run = read(tmp_path, events, KeepLimits(plan_bytes=800))

    assert [(len(one.nodes), one.nodes_left_out) for one in run.executions] == [(0, 1), (1, 0), (0, 1), (0, 2), (1, 0)]


def test_slots_are_the_peak_of_cores_over_the_cores_of_a_task(tmp_path: Path) -> None:
    """T1."""
    removed = {"Event": "SparkListenerExecutorRemoved", "Timestamp": START + 5, "Executor ID": "1", "Removed Reason": "killed"}
    added = [executor_added("1", 8), removed, executor_added("2", 8), executor_added("3", 4)]

    run = read(tmp_path, [environment(**{"spark.task.cpus": "2"}), *added])

    assert run.slots == 6
    assert [executor.removed_reason for executor in run.executors] == ["killed", "", ""]


def test_secrets_are_not_among_the_settings_and_java_options_are_flags_only() -> None:
    """T1."""
    shown = what_matters(
        {
            "spark.sql.shuffle.partitions": "200",
            "spark.executor.memory": "4g",
            "spark.executor.extraJavaOptions": "-XX:+UseG1GC -Ddb.password=hunter2 -Xss4m -Dx=-XX:",
            "spark.hadoop.fs.s3a.secret.key": "hunter2",
            "spark.sql.catalog.prod.password": "hunter2",
            "spark.sql.hive.uri": "jdbc:hive2://user:hunter2@host/",
            "spark.sql.x": "password=hunter2",
            "spark.executor.y": "*********(redacted)",
            "spark.jars": "a.jar",
        }
    )

    assert shown == {
        "spark.sql.shuffle.partitions": "200",
        "spark.executor.memory": "4g",
        "spark.executor.extraJavaOptions": "-XX:+UseG1GC -Xss4m",
    }


@pytest.mark.parametrize(
    ("properties", "app_id", "platform"),
    [
        ({"spark.databricks.clusterUsageTags.sparkVersion": "13.3.x", "spark.master": "spark://x"}, None, ("databricks", "13.3.x")),
        ({"spark.master": "yarn", "spark.dataproc.sql.joinConditionReorder.enabled": "true"}, None, ("dataproc", "")),
        ({"spark.master": "yarn", "spark.driver.extraClassPath": "/usr/lib/hadoop-lzo/lib/*:/x"}, None, ("emr", "")),
        ({"spark.master": "yarn"}, None, ("yarn", "")),
        ({"spark.master": "k8s://https://x"}, None, ("kubernetes", "")),
        ({"spark.master": "*********(redacted)"}, "app-20200706201101-0003", ("standalone", "")),
        ({}, "local-1430917381534", ("local", "")),
        ({}, None, ("unknown", "")),
    ],
)
def test_the_platform_is_told_by_the_settings(properties: dict[str, str], app_id: str | None, platform: tuple[str, str]) -> None:
    """T1."""
    assert platform_of(properties, app_id) == platform


def test_beyond_the_rows_that_are_kept_sums_stay_exact_and_quantiles_within_1_percent(tmp_path: Path) -> None:
    """T1: memory is bounded, and the facts say which of them are not exact."""
    chance = random.Random(3)
    durations = [int(chance.lognormvariate(8, 2)) for _ in range(5_000)]
    events: list[Event] = [task_end(0, number, duration, read=duration * 3) for number, duration in enumerate(durations)]

    (stage,) = read(tmp_path, events, KeepLimits(task_rows=400)).stages

    spread = stage.distributions["task_ms"]
    assert (spread.count, spread.sum, spread.min, spread.max) == (5_000, sum(durations), min(durations), max(durations))
    assert not spread.exact
    assert spread.median == pytest.approx(statistics.median(durations), rel=0.011)
    assert spread.p95 == pytest.approx(sorted(durations)[4_750], rel=0.011)
    assert [task.value for task in spread.heaviest] == sorted(durations, reverse=True)[:5]
    assert stage.shuffle_read_bytes == 3 * sum(durations)


def test_a_stage_folded_once_after_its_end_stays_exact(tmp_path: Path) -> None:
    """T1: what makes room are the stages that are over."""
    events: list[Event] = []
    for stage in range(6):
        events += [
            stage_event(stage, 100, START),
            *(task_end(stage, task, 10 + task) for task in range(100)),
            stage_event(stage, 100, START, START + 9),
        ]

    run = read(tmp_path, events, KeepLimits(task_rows=150))

    assert [stage.distributions["task_ms"].median for stage in run.stages] == [60] * 6
    assert all(stage.distributions["task_ms"].exact for stage in run.stages[:-1])
    assert run.executors[0].tasks == 600


def test_beyond_the_stages_that_are_kept_the_cheapest_go_and_it_is_said(tmp_path: Path) -> None:
    """T1."""
    events: list[Event] = [executor_added("1", 1)]
    for stage in range(40):
        events += [
            stage_event(stage, 1, START),
            task_end(stage, stage, 1_000 if stage % 10 == 0 else 5),
            stage_event(stage, 1, START, START + 9),
        ]

    run = read(tmp_path, events, KeepLimits(stages=10))

    assert {0, 10, 20, 30} <= {stage.stage_id for stage in run.stages}
    assert len(run.stages) <= 10
    assert any("stages" in said(note) for note in run.reading.notes)
    assert run.executors[0].tasks == 40
    assert sum(stage.run_share for stage in run.stages) < 1


def test_jobs_executors_and_executions_are_bounded_too(tmp_path: Path) -> None:
    """T1: the shortest go first."""
    plan = {
        "nodeName": "A",
        "simpleString": "A",
        "metrics": [],
        "children": [{"nodeName": "B", "simpleString": "B", "metrics": [], "children": []}],
    }
    events: list[Event] = []
    for number in range(20):
        events += [
            job_start(number, list(range(number)), START),
            task_end(0, number, 10, executor=str(number)),
            {"Event": SQL + "SQLExecutionStart", "executionId": number, "sparkPlanInfo": plan, "time": START},
            {"Event": SQL + "SQLExecutionEnd", "executionId": number, "time": START + (9_000 if number == 3 else number)},
            job_end(number, START + (9_000 if number == 3 else number)),
        ]
    keep = KeepLimits(jobs=5, executors=4, executions=6, plan_nodes=7, stages_per_job=3)

    run = read(tmp_path, events, keep)

    assert [job.job_id for job in run.jobs] == [3, 16, 17, 18, 19]
    assert len(run.jobs[-1].stage_ids) == 3
    assert (len(run.executors), sum(executor.tasks for executor in run.executors)) == (5, 20)
    assert [(one.execution_id, len(one.nodes), one.nodes_left_out) for one in run.executions] == [
        (3, 2, 0),
        *((number, 0, 2) for number in (15, 16)),
        (17, 1, 1),
        *((number, 2, 0) for number in (18, 19)),
    ]
    assert len(run.reading.notes) == 2


def test_the_critical_path_leaves_out_what_ended_in_time(tmp_path: Path) -> None:
    """T1: stage 2 waited for 1, not for the shorter 0; 3 is a job of its own that the driver ran later."""
    spans: list[tuple[int, int, int, list[int]]] = [(0, 0, 100, []), (1, 0, 400, []), (2, 410, 600, [0, 1]), (3, 900, 950, [])]
    events = [
        app_start(),
        *(stage_event(i, 1, START + begin, START + end, parents) for i, begin, end, parents in spans),
        app_end(START + 1_000),
    ]

    run = read(tmp_path, events)

    assert [(step.stage_id, step.waited_for, step.driver_gap_ms) for step in run.critical_path] == [
        (1, None, 0),
        (2, 1, 10),
        (3, None, 300),
    ]
    assert run.idle_ms == 10 + 300 + 50


def test_text_from_the_log_is_cleaned_and_cut(tmp_path: Path) -> None:
    """T1: names and messages are data, and Postgres must be able to hold them."""
    nasty = "x\x00{{7*7}}" + "y" * 100_000
    events = [stage_event(0, 1, START, START + 1, **{"Stage Name": "a\x00b", "Failure Reason": nasty}), app_start(nasty)]

    run = read(tmp_path, events)

    assert run.stages[0].name == "a\ufffdb"
    assert len(run.stages[0].failure or "") <= 500
    assert len(run.model_dump_json()) < 20_000


def test_a_refusal_names_its_reason_and_the_next_move(tmp_path: Path) -> None:
    with pytest.raises(UnreadableLog) as refused:
        read(tmp_path, b"once upon a time\n")
    assert "spark.eventLog.di" in why_refused(refused.value)

    assert refused.value.reason is LogRefusal.NOT_AN_EVENT_LOG
    assert (refused.value.http_status, refused.value.retryable) == (400, False)


INT = st.integers(-(2**62), 2**62)


@given(st.lists(INT, min_size=1, max_size=200))
def test_sums_and_quantiles_are_those_of_plain_python(values: list[int]) -> None:
    """T1: sums beyond 64 bits too."""
    column = np.array(values, dtype=np.int64).reshape(-1, 1)
    ordered = sorted(values)

    assert column_sums(column) == [sum(values)]
    assert exact_quantiles(column) == [[ordered[min(int(q * len(values)), len(values) - 1)] for q in (0, 0.25, 0.5, 0.75, 0.95, 1)]]


@given(st.lists(st.lists(st.integers(0, 2**50), min_size=1, max_size=60), min_size=1, max_size=5))
def test_buckets_are_within_1_percent_or_1_however_the_values_come(columns: list[list[int]]) -> None:
    """T1."""
    buckets = Buckets()
    for column in columns:
        buckets.add(np.array(column, dtype=np.int64))
    values = sorted(value for column in columns for value in column)

    exact: list[Any] = [values[min(int(q * len(values)), len(values) - 1)] for q in (0, 0.25, 0.5, 0.75, 0.95, 1)]

    assert (buckets.count, buckets.sum) == (len(values), sum(values))
    assert buckets.quantiles() == [pytest.approx(value, rel=0.01, abs=1) for value in exact]


def copy_of(event: dict[str, Any]) -> dict[str, Any]:
    return {**event, "Task Info": {**event["Task Info"], "Speculative": True}}
