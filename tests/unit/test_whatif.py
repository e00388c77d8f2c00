"""What a change would bring: each kind of change on runs made by hand, and what holds for any run."""

import math
from statistics import median
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.spark import JobFacts, RunFacts, StageFacts, StageStatus
from contracts.statements import Statement
from contracts.whatif import Change, ChangeKind, Gain
from tests.bench.spark_jobs.applying import measured
from tests.support.campaign import TIMES
from tests.support.said import said
from tests.support.tuning import START, run_of, stage_of
from workers.engines.spark.whatif import Replay
from workers.engines.spark.whatif.assumptions import Assumptions
from workers.engines.spark.whatif.estimate import MOST_RESTART

MIB = 1 << 20
SKEWED = [17_000] + [1_000] * 15
EVEN = [1_000] * 16


def staged(stage_id: int, times: list[int], begin: int, took: int, parents: tuple[int, ...] = (), **told: Any) -> StageFacts:
    """A stage that ran from `begin` on, ms after the run's start."""
    span = {"submitted_at": START + begin, "completed_at": START + begin + took, "last_finish_at": START + begin + took}
    return stage_of(stage_id, times, parent_ids=parents, job_ids=(0,), **(span | told))


def chain(*stages: StageFacts, slots: int = 4, **told: Any) -> RunFacts:
    end = max(stage.completed_at or START for stage in stages)
    job = JobFacts(job_id=0, stage_ids=tuple(stage.stage_id for stage in stages), submitted_at=START, status=StageStatus.SUCCEEDED)
    return run_of(*stages, slots=slots, jobs=(job,), **({"ended_at": end, "wall_ms": end - START} | told))


def after(run: RunFacts, *changes: Change) -> Gain:
    return Replay(run).gain(changes)


def change(kind: ChangeKind, *stage_ids: int, **told: Any) -> Change:
    return Change(kind=kind, stage_ids=stage_ids, **told)


