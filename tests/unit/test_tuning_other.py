"""Verdicts beside skew and shuffle, and the class that follows from all of them."""

from pathlib import Path
from typing import Any

import pytest

from contracts.spark import ExecutorFacts, FailureKind, JobFacts, RunFacts, RunningTask, StageStatus
from contracts.verdicts import Severity, TuningClass, Verdict, VerdictKind
from tests.support.advice import script_of
from tests.support.eventlog import app_end, app_start, executor_added, stage_event, task_end, to_bytes
from tests.support.said import said
from tests.support.tuning import START, run_of, stage_of
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.script_places import by_kind
from workers.engines.spark.verdicts import judge
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.findings import find

MIB = 1 << 20


def of_kind(run: RunFacts, kind: VerdictKind) -> list[Verdict]:
    return [verdict for verdict in judge(run) if verdict.kind is kind]


@pytest.mark.parametrize(("disk", "told"), [(200 * MIB, True), (20 * MIB, False), (MIB, False)])
def test_a_stage_that_spills_much_of_what_it_reads_is_told(disk: int, told: bool) -> None:
    """T5."""
    stage = stage_of(4, [1_200] * 4, shuffle_read_bytes=[75 * MIB] * 4, disk_spill_bytes=disk, memory_spill_bytes=disk * 2)

    assert bool(of_kind(run_of(stage), VerdictKind.SPILL)) is told


@pytest.mark.parametrize(
    ("why", "times", "gc", "told"),
    [
        ("a quarter of long tasks", [5_000] * 8, 10_000, True),
        ("a twentieth", [5_000] * 8, 2_000, False),
        ("half of a short stage", [250] * 4, 500, False),
        ("one short pause that every task waits for", [800] * 12, 12 * 90, False),
    ],
)
def test_gc_pressure_is_much_of_the_time_of_stages_that_matter(why: str, times: list[int], gc: int, told: bool) -> None:
    """T2: a JVM that starts collects, too."""
    assert bool(of_kind(run_of(stage_of(0, times, gc_ms=gc), slots=12), VerdictKind.GC_PRESSURE)) is told, why


@pytest.mark.parametrize(("gc", "severity"), [(5_000, Severity.PROBLEM), (2_600, Severity.HINT)])
def test_garbage_is_a_problem_by_what_could_be_gained(gc: int, severity: Severity) -> None:
    """T2: two healthy jobs with a tenth of collection were given advice that saved 2 %, since the usual part of it was counted too."""
    run = run_of(stage_of(0, [5_000] * 4, gc_ms=gc, wall_ms=10_000), slots=2, started_at=START, ended_at=START + 30_000, wall_ms=30_000)

    (verdict,) = of_kind(run, VerdictKind.GC_PRESSURE)

    assert verdict.severity is severity


def test_retried_tasks_are_told_with_their_rate_and_their_error() -> None:
    """T5."""
    failed = FailureKind(reason="ExceptionFailure", error="org.apache.spark.api.python.PythonException", count=11)
    run = run_of(stage_of(3, [200] * 32, failed_tasks=11, lost_task_ms=2_400, failures=(failed,)))

    (verdict,) = of_kind(run, VerdictKind.FAILURES)

    assert verdict.severity is Severity.PROBLEM
    assert said(verdict.summary) == "11 of 43 task attempts failed (PythonException) and took 2.4 s. All were done again with success."


def test_tasks_that_spark_killed_as_superfluous_are_no_failures() -> None:
    """T5: the other attempt was quicker."""
    assert not of_kind(run_of(stage_of(3, [200] * 32, failed_tasks=3, killed_tasks=3)), VerdictKind.FAILURES)


def test_attempts_that_were_killed_with_a_failed_one_are_said_as_such() -> None:
    """One attempt of a run of 18 s was said to have taken 29.5 s: the killed ones were in the time and not in the number."""
    failed = FailureKind(reason="ExceptionFailure", error="org.apache.spark.PythonException", message="x", count=1)
    run = run_of(stage_of(1, [10], failed_tasks=3, killed_tasks=2, lost_task_ms=29_500, failures=(failed,)))

    (verdict,) = of_kind(run, VerdictKind.FAILURES)

    assert "1 of 4 task attempts failed (PythonException) and 2 were killed: 29.5 s of task time in all." in said(verdict.summary)


