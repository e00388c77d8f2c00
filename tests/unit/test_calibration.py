"""Brier score and expected calibration error, against figures worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.kinds.diagnose.evaluation.calibration import brier, calibrate, expected_error

OUTCOMES = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30)


def share_right(confidence: float, right: int, of: int) -> list[tuple[float, bool]]:
    """`of` answers with this confidence, so many of them right."""
    return [(confidence, number < right) for number in range(of)]


def test_brier_is_the_mean_squared_difference_of_confidence_and_outcome() -> None:
    """D14. (0.1² + 0.6² + 0.5²) / 3."""
    assert brier([(0.9, True), (0.6, False), (0.5, True)]) == pytest.approx((0.01 + 0.36 + 0.25) / 3)


@pytest.mark.parametrize(
    ("outcomes", "error"),
    [
        pytest.param([(1.0, True), (0.0, False)], 0.0, id="certain and right"),
        pytest.param([(1.0, False), (1.0, False)], 1.0, id="certain and wrong"),
        pytest.param([(0.8, True), (0.4, False)], (0.2 + 0.4) / 2, id="one bin a case where there are few"),
        pytest.param(share_right(0.5, 10, 20), 0.0, id="ties across bins are one confidence"),
        pytest.param(share_right(0.9, 14, 20), 0.2, id="overconfident by a fifth"),
        pytest.param([*share_right(0.2, 4, 10), *share_right(0.8, 9, 10)], (0.2 + 0.1) / 2, id="two confidences, half of the mass each"),
    ],
)
def test_the_calibration_error_is_the_mean_gap_over_bins_of_equal_mass(outcomes: list[tuple[float, bool]], error: float) -> None:
    """D14."""
    assert expected_error(outcomes) == pytest.approx(error)


def test_bins_hold_equally_many_cases_wherever_the_confidences_lie() -> None:
    """D14. Twenty confidences in ten bins of two: in each one is right, so the gap is that of the pair's sums."""
    outcomes = [(0.90 + 0.005 * number, number % 2 == 0) for number in range(20)]

    pairs = [outcomes[at : at + 2] for at in range(0, 20, 2)]
    by_hand = sum(abs(sum(confidence for confidence, _ in pair) - 1) for pair in pairs) / 20

    assert expected_error(outcomes) == pytest.approx(by_hand)


def test_whoever_is_right_as_often_as_said_has_no_calibration_error() -> None:
    """D14. Ten confidences with ten answers each, as many right as the confidence says."""
    outcomes = [outcome for tenth in range(10) for outcome in share_right(tenth / 10, tenth, 10)]

    found = calibrate(outcomes)

    assert found is not None
    assert found.ece == pytest.approx(0.0, abs=1e-9)
    assert found.brier == pytest.approx(sum(tenth / 10 * (1 - tenth / 10) for tenth in range(10)) / 10)


def test_the_order_of_the_cases_changes_no_figure() -> None:
    outcomes = [*share_right(0.5, 4, 12), *share_right(0.7, 5, 12)]

    assert expected_error(outcomes[::-1]) == expected_error(outcomes)
    assert brier(outcomes[::-1]) == pytest.approx(brier(outcomes))


@given(OUTCOMES)
def test_the_interval_holds_the_point_and_all_stand_between_0_and_1(outcomes: list[tuple[float, bool]]) -> None:
    """D14."""
    found = calibrate(outcomes)

    assert found is not None
    assert 0 <= found.ece_low <= found.ece <= found.ece_high <= 1
    assert 0 <= found.brier <= 1


def test_the_interval_is_narrower_for_more_cases_and_the_same_each_time() -> None:
    few, many = calibrate(share_right(0.9, 7, 10)), calibrate(share_right(0.9, 280, 400))

    assert few is not None
    assert many is not None
    assert many.ece_high - many.ece_low < (few.ece_high - few.ece_low) / 3
    assert calibrate(share_right(0.9, 7, 10)) == few


def test_playing_a_case_again_makes_no_interval_narrower() -> None:
    """D14. Twenty plays of each of ten cases are ten cases."""
    once = share_right(0.9, 7, 10)

    played_once = calibrate(once)
    often = calibrate(once * 20, cases=list(range(10)) * 20)

    assert played_once is not None
    assert often is not None
    assert (often.cases, often.ece) == (10, played_once.ece)
    assert often.ece_high - often.ece_low == pytest.approx(played_once.ece_high - played_once.ece_low, abs=1e-3)


def test_without_cases_there_is_no_calibration() -> None:
    assert calibrate([]) is None