def two_stages(second: list[int], took: int, **told: Any) -> RunFacts:
    """A stage that reads and writes 64 MiB, and one that reads them."""
    each = 64 * MIB // 16
    source = staged(0, [500] * 16, 0, 2_000, input_bytes=[each] * 16, shuffle_write_bytes=[each] * 16)
    return chain(source, staged(1, second, 2_000, took, (0,), shuffle_read_bytes=[64 * MIB // len(second)] * len(second), **told))


def test_without_a_change_the_replay_takes_what_was_measured() -> None:
    gain = after(two_stages(SKEWED, 17_000))

    assert (gain.before_ms, gain.after_ms, gain.low_ms, gain.high_ms, gain.saved_share) == (19_000, 19_000, 19_000, 19_000, 0)


def test_a_balanced_stage_takes_its_tasks_time_by_the_slots() -> None:
    gain = after(two_stages(SKEWED, 17_000), change(ChangeKind.BALANCE, 1))

    assert gain.after_ms == pytest.approx(2_000 + sum(SKEWED) / 4, rel=0.1)
    assert gain.low_ms < gain.after_ms < gain.high_ms


def test_the_pieces_of_a_salt_do_not_fall_evenly() -> None:
    run = two_stages(SKEWED, 17_000)

    assert after(run, change(ChangeKind.BALANCE, 1)).after_ms < after(run, change(ChangeKind.BALANCE, 1, partitions=4)).after_ms


def salted_join(other: int, salts: int | None) -> Gain:
    """Two stages write 64 MiB and `other` bytes; a third joins them and has one heavy task, which a salt cuts."""
    each, ours = 64 * MIB // 16, other // 16
    big = staged(0, [500] * 16, 0, 2_000, shuffle_write_bytes=[each] * 16)
    small = staged(1, [500] * 16, 2_000, 2_000, shuffle_write_bytes=[ours] * 16)
    read = [each + ours] * 16
    join = staged(2, SKEWED, 4_000, 17_000, (0, 1), shuffle_read_bytes=read, shuffle_read_records=read)
    return after(chain(big, small, join), change(ChangeKind.BALANCE, 2, partitions=salts))


def test_a_salt_costs_the_copies_of_the_other_side() -> None:
    """(salts − 1) times its bytes are written and read beside what is now: more for a larger side, and for more salts."""
    tiny, large = salted_join(16, 8), salted_join(32 * MIB, 8)

    assert tiny.after_ms < large.after_ms
    assert large.after_ms < salted_join(32 * MIB, 64).after_ms
    assert salted_join(16, 64).after_ms <= tiny.after_ms * 1.2
    assert salted_join(32 * MIB, None).after_ms == pytest.approx(salted_join(16, None).after_ms, rel=0.05)


def test_a_salt_of_an_aggregation_copies_nothing() -> None:
    few, many = (after(two_stages(SKEWED, 17_000), change(ChangeKind.BALANCE, 1, partitions=salts)) for salts in (8, 64))

    assert many.after_ms <= few.after_ms * 1.1


def test_rows_that_go_are_those_of_the_heavy_task() -> None:
    half = after(two_stages(SKEWED, 17_000), change(ChangeKind.DROP_ROWS, 1, kept_share=0.5))

    assert half.after_ms < 2_000 + 4_500


def test_a_change_of_a_stage_that_did_not_run_saves_nothing_and_says_so() -> None:
    gain = after(two_stages(SKEWED, 17_000), change(ChangeKind.BALANCE, 77))

    assert gain.saved_share == 0
    assert any("77" in said(text) for text in gain.assumptions)


@pytest.mark.parametrize(("times", "promised"), [(1, 0.45), (20, 0.75)])
def test_what_begins_again_after_a_change_is_not_saved(times: int, promised: float) -> None:
    """Of jobs of three seconds 36 to 59 % were promised, and 2 to 31 % saved: half a second of code that is compiled and loaded moves."""
    took = 1_000 * times
    source = staged(0, [took] * 4, 0, took, input_bytes=[MIB] * 4)
    gain = after(chain(source, staged(1, [2 * took] * 4, took, 2 * took, (0,))), change(ChangeKind.REMOVED, 1))

    assert gain.saved_share == pytest.approx(promised, abs=0.1)


def test_what_fixes_brought_that_were_run_is_told_better_with_what_begins_again() -> None:
    """The fixes of `tests/bench/spark_jobs` on jobs below five seconds, as they were estimated without it."""
    restart, most = Assumptions().restart_ms, MOST_RESTART
    short = [(fix.estimated_ms, fix.got) for _, fix in measured() if fix.estimated_ms and fix.estimated_ms[0] < 5_000]
    before = [(whole - later) / whole - got for (whole, later, _, _), got in short]
    now = [(whole - later - min(restart, most * (whole - later))) / whole - got for (whole, later, _, _), got in short]

    assert median(before) > 0.2
    assert abs(median(now)) < 0.1


def test_many_tiny_tasks_become_few() -> None:
    tiny = chain(staged(0, [20] * 2_000, 0, 10_000, shuffle_read_bytes=[1_000] * 2_000))

    assert after(tiny, change(ChangeKind.PARTITIONS, 0, partitions=8)).after_ms < 1_000


def test_slivers_of_next_to_nothing_cost_what_their_tasks_cost() -> None:
    """T18: 500 tasks read 40 KiB, some four rows and most none; that those with rows take longer is their start, not their bytes."""
    times, sizes = [20] * 400 + [60] * 100, [0] * 400 + [400] * 100
    run = chain(staged(1, times, 0, 3_500, shuffle_read_bytes=sizes))

    saved = after(run, change(ChangeKind.PARTITIONS, 1, partitions=4)).saved_share

    assert saved > 0.85


def test_one_task_becomes_as_many_as_there_are_slots() -> None:
    gain = after(two_stages([16_000], 16_000), change(ChangeKind.PARTITIONS, 1, partitions=4))

    assert gain.after_ms == pytest.approx(2_000 + 4_000 * 4**0.2, rel=0.1)  # four at a time take longer each than one alone


def test_more_partitions_do_not_cut_a_heavy_key() -> None:
    gain = after(two_stages(SKEWED, 17_000), change(ChangeKind.PARTITIONS, 1, partitions=64))

    assert gain.after_ms > 2_000 + 15_000


def test_a_broadcast_takes_out_the_joins_stage_and_the_large_sides_shuffle() -> None:
    each = 64 * MIB // 16
    big = staged(0, [1_000] * 16, 0, 4_000, input_bytes=[each] * 16, shuffle_write_bytes=[each] * 16)
    small = staged(1, [100], 0, 100, input_bytes=[MIB], shuffle_write_bytes=[MIB])
    join = staged(2, [1_000] * 16, 4_000, 4_000, (0, 1), shuffle_read_bytes=[65 * MIB // 16] * 16)

    gain = after(chain(big, small, join), change(ChangeKind.BROADCAST, 2))

    assert 2_000 < gain.after_ms < 5_500


def test_a_dropped_exchange_leaves_what_reads_and_what_is_read() -> None:
    each = 64 * MIB // 16
    moved = {"shuffle_write_bytes": [each] * 16}
    source = staged(0, EVEN, 0, 4_000, input_bytes=[each] * 16, **moved)
    between = staged(1, EVEN, 4_000, 4_000, (0,), shuffle_read_bytes=[each] * 16, **moved)
    last = staged(2, EVEN, 8_000, 4_000, (1,), shuffle_read_bytes=[each] * 16)

    assert after(chain(source, between, last), change(ChangeKind.DROP_EXCHANGE, 1)).after_ms == pytest.approx(8_000, rel=0.1)
    assert after(chain(source, between, last), change(ChangeKind.DROP_EXCHANGE, 0)).saved_share == 0


def test_fewer_bytes_are_saved_where_they_are_written_and_where_they_are_read() -> None:
    run = two_stages([500] * 16, 2_000)

    read = after(run, change(ChangeKind.FEWER_BYTES, 1, kept_share=0.1))
    named_by_its_writer = after(run, change(ChangeKind.FEWER_BYTES, 0, kept_share=0.1))
    both = after(run, change(ChangeKind.FEWER_BYTES, 0, 1, kept_share=0.1))

    assert read.saved_share > 0.5
    assert read.after_ms == named_by_its_writer.after_ms == both.after_ms


def test_attempts_that_failed_free_their_slots() -> None:
    failing = chain(staged(0, EVEN, 0, 8_000, failed_tasks=16, lost_task_ms=16_000))

    assert after(failing, change(ChangeKind.NO_RETRIES)).after_ms == pytest.approx(4_000, rel=0.05)


def test_a_stage_that_was_run_again_is_run_once() -> None:
    lost = staged(0, EVEN, 0, 4_000, status=StageStatus.FAILED, planned_tasks=16)
    again = staged(0, EVEN, 4_000, 4_000).model_copy(update={"attempt": 1})

    assert after(chain(lost, again), change(ChangeKind.NO_RETRIES)).after_ms == pytest.approx(4_000, rel=0.05)


def test_of_a_stage_that_was_done_only_what_was_done_again_goes() -> None:
    """A hundred tasks were loaded on the four that ran again: the run was to take 19 min longer without its failure."""
    done = staged(0, EVEN, 0, 4_000)
    again = staged(0, [1_000] * 2, 4_000, 1_000).model_copy(update={"attempt": 1})
    begun = staged(0, [1_000] * 14, 0, 4_000, status=StageStatus.FAILED, planned_tasks=16)
    finished = again.model_copy(update={"planned_tasks": 2})

    assert after(chain(done, again), change(ChangeKind.NO_RETRIES)).after_ms == pytest.approx(4_000, rel=0.05)
    assert after(chain(begun, finished), change(ChangeKind.NO_RETRIES)).after_ms == pytest.approx(5_000, rel=0.05)


def test_gc_falls_to_what_is_usual() -> None:
    collecting = chain(staged(0, EVEN, 0, 4_000, gc_ms=8_000))

    assert after(collecting, change(ChangeKind.NO_GC, 0)).saved_share == pytest.approx(1 - 0.5 / 0.95, abs=0.02)


def test_spilled_bytes_are_not_written_and_read_again() -> None:
    spilling = two_stages(EVEN, 4_000, disk_spill_bytes=64 * MIB)

    assert 0 < after(spilling, change(ChangeKind.NO_SPILL, 1)).saved_share < 0.5


def test_a_straggler_takes_as_long_as_the_others_but_a_heavy_task_does_not() -> None:
    straggler = two_stages(SKEWED, 17_000)
    heavy = chain(staged(0, SKEWED, 0, 17_000, shuffle_read_bytes=[17 * MIB] + [MIB] * 15))

    assert after(straggler, change(ChangeKind.STRAGGLERS, 1)).after_ms == pytest.approx(6_000, rel=0.1)
    assert after(heavy, change(ChangeKind.STRAGGLERS, 0)).saved_share == 0


def test_more_slots_run_more_tasks_at_a_time() -> None:
    assert after(chain(staged(0, EVEN, 0, 4_000)), change(ChangeKind.SLOTS, slots=16)).after_ms == 1_000


def test_changes_made_together_save_more_than_each_alone() -> None:
    run = two_stages(SKEWED, 17_000)
    drop, balance = change(ChangeKind.DROP_ROWS, 1, kept_share=0.7), change(ChangeKind.BALANCE, 1)

    assert after(run, drop, balance).after_ms <= min(after(run, drop).after_ms, after(run, balance).after_ms)
    assert after(run, drop, balance).after_ms == after(run, balance, drop).after_ms


def test_a_run_without_tasks_has_nothing_to_replay() -> None:
    gain = after(run_of(), change(ChangeKind.BALANCE, 1))

    assert gain.saved_share == 0
    assert said(gain.method).startswith("Nothing to replay")


def test_an_estimate_is_shown_in_each_language() -> None:
    gain = after(two_stages(SKEWED, 17_000), change(ChangeKind.BALANCE, 1))

    assert said(gain.method).startswith("Replay of 2 stages on ")
    assert "重放" in said(gain.method, "zh")
    assert "加盐" in said(gain.assumptions[0], "zh")


def test_a_replay_that_is_off_by_more_than_a_tenth_says_so() -> None:
    def is_scaled(took: int) -> bool:
        said_of = after(chain(staged(0, EVEN, 0, took)), change(ChangeKind.NO_GC)).assumptions
        return any(text.code == "spark.whatif.scaled" for text in said_of if isinstance(text, Statement))

    assert [is_scaled(took) for took in (4_444, 4_445)] == [False, True]


def test_ten_of_the_stages_that_did_not_run_are_named() -> None:
    gain = after(chain(staged(0, EVEN, 0, 4_000)), change(ChangeKind.BALANCE, *range(50, 61)))

    named = next(text for text in gain.assumptions if isinstance(text, Statement) and text.code == "spark.whatif.unknown_stages")
    assert said(named).endswith("57, 58, 59.")


def test_in_a_run_of_three_thousand_stages_only_those_near_the_change_are_replayed() -> None:
    stages = [staged(n, [20 + n % 7] * 200, n * 1_000 + (n > 1_500) * 8_000, 1_000, (n - 1,) if n else ()) for n in range(3_000)]
    stages[1_500] = staged(1_500, [9_000] + [5] * 199, 1_500_000, 9_000, (1_499,))

    gain = after(chain(*stages), change(ChangeKind.BALANCE, 1_500))

    assert gain.before_ms - gain.after_ms == pytest.approx(9_000 - 2_500, rel=0.1)


@st.composite
def runs(draw: st.DrawFn) -> RunFacts:
    """Runs with whatever a log may tell: stages without times, tasks or parents, attempts, jobs that are not told."""
    stages: list[StageFacts] = []
    for number in range(draw(st.integers(0, 6))):
        times = draw(st.lists(st.integers(0, 100_000), max_size=12))
        parents = draw(st.lists(st.integers(0, 8), max_size=3))
        begin = draw(st.integers(0, 100_000))
        span = {"submitted_at": START + begin, "completed_at": START + begin + draw(st.integers(0, 50_000))}
        told: dict[str, Any] = draw(st.sampled_from(({}, span, {"submitted_at": START + begin})))
        for name in ("shuffle_read_bytes", "shuffle_write_bytes", "input_bytes", "shuffle_read_records"):
            if times and draw(st.booleans()):
                told[name] = draw(st.lists(st.integers(0, 1 << 33), min_size=len(times), max_size=len(times)))
        for name, most in (("disk_spill_bytes", 1_000_000), ("gc_ms", 1_000_000), ("failed_tasks", 100), ("lost_task_ms", 1_000_000)):
            told[name] = draw(st.integers(0, most))
        stage = stage_of(draw(st.integers(0, 6)), times, parent_ids=tuple(parents), job_ids=(number % 2,), **told)
        stages.append(stage.model_copy(update={"attempt": number}))
    jobs = draw(
        st.sampled_from(((), (JobFacts(job_id=0, stage_ids=(0, 1, 2), submitted_at=START, completed_at=START + 9, status="succeeded"),)))
    )
    return run_of(
        *stages, jobs=jobs, slots=draw(st.sampled_from((None, 1, 3, 64))), wall_ms=draw(st.sampled_from((None, 0, 5_000, 200_000)))
    )


def any_change() -> st.SearchStrategy[Change]:
    return st.builds(
        Change,
        kind=st.sampled_from(ChangeKind),
        stage_ids=st.lists(st.integers(0, 8), max_size=4).map(tuple),
        partitions=st.none() | st.integers(1, 5_000),
        kept_share=st.none() | st.floats(0, 1),
        slots=st.none() | st.integers(1, 500),
        broadcast_bytes=st.none() | st.integers(0, 1 << 40),
    )


@settings(deadline=None)
@given(runs(), st.lists(any_change(), max_size=4).map(tuple))
def test_any_change_to_any_run_has_an_estimate(run: RunFacts, changes: tuple[Change, ...]) -> None:
    gain = after(run, *changes)

    assert 0 <= gain.low_ms <= gain.after_ms <= gain.high_ms
    assert math.isfinite(gain.saved_share)
    assert gain == after(run, *changes)


def test_a_million_failed_attempts_are_replayed_by_fewer() -> None:
    run = chain(staged(0, [1_000] * 16, 0, 60_000, failed_tasks=1_000_000, lost_task_ms=2_000_000))

    gain = after(run, change(ChangeKind.NO_RETRIES, 0))

    assert gain.low_ms <= gain.after_ms <= gain.high_ms
    assert gain.after_ms < gain.before_ms == 60_000


@settings(max_examples=10 * TIMES, deadline=None)
@given(st.lists(st.integers(1, 20_000), min_size=1, max_size=30), st.floats(0, 1), st.floats(0, 1))
def test_the_more_rows_go_the_less_time_it_takes(times: list[int], one: float, other: float) -> None:
    run = chain(staged(0, times, 0, max(times) + sum(times) // 4, shuffle_read_bytes=[time * 1_000 for time in times]))
    few, many = sorted((one, other))

    less, more = (after(run, change(ChangeKind.DROP_ROWS, 0, kept_share=kept)).after_ms for kept in (few, many))

    assert less <= more <= run.wall_ms


@settings(max_examples=10 * TIMES, deadline=None)
@given(st.lists(st.integers(1, 20_000), min_size=1, max_size=30), st.integers(1, 40))
def test_more_slots_never_make_a_chain_slower(times: list[int], slots: int) -> None:
    run = chain(staged(0, times, 0, 30_000), staged(1, times, 30_000, 30_000, (0,)))

    fewer, more = (after(run, change(ChangeKind.SLOTS, slots=count)).after_ms for count in (slots, slots + 1))

    assert more <= fewer
