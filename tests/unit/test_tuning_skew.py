"""Uneven stages: what is data skew, what a straggler, and what only looks like either."""

from pathlib import Path

import pytest

from contracts.figures import FigureId
from contracts.spark import RunFacts
from contracts.verdicts import Severity, Verdict, VerdictKind
from tests.support.eventlog import START as EVENT_START
from tests.support.eventlog import app_end, app_start, job_start, log_start, stage_event, task_end, to_bytes
from tests.support.said import said
from tests.support.tuning import run_of, stage_of
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.verdicts import judge

MIB = 1 << 20


def kinds(run: RunFacts) -> list[VerdictKind]:
    return [verdict.kind for verdict in judge(run)]


def only(run: RunFacts, kind: VerdictKind) -> Verdict:
    (found,) = [verdict for verdict in judge(run) if verdict.kind is kind]
    return found


def test_a_task_with_most_of_the_data_that_the_stage_waits_for_is_data_skew() -> None:
    """T2: named with its number, its threshold and where both come from."""
    run = run_of(stage_of(4, [200] * 31 + [5_000], wall_ms=8_000, shuffle_read_bytes=[3 * MIB] * 31 + [200 * MIB]))

    verdict = only(run, VerdictKind.DATA_SKEW)

    assert (verdict.stage_ids, verdict.severity) == ((4,), Severity.PROBLEM)
    assert verdict.share == pytest.approx(4_800 / 8_000)
    ratio = next(one for one in verdict.figures if one.id == FigureId.HEAVIEST_TO_USUAL)
    assert (ratio.value, ratio.threshold, said(ratio.source)) == (pytest.approx(66.6667), 4, "event log, stage 4, task metrics")


