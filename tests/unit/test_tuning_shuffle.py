"""Excess shuffle: what the plan and the volume say."""

import pytest

from contracts.spark import ExecutorFacts, RunFacts, SqlExecution
from contracts.verdicts import Severity, Verdict, VerdictKind
from tests.support.tuning import plan_of, run_of, stage_of
from workers.engines.spark.verdicts import judge

MIB = 1 << 20

STAGES = (stage_of(2, [1_000] * 3), stage_of(3, [1_000] * 2), stage_of(4, [500] * 32))


def run_with(plan: SqlExecution) -> RunFacts:
    return run_of(*STAGES, executions=[plan], wall_ms=20_000)


def of_kind(run: RunFacts, kind: VerdictKind) -> list[Verdict]:
    return [verdict for verdict in judge(run) if verdict.kind is kind]


def exchange(
    keys: str, written: int, data: int, stages: tuple[int, ...], why: str = "ENSURE_REQUIREMENTS"
) -> tuple[str, dict[str, int], tuple[int, ...]]:
    return f"Exchange {keys}, {why}, [plan_id=1]", {"shuffle bytes written": written, "data size": data}, stages


def join_plan(kind: str, left: int, right: int, moved: int | None = None) -> SqlExecution:
    """`moved`: bytes of the left side as they are shuffled; by default as large as the side."""
    return plan_of(
        (0, "Project [id#1, name#4]", {}, ()),
        (1, f"SortMergeJoin [id#1], [id#3], {kind}", {}, (4,)),
        (2, "Sort [id#1 ASC NULLS FIRST], false, 0", {}, (4,)),
        (3, *exchange("hashpartitioning(id#1, 32)", left if moved is None else moved, left, (2, 4))),
        (4, "FileScan parquet [id#1,amount#2] Location: InMemoryFileIndex(1 paths)[file:/warehouse/orders], Format", {}, (2,)),
        (2, "Sort [id#3 ASC NULLS FIRST], false, 0", {}, (4,)),
        (3, *exchange("hashpartitioning(id#3, 32)", right, right, (3, 4))),
        (4, "FileScan parquet [id#3,name#4] Location: InMemoryFileIndex(1 paths)[file:/warehouse/dim], Format", {}, (3,)),
    )


def test_a_shuffled_join_with_a_small_side_would_be_saved_by_a_broadcast() -> None:
    """T4."""
    (verdict,) = of_kind(run_with(join_plan("Inner", 300 * MIB, MIB)), VerdictKind.BROADCASTABLE_JOIN)

    assert (verdict.severity, verdict.stage_ids, verdict.blame.tables) == (Severity.PROBLEM, (4,), ("dim",))


def test_a_side_near_the_limit_is_a_hint_and_no_problem() -> None:
    """T4: it may be larger tomorrow."""
    (verdict,) = of_kind(run_with(join_plan("Inner", 300 * MIB, 9 * MIB)), VerdictKind.BROADCASTABLE_JOIN)

    assert verdict.severity is Severity.HINT


def test_a_side_that_takes_more_than_the_other_one_moves_is_not_named() -> None:
    """T4: two tables of one order, of which one is compressed well, were called a problem that nothing was advised for."""
    assert not of_kind(run_with(join_plan("Inner", 300 * MIB, 9 * MIB, moved=8 * MIB)), VerdictKind.BROADCASTABLE_JOIN)
    assert of_kind(run_with(join_plan("Inner", 300 * MIB, 9 * MIB, moved=20 * MIB)), VerdictKind.BROADCASTABLE_JOIN)


@pytest.mark.parametrize(
    ("kind", "left", "right", "can"),
    [
        ("LeftOuter", 300 * MIB, MIB, True),
        ("LeftOuter", MIB, 300 * MIB, False),
        ("RightOuter", MIB, 300 * MIB, True),
        ("FullOuter", 300 * MIB, MIB, False),
        ("LeftAnti", 300 * MIB, MIB, True),
        ("Inner", 300 * MIB, 20 * MIB, False),
        ("Inner", 4 * MIB, MIB, False),
    ],
)
def test_a_side_is_broadcast_only_where_spark_can_and_it_pays(kind: str, left: int, right: int, can: bool) -> None:
    """T4: the outer side of an outer join has to stay where it is; two small sides save nothing."""
    assert bool(of_kind(run_with(join_plan(kind, left, right)), VerdictKind.BROADCASTABLE_JOIN)) is can


