"""Advice whose precondition does not hold: each of these was once given, and would have lost rows, time or trust."""

import pytest

from contracts.spark import RunFacts, SqlExecution
from contracts.statements import Statement, name, say
from contracts.tune.plan import Fix, FixKind, Risk, TuningPlan
from contracts.verdicts import Blame, Severity, TuningClass, Verdict, VerdictKind
from contracts.whatif import Gain
from tests.support.said import said
from tests.support.tuning import plan_of, run_of, stage_of
from workers.engines.spark.verdicts import judge
from workers.engines.verdicts.thresholds import MIB
from workers.kinds.tune.report.fixes import gain_text
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.gate import objection_to
from workers.kinds.tune.rules.advice.partition_counts import INPUT_PARTITION
from workers.kinds.tune.rules.findings import find

SCAN = "FileScan parquet [{columns}] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/w/{table}]"
FULL_OUTER = "SortMergeJoin [book#1], [book#11], FullOuter"
INNER = "SortMergeJoin [book#1], [book#11], Inner"


def scan(depth: int, table: str, columns: str, rows: int) -> tuple[int, str, dict[str, int], tuple[int, ...]]:
    return depth, SCAN.format(table=table, columns=columns), {"number of output rows": rows}, (1,)


def salted(below: str = "Range (0, 16, step=1, splits=2)", join: str = "BroadcastNestedLoopJoin BuildRight, Cross") -> SqlExecution:
    """20,000 books, each beside 16 salts."""
    return plan_of(
        (0, join, {"number of output rows": 1_600_000}, (1,)),
        scan(1, "books", "book#1,title#2", 100_000),
        (1, "BroadcastExchange IdentityBroadcastMode, [plan_id=7]", {}, ()),
        (2, "Project [id#3L AS salt#4L]", {}, ()),
        (3, below, {"number of output rows": 16}, ()),
    )


def ran(*plans: SqlExecution, **given: object) -> RunFacts:
    return run_of(
        stage_of(1, [5_000] * 4, wall_ms=10_000, shuffle_read_bytes=[40 * MIB] * 4), executions=plans, spark_version="3.5.1", **given
    )


def reasons(plan: TuningPlan) -> list[str]:
    return [said(text) for text in plan.left_out]


def crossed(run: RunFacts) -> list[Verdict]:
    return [verdict for verdict in judge(run) if verdict.kind is VerdictKind.CROSS_JOIN]


def test_rows_that_are_copied_for_each_salt_are_no_cross_join() -> None:
    """T5, T31: the salting `crossJoin(range(16))` was called a cross join, and a condition advised that would have lost rows."""
    assert not crossed(ran(salted()))
    assert not crossed(ran(salted("LocalTableScan [id#3L]")))
    assert crossed(ran(salted(SCAN.format(table="salts", columns="id#3L"))))


def test_a_condition_is_not_advised_where_the_plan_keeps_every_pair() -> None:
    """T31: it would lose rows of the result."""
    run = ran(salted(SCAN.format(table="salts", columns="id#3L")))
    findings = find(run)

    plan = advise(findings, run, [])

    assert not plan.fixes
    assert any("every pair is in the result" in reason for reason in reasons(plan))


def test_pairs_of_joins_that_share_their_stages_are_counted_once() -> None:
    """T5: two joins of a stage took its time twice, so that both together were more than the run."""
    two = plan_of(
        (0, "BroadcastNestedLoopJoin BuildRight, Inner, (a#1 < c#5)", {"number of output rows": 10}, (1,)),
        (1, "BroadcastNestedLoopJoin BuildRight, Inner, (a#1 < b#3)", {"number of output rows": 900_000}, (1,)),
        scan(2, "x", "a#1", 100_000),
        scan(2, "y", "b#3", 100),
        scan(1, "z", "c#5", 1_000),
    )

    (verdict,) = crossed(ran(two))

    assert "900 million pairs" in said(verdict.summary)


