"""What an answer would tell, foreseen for many phenomena at once."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cards import cause, evidence, phenomenon
from workers.engines.diagnosis import OURS
from workers.engines.diagnosis.families import families
from workers.engines.diagnosis.gains import Prospects
from workers.engines.diagnosis.posterior import Likelihood

NAMES = ("A", "B", "C", "D")
SHOWN = st.dictionaries(st.sampled_from((*NAMES, "elsewhere")), st.integers(0, 5), max_size=4)


@given(
    st.lists(st.integers(1, 9), min_size=4, max_size=4),
    st.lists(st.tuples(SHOWN, st.integers(1, 40)), min_size=1, max_size=6),
    st.lists(st.floats(0.01, 1.0), min_size=5, max_size=5),
)
def test_what_phenomena_have_in_common_is_worked_out_once_and_nothing_changes(
    sizes: list[int], shown: list[tuple[dict[str, int], int]], parts: list[float]
):
    """The gain by frequency classes is, bit for bit, the gain cause by cause."""
    causes = tuple(cause(name, tickets) for name, tickets in zip(NAMES, sizes, strict=True))
    cards = tuple(phenomenon(f"P{at}", links, causes=count, text=f"sign {at} seen") for at, (links, count) in enumerate(shown))
    about = evidence(causes, cards)
    weights = [part / math.fsum(parts) for part in parts]
    likelihood = Likelihood(about, OURS)
    prospects = Prospects(likelihood, causes, weights)

    for family in families(about, OURS):
        foreseen = prospects.of(family)
        if foreseen is None:
            assert not any(family.shown.get(name) for name in NAMES)
            continue
        prospect, gain = foreseen
        assert prospect.chances == likelihood.confirmed(family, causes)
        assert gain == prospect.gain(weights)


def test_a_sign_of_one_of_two_causes_tells_nearly_the_entropy_between_them():
    """By hand: with P(yes) 0.04 + 0.86·(9 + m)/10 and 0.04 + 0.86·m/10 for m = 0.5."""
    causes = (cause("A", 9), cause("B", 9))
    about = evidence(causes, (phenomenon("P", {"A": 9}),))
    (family,) = families(about, OURS)
    yes, no = 0.04 + 0.86 * 9.5 / 10, 0.04 + 0.86 * 0.5 / 10

    foreseen = Prospects(Likelihood(about, OURS), causes, [0.5, 0.5, 0.0]).of(family)

    def entropy(p: float) -> float:
        return -p * math.log(p) - (1 - p) * math.log(1 - p)

    assert foreseen is not None
    assert foreseen[1] == pytest.approx(entropy((yes + no) / 2) - (entropy(yes) + entropy(no)) / 2)
