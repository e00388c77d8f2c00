"""The likely range of a time after a change."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.engines.likely import UNMODELLED, WITHIN, likely_ms


def test_draws_that_agree_still_leave_what_no_replay_models() -> None:
    """Ranges of draws alone held 3 of 11 pairs that were really run: some were a percent wide."""
    low, high = likely_ms(100_000, [0.5] * 41)

    assert low == pytest.approx(50_000 * math.exp(-WITHIN * UNMODELLED), abs=1)
    assert high == pytest.approx(50_000 * math.exp(WITHIN * UNMODELLED), abs=1)


def test_draws_that_differ_widen_their_own_side_of_the_range() -> None:
    even = likely_ms(100_000, [0.5] * 41)

    low, high = likely_ms(100_000, [0.5] * 21 + [0.9] * 20)

    assert (low, high > even[1]) == (even[0], True)
    assert high == pytest.approx(50_000 * math.exp(math.hypot(math.log(0.9 / 0.5), WITHIN * UNMODELLED)), abs=1)


@given(st.integers(0, 10**9), st.lists(st.floats(0, 10), min_size=1, max_size=50))
def test_the_range_holds_its_middle(before_ms: int, shares: list[float]) -> None:
    low, high = likely_ms(before_ms, shares)
    middle = before_ms * sorted(shares)[len(shares) // 2] if len(shares) % 2 else None

    assert 0 <= low <= high
    assert middle is None or low - 1 <= middle <= high + 1
