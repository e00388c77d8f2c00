"""Retrieval of the seed profile: 0.5·cosine + 0.3 for novelty + 0.2·keywords, 50 candidates, the best 20."""

import pytest

from tests.support.cards import phenomenon
from workers.kinds.diagnose.seed.retrieve import retrieve, score

WAITS = phenomenon("waits", {"locks": 1}, near=0.8, text="Sessions wait for a LOCK", method="SELECT * FROM pg_locks")


@pytest.mark.parametrize(
    ("keywords", "excluded", "expected"),
    [
        ((), (), 0.4 + 0.3 + 0.2),
        ((), ("waits",), 0.4 + 0.1 + 0.2),
        (("lock", "disk"), (), 0.4 + 0.3 + 0.1),
        (("lock", "disk", "cpu", "pg_locks"), ("waits",), 0.4 + 0.1 + 0.1),
        (("disk",), (), 0.4 + 0.3),
    ],
    ids=["no keywords: in full", "excluded", "half of the keywords", "text and method", "none of them"],
)
def test_the_score_is_a_sum_of_likeness_novelty_and_keywords(keywords, excluded, expected):
    """D1: 0.5 · 0.8 is 0.4."""
    assert score(WAITS, keywords, excluded) == pytest.approx(expected)


def test_twenty_phenomena_are_kept_best_first():
    """D1: top k is 20."""
    cards = [phenomenon(f"p{n}", {"c": 1}, near=n / 100) for n in range(60)]

    found = retrieve(cards)

    assert [card.phenomenon_id for card in found] == [f"p{n}" for n in range(59, 39, -1)]


def test_only_the_fifty_likest_are_scored():
    """D1: excluded phenomena may fall behind one of the fifty, never behind the fifty-first."""
    cards = [phenomenon(f"p{n:02}", {"c": 1}, near=0.9 - n / 1000) for n in range(51)]

    found = retrieve(cards, excluded={card.phenomenon_id for card in cards[:31]})

    assert [card.phenomenon_id for card in found] == [f"p{n}" for n in range(31, 50)] + ["p00"]


def test_keywords_drop_what_has_none_of_them():
    """D1: a keyword is a filter before it is a score."""
    assert retrieve((WAITS, phenomenon("full", {"disk": 1}, near=0.99)), keywords=("Lock",)) == (WAITS,)


def test_equal_scores_keep_the_order_of_the_evidence():
    """D29: equal inputs, equal moves."""
    cards = (phenomenon("b", {"c": 1}), phenomenon("a", {"c": 1}))

    assert retrieve(cards) == cards