@pytest.mark.parametrize(("rest_ms", "severity"), [(160_000, Severity.PROBLEM), (160_100, Severity.HINT)])
def test_skew_matters_from_three_hundredths_of_the_run(rest_ms: int, severity: Severity) -> None:
    """T2: 4,800 ms beyond the usual task are 0.03 of 160,000 ms."""
    skewed = stage_of(4, [200] * 31 + [5_000], wall_ms=8_000, shuffle_read_bytes=[3 * MIB] * 31 + [200 * MIB])

    verdict = only(run_of(skewed, stage_of(5, [rest_ms // 4] * 32, wall_ms=rest_ms)), VerdictKind.DATA_SKEW)

    assert verdict.severity is severity


def test_skew_in_records_alone_is_data_skew() -> None:
    """T2: many small rows of one key weigh little in bytes and much in time."""
    records = [10_000] * 31 + [400_000]
    run = run_of(stage_of(4, [200] * 31 + [5_000], wall_ms=8_000, shuffle_read_bytes=[MIB] * 32, shuffle_read_records=records))

    assert only(run, VerdictKind.DATA_SKEW).figures[0].id == FigureId.HEAVIEST_TASK
    assert said(only(run, VerdictKind.DATA_SKEW).figures[0].name) == "heaviest task, shuffle rows read"


def test_a_task_that_is_heavy_by_records_alone_is_found_in_a_log(tmp_path: Path) -> None:
    """T2: from the events as Spark writes them."""

    def read(records: int) -> dict[str, int]:
        return {"Remote Bytes Read": 0, "Local Bytes Read": MIB, "Total Records Read": records}

    records = [10_000] * 9 + [400_000]
    tasks = [
        task_end(0, task, 5_000 if count > 10_000 else 200, launched=EVENT_START, **{"Shuffle Read Metrics": read(count)})
        for task, count in enumerate(records)
    ]
    stage = [stage_event(0, 10, EVENT_START), *tasks, stage_event(0, 10, EVENT_START, EVENT_START + 5_000)]
    log = tmp_path / "log"
    log.write_bytes(to_bytes([log_start(), app_start(), job_start(0, [0]), *stage, app_end()]))

    assert only(read_run(log), VerdictKind.DATA_SKEW).stage_ids == (0,)


@pytest.mark.parametrize(
    ("why", "times", "data"),
    [
        ("data even", [200] * 31 + [5_000], [3 * MIB] * 32),
        ("nobody waits for the heavy task", [200] * 31 + [250], [3 * MIB] * 31 + [200 * MIB]),
        ("another task is the long one", [5_000] + [200] * 31, [3 * MIB] * 31 + [200 * MIB]),
        ("tiny", [20] * 31 + [900], [10] * 31 + [5_000]),
        ("a single task", [5_000], [200 * MIB]),
        ("three tasks", [200, 200, 5_000], [MIB, MIB, 200 * MIB]),
        ("uneven, without one that stands out", [200] * 16 + [500] * 16, [3 * MIB] * 16 + [11 * MIB] * 16),
    ],
)
def test_no_data_skew_where(why: str, times: list[int], data: list[int]) -> None:
    """T2: what rules over durations, or over sizes alone, take for skew."""
    run = run_of(stage_of(4, times, wall_ms=8_000, shuffle_read_bytes=data))

    assert VerdictKind.DATA_SKEW not in kinds(run), why


def test_a_side_source_does_not_make_a_stage_skewed() -> None:
    """T2: a scan that also reads a few kilobytes of a shuffle."""
    times = [900] * 31 + [5_000]
    run = run_of(stage_of(4, times, wall_ms=8_000, input_bytes=[60 * MIB] * 32, shuffle_read_bytes=[0] * 31 + [2 * MIB]))

    assert VerdictKind.DATA_SKEW not in kinds(run)


def test_a_long_task_with_the_data_of_its_peers_is_a_straggler() -> None:
    """T5."""
    run = run_of(stage_of(3, [200, 200, 200, 12_000] + [200] * 28, wall_ms=14_000, shuffle_read_bytes=[200_000] * 32))

    verdict = only(run, VerdictKind.STRAGGLER)

    assert verdict.severity is Severity.PROBLEM
    assert "task 3 of 32 ran 12 s" in said(verdict.summary)


def test_the_first_tasks_of_starting_executors_are_a_warm_up_and_no_straggler() -> None:
    """T5: all first tasks are slow, for seconds and no more."""
    run = run_of(stage_of(3, [900, 880] + [50] * 198, wall_ms=2_000, shuffle_read_bytes=[500_000] * 200))

    assert only(run, VerdictKind.WARM_UP).severity is Severity.NOTE
    assert VerdictKind.STRAGGLER not in kinds(run)


@pytest.mark.parametrize("times", [[12_000] + [200] * 31, [30_000, 29_000] + [200] * 30])
def test_a_first_task_that_is_slow_alone_or_for_very_long_is_a_straggler(times: list[int]) -> None:
    """T5: no executor starts for that long."""
    run = run_of(stage_of(3, times, wall_ms=max(times) + 2_000, shuffle_read_bytes=[200_000] * 32))

    assert VerdictKind.STRAGGLER in kinds(run)


def test_a_straggler_that_costs_the_run_nothing_is_not_told() -> None:
    """T5."""
    quick = stage_of(3, [200, 200, 200, 3_000] + [200] * 28, wall_ms=4_000, shuffle_read_bytes=[200_000] * 32)
    run = run_of(quick, stage_of(5, [40_000] * 4, wall_ms=80_000))

    assert VerdictKind.STRAGGLER not in kinds(run)


def test_few_rows_that_take_seconds_longer_than_the_others_are_skew() -> None:
    """T2: a frame of a window works through the rows of its key again and again, so that six thousand of them were no skew."""
    records = [400] * 15 + [6_000]
    slow = stage_of(2, [800] * 15 + [9_000], wall_ms=9_000, shuffle_read_bytes=[20_000] * 16, shuffle_read_records=records)
    fast = stage_of(2, [800] * 15 + [2_000], wall_ms=2_000, shuffle_read_bytes=[20_000] * 16, shuffle_read_records=records)

    assert next(verdict.kind for verdict in judge(run_of(slow)) if verdict.severity is Severity.PROBLEM) is VerdictKind.DATA_SKEW
    assert VerdictKind.DATA_SKEW not in [verdict.kind for verdict in judge(run_of(fast))]
