"""What a number of played cases comes to."""

from dataclasses import replace

import pytest

from workers.kinds.diagnose.evaluation.figures import figures_of, percentile, wilson
from workers.kinds.diagnose.evaluation.play import Played

RIGHT = Played(
    ticket_id="T-1",
    right_cause="C-a",
    ranked=("C-a", "C-b"),
    named="C-a",
    confidence=0.9,
    verdict="diagnosed",
    turns=2,
    questions=5,
    repeated=0,
    false_citations=0,
    turn_ms=(10.0, 20.0, 30.0),
    right_causes=("C-a",),
)
WRONG = replace(RIGHT, ticket_id="T-2", ranked=("C-b", "C-c", "C-a", "C-d"), named="C-b", confidence=0.6, false_citations=2, repeated=1)
UNKNOWN = replace(RIGHT, ticket_id="T-3", named=None, verdict="unknown", confidence=0.3, turns=5, questions=11)
LOST = replace(UNKNOWN, ticket_id="T-4", ranked=(), confidence=0.0)


def test_shares_means_and_sums_are_those_of_the_cases() -> None:
    """D14."""
    found = figures_of("gar/ours", [RIGHT, WRONG, UNKNOWN, LOST])

    assert (found.name, found.cases, found.dialogues) == ("gar/ours", 4, 4)
    assert (found.top1, found.top3, found.unknown) == (0.25, 0.75, 0.5)
    assert (found.mean_turns, found.mean_questions) == (3.5, 8.0)
    assert (found.repeated_questions, found.false_citations) == (1, 2)
    assert found.top1_low < found.top1 < found.top1_high


def test_an_unknown_is_no_hit_though_its_likeliest_cause_is_the_right_one() -> None:
    """D14."""
    found = figures_of("gar/ours", [UNKNOWN])

    assert (found.top1, found.top3, found.unknown) == (0.0, 1.0, 1.0)


def test_a_right_cause_in_the_fourth_place_is_not_among_the_first_three() -> None:
    assert figures_of("rar", [replace(WRONG, right_causes=("C-d",))]).top3 == 0.0


def test_an_unknown_is_calibrated_by_the_cause_it_ranks_first() -> None:
    """D14. It said 0.3 of a cause that was right: (0.3 - 1)²."""
    found = figures_of("gar/ours", [UNKNOWN]).calibration

    assert found is not None
    assert found.brier == pytest.approx(0.49)


def test_a_dialogue_that_ends_without_any_cause_does_not_make_the_calibration_look_good() -> None:
    """D14. A confidence of 0 in nothing would be a perfect forecast."""
    found = figures_of("rar", [WRONG, LOST])

    assert found.calibration is not None
    assert (found.calibration.cases, found.calibration.brier) == (1, pytest.approx(0.36))
    assert figures_of("rar", [LOST]).calibration is None


def test_abstaining_does_not_help_the_calibration_of_what_was_named() -> None:
    """D14."""
    found = figures_of(
        "rar", [WRONG, *(replace(UNKNOWN, ticket_id=f"T-{n}", right_causes=("C-z",), confidence=0.01) for n in range(10, 20))]
    )

    assert found.calibration is not None
    assert found.named_calibration is not None
    assert (found.named_calibration.cases, found.named_calibration.brier) == (1, pytest.approx(0.36))
    assert found.calibration.brier < 0.05


def test_rounds_of_one_case_make_no_interval_narrower() -> None:
    """D14."""
    once, often = figures_of("gar/ours", [RIGHT, WRONG]), figures_of("gar/ours", [RIGHT, WRONG] * 50)

    assert (often.cases, often.dialogues) == (2, 100)
    assert (often.top1_low, often.top1_high) == (once.top1_low, once.top1_high)


def test_times_are_those_of_turns_and_not_of_cases() -> None:
    """D14. 100 turns of 1 to 100 ms."""
    cases = [replace(RIGHT, turn_ms=tuple(float(ms) for ms in range(at, at + 10))) for at in range(1, 101, 10)]

    found = figures_of("gar/ours", cases)

    assert (found.p50_ms, found.p95_ms) == (50.0, 95.0)


@pytest.mark.parametrize(
    ("count", "percent", "value"), [(1, 50, 1), (1, 95, 1), (2, 50, 1), (3, 50, 2), (20, 95, 19), (21, 95, 20), (10, 95, 10), (60, 95, 57)]
)
def test_a_percentile_is_the_nearest_rank(count: int, percent: int, value: int) -> None:
    assert percentile([float(number) for number in range(1, count + 1)], percent) == value


@pytest.mark.parametrize(
    ("right", "count", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_of_a_share_is_wilsons(right: int, count: int, low: float, high: float) -> None:
    """D14. The last is the worked example of Newcombe 1998 (81 of 263, method 3)."""
    assert wilson(right / count, count) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