def test_unknown_tables_are_said_where_a_fix_would_name_their_keys() -> None:
    retried = FailureKind(reason="ExceptionFailure", error="x.Reset", message="x", count=9)
    found = find(run_of(stage_of(4, [200] * 32, failed_tasks=9, lost_task_ms=5_000, failures=(retried,))))

    assert found.tuning_class is TuningClass.OTHER
    assert not any(said(text).startswith("Table metadata") for text in found.not_known)


def test_a_single_lost_task_is_a_hint_and_a_failed_job_a_problem() -> None:
    """T5."""
    lost = stage_of(3, [200] * 100, failed_tasks=1, lost_task_ms=200)
    broken = JobFacts(job_id=0, status=StageStatus.FAILED)

    assert of_kind(run_of(lost), VerdictKind.FAILURES)[0].severity is Severity.HINT
    assert of_kind(run_of(lost, jobs=(broken,)), VerdictKind.FAILURES)[0].severity is Severity.PROBLEM


@pytest.mark.parametrize(("run_ms", "severity"), [(10_000, Severity.PROBLEM), (39_000, Severity.HINT)])
def test_tiny_tasks_weigh_what_starting_and_ending_them_takes(run_ms: int, severity: Severity) -> None:
    """T5."""
    run = run_of(stage_of(3, [20] * 2_000, run_ms=run_ms))

    (verdict,) = of_kind(run, VerdictKind.TINY_TASKS)

    assert (verdict.severity, verdict.share) == (severity, pytest.approx((40_000 - run_ms) / 40_000))


@pytest.mark.parametrize(("count", "read"), [(32, 1_000), (2_000, 20 * MIB)])
def test_few_short_tasks_and_tasks_with_data_are_not_tiny(count: int, read: int) -> None:
    """T5."""
    assert not of_kind(run_of(stage_of(3, [20] * count, run_ms=1, shuffle_read_bytes=[read] * count)), VerdictKind.TINY_TASKS)


@pytest.mark.parametrize(("why", "read", "told"), [("large", 600 * MIB, True), ("a slow service", 4_000, False)])
def test_large_work_in_fewer_tasks_than_slots_is_told(why: str, read: int, told: bool) -> None:
    """T5: a long task without data is slow for another reason."""
    stage = stage_of(7, [120_000] * 2, wall_ms=120_000, shuffle_read_bytes=[read] * 2)

    assert bool(of_kind(run_of(stage, slots=8), VerdictKind.TOO_FEW_TASKS)) is told, why


def test_few_tasks_beside_others_that_fill_the_slots_cost_nothing() -> None:
    """T5."""
    few = stage_of(7, [120_000] * 2, wall_ms=120_000, shuffle_read_bytes=[600 * MIB] * 2)
    many = stage_of(8, [60_000] * 12, wall_ms=120_000)

    (verdict,) = of_kind(run_of(few, many, slots=8), VerdictKind.TOO_FEW_TASKS)

    assert (verdict.severity, verdict.share) == (Severity.HINT, 0)


def test_an_executor_without_work_is_told_once_it_had_time_for_some() -> None:
    """T5."""
    workers = [ExecutorFacts(executor_id=name, cores=4, added_at=START, task_ms=busy) for name, busy in (("1", 400_000), ("2", 0))]
    late = ExecutorFacts(executor_id="3", cores=4, added_at=START + 119_000)
    run = run_of(stage_of(0, [50_000] * 8, wall_ms=120_000), executors=(*workers, late))

    (verdict,) = of_kind(run, VerdictKind.IDLE_EXECUTORS)

    assert said(verdict.summary) == "1 of 2 executors had work for less than 5% of the time: 2."


@pytest.mark.parametrize(("platform", "told"), [("yarn", True), ("databricks", False)])
def test_a_log_without_an_end_is_incomplete_where_the_platform_writes_one(platform: str, told: bool) -> None:
    """T1."""
    run = run_of(stage_of(0, [500] * 4), end_from="last_event", platform=platform)

    assert bool(of_kind(run, VerdictKind.INCOMPLETE_LOG)) is told


