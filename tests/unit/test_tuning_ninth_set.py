"""What the ninth set of jobs showed: queries that fail in the driver, actions that need a part of one table, rows grouped too early."""

import pytest

from contracts.code import OperationKind
from contracts.spark import JobFacts, RunFacts, SqlExecution, StageStatus
from contracts.tune.plan import FixKind
from contracts.verdicts import Severity, TuningClass, VerdictKind
from tests.support.said import said
from tests.support.tune_bundles import verdict_of
from tests.support.tuning import START, plan_of, run_of, stage_of
from workers.engines.code.scala_script import read_scala
from workers.engines.scripts.given import NamedScript
from workers.engines.spark.recomputed import repeated_stages
from workers.engines.spark.verdicts import judge
from workers.engines.spark.whatif.costs import task_cost
from workers.engines.verdicts.thresholds import MIB
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.classify import classify, has_failed, is_symptom
from workers.kinds.tune.rules.findings import find

NO_ROOM = "Not enough memory to build and broadcast the table to all worker nodes. As a workaround, you can disable broadcast.\n  at x"
JOB = """val a = spark.read.parquet("/w/a")
val b = spark.read.parquet("/w/b")
val c = a.join(b, "x").join(org.apache.spark.sql.functions.broadcast(b), "k")
c.write.parquet("/w/c")
"""


def query(number: int, error: str | None = None) -> SqlExecution:
    return SqlExecution(execution_id=number, started_at=START, ended_at=START + 1_000, error=error)


def ended(*queries: SqlExecution, jobs: tuple[JobFacts, ...] = ()) -> RunFacts:
    return run_of(stage_of(0, [1_000] * 4), executions=queries, jobs=jobs, spark_version="3.5.1")


def test_a_query_that_ends_in_the_driver_is_a_failed_run_with_the_line_of_its_cause() -> None:
    """T5: no stage and no job had failed, so that such a run was 'no problem'."""
    script = NamedScript("job.scala", read_scala(JOB), JOB)
    run = ended(query(0), query(1, NO_ROOM))
    findings = find(run, script.facts)

    (fix,) = advise(findings, run, [script]).fixes
    failed = findings.verdicts[0]

    assert (failed.kind, failed.severity, has_failed(failed)) == (VerdictKind.FAILURES, Severity.PROBLEM, True)
    assert said(failed.summary) == "1 of 2 queries failed in the driver, and the run ended with query 1."
    assert failed.error.startswith("Not enough memory to build and broadcast")
    assert (failed.blame.spots[0].line, failed.blame.spots[0].text[:9]) == (3, "join(org.")
    assert (fix.kind, said(fix.title)) == (FixKind.FIX_FAILURES, "Do not broadcast a table that is too large")


def test_a_failed_query_after_which_the_run_went_on_is_a_hint_and_one_of_a_failed_job_is_said_by_its_stages() -> None:
    """T5."""
    (went_on,) = [one for one in judge(ended(query(0, "x"), query(1))) if one.kind is VerdictKind.FAILURES]
    (of_job,) = [
        one
        for one in judge(ended(query(0, "x"), jobs=(JobFacts(job_id=0, status=StageStatus.FAILED),)))
        if one.kind is VerdictKind.FAILURES
    ]

    assert (went_on.severity, said(went_on.summary)) == (
        Severity.HINT,
        "1 of 2 queries failed in the driver, query 0 last; the run went on.",
    )
    assert "jobs" in said(of_job.summary) or "job" in said(of_job.summary)
    assert not [one for one in judge(ended(query(0), query(1))) if one.kind is VerdictKind.FAILURES]


def action(
    number: int,
    stage: int,
    *,
    keys: str = "kind#15",
    more: str = ", sum(w#3)",
    computed: str = "sha2(p#5, 512) AS seal#75",
    base: str = "isnotnull(pass#0)",
    side: str = "isnotnull(pass#14)",
) -> SqlExecution:
    """Computed columns of scans, joined with passes and grouped."""
    scan = "FileScan parquet [{}] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/w/{}], PartitionFilters: [], ReadSchema: {}"
    return plan_of(
        (0, f"Exchange hashpartitioning({keys}, 200)", {}, (stage, stage + 100)),
        (1, f"HashAggregate(keys=[{keys}], functions=[partial_max(seal#75){more}])", {}, (stage,)),
        (2, "BroadcastHashJoin [pass#0], [pass#14], Inner, BuildRight, false", {}, (stage,)),
        (3, f"Project [pass#0{', w#3' if more else ''}, {computed}]", {}, (stage,)),
        (4, f"Filter {base}", {}, (stage,)),
        (5, scan.format("pass#0,w#3,p#5" if more else "pass#0,p#5", "scans", "w" if more else ""), {}, (stage,)),
        (3, "BroadcastExchange HashedRelationBroadcastMode", {}, (stage,)),
        (4, f"Filter {side}", {}, ()),
        (5, scan.format("pass#14,kind#15", "passes", ""), {}, ()),
        execution_id=number,
    )


