"""What an answer would tell, foreseen for many phenomena at once."""

import math
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cards import cause, evidence, phenomenon
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.gains import Prospects
from workers.kinds.diagnose.rules.posterior import Likelihood
from workers.kinds.diagnose.rules.profiles import OURS

NAMES = ("A", "B", "C", "D")
SHOWN = st.dictionaries(st.sampled_from((*NAMES, "elsewhere")), st.integers(0, 5), max_size=4)


def entropy(p: float) -> float:
    return -p * math.log(p) - (1 - p) * math.log(1 - p)


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
    prospects = Prospects(likelihood, causes)
    present = prospects.weigh(weights)

    for family in families(about, OURS):
        prospect = prospects.of(family)
        chances = likelihood.confirmed(family, causes)
        if prospect is None:
            assert not any(family.shown.get(name) for name in NAMES)
            continue
        answer, noise = (math.fsum(map(mul, weights, parts)) for parts in (chances, map(entropy, chances)))
        assert present.gain(prospect) == max(entropy(answer) - noise, 0.0)
        yes, confirmed, denied = present.after(prospect)
        assert yes == answer
        assert confirmed == pytest.approx([weight * chance / answer for weight, chance in zip(weights, chances, strict=True)])
        assert denied == pytest.approx([weight * (1 - chance) / (1 - answer) for weight, chance in zip(weights, chances, strict=True)])


def test_a_sign_of_one_of_two_causes_tells_nearly_the_entropy_between_them():
    """By hand: with P(yes) 0.04 + 0.86·(9 + m)/10 and 0.04 + 0.86·m/10 for m = 0.5."""
    causes = (cause("A", 9), cause("B", 9))
    about = evidence(causes, (phenomenon("P", {"A": 9}),))
    (family,) = families(about, OURS)
    yes, no = 0.04 + 0.86 * 9.5 / 10, 0.04 + 0.86 * 0.5 / 10

    prospects = Prospects(Likelihood(about, OURS), causes)
    prospect = prospects.of(family)

    assert prospect is not None
    assert prospects.weigh([0.5, 0.5, 0.0]).gain(prospect) == pytest.approx(entropy((yes + no) / 2) - (entropy(yes) + entropy(no)) / 2)
