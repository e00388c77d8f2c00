"""Where the wall time of a run went: parts that add up to it, and work that was done twice."""

from hypothesis import given
from hypothesis import strategies as st

from contracts.spark import StageFacts, StageStatus
from contracts.spark_time import TimePart
from tests.support.tuning import START, plan_of, run_of, stage_of
from workers.engines.spark.recomputed import repeated_stages
from workers.engines.spark.time_account import time_account

SCAN = "FileScan parquet [a#{n}] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/w/orders]"


def at(stage: StageFacts, begin: int, end: int) -> StageFacts:
    """The stage at a time of the run, in ms from its start."""
    times = {"submitted_at": START + begin, "completed_at": START + end, "first_launch_at": START + begin, "last_finish_at": START + end}
    return stage.model_copy(update=times)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 900),
            st.integers(1, 300),
            st.lists(st.integers(1, 400), min_size=1, max_size=5),
            st.integers(0, 500),
            st.integers(0, 500),
            st.integers(0, 500),
        ),
        max_size=6,
    ),
    st.integers(1, 8),
)
def test_the_parts_add_up_to_the_run_whatever_the_counters_say(stages: list[tuple[int, int, list[int], int, int, int]], slots: int) -> None:
    """T5: overlapping counters take no time twice."""
    made = [
        at(stage_of(number, times, gc_ms=gc, cpu_ms=cpu, lost_task_ms=lost), begin, begin + took)
        for number, (begin, took, times, gc, cpu, lost) in enumerate(stages)
    ]
    run = run_of(*made, started_at=START, ended_at=START + 1_000, wall_ms=1_000, slots=slots)

    account = time_account(run)

    assert account is not None
    assert abs(sum(part.ms for part in account.slices) - 1_000) < 1
    assert all(part.ms >= 0 for part in account.slices)


def test_a_stage_of_which_no_task_succeeded_took_the_time_of_its_failed_attempts() -> None:
    """It was called scheduling, since only successful tasks say when they ran."""
    failed = stage_of(1, [], failed_tasks=3, lost_task_ms=1_600).model_copy(
        update={"submitted_at": START + 100, "completed_at": START + 900, "first_launch_at": None, "last_finish_at": None}
    )

    account = time_account(run_of(failed, started_at=START, ended_at=START + 1_000, wall_ms=1_000, slots=2))

    assert account is not None
    assert {part.part: part.ms for part in account.slices} == {TimePart.FAILED: 800, TimePart.START: 100, TimePart.DRIVER: 100}


def test_attempts_that_failed_after_the_last_success_take_their_own_time() -> None:
    """Executors that were killed for their memory: their attempts' time was called the cost of starting tasks."""
    stage = at(stage_of(0, [5_000], lost_task_ms=50_000), 0, 60_000).model_copy(update={"last_finish_at": START + 5_000})
    run = run_of(stage, started_at=START, ended_at=START + 60_000, wall_ms=60_000, slots=1)

    account = time_account(run)

    assert account is not None
    parts = {part.part: round(part.ms) for part in account.slices}
    assert parts[TimePart.FAILED] == 50_000
    assert TimePart.SCHEDULING not in parts or parts[TimePart.SCHEDULING] < 1_000


def test_one_task_on_two_slots_leaves_half_of_its_time_idle() -> None:
    """T5."""
    run = run_of(at(stage_of(1, [800], cpu_ms=800), 100, 900), started_at=START, ended_at=START + 1_000, wall_ms=1_000)

    account = time_account(run)

    assert account is not None
    found = {part.part: part.ms for part in account.slices}
    assert found == {TimePart.IDLE_SLOTS: 400, TimePart.COMPUTING: 400, TimePart.START: 100, TimePart.DRIVER: 100}
    assert account.stages[0].stage_id == 1
    assert [[stage.stage_id for stage in part.stages] for part in account.slices if part.part is TimePart.IDLE_SLOTS] == [[1]]