@pytest.mark.parametrize(
    ("why", "second", "again"),
    [
        ("fewer columns", action(1, 2, more=""), (2,)),
        ("fewer rows of the other side", action(1, 2, side="((isnotnull(kind#15) AND (kind#15 = season)) AND isnotnull(pass#14))"), (2,)),
        ("fewer rows of its own", action(1, 2, base="(isnotnull(pass#0) AND (w#3 > 7))"), (2,)),
        ("another key", action(1, 2, keys="village#16", more=""), ()),
        ("another column", action(1, 2, computed="sha2(q#6, 512) AS seal#76", more=""), ()),
    ],
)
def test_an_action_that_needs_a_part_of_what_another_computed_repeats_it(why: str, second: SqlExecution, again: tuple[int, ...]) -> None:
    """T5: Spark prunes columns and pushes filters down, so that three actions on one table have three plans."""
    run = run_of(stage_of(1, [1_000]), stage_of(2, [1_000]), executions=[action(0, 1), second])

    assert repeated_stages(run) == again, why


def test_of_two_the_lesser_one_is_the_repetition() -> None:
    """T5: keeping the larger result serves both."""
    run = run_of(stage_of(1, [1_000]), stage_of(2, [1_000]), executions=[action(0, 1, more=""), action(1, 2)])

    assert repeated_stages(run) == (1,)


def test_two_parts_that_do_not_hold_each_other_are_no_repetition() -> None:
    """T5: each of two exports computes its own month."""
    own = [action(n, n + 1, base=f"(isnotnull(pass#0) AND (month#9 = {n}))", more=", sum(w#3)" if n else "") for n in range(2)]

    assert repeated_stages(run_of(stage_of(1, [1_000]), stage_of(2, [1_000]), executions=own)) == ()


@pytest.mark.parametrize(
    ("why", "operators", "kept", "text"),
    [
        ("few rows go out", ("groupByKey", "mapValues"), 150_000, "and makes 150,000 of them."),
        ("a result for the driver", ("groupByKey",), 0, "and hands on a result alone."),
        ("all rows go out", ("groupByKey",), 900_000, ""),
        ("no grouping", ("reduceByKey",), 150_000, ""),
    ],
)
def test_rows_that_an_rdd_groups_and_makes_few_of_are_too_much_shuffling(
    why: str, operators: tuple[str, ...], kept: int, text: str
) -> None:
    """T4: reduceByKey would send one row for each key and task."""
    reads = stage_of(
        2,
        [2_000] * 4,
        shuffle_read_bytes=[40 * MIB] * 4,
        shuffle_read_records=1_000_000,
        output_records=kept,
        operators=operators,
        parent_ids=(1,),
    )
    run = run_of(stage_of(1, [1_000] * 4, input_bytes=[40 * MIB] * 4), reads, spark_version="3.5.1")
    script = (
        'val a = spark.read.parquet("/w/a").rdd.map(r => (r.getInt(0), r))\na.groupByKey(4)\n  .mapValues(_.size).saveAsTextFile("/w/n")\n'
    )
    findings = find(run, read_scala(script))
    found = [one for one in findings.verdicts if one.kind is VerdictKind.SHUFFLE_VOLUME and one.blame.operator == "groupByKey"]

    assert [said(one.summary).endswith(text) for one in found] == ([True] if text else []), why
    if text:
        assert findings.tuning_class is TuningClass.EXCESS_SHUFFLE
        assert [(spot.line, spot.operation) for spot in found[0].blame.spots] == [(2, OperationKind.GROUP.value)]
        assert FixKind.PRE_AGGREGATION in [
            fix.kind for fix in advise(findings, run, [NamedScript("a.scala", read_scala(script), script)]).fixes
        ]


def test_tasks_that_write_files_or_send_their_metrics_alone_take_no_rows_to_the_driver() -> None:
    """T5: the results of 1,600 writing tasks, 10 KB of metrics each, were 16 MiB of rows."""
    wide = {"wall_ms": 9_000, "result_bytes": 17 * MIB}
    kinds = [
        {one.kind for one in judge(run_of(stage_of(0, [50] * tasks, output_bytes=written, **wide)))}
        for tasks, written in ((1_600, 0), (8, 5 * MIB), (8, 0))
    ]

    assert [VerdictKind.DRIVER_COLLECT in found for found in kinds] == [False, False, True]


def test_tiny_tasks_of_more_stages_explain_the_files_and_the_join_of_the_last_one() -> None:
    """T5: 1,600 partitions of a few rows each make 1,600 files; with fewer partitions both are gone."""
    tiny = verdict_of(VerdictKind.TINY_TASKS, 0.3).model_copy(update={"stage_ids": (8, 7)})
    files = verdict_of(VerdictKind.SMALL_FILES, 0.6).model_copy(update={"stage_ids": (8,)})
    join = verdict_of(VerdictKind.BROADCASTABLE_JOIN, 0.6).model_copy(update={"stage_ids": (8,)})
    of_files = verdict_of(VerdictKind.TINY_TASKS, 0.3).model_copy(update={"stage_ids": (8,)})

    assert [is_symptom(one, (files, tiny, join)) for one in (files, tiny, join)] == [True, False, True]
    assert [is_symptom(one, (files, of_files)) for one in (files, of_files)] == [False, True]
    assert classify((files, tiny, join)).tuning_class is TuningClass.OTHER


@pytest.mark.parametrize(("each", "is_fixed"), [(4_000, True), (200_000, False)])
def test_of_tasks_that_read_next_to_nothing_all_of_the_time_is_their_fixed_cost(each: int, is_fixed: bool) -> None:
    """T31: a line through the times of 1,600 tasks over a few KB each said that half of their time came from data."""
    sizes = [each * (1 + number % 4) for number in range(1_600)]
    cost = task_cost(stage_of(8, [20 + 10 * (number % 4) for number in range(1_600)], shuffle_read_bytes=sizes))

    assert (cost.ms == cost.mean_ms) is is_fixed
