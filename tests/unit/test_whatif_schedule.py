"""The replay's scheduler and the tasks it is given: against a plain one, against the best there is, and against what was told."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tuning import spread_of
from workers.engines.spark.whatif.schedule import Work, ends
from workers.engines.spark.whatif.tasks import rebuilt

MOST = 4_096
task_lists = st.lists(st.integers(0, 50), min_size=1, max_size=7)
slot_counts = st.integers(1, 4)


def work(times: list[int], number: int = 0, **told: object) -> Work:
    return Work(order=(number,), times=np.array(times, dtype=np.float64), **told)  # type: ignore[arg-type]


def by_hand(times: list[int], slots: int) -> int:
    """Each task to the slot that is free first."""
    loads = [0] * slots
    for one in times:
        loads[loads.index(min(loads))] += one
    return max(loads)


def best(times: list[int], slots: int) -> int:
    """Over every way to deal the tasks out."""
    ways = product(range(slots), repeat=len(times))
    return min(max(sum(one for one, at in zip(times, way, strict=True) if at == slot) for slot in range(slots)) for way in ways)


@given(task_lists, slot_counts)
def test_a_stage_ends_as_when_its_tasks_are_dealt_out_by_hand(times: list[int], slots: int) -> None:
    assert ends([work(times)], slots) == [by_hand(times, slots)]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(1, 3))
def test_a_stage_ends_within_grahams_bound_of_the_best_schedule(times: list[int], slots: int) -> None:
    least = best(times, slots)

    assert least <= ends([work(times)], slots)[0] <= (2 - 1 / slots) * least


@given(task_lists, slot_counts)
def test_more_slots_never_make_a_stage_slower(times: list[int], slots: int) -> None:
    assert ends([work(times)], slots + 1)[0] <= ends([work(times)], slots)[0]


def test_a_stage_starts_when_all_it_waits_for_has_ended_and_the_driver_is_ready() -> None:
    first, second = work([10, 10], 0, at_ms=5), work([30], 1, tail_ms=2)
    third = work([7], 2, before=((0, 100.0), (1, 4.0)))

    assert ends([first, second, third], 2) == [25, 32, 132]


def test_stages_that_run_at_the_same_time_share_the_slots_in_their_order() -> None:
    assert ends([work([10, 10, 10], 0), work([10], 1)], 2) == [20, 20]
    assert ends([work([10, 10, 10], 1), work([10], 0)], 2) == [20, 10]


def test_stages_that_wait_for_each_other_do_not_hold_up_the_replay() -> None:
    assert ends([work([5], 0, before=((1, 0.0),)), work([5], 1, before=((0, 0.0),)), work([5], 2)], 1) == [0, 0, 5]


@given(st.lists(st.integers(0, 1_000_000), min_size=1, max_size=300))
def test_rebuilt_tasks_have_the_count_the_heaviest_and_the_sum_that_were_told(values: list[int]) -> None:
    told = spread_of(values)

    times, stands_for = rebuilt(told, MOST)

    assert len(times) == stands_for.sum() == told.count
    assert np.isclose(times.sum(), told.sum, rtol=1e-6, atol=1e-3)
    assert sorted(times.tolist())[-len(told.heaviest) :] == sorted(float(heavy.value) for heavy in told.heaviest) or min(values) == max(
        values
    )


@given(st.lists(st.integers(1, 10_000), min_size=40, max_size=400))
def test_bundled_tasks_keep_the_count_and_the_sum(values: list[int]) -> None:
    told = spread_of(values)

    times, stands_for = rebuilt(told, 16)

    assert len(times) <= 16
    assert np.isclose(stands_for.sum(), told.count)
    assert np.isclose(times.sum(), told.sum, rtol=1e-6)


def test_a_heavy_task_stands_where_its_partition_does() -> None:
    values = [10] * 99 + [5_000]

    times, _ = rebuilt(spread_of(values), MOST)

    assert int(times.argmax()) == 99