def test_either_of_two_keys_is_advised_as_two_joins() -> None:
    """T31: a range was advised to a join by either of two equal columns."""
    either = plan_of(
        (0, "BroadcastNestedLoopJoin BuildLeft, Inner, ((reader#1 = reader#5) OR (card#2 = card#6))", {"number of output rows": 9}, (1,)),
        scan(1, "inquiries", "reader#1,card#2", 4_000),
        scan(1, "readers", "reader#5,card#6", 100_000),
    )
    run = ran(either)

    (fix,) = advise(find(run), run, []).fixes

    assert (fix.kind, said(fix.title)) == (FixKind.REWRITE_CROSS_JOIN, "Two joins by one key each instead of one join by either")


def skewed(line: str, **given: object) -> RunFacts:
    """A stage in which one task of sixteen has most of the data, below this operator."""
    heavy = [4 * MIB] * 15 + [900 * MIB]
    stage = stage_of(2, [500] * 15 + [60_000], wall_ms=60_000, shuffle_read_bytes=heavy)
    plan = plan_of(
        (0, "Project [book#1]", {}, (2,)),
        (1, line, {"number of output rows": 10}, (2,)),
        (2, "Exchange hashpartitioning(book#1, 16), ENSURE_REQUIREMENTS, [plan_id=3]", {}, (1, 2)),
        (3, SCAN.format(table="loans", columns="book#1"), {}, (1,)),
        (2, "Exchange hashpartitioning(book#11, 16), ENSURE_REQUIREMENTS, [plan_id=4]", {}, (1, 2)),
        (3, SCAN.format(table="wishes", columns="book#11"), {}, (1,)),
    )
    settings = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "16"}
    return run_of(stage, executions=[plan], spark_version="3.5.1", configuration=settings, **given)


def kinds_for(run: RunFacts) -> set[FixKind]:
    return {fix.kind for fix in advise(find(run), run, []).fixes}


def test_a_full_outer_join_is_neither_cut_by_the_engine_nor_salted() -> None:
    """T31: adaptive execution was advised for one, of which Spark cuts neither side; a salt would add rows without a counterpart."""
    run = skewed(FULL_OUTER)
    plan = advise(find(run), run, [])

    assert not {FixKind.SKEW_JOIN, FixKind.SALT} & {fix.kind for fix in plan.fixes}
    assert sum("full outer join" in reason for reason in reasons(plan)) == 2
    assert {FixKind.SKEW_JOIN, FixKind.SALT} <= kinds_for(skewed(INNER))


DEVIATION = "Window [stddev(kept#5) windowspecdefinition(book#1, day#4 ASC NULLS FIRST, specifiedwindowframe(RangeFrame, -30, currentrow$())) AS spread#9], [book#1], [day#4 ASC NULLS FIRST]"  # noqa: E501 as Spark writes it
PLACES = "Window [row_number() windowspecdefinition(book#1, day#4 DESC NULLS LAST, specifiedwindowframe(RowFrame, unboundedpreceding$(), currentrow$())) AS place#9], [book#1], [day#4 DESC NULLS LAST]"  # noqa: E501


@pytest.mark.parametrize(("line", "over", "told"), [(DEVIATION, "", False), (PLACES, "", False), (PLACES, "Filter (place#9 <= 3)", True)])
def test_a_window_is_ranked_in_two_steps_only_where_the_first_ranks_are_kept(line: str, over: str, told: bool) -> None:
    """T31: it was advised for `stddev` over a range frame, which needs the rows around each row."""
    run = skewed(line)
    nodes = run.executions[0].nodes
    top = nodes[0].model_copy(update={"name": "Filter", "simple_string": over}) if over else nodes[0]
    run = run.model_copy(update={"executions": (run.executions[0].model_copy(update={"nodes": (top, *nodes[1:])}),)})

    assert (FixKind.TWO_STAGE_AGGREGATION in kinds_for(run)) is told


def spilled(version: str = "3.5.1", **settings: str) -> str:
    stage = stage_of(1, [20_000] * 40, shuffle_read_bytes=[300 * MIB] * 40, memory_spill_bytes=[900 * MIB] * 40)
    run = run_of(stage, spark_version=version, configuration=settings)
    return next(said(verdict.summary) for verdict in judge(run) if verdict.kind is VerdictKind.SPILL)