def verdict(kind: VerdictKind, share: float, severity: Severity = Severity.PROBLEM, stage: int = 4) -> Verdict:
    return Verdict(kind=kind, severity=severity, stage_ids=(stage,), share=share, summary="")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], TuningClass.NONE),
        ([verdict(VerdictKind.DATA_SKEW, 0.02)], TuningClass.NONE),
        ([verdict(VerdictKind.DATA_SKEW, 0.3), verdict(VerdictKind.FAILURES, 0.2)], TuningClass.DATA_SKEW),
        ([verdict(VerdictKind.DATA_SKEW, 0.3), *(verdict(VerdictKind.SPILL, 0.2, stage=stage) for stage in (5, 6))], TuningClass.OTHER),
        ([verdict(VerdictKind.DATA_SKEW, 0.3), verdict(VerdictKind.REDUNDANT_EXCHANGE, 0.5)], TuningClass.EXCESS_SHUFFLE),
        ([verdict(VerdictKind.DATA_SKEW, 0.3), verdict(VerdictKind.SPILL, 0.9)], TuningClass.DATA_SKEW),
        ([verdict(VerdictKind.DATA_SKEW, 0.3), verdict(VerdictKind.SPILL, 0.9, stage=5)], TuningClass.OTHER),
        ([verdict(VerdictKind.BROADCASTABLE_JOIN, 0.9, Severity.HINT)], TuningClass.NONE),
        ([verdict(VerdictKind.WARM_UP, 0.9, Severity.NOTE)], TuningClass.NONE),
    ],
)
def test_the_class_is_what_would_save_the_most(verdicts: list[Verdict], expected: TuningClass) -> None:
    """T2: problems count, a skewed stage's spill is its symptom, and little is none."""
    assert classify(tuple(verdicts)).tuning_class is expected


def test_every_class_has_its_score_and_what_carried_it() -> None:
    """T7: each step can be checked."""
    found = classify((verdict(VerdictKind.DATA_SKEW, 0.3), verdict(VerdictKind.FAILURES, 0.2)))

    assert [(one.tuning_class, one.score, one.carried_by) for one in found.scores] == [
        (TuningClass.DATA_SKEW, 0.3, (0,)),
        (TuningClass.OTHER, 0.2, (1,)),
        (TuningClass.EXCESS_SHUFFLE, 0, ()),
        (TuningClass.NONE, 0, ()),
    ]


def test_a_run_is_judged_without_script_and_tables_and_says_what_is_missing() -> None:
    """T1, T9."""
    found = find(run_of(stage_of(4, [200] * 31 + [5_000], wall_ms=8_000, shuffle_read_bytes=[3 * MIB] * 31 + [200 * MIB])))

    assert found.tuning_class is TuningClass.DATA_SKEW
    assert [said(text).split(":")[0] for text in found.not_known] == ["Script", "Plans", "Table metadata"]
    assert found.verdicts[0].blame.spots == ()


def test_a_run_with_the_same_fault_in_many_stages_shows_the_heaviest_and_counts_the_rest() -> None:
    """T2."""
    stages = [stage_of(number, [1_000 + number] * 4, shuffle_read_bytes=[75 * MIB] * 4, disk_spill_bytes=200 * MIB) for number in range(25)]

    found = find(run_of(*stages))

    assert len(found.verdicts) == 20
    assert 24 in found.verdicts[0].stage_ids
    assert "5 findings beyond the 20 heaviest of their kind are left out." in map(said, found.not_known)


def test_an_empty_run_has_no_verdicts() -> None:
    """T2."""
    assert find(run_of()).tuning_class is TuningClass.NONE


