"""What the seed profile asks, every figure computed by hand."""

import pytest

from contracts.diagnose.deliverables import Hypothesis
from tests.support.cards import cause, evidence, phenomenon
from workers.kinds.diagnose.seed.findings import Findings
from workers.kinds.diagnose.seed.recommend import (
    Recommendation,
    discrimination,
    information_gain,
    popularity,
    priority,
    recommend,
    specificity,
    spread,
)

NOTHING = Findings()


def standing(**confidences: float) -> tuple[Hypothesis, ...]:
    return tuple(
        Hypothesis(cause_id=name, root_cause=name, confidence=confidence, prior=0.1, symptom_similarity=0.0)
        for name, confidence in confidences.items()
    )


def ranked(*shown: dict[str, int]) -> list[Recommendation]:
    """Recommendations best first, p0, p1, ..., by the causes that show them."""
    return [Recommendation(phenomenon(f"p{n}", one), 0.0, 0.0, 0.0, 0.0) for n, one in enumerate(shown)]


def names(found: tuple[Recommendation, ...]) -> list[str]:
    return [one.card.phenomenon_id for one in found]


def test_popularity_is_the_share_of_the_most_frequent_cause():
    """D3: the largest ticket count over its causes by the largest of all."""
    graph = evidence((cause("a", 8), cause("b", 2), cause("c", 4)), ())

    assert popularity(phenomenon("p", {"b": 1, "c": 1}), graph) == pytest.approx(0.5)
    assert popularity(phenomenon("p", {"a": 1}), graph) == 1.0
    assert popularity(phenomenon("p", {}), graph) == 0.0


def test_popularity_tells_nothing_where_every_cause_has_one_ticket():
    """D3, defect 1.3.6, kept: on the source's own 25 tickets with 25 causes it is constant."""
    graph = evidence(tuple(cause(f"c{n}") for n in range(25)), ())

    assert {popularity(phenomenon("p", {f"c{n}": 1}), graph) for n in range(25)} == {1.0}


def test_specificity_falls_with_the_causes_of_the_whole_history():
    """D3: 1 / number of causes."""
    assert specificity(phenomenon("p", {"a": 1})) == 1.0
    assert specificity(phenomenon("p", {"a": 1}, causes=4)) == 0.25


def test_priority_is_the_best_confidence_weighed_by_tickets():
    """D3: 0.6·(0.7 + 0.3·√(1/4)) = 0.51, 0.5·(0.7 + 0.3·1) = 0.5."""
    hypotheses = standing(a=0.6, b=0.5)

    assert priority(phenomenon("p", {"a": 1, "b": 4}), hypotheses) == pytest.approx(0.51)
    assert priority(phenomenon("p", {"b": 4}), hypotheses) == pytest.approx(0.5)
    assert priority(phenomenon("p", {"z": 4}), hypotheses) == 0.0


@pytest.mark.parametrize(
    ("shown", "expected"),
    [({"a": 1}, 1.0), ({"b": 1}, 0.8), ({"a": 1, "b": 1}, 0.2), ({"c": 1}, 0.1), ({"a": 0, "b": 1}, 0.8)],
    ids=["only the first", "only the second", "both", "neither", "a count of zero is no link"],
)
def test_discrimination_asks_which_of_the_best_two_shows_it(shown, expected):
    """D3."""
    assert discrimination(phenomenon("p", shown), standing(a=0.4, b=0.3, c=0.2)) == expected


@pytest.mark.parametrize("hypotheses", [standing(), standing(a=0.4)])
def test_one_hypothesis_leaves_nothing_to_discriminate(hypotheses):
    """D3: fewer than two hypotheses: 0."""
    assert discrimination(phenomenon("p", {"a": 1}), hypotheses) == 0.0


def test_information_gain_falls_as_the_best_hypothesis_is_confirmed():
    """D3: 0.6·(1 − 1/4) + 0.4·1.0 for its own, 0.4·0.8 for the second one's."""
    cards = tuple(phenomenon(f"p{n}", {"a": 1}) for n in range(4))
    other = phenomenon("q", {"b": 1})
    graph = evidence((cause("a"), cause("b")), (*cards, other))
    findings = Findings(confirmed=frozenset({"p0", "q"}))

    assert information_gain(cards[1], graph, standing(a=0.4, b=0.3), findings) == pytest.approx(0.85)
    assert information_gain(other, graph, standing(a=0.4, b=0.3), findings) == pytest.approx(0.32)
    assert information_gain(cards[1], graph, standing(a=0.4), NOTHING) == pytest.approx(0.6)
    assert information_gain(cards[1], graph, standing(), NOTHING) == 0.0