def test_a_spill_is_from_an_accelerator_only_where_the_run_has_one() -> None:
    """T5: Spark before its second version counted no bytes on disk, which was taken for a GPU."""
    assert "on disk it is not counted by Spark 1.6.1" in spilled("1.6.1")
    assert "none of it on disk by the log's counters" in spilled()
    assert "from an accelerator's memory" in spilled(**{"spark.rapids.sql.concurrentGpuTasks": "2"})


def asked(parents: int, **settings: str) -> tuple[Fix, ...]:
    writes = stage_of(0, [20_000] * parents)
    reads = stage_of(1, [60_000] * 40, parent_ids=(0,), shuffle_read_bytes=[300 * MIB] * 40, memory_spill_bytes=[900 * MIB] * 40)
    run = run_of(writes, reads, spark_version="1.6.1", slots=200, configuration=settings)
    return advise(find(run), run, []).fixes


def test_a_number_of_partitions_that_a_call_asks_for_is_changed_in_the_call_and_by_no_setting() -> None:
    """T31: a third of the run was promised for a setting that does not reach `repartition(40)`."""
    fix = next(fix for fix in asked(200) if fix.kind is FixKind.MORE_PARTITIONS)
    reached = next(fix for fix in asked(40) if fix.kind is FixKind.MORE_PARTITIONS)

    assert not fix.configuration
    assert "in the call that asks for 40 partitions" in said(fix.title)
    assert "no setting changes it" in said(fix.what)
    assert [setting.name for setting in reached.configuration] == ["spark.default.parallelism"]


def test_the_partitions_of_a_table_come_from_the_setting_only_where_the_plan_has_its_number() -> None:
    """T31: `repartition(40)` of a table, with the setting at its 200."""
    stage = stage_of(1, [60_000] * 40, execution_id=0, shuffle_read_bytes=[300 * MIB] * 40, disk_spill_bytes=[900 * MIB] * 40)
    settings = {"spark.sql.adaptive.enabled": "false"}
    for number, names in ((40, []), (200, ["spark.sql.shuffle.partitions"])):
        exchange = (0, f"Exchange hashpartitioning(k#1, {number}), REPARTITION_BY_NUM, [plan_id=3]", {}, (0, 1))
        run = run_of(stage, executions=[plan_of(exchange)], spark_version="3.5.1", slots=200, configuration=settings)

        fix = next(fix for fix in advise(find(run), run, []).fixes if fix.kind is FixKind.MORE_PARTITIONS)

        assert [setting.name for setting in fix.configuration] == names


@pytest.mark.parametrize(("each", "pieces", "cut"), [(100, "128m", True), (900, "1g", True), (1600, "128m", False), (1600, None, False)])
def test_smaller_pieces_are_advised_only_where_the_setting_cuts_the_files(each: int, pieces: str | None, cut: bool) -> None:
    """Four files of gzip, 1.6 GiB each: `maxPartitionBytes` was to save 79 % of the run, and cuts none of them."""
    spills = {"memory_spill_bytes": [2_000 * MIB] * 4, "disk_spill_bytes": [900 * MIB] * 4}
    settings = {"spark.sql.files.maxPartitionBytes": pieces} if pieces else {}
    for more in ({}, spills):
        stage = stage_of(0, [280_000] * 4, wall_ms=280_000, execution_id=0, input_bytes=[each * MIB] * 4, **more)
        run = run_of(stage, spark_version="3.5.1", slots=32, configuration=settings)

        fixes = advise(find(run), run, []).fixes

        assert any(setting.name == INPUT_PARTITION for fix in fixes for setting in fix.configuration) is cut
        assert any("so a file there cannot be cut" in said(fix.what) for fix in fixes) is not cut


@pytest.mark.parametrize(
    ("line", "cut"),
    [
        ("BatchScan lake.loans[book#1] lake.loans (branch=null) [filters=, groupedBy=]", False),
        ("BatchScan parquet file:/w/loans[book#1] ParquetScan DataFilters: [], Format: parquet, Location: InMemoryFileIndex[/w]", True),
    ],
)
def test_the_setting_of_files_is_advised_for_no_source_that_cuts_its_own_reads(line: str, cut: bool) -> None:
    """A read of Iceberg was to be cut by `spark.sql.files.maxPartitionBytes`, which only Spark's own files heed."""
    stage = stage_of(0, [280_000] * 4, wall_ms=280_000, execution_id=0, input_bytes=[100 * MIB] * 4, operators=("BatchScan",))
    plan = plan_of((0, line, {}, (0,)))
    for executions in ([plan], [] if not cut else [plan]):
        run = run_of(stage, executions=executions, spark_version="3.5.1", slots=32)

        fixes = advise(find(run), run, []).fixes

        assert any(setting.name == INPUT_PARTITION for fix in fixes for setting in fix.configuration) is cut
        assert any("its source cuts it" in said(fix.what) for fix in fixes) is not cut


