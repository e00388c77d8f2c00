"""The class below the families: every second of a run is work or a class of loss, and much loss is never called no problem."""

from collections.abc import Sequence

import pytest

from contracts.spark import RunFacts, SqlExecution, StageFacts
from contracts.verdicts import Findings, Severity, TuningClass, Verdict, VerdictKind
from tests.support.advice import script_of
from tests.support.said import said
from tests.support.tuning import START, plan_of, run_of, stage_of
from workers.engines.spark.lost_time import refilled, repeated, seconds_of
from workers.engines.spark.plan import Plan
from workers.engines.verdicts.thresholds import MIB
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.headline import headline
from workers.kinds.tune.rules.known_causes import UNFAMILIAR

SCAN = "FileScan parquet [{columns}] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/w/{table}]"


def at(stage: StageFacts, begin_ms: int, wall_ms: int, **more: object) -> StageFacts:
    """The stage at a place in the run."""
    times = {"first_launch_at": START + begin_ms, "last_finish_at": START + begin_ms + wall_ms}
    return stage.model_copy(update={**times, "submitted_at": times["first_launch_at"], "completed_at": times["last_finish_at"], **more})


def ran(wall_ms: int, *stages: StageFacts, executions: Sequence[SqlExecution] = (), slots: int = 2) -> RunFacts:
    return run_of(*stages, executions=executions, slots=slots, wall_ms=wall_ms, ended_at=START + wall_ms, spark_version="3.5.1")


def busy(stage_id: int, begin_ms: int, wall_ms: int, **given: object) -> StageFacts:
    """Both slots compute all the time."""
    made = stage_of(stage_id, [wall_ms] * 2, cpu_ms=wall_ms * 2, **given)
    return at(made, begin_ms, wall_ms)


def counted(number: int, stage: int, value: str) -> SqlExecution:
    """A count of the rows of a join that have this value: another constant each time."""
    plan = plan_of(
        (0, "HashAggregate(keys=[], functions=[count(1)])", {}, (stage + 1,)),
        (1, "Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=9]", {}, (stage, stage + 1)),
        (2, "BroadcastHashJoin [k#1], [k#2], Inner, BuildRight, false", {}, (stage,)),
        (3, f"Filter (kind#3 = {value})", {}, (stage,)),
        (4, SCAN.format(columns="k#1,kind#3", table="loans"), {}, (stage,)),
        (3, SCAN.format(columns="k#2", table="readers"), {}, ()),
        execution_id=number,
    )
    return plan.model_copy(update={"stage_ids": (stage, stage + 1)})


def of_kind(findings: Findings, kind: VerdictKind) -> Verdict:
    return next(verdict for verdict in findings.verdicts if verdict.kind is kind)


def loop_of(turns: int) -> RunFacts:
    stages = [busy(2 * turn, 1_000 + 4_000 * turn, 4_000) for turn in range(turns)]
    plans = [counted(turn, 2 * turn, f"quarter-{turn}") for turn in range(turns)]
    return ran(1_000 + 4_000 * turns, *stages, executions=plans)


def test_equal_jobs_in_a_loop_are_named_with_their_line_and_share_and_without_a_fix_that_is_not_proved() -> None:
    """T5, T7: thirty equal jobs were no problem."""
    script = script_of(
        'loans = spark.read.parquet("/w/loans").join(spark.read.parquet("/w/readers"), "k")\n'
        "for kind in kinds:\n    print(loans.filter(loans.kind == kind).count())\n"
    )
    run = loop_of(6)
    findings = find(run, script.facts)
    verdict = of_kind(findings, VerdictKind.REPEATED_PLANS)

    assert findings.tuning_class is TuningClass.OTHER
    assert verdict.severity is Severity.PROBLEM
    assert verdict.run_share == pytest.approx(20 / 25, abs=0.01)
    assert "the most frequent one 6 times" in said(verdict.summary)
    assert 3 in [spot.line for spot in verdict.blame.spots]
    assert not advise(findings, run, [script]).fixes


def test_two_equal_joins_are_repeated_and_different_ones_are_not() -> None:
    """T5: two actions that group one join by different columns join twice; two tables are two joins."""
    plans = [Plan(counted(turn, 2 * turn, f"{turn}")) for turn in range(2)]
    other = plan_of(
        (0, "BroadcastHashJoin [x#1], [y#2], Inner, BuildRight, false", {}, (9,)),
        (1, SCAN.format(columns="x#1", table="fines"), {}, (9,)),
        (1, SCAN.format(columns="y#2", table="shelves"), {}, ()),
        execution_id=9,
    )

    assert repeated(plans)[0] == frozenset({2})
    assert repeated([plans[0], Plan(other)])[0] == frozenset()