def test_a_stage_that_hands_rows_to_python_waits_for_it() -> None:
    """T5: what is no processor time of its tasks is Python's."""
    stage = at(stage_of(1, [500, 500], cpu_ms=200, gc_ms=100, operators=("PythonRDD",)), 0, 500)
    account = time_account(run_of(stage, started_at=START, ended_at=START + 500, wall_ms=500))

    assert account is not None
    assert {part.part: part.ms for part in account.slices} == {TimePart.PYTHON: 350, TimePart.COMPUTING: 100, TimePart.GC: 50}


def write(
    stage: int, execution: int, condition: str, *, cached: bool = False
) -> tuple[tuple[int, str, dict[str, int], tuple[int, ...]], ...]:
    """A filter over a grouping of one table; the columns have other numbers in every plan."""
    n = execution * 10
    scan = (3, SCAN.format(n=n), {}, (stage,))
    kept = (3, f"InMemoryTableScan [a#{n}]", {}, (stage,))
    return (
        (0, f"Exchange hashpartitioning(a#{n}, 16), ENSURE_REQUIREMENTS, [plan_id={execution}]", {}, (stage, stage + 1)),
        (1, f"Filter {condition.format(n=n)}", {}, (stage,)),
        (2, f"Project [sha2(cast(a#{n} as binary), 512) AS b#{n + 1}]", {}, (stage,)),
        kept if cached else scan,
    )


def executions(first: str, second: str, *, cached: bool = False) -> tuple[int, ...]:
    stages = [stage_of(number, [100]) for number in range(4)]
    plans = [plan_of(*write(0, 1, first), execution_id=1), plan_of(*write(2, 2, second, cached=cached), execution_id=2)]
    return repeated_stages(run_of(*stages, executions=plans))


def test_the_same_work_under_other_column_numbers_is_a_repetition() -> None:
    """T5."""
    assert executions("(b#{n} > 5)", "(b#{n} > 5)") == (2,)


def test_a_computed_condition_with_another_value_repeats_the_computing() -> None:
    """T5: a loop over parts of one computed column."""
    assert executions("(pmod(crc32(b#{n}), 4) = 0)", "(pmod(crc32(b#{n}), 4) = 1)") == (2,)


def test_other_rows_of_a_table_are_no_repetition_and_kept_ones_are_not_computed() -> None:
    """T5: a plain condition is pushed into the scan, and reads other rows."""
    assert executions("(a#{n} > 5)", "(a#{n} > 6)") == ()
    assert executions("(b#{n} > 5)", "(b#{n} > 5)", cached=True) == ()


def test_stages_are_side_by_side_with_the_spread_of_their_tasks() -> None:
    """The longest stay, in the order in which they began; times are from the start of the run."""
    stages = [at(stage_of(number, [100, 100, 900]), 1_000 - 30 * number, 1_000 - 30 * number + 10 + number) for number in range(25)]
    run = run_of(*stages, started_at=START, ended_at=START + 2_000, wall_ms=2_000)

    account = time_account(run)

    assert account is not None
    assert [found.stage_id for found in account.runs] == list(range(24, 4, -1))
    assert account.runs_left_out == 5
    first = account.runs[0]
    assert (first.begin_ms, first.end_ms) == (280, 314)
    assert first.tasks is not None
    assert (first.tasks.count, first.tasks.median, first.tasks.max) == (3, 100, 900)


def test_a_stage_whose_tasks_all_failed_is_there_without_a_spread() -> None:
    nothing = {"first_launch_at": None, "last_finish_at": None, "distributions": {}, "status": StageStatus.FAILED}
    failed = stage_of(3, [10]).model_copy(update={**nothing, "submitted_at": START + 5, "completed_at": START + 50})
    account = time_account(run_of(failed, started_at=START, ended_at=START + 100, wall_ms=100))

    assert account is not None
    assert [(found.begin_ms, found.end_ms, found.has_failed, found.tasks) for found in account.runs] == [(5, 50, True, None)]