def test_rows_that_the_driver_takes_partition_by_partition_are_taken_by_one_action() -> None:
    """T5: `toLocalIterator` runs a job for each partition, and none of them sends much."""
    name = "toLocalIterator at /w/job.py:7"
    stages = [stage_of(number, [500], result_bytes=11 * MIB, execution_id=3).model_copy(update={"name": name}) for number in range(4)]

    found = [verdict for verdict in judge(run_of(*stages, wall_ms=2_500)) if verdict.kind is VerdictKind.DRIVER_COLLECT]

    assert [verdict.stage_ids for verdict in found] == [(0, 1, 2, 3)]
    assert "44 MiB" in said(found[0].summary)


def test_results_too_large_for_the_driver_are_blamed_on_the_action_that_takes_them() -> None:
    """T8: the line of the read was named."""
    code = 'rows = spark.read.parquet("a").where("b > 1").select("b").collect()\n'
    verdict = Verdict(
        kind=VerdictKind.FAILURES, severity=Severity.PROBLEM, summary="x", error="Total size is bigger than spark.driver.maxResultSize"
    )

    places = by_kind(verdict, script_of(code).facts, ())

    assert [place.text.split("(")[0] for place in places] == ["collect"]


@pytest.mark.parametrize("name", ["run at ThreadPoolExecutor.java:1149", "$anonfun$withThreadLocalCaptured$1 at FutureTask.java:266"])
def test_a_table_that_spark_sends_to_every_executor_is_no_action_that_takes_rows(name: str) -> None:
    """T5: a broadcast of Spark 2 was told to aggregate before collecting."""
    stage = stage_of(0, [500] * 4, result_bytes=60 * MIB, wall_ms=2_000)
    named = JobFacts(job_id=3, stage_ids=(0,), status=StageStatus.SUCCEEDED, description="broadcast exchange (runId 7)")

    assert of_kind(run_of(stage, wall_ms=2_500), VerdictKind.DRIVER_COLLECT)
    assert not of_kind(run_of(stage.model_copy(update={"name": name}), wall_ms=2_500), VerdictKind.DRIVER_COLLECT)
    assert not of_kind(run_of(stage, jobs=(named,), wall_ms=2_500), VerdictKind.DRIVER_COLLECT)


@pytest.mark.parametrize(("until", "alone"), [(100_000, "0 ms"), (1_000, "8 s")])
def test_the_driver_is_alone_with_rows_only_while_no_other_stage_runs(until: int, alone: str) -> None:
    """T5: it was alone for 99 s beside a stage that ran for 100 s."""
    collects = {"result_bytes": 60 * MIB, "submitted_at": START, "completed_at": START + 2_000}
    beside = {"submitted_at": START, "completed_at": START + until}
    stages = [stage_of(0, [500] * 4, wall_ms=2_000, **collects), stage_of(1, [until] * 4, wall_ms=until, **beside)]
    wall = max(until, 10_000)

    (verdict,) = of_kind(run_of(*stages, slots=8, wall_ms=wall, ended_at=START + wall), VerdictKind.DRIVER_COLLECT)

    assert said(verdict.summary).endswith(f"which then works on them alone for {alone}.")


def test_an_executor_works_in_attempts_that_are_killed_or_have_no_end(tmp_path: Path) -> None:
    """T5: five executors, busy for 80 s of 82 with tasks that the user then cancelled, "had work for less than 5% of the time"."""
    begun = START + 2_000
    killed = {"Reason": "TaskKilled", "Kill Reason": "Stage cancelled"}
    ended: dict[str, Any] = {"Failure Reason": "cancelled"}
    events = [app_start("app-1"), *(executor_added(str(number), 4, START) for number in range(1, 4)), stage_event(0, 8, begun)]
    events += [task_end(0, number, 80_000, launched=begun, executor="1", reason=killed) for number in range(4)]
    events += [stage_event(0, 8, begun, begun + 80_000, **ended), app_end(START + 82_000)]
    (tmp_path / "log").write_bytes(to_bytes(events))
    run = read_run(tmp_path / "log")
    open_task = RunningTask(stage_id=0, attempt=0, task_id=9, index=9, executor_id="2", launched_at=begun)

    (verdict,) = of_kind(run.model_copy(update={"running": (open_task,)}), VerdictKind.IDLE_EXECUTORS)

    assert said(verdict.summary) == "1 of 3 executors had work for less than 5% of the time: 3."