@pytest.mark.parametrize("counted", [(1, 2), ()])
def test_no_number_of_partitions_is_advised_for_what_needs_all_rows_in_one_place(counted: tuple[int, ...]) -> None:
    """A list of all rows that spilled: a smaller `advisoryPartitionSizeInBytes` was to save 85 %, and the single partition stays one."""
    reads = stage_of(1, [9_000] * 8, wall_ms=9_000, execution_id=0, input_bytes=[30 * MIB] * 8)
    lists = stage_of(
        2, [900_000], execution_id=0, shuffle_read_bytes=[3_400 * MIB], memory_spill_bytes=[9_000 * MIB], disk_spill_bytes=[5_000 * MIB]
    )
    plan = plan_of(
        (0, "ObjectHashAggregate(keys=[], functions=[collect_list(book#1, 0, 0)])", {}, counted[1:]),
        (1, "Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=3]", {}, counted),
        (2, SCAN.format(table="loans", columns="book#1"), {}, (1,)),
    )
    run = run_of(reads, lists, executions=[plan], spark_version="3.5.1", slots=24)
    made = advise(find(run), run, [])

    assert FixKind.MORE_PARTITIONS not in {fix.kind for fix in made.fixes}
    assert any("in one place" in reason for reason in reasons(made))


def read_by_one_query() -> RunFacts:
    stage = stage_of(1, [860_000], execution_id=0, input_records=48_000_000)
    scan_line = (0, "Scan JDBCRelation(loans) [numPartitions=1] [book#1] PushedFilters: []", {"number of output rows": 48_000_000}, (1,))
    plan = plan_of(scan_line)
    node = plan.nodes[0].model_copy(update={"name": "Scan JDBCRelation(loans) [numPartitions=1]"})
    return run_of(stage, executions=[plan.model_copy(update={"nodes": (node,)})], spark_version="3.5.1", slots=16)


def test_a_table_of_a_database_that_one_query_reads_is_cut_by_its_options() -> None:
    """48 million rows by one task in 14 of 15 minutes, and nothing was advised."""
    run = read_by_one_query()

    fix = advise(find(run), run, []).fixes[0]

    assert "by one query" in said(fix.what)
    assert "`numPartitions` 8" in said(fix.what)
    assert not fix.configuration


def gain(after_ms: int, low_ms: int, high_ms: int) -> Gain:
    return Gain(
        before_ms=28_100, after_ms=after_ms, low_ms=low_ms, high_ms=high_ms, unsure_ms=10, saved_share=1 - after_ms / 28_100, method=""
    )


def test_a_fix_in_words_that_nothing_proves_promises_no_time() -> None:
    """Whether the table has a column to cut it by is not in the log; the replay of sixteen tasks said 90 %."""
    run = read_by_one_query()

    plan = advise(find(run), run, [], estimate=lambda _: gain(2_000, 1_500, 3_000))

    assert [fix.gain for fix in plan.fixes] == [None]
    assert plan.combined is None
    assert "no time is promised" in said(plan.fixes[0].gain_unknown)


def objection(made: Gain) -> Statement | None:
    verdict = Verdict(kind=VerdictKind.SPILL, severity=Severity.PROBLEM, stage_ids=(1,), share=0.5, summary="x", blame=Blame())
    title = say("tune.report.setting_was", setting=name("x"), was=name("1"))
    return objection_to(Fix(fix_id="F1", kind=FixKind.MORE_PARTITIONS, title=title, what="", risk=Risk.LOW, gain=made), (verdict,))