@pytest.mark.parametrize(("executors", "pays"), [(1, True), (4, True), (5, False), (40, False)])
def test_how_much_larger_the_other_side_has_to_be_depends_on_the_executors_that_get_a_copy(executors: int, pays: bool) -> None:
    """T4: a side of a quarter of the other one pays with four executors, and not with five."""
    there = tuple(ExecutorFacts(executor_id=str(number), memory_bytes=8 << 30) for number in range(executors))
    run = run_with(join_plan("Inner", 40 * MIB, 10 * MIB)).model_copy(update={"executors": there})

    assert bool(of_kind(run, VerdictKind.BROADCASTABLE_JOIN)) is pays


SCAN = "FileScan parquet [id#1,region#2,amount#3,note#4] Location: InMemoryFileIndex(1 paths)[file:/warehouse/orders], Format"


def test_a_repartition_that_the_next_exchange_undoes_is_in_vain() -> None:
    """T4."""
    plan = plan_of(
        (0, "HashAggregate(keys=[region#2], functions=[sum(amount#3)])", {}, (4,)),
        (1, *exchange("hashpartitioning(region#2, 32)", MIB, MIB, (3, 4))),
        (2, "HashAggregate(keys=[region#2], functions=[partial_sum(amount#3)])", {}, (3,)),
        (3, *exchange("RoundRobinPartitioning(16)", 200 * MIB, 400 * MIB, (2, 3), "REPARTITION_BY_NUM")),
        (4, SCAN, {}, (2,)),
    )

    (verdict,) = of_kind(run_with(plan), VerdictKind.REDUNDANT_EXCHANGE)

    assert (verdict.stage_ids, verdict.blame.nodes) == ((3,), (3,))


def test_a_limit_of_a_window_within_partitions_makes_no_use_of_where_the_rows_are() -> None:
    """T4: Spark 3.5 puts it below the exchange of a filter on a rank; only the limit above the exchange needs the groups together."""
    limit = "WindowGroupLimit [id#1], [amount#3 DESC NULLS LAST], row_number(), 3, "
    plan = plan_of(
        (0, "Window [row_number() AS rn#7], [id#1], [amount#3 DESC NULLS LAST]", {}, (4,)),
        (1, limit + "Final", {}, (4,)),
        (2, *exchange("hashpartitioning(id#1, 32)", 100 * MIB, MIB, (3, 4))),
        (3, limit + "Partial", {}, (3,)),
        (4, "Sort [id#1 ASC NULLS FIRST, amount#3 DESC NULLS LAST], false, 0", {}, (3,)),
        (5, *exchange("hashpartitioning(region#2, 16)", 200 * MIB, 400 * MIB, (2, 3), "REPARTITION_BY_NUM")),
        (6, SCAN, {}, (2,)),
    )

    (verdict,) = of_kind(run_with(plan), VerdictKind.REDUNDANT_EXCHANGE)

    assert verdict.blame.nodes == (5,)


def test_an_order_that_is_lost_again_is_in_vain_and_costs_its_sampling_too() -> None:
    """T4: Spark runs what is below a global sort twice."""
    plan = plan_of(
        (0, "HashAggregate(keys=[region#2], functions=[sum(amount#3)])", {}, (5,)),
        (1, *exchange("hashpartitioning(region#2, 32)", MIB, MIB, (4, 5))),
        (2, "HashAggregate(keys=[region#2], functions=[partial_sum(amount#3)])", {}, (4,)),
        (3, "Sort [id#1 ASC NULLS FIRST], true, 0", {}, (4,)),
        (4, *exchange("rangepartitioning(id#1 ASC NULLS FIRST, 32)", 200 * MIB, 400 * MIB, (3, 4))),
        (5, "Filter (id#1 > 0)", {}, (2, 3)),
        (6, SCAN, {}, (2, 3)),
    )

    (verdict,) = of_kind(run_with(plan), VerdictKind.REDUNDANT_EXCHANGE)

    assert verdict.stage_ids == (2, 4)