def test_the_seconds_add_up_to_the_run() -> None:
    """T33: whatever class they are."""
    run = ran(
        20_000,
        at(stage_of(0, [4_000] * 2, cpu_ms=4_000, gc_ms=3_000), 1_000, 4_000),
        at(stage_of(1, [2_000, 6_000], cpu_ms=8_000, shuffle_read_bytes=[MIB] * 2), 6_000, 6_000),
    )
    seconds = seconds_of(run)

    assert seconds is not None
    assert 0 <= sum(loss.ms for loss in seconds.losses.values()) <= seconds.wall_ms == 20_000
    assert seconds.losses[VerdictKind.DRIVER_WORK].ms == pytest.approx(7_000)  # eight at the end, of which one is usual
    assert seconds.losses[VerdictKind.MEMORY_TIME].ms == pytest.approx(1_500)
    assert seconds.losses[VerdictKind.UNEVEN_TASKS].ms == pytest.approx(2_000)


def test_idle_slots_of_a_quarter_are_no_run_without_a_problem() -> None:
    """T7: `no problem` stood beside `idle slots 27 %`."""
    stages = [at(stage_of(number, [2_000, 4_000], cpu_ms=6_000), 1_000 + 4_000 * number, 4_000) for number in range(5)]
    run = ran(21_000, *stages)
    findings = find(run)

    assert of_kind(findings, VerdictKind.UNEVEN_TASKS).severity is Severity.PROBLEM
    assert findings.tuning_class is TuningClass.OTHER
    assert "Slots were empty for 5 s" in said(headline(findings, ()))


def test_losses_that_are_small_each_are_no_run_without_a_problem_together() -> None:
    """Empty slots 7 %, the driver 6 % and garbage 3 %: 17 % were lost, and no problem was found."""
    stages = [
        at(stage_of(0, [40_000] * 2, cpu_ms=74_000, gc_ms=6_000), 1_000, 40_000),
        at(stage_of(1, [26_000, 40_000], cpu_ms=66_000), 41_000, 40_000),
        busy(2, 88_000, 6_000),
    ]
    findings = find(ran(94_000, *stages))
    (problem,) = [verdict for verdict in findings.verdicts if verdict.severity is Severity.PROBLEM]

    assert problem.kind is VerdictKind.UNEVEN_TASKS
    assert "16 s, 17% of the run, are lost in 3 ways" in said(problem.summary)
    assert problem.share == pytest.approx(0.17, abs=0.005), "of all, as its figures"
    assert [round(figure.value, 2) for figure in problem.figures[1:2]] == [0.17]
    assert findings.tuning_class is TuningClass.OTHER
    assert not advise(findings, ran(94_000, *stages), []).fixes
    assert find(ran(94_000, *stages[:1], busy(1, 41_000, 53_000))).tuning_class is TuningClass.NONE


def test_time_in_the_driver_is_named_with_the_stages_around_it() -> None:
    """T5: the driver's own loops were no problem."""
    run = ran(30_000, busy(0, 1_000, 4_000), busy(1, 25_000, 5_000))
    verdict = of_kind(find(run), VerdictKind.DRIVER_WORK)

    assert verdict.severity is Severity.PROBLEM
    assert set(verdict.stage_ids) == {0, 1}
    assert "at most 19 s" in said(verdict.summary)


def test_a_source_that_one_task_reads_is_not_told_to_remove_a_coalesce() -> None:
    """T31: a table of a database with one partition."""
    scan = plan_of((0, "Scan JDBCRelation(loans) [numPartitions=1] [a#1]", {}, (0,)))
    read = at(stage_of(0, [20_000], cpu_ms=20_000, input_records=200_000, operators=("Scan JDBCRelation(loans)",)), 1_000, 20_000)
    run = ran(21_000, read, executions=[scan])
    findings = find(run)

    assert of_kind(findings, VerdictKind.SERIAL_SCAN).severity is Severity.PROBLEM
    assert "partitionColumn" in said(of_kind(findings, VerdictKind.SERIAL_SCAN).summary)
    assert not advise(findings, run, []).fixes


def kept(number: int, stage: int, filled_by: tuple[int, ...]) -> SqlExecution:
    plan = plan_of(
        (0, "HashAggregate(keys=[day#1], functions=[count(1)])", {}, (stage,)),
        (1, "InMemoryTableScan [day#1]", {}, (stage,)),
        (2, SCAN.format(columns="day#1", table="loans"), {}, filled_by),
        execution_id=number,
    )
    return plan.model_copy(update={"stage_ids": (stage,)})


def test_a_kept_table_that_is_computed_again_later_is_an_evicted_cache() -> None:
    """T5: a cache that evicts was no problem."""
    evicted = [Plan(kept(0, 0, (0,))), Plan(kept(1, 1, (0, 1))), Plan(kept(2, 2, (0, 1, 2)))]
    fits = [Plan(kept(0, 0, (0,))), Plan(kept(1, 1, (0,)))]

    assert refilled(evicted) == {1, 2}
    assert refilled(fits) == frozenset()