def test_a_small_gain_whose_likely_range_reaches_into_a_loss_is_no_gain() -> None:
    """T31: `reduces 7 %, likely 16.6 to 40.8 s of 28.1`."""
    open_range = gain(26_100, 16_600, 40_800)
    found = objection(open_range)

    assert found is not None
    assert found.code == "tune.gate.may_lose"
    assert objection(gain(14_000, 9_000, 22_000)) is None
    assert objection(gain(20_000, 12_000, 31_000)) is None


def test_no_share_is_promised_where_the_range_reaches_into_a_loss() -> None:
    """T32."""
    assert "less" not in said(gain_text(gain(20_000, 12_000, 31_000)))
    assert "a loss is not excluded" in said(gain_text(gain(20_000, 12_000, 31_000)))
    assert "20 s" not in said(gain_text(gain(20_000, 12_000, 31_000)))
    assert not gain(20_000, 12_000, 31_000).is_promised
    assert "50% less" in said(gain_text(gain(14_050, 9_000, 22_000)))


def test_the_class_of_a_run_without_a_problem_stays_none() -> None:
    """T7: a salted join that runs well."""
    assert find(ran(salted())).tuning_class is TuningClass.NONE


def test_the_part_of_a_stage_that_is_done_again_is_no_stage_with_too_few_tasks() -> None:
    """Four of a hundred tasks ran again: the input was to be cut into 1,900 tasks for it."""
    whole = stage_of(0, [60_000] * 100, wall_ms=300_000, input_bytes=[300 * MIB] * 100)
    again = stage_of(0, [60_000] * 4, wall_ms=60_000, input_bytes=[300 * MIB] * 4).model_copy(update={"attempt": 1})
    few = {VerdictKind.TOO_FEW_TASKS, VerdictKind.SERIAL_SCAN}

    assert not few & {verdict.kind for verdict in judge(run_of(whole, again, slots=20))}
    assert few & {verdict.kind for verdict in judge(run_of(again.model_copy(update={"attempt": 0}), slots=20))}


STATE = "StateStoreSave [k#1], state info [ checkpoint = /c, runId = 7, opId = 0, ver = 1, numPartitions = 200], Append, 0, 2"


@pytest.mark.parametrize(
    ("operator", "batch", "settings", "reason"),
    [
        (STATE, "", set[str](), "a stream's checkpoint keeps the number"),
        ("HashAggregate(keys=[k#1], functions=[count(1)])", "id = 9\nrunId = 7\nbatch = 3", {"spark.sql.adaptive.enabled"}, "a stream's"),
        ("HashAggregate(keys=[k#1], functions=[count(1)])", "", {"spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions"}, ""),
    ],
)
def test_what_a_checkpoint_keeps_is_changed_by_no_setting(operator: str, batch: str, settings: set[str], reason: str) -> None:
    """The number of partitions of a stream is in its checkpoint; adaptive execution leaves state alone."""
    plan = plan_of(
        (0, operator, {}, (1,)),
        (1, "Exchange hashpartitioning(k#1, 200)", {"shuffle bytes written": MIB}, (0, 1)),
        (2, SCAN.format(table="clicks", columns="k#1"), {}, (0,)),
    ).model_copy(update={"description": batch})
    tiny = stage_of(1, [60] * 200, wall_ms=6_000, run_ms=200 * 20, shuffle_read_bytes=[4_000] * 200, execution_id=0)
    run = run_of(tiny, executions=[plan], spark_version="3.5.1", configuration={"spark.sql.adaptive.enabled": "false"})

    found = advise(find(run), run, [])

    assert {setting.name for fix in found.fixes for setting in fix.configuration} == settings
    assert any(reason in text for text in reasons(found)) or not reason