@pytest.mark.parametrize(
    ("why", "between"),
    [
        ("a Python function works in the spread partitions", "BatchEvalPython [f(id#1)], [pythonUDF0#9]"),
        ("a window asks for the keys", "Window [row_number() AS rn#7], [id#1], [amount#3 ASC NULLS FIRST]"),
        ("an aggregate asks for the keys", "HashAggregate(keys=[id#1], functions=[count(1)])"),
        ("a limit takes the first ones", "GlobalLimit 10"),
    ],
)
def test_an_exchange_that_is_made_use_of_is_not_in_vain(why: str, between: str) -> None:
    """T4."""
    plan = plan_of(
        (0, "HashAggregate(keys=[region#2], functions=[sum(amount#3)])", {}, (4,)),
        (1, *exchange("hashpartitioning(region#2, 32)", 100 * MIB, MIB, (3, 4))),
        (2, between, {}, (3,)),
        (3, *exchange("hashpartitioning(id#1, 16)", 200 * MIB, 400 * MIB, (2, 3), "REPARTITION_BY_COL")),
        (4, SCAN, {}, (2,)),
    )

    assert not of_kind(run_with(plan), VerdictKind.REDUNDANT_EXCHANGE), why


def test_a_repartition_before_the_end_of_the_plan_is_not_in_vain() -> None:
    """T4: it decides how many files are written."""
    plan = plan_of(
        (0, "WriteFiles", {}, (3,)),
        (1, *exchange("RoundRobinPartitioning(2)", 200 * MIB, MIB, (2, 3), "REPARTITION_BY_NUM")),
        (2, SCAN, {}, (2,)),
    )

    assert not of_kind(run_with(plan), VerdictKind.REDUNDANT_EXCHANGE)


def projection_plan(top: str) -> SqlExecution:
    return plan_of(
        (0, top, {}, (4,)),
        (1, "HashAggregate(keys=[id#1, region#2, amount#3, note#4], functions=[])", {}, (4,)),
        (2, *exchange("hashpartitioning(id#1, region#2, amount#3, note#4, 32)", 200 * MIB, 400 * MIB, (2, 4))),
        (3, "HashAggregate(keys=[id#1, region#2, amount#3, note#4], functions=[])", {}, (2,)),
        (4, SCAN, {}, (2,)),
    )


def test_columns_that_only_a_distinct_compares_are_carried_in_vain() -> None:
    """T4."""
    (verdict,) = of_kind(
        run_with(projection_plan("HashAggregate(keys=[region#2], functions=[partial_sum(amount#3)])")), VerdictKind.LATE_PROJECTION
    )

    assert [(one.table, one.column) for one in verdict.blame.columns] == [("orders", "id"), ("orders", "note")]


def test_columns_of_the_result_are_needed() -> None:
    """T4."""
    assert not of_kind(run_with(projection_plan("Project [id#1, region#2, amount#3, note#4]")), VerdictKind.LATE_PROJECTION)


def test_a_plan_that_does_not_tell_all_columns_is_not_judged_by_them() -> None:
    """T4: Spark cuts long lists of fields."""
    plan = projection_plan("HashAggregate(keys=[region#2], functions=[partial_sum(amount#3), ... 12 more fields])")

    assert not of_kind(run_with(plan), VerdictKind.LATE_PROJECTION)


@pytest.mark.parametrize(("kept", "late"), [(1_000, True), (900_000, False)])
def test_a_filter_on_scanned_columns_after_an_exchange_is_late_if_it_keeps_little(kept: int, late: bool) -> None:
    """T4."""
    plan = plan_of(
        (0, "Filter (amount#3 > 100.0)", {"number of output rows": kept}, (4,)),
        (1, "BatchEvalPython [f(id#1)], [pythonUDF0#9]", {"number of output rows": 1_000_000}, (4,)),
        (2, *exchange("hashpartitioning(id#1, 32)", 200 * MIB, 400 * MIB, (2, 4))),
        (3, SCAN, {}, (2,)),
    )

    assert bool(of_kind(run_with(plan), VerdictKind.LATE_FILTER)) is late


@pytest.mark.parametrize(("written", "told"), [(300 * MIB, True), (110 * MIB, False)])
def test_a_job_that_shuffles_much_more_than_it_reads_is_told(written: int, told: bool) -> None:
    """T4: once what is read is the price of a join."""
    run = run_of(
        stage_of(0, [1_000] * 4, job_ids=(0,), input_bytes=100 * MIB, shuffle_write_bytes=written), stage_of(1, [1_000] * 4, job_ids=(0,))
    )

    assert bool(of_kind(run, VerdictKind.SHUFFLE_VOLUME)) is told