def test_small_batches_are_the_streams_and_not_its_tasks() -> None:
    """T5: twelve micro-batches of two hundred partitions were no problem."""
    stages, plans = [], []
    for number in range(6):
        begin = 1_000 + 5_000 * number
        stages.append(at(stage_of(number, [20] * 200, run_ms=1_000, cpu_ms=200, shuffle_read_bytes=2_000), begin, 2_500))
        execution = plan_of((0, "StateStoreSave [k#1]", {}, (number,)), execution_id=number)
        told = f"id = a\nrunId = b\nbatch = {number}"
        times = {"description": told, "started_at": START + begin, "ended_at": START + begin + 5_000, "stage_ids": (number,)}
        plans.append(execution.model_copy(update=times))
    run = ran(31_000, *stages, executions=plans)
    seconds = seconds_of(run)

    assert seconds is not None
    assert seconds.losses[VerdictKind.STREAMING_TRIGGERS].times == 6
    assert seconds.losses[VerdictKind.STREAMING_TRIGGERS].ms > 20_000
    assert VerdictKind.TASK_OVERHEAD not in seconds.losses


def test_a_family_that_speaks_of_the_same_time_says_it_alone() -> None:
    """T7: skew says more than slots that wait."""
    heavy = stage_of(0, [1_000] * 7 + [20_000], cpu_ms=27_000, shuffle_read_bytes=[8 * MIB] * 7 + [400 * MIB])
    findings = find(ran(22_000, at(heavy, 1_000, 20_000)))

    assert findings.tuning_class is TuningClass.DATA_SKEW
    assert not [verdict for verdict in findings.verdicts if verdict.kind is VerdictKind.UNEVEN_TASKS]


def test_a_run_that_works_is_left_alone() -> None:
    """T7."""
    findings = find(ran(21_000, busy(0, 500, 12_000), busy(1, 13_000, 7_500)))

    assert findings.tuning_class is TuningClass.NONE
    assert not [verdict for verdict in findings.verdicts if verdict.kind in UNFAMILIAR]


def test_two_per_cent_of_a_run_name_no_class() -> None:
    """T7: a title said data skew of 2 % of a run."""
    small = stage_of(0, [100] * 7 + [2_000], cpu_ms=2_700, shuffle_read_bytes=[8 * MIB] * 7 + [400 * MIB])
    findings = find(ran(100_000, at(small, 1_000, 2_000), busy(1, 3_000, 30_000)))

    assert findings.tuning_class is not TuningClass.DATA_SKEW


@pytest.mark.parametrize(("opening_ms", "is_lost"), [(950_000, True), (61_000, False), (58_000, False)])
def test_a_run_that_passes_before_its_first_stage_has_a_problem(opening_ms: int, is_lost: bool) -> None:
    """98 % of the run was called its start, and the run well."""
    run = ran(opening_ms + 20_000, busy(0, opening_ms, 20_000))
    findings = find(run)

    assert (findings.tuning_class is TuningClass.OTHER) is is_lost
    assert ("No stage ran in the first 16 min" in said(headline(findings, ()))) is is_lost
    assert not is_lost or of_kind(findings, VerdictKind.DRIVER_WORK).run_share == pytest.approx(890 / 970, abs=0.01)


@pytest.mark.parametrize("name", ["Spark shell", "PySparkShell", "Databricks Shell", "Thrift JDBC/ODBC Server", "SparkSQL::10.0.0.7"])
def test_a_session_that_waits_for_its_user_has_lost_nothing_before_its_first_stage(name: str) -> None:
    """Shells that stood open for minutes were a problem."""
    run = ran(970_000, busy(0, 950_000, 20_000))
    of_user = find(run.model_copy(update={"app_name": name}))

    assert of_user.tuning_class is TuningClass.NONE
    assert find(run.model_copy(update={"app_name": "Shell stations"})).tuning_class is TuningClass.OTHER


def test_a_time_without_a_stage_that_a_compacted_part_covers_is_not_the_drivers() -> None:
    """A live job keeps its stages in the compacted part; those of jobs that ended between them are gone, and later gaps are whole."""
    whole = ran(200_000, busy(0, 0, 10_000), busy(1, 110_000, 10_000), busy(2, 150_000, 50_000))
    reading = whole.reading.model_copy(update={"compacted": True, "compacted_until": START + 10_000})
    findings = find(whole.model_copy(update={"reading": reading}))

    assert of_kind(findings, VerdictKind.INCOMPLETE_LOG).share == pytest.approx(0.5)
    assert of_kind(findings, VerdictKind.DRIVER_WORK).share == pytest.approx(29 / 200, abs=0.001)


@pytest.mark.parametrize(("opening_ms", "is_much"), [(3_600_000, True), (1_000, False)])
def test_a_compacted_log_is_not_said_to_show_no_problem_of_the_run(opening_ms: int, is_much: bool) -> None:
    """What Spark took out of the log was booked as the start of the application."""
    whole = ran(opening_ms + 20_000, busy(0, opening_ms, 20_000))
    run = whole.model_copy(update={"reading": whole.reading.model_copy(update={"compacted": True})})
    findings = find(run)

    assert findings.tuning_class is TuningClass.NONE
    assert of_kind(findings, VerdictKind.INCOMPLETE_LOG).share == pytest.approx(opening_ms / (opening_ms + 20_000), abs=0.001)
    assert ("shows no problem of the run" in said(headline(findings, ()))) is not is_much
    assert ("the log does not tell all of the run" in said(headline(findings, ()))) is is_much
    assert ("Nothing is known" in said(advise(findings, run, []).left_out[0])) is is_much