@pytest.mark.parametrize(
    ("each", "operators", "given", "why"),
    [
        (700 * MIB, ("map", "textFile"), {}, "does not reach this read"),
        (700 * MIB, ("mapPartitions", "newAPIHadoopFile"), {}, "does not reach this read"),
        (200 * MIB, ("Sort", "Scan hive default.tbl_a", "WholeStageCodegen"), {"execution_id": 0}, "does not reach this read"),
        (200 * MIB, ("HiveTableScan", "WholeStageCodegen"), {"execution_id": 0}, "does not reach this read"),
        (700 * MIB, (), {}, "repartition before the heavy step"),
        (700 * MIB, ("mapPartitionsWithIndex", "parallelize"), {}, "repartition before the heavy step"),
        (3072 * MIB, ("Scan parquet ",), {"execution_id": 0}, "A task reads 3 GiB where Spark cuts files at 128 MiB"),
        (3072 * MIB, ("Coalesce", "Scan parquet "), {"execution_id": 0}, "The number comes from a call in the code"),
        (3072 * MIB, ("InMemoryTableScan", "Scan parquet "), {"execution_id": 0}, "repartition before the heavy step"),
        (128 * MIB, ("Scan parquet ",), {"execution_id": 0}, ""),
    ],
)
@pytest.mark.parametrize("spilled", [0, 1 << 36])
def test_an_input_is_cut_by_the_setting_only_where_the_log_does_not_say_that_it_is_not(
    each: int, operators: tuple[str, ...], given: dict[str, object], why: str, spilled: int
) -> None:
    """An input of an RDD or of a Hive table, and a gzip file, were cut by a setting that does not reach them, and the gain was told."""
    spills = {"disk_spill_bytes": spilled, "memory_spill_bytes": spilled}
    stage = stage_of(0, [120_000] * 2, wall_ms=120_000, input_bytes=[each] * 2, operators=operators, **given, **spills)
    run = run_of(stage, slots=24, spark_version="3.5.1")

    (fix,) = [fix for fix in advise(find(run), run, []).fixes if fix.kind is FixKind.MORE_PARTITIONS][:1]

    is_generic = spilled and why.startswith("repartition")
    assert is_generic or why in said(fix.what)
    assert [setting.name for setting in fix.configuration] == ([INPUT_PARTITION] if not why else [])
    assert bool(fix.changes) is not any(word in why for word in ("reach", "cuts"))


@pytest.mark.parametrize(
    ("lines", "operators", "told"),
    [
        ([SCAN.format(table="clicks", columns="k#1") + " Batched: true, Bucketed: true"], (), "before the heavy step"),
        (["Coalesce 4", SCAN.format(table="clicks", columns="k#1")], ("Coalesce",), "comes from a call"),
        (["Coalesce 100", SCAN.format(table="clicks", columns="k#1")], ("Coalesce",), "a file there cannot be cut"),
    ],
)
def test_a_file_is_uncut_only_where_the_log_shows_no_other_cause(lines: list[str], operators: tuple[str, ...], told: str) -> None:
    """Parquet before `coalesce(4)`, and a table of four buckets, were said to be gzip."""
    plan = plan_of(*((depth, line, {}, (0,)) for depth, line in enumerate(lines)))
    stage = stage_of(0, [280_000] * 4, wall_ms=280_000, execution_id=0, operators=operators, input_bytes=[1_600 * MIB] * 4)
    run = run_of(stage, executions=[plan], spark_version="3.5.1", slots=32)

    fix = next(fix for fix in advise(find(run), run, []).fixes if fix.kind is FixKind.MORE_PARTITIONS)

    assert told in said(fix.what)
    assert not fix.configuration


def test_no_setting_of_files_is_advised_for_a_spilling_read_of_a_database() -> None:
    """Five queries to a database that spilled got `maxPartitionBytes`."""
    scan = plan_of((0, "Scan JDBCRelation(loans) [numPartitions=5] [book#1]", {}, (0,)))
    nodes = tuple(node.model_copy(update={"name": "Scan JDBCRelation(loans) [numPartitions=5] "}) for node in scan.nodes)
    spills = {"memory_spill_bytes": [2_000 * MIB] * 5, "disk_spill_bytes": [900 * MIB] * 5}
    for given in ({}, {"input_bytes": [100 * MIB] * 5}):
        stage = stage_of(0, [280_000] * 5, wall_ms=280_000, execution_id=0, input_records=1_000_000, **spills, **given)
        run = run_of(stage, executions=[scan.model_copy(update={"nodes": nodes})], spark_version="3.5.1", slots=32)

        fixes = advise(find(run), run, []).fixes

        assert fixes
        assert not [setting for fix in fixes for setting in fix.configuration if setting.name == INPUT_PARTITION]