def test_the_score_is_the_weighted_sum_of_the_four_grounds():
    """D3: 0.15·0.5 + 0.20·0.25 + 0.40·0.3 + 0.25·0.8."""
    assert Recommendation(phenomenon("p", {}), 0.5, 0.25, 0.3, 0.8).score == pytest.approx(0.445)


def test_phenomena_are_recommended_best_first_with_their_grounds():
    """D3: scoring grounds, all four by hand."""
    own, both, second = phenomenon("own", {"a": 2}), phenomenon("both", {"a": 2, "b": 1}), phenomenon("second", {"b": 1})
    graph = evidence((cause("a", 4), cause("b", 1)), (second, both, own))
    hypotheses = standing(a=0.4, b=0.3)

    found = recommend(graph, hypotheses, NOTHING)

    # own: 0.15·1 + 0.2·1 + 0.4·0.4 + 0.25·(0.6·1 + 0.4·1) = 0.76; second: 0.15·1/4 + 0.2 + 0.4·0.3 + 0.25·0.4·0.8 = 0.4375
    # both: 0.15 + 0.1 + 0.16 + 0.25·(0.6 + 0.4·0.2) = 0.58, left out by the cap of one for cause a
    assert names(found) == ["own", "second"]
    assert [one.score for one in found] == pytest.approx([0.76, 0.4375])
    assert names(recommend(graph, hypotheses, Findings(confirmed=frozenset({"x", "y", "z"})))) == ["own", "both", "second"]


def test_only_phenomena_of_the_hypotheses_are_recommended():
    """D29: neither answered ones, nor those of causes that are not in question."""
    cards = tuple(phenomenon(name, {"a": 1}) for name in ("open", "seen", "unseen"))
    graph = evidence((cause("a"), cause("z")), (*cards, phenomenon("elsewhere", {"z": 1})))
    findings = Findings(confirmed=frozenset({"seen"}), denied=frozenset({"unseen"}))

    assert names(recommend(graph, standing(a=0.4), findings)) == ["open"]


def test_one_item_a_cause_before_three_are_confirmed():
    """D3: early: 1 per cause."""
    pool = ranked({"a": 1}, {"a": 1}, {"b": 1}, {"b": 1}, {"c": 1})

    assert names(spread(pool, standing(a=0.4, b=0.3, c=0.2), confirmed=2)) == ["p0", "p2", "p4"]


def test_two_items_a_cause_from_three_confirmed_on():
    """D3: then 2 per cause."""
    pool = ranked({"a": 1}, {"a": 1}, {"a": 1}, {"b": 1}, {"b": 1}, {"b": 1})

    assert names(spread(pool, standing(a=0.4, b=0.3), confirmed=3)) == ["p0", "p1", "p3", "p4"]


def test_no_cap_once_the_best_hypothesis_reaches_the_bar():
    """D3: from 0.80 on: free."""
    pool = ranked(*[{"a": 1}] * 7)

    assert names(spread(pool, standing(a=0.80, b=0.3), confirmed=0)) == ["p0", "p1", "p2", "p3", "p4"]
    assert names(spread(pool, standing(a=0.79, b=0.3), confirmed=0)) == ["p0"]


def test_a_phenomenon_of_two_causes_counts_for_both():
    """D3: one cause at its cap keeps the phenomenon out."""
    pool = ranked({"a": 1, "b": 1}, {"a": 1, "c": 1}, {"b": 1}, {"c": 1}, {"elsewhere": 1})

    assert names(spread(pool, standing(a=0.4, b=0.3, c=0.2), confirmed=0)) == ["p0", "p3", "p4"]


def test_five_items_a_turn_at_most():
    """D3: recommend 5."""
    causes = [f"c{n}" for n in range(8)]

    assert len(spread(ranked(*({name: 1} for name in causes)), standing(**dict.fromkeys(causes, 0.3)), confirmed=0)) == 5
