"""The confidence of the seed profile, every figure computed by hand."""

import pytest

from contracts.diagnose.deliverables import Finding
from contracts.tickets import CauseCard
from tests.support.cards import cause, evidence, phenomenon
from workers.kinds.diagnose.seed.confidence import Candidate, candidates, confidence, exclusive
from workers.kinds.diagnose.seed.findings import Findings
from workers.kinds.diagnose.seed.hypotheses import hypotheses

LOCKS: CauseCard = cause("locks")


def candidate(related: int, supporting: int) -> Candidate:
    """A cause with phenomena p0, p1, ..."""
    return Candidate(LOCKS, frozenset(f"p{n}" for n in range(related)), supporting)


@pytest.mark.parametrize(
    ("related", "supporting", "confirmed", "denied", "expected"),
    [
        (4, 0, 0, 0, 0.10),  # 0 + 0 + 0.2·0.5
        (4, 2, 0, 0, 0.18),  # 0 + 0.2·2/5 + 0.1
        (4, 5, 0, 0, 0.30),  # 0 + 0.2 + 0.1
        (4, 9, 0, 0, 0.30),  # more than five say no more
        (4, 2, 1, 0, 0.43),  # 0.6·1/4 + 0.08 + 0.2
        (4, 5, 2, 0, 0.70),  # 0.6·2/4 + 0.2 + 0.2
        (3, 5, 2, 0, 0.80),  # 0.6·2/3 + 0.2 + 0.2, on paper exactly the bar
        (4, 5, 4, 0, 1.00),
        (4, 5, 2, 1, 0.595),  # 0.7·0.85
        (4, 5, 2, 2, 0.49),  # 0.7·0.70
        (4, 5, 0, 4, 0.12),  # 0.3·0.40
    ],
)
def test_confidence_is_the_weighted_sum_times_what_denials_leave(related, supporting, confirmed, denied, expected):
    """D3: progress 0.6, support 0.2, relevance 0.2, and 0.15 off for each denial."""
    one = candidate(related, supporting)

    found = confidence(one, {f"p{n}" for n in range(confirmed)}, {f"p{related - 1 - n}" for n in range(denied)})

    assert found == pytest.approx(expected, abs=1e-9)


def test_a_sum_that_is_a_bar_on_paper_reaches_it():
    """D3: (0.6·11/21 + 0.2 + 0.2)·0.7 is 0.50, and 0.4999999999999999 in floating point."""
    assert confidence(candidate(21, 5), {f"p{n}" for n in range(11)}, {"p19", "p20"}) == 0.5


def test_findings_on_other_phenomena_do_not_count():
    """D3: only phenomena of the cause move it."""
    assert confidence(candidate(4, 5), {"x", "y"}, {"z"}) == pytest.approx(0.30)


def test_seven_denials_take_everything_and_lose_the_order():
    """D3, defect 1.3.4, kept: the factor is 1 − 0.15·7 < 0, so a cause with nine confirmed phenomena and one with none
    stand at the same 0."""
    many, none = candidate(16, 5), candidate(7, 5)
    confirmed = {f"p{n}" for n in range(7, 16)}
    denied = {f"p{n}" for n in range(7)}

    assert confidence(many, confirmed, set(list(denied)[:6])) > 0
    assert confidence(many, confirmed, denied) == 0.0
    assert confidence(none, (), denied) == 0.0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((0.60, 0.50, 0.30), (0.60, 0.35, 0.21)),
        ((0.45, 0.30), (0.45, 0.30)),
        ((0.46, 0.30), (0.46, 0.21)),
        ((0.50, 0.46), (0.50, 0.46)),
        ((0.46, 0.42), (0.46, 0.42)),
        ((0.50, 0.45), (0.50, 0.315)),
        ((0.90,), (0.90,)),
        ((), ()),
    ],
    ids=[
        "all others lowered",
        "0.45 is not above 0.45",
        "above",
        "a lead of 0.04 is not more",
        "nor where floating point says so",
        "more",
        "alone",
        "none",
    ],
)
def test_a_clear_leader_lowers_all_others_to_70_percent(before, after):
    """D3: strictly above 0.45 and strictly more than 0.04 ahead."""
    assert exclusive(before) == pytest.approx(list(after))


def test_support_counts_a_phenomenon_once_for_every_ticket_that_shows_it():
    """D2: as coded, which differs from the number of phenomena as soon as a cause has several tickets."""
    graph = evidence((cause("locks", 3), cause("disk")), (phenomenon("waits", {"locks": 3, "disk": 0}), phenomenon("full", {"disk": 1})))

    found = candidates(graph, graph.phenomena)

    assert [(one.cause.cause_id, one.supporting, one.related) for one in found] == [
        ("locks", 3, {"waits"}),
        ("disk", 1, {"full"}),
    ]


def test_related_are_all_phenomena_of_the_cause_retrieved_or_not():
    """D2: a cause is reached by what was retrieved, and measured by all that it shows."""
    graph = evidence((cause("locks"), cause("disk")), (phenomenon("waits", {"locks": 1}), phenomenon("queue", {"locks": 1})))

    (found,) = candidates(graph, graph.phenomena[:1])

    assert found.related == {"waits", "queue"}


def test_five_hypotheses_are_kept_best_first_ties_in_order_of_retrieval():
    """D3: keep 5."""
    names = [f"c{n}" for n in range(7)]
    graph = evidence(tuple(cause(name) for name in names), tuple(phenomenon(f"of {name}", {name: 1}) for name in names))

    found = hypotheses(graph, graph.phenomena, Findings(confirmed=frozenset({"of c6"})))

    assert [one.cause_id for one in found] == ["c6", "c0", "c1", "c2", "c3"]
    # c6: 0.6·1/1 + 0.2·1/5 + 0.2; the others 0.2·1/5 + 0.1, lowered by its lead
    assert [one.confidence for one in found] == pytest.approx([0.84, *[0.14 * 0.7] * 4])


def test_each_figure_of_a_hypothesis_is_explained():
    """D3: the prior is the confidence before any finding, and a weight the change that its finding makes."""
    cards = tuple(phenomenon(f"p{n}", {"locks": 1}) for n in range(4))
    graph = evidence((LOCKS,), (*cards, phenomenon("elsewhere", {"disk": 1})))
    findings = Findings(confirmed=frozenset({"p0", "p1", "elsewhere"}), denied=frozenset({"p2"}), volunteered=frozenset({"p1"}))

    (found,) = hypotheses(graph, cards, findings)

    assert found.prior == pytest.approx(0.26)  # 0.2·4/5 + 0.1
    assert found.confidence == pytest.approx(0.561)  # (0.6·2/4 + 0.16 + 0.2)·0.85
    assert found.symptom_similarity == 0.4
    assert found.ticket_ids == ("T-locks",)
    assert [(one.phenomenon_id, one.finding, one.source, one.tickets) for one in found.evidence] == [
        ("p0", Finding.CONFIRMED, "asked", ("T-locks",)),
        ("p1", Finding.CONFIRMED, "told", ("T-locks",)),
        ("p2", Finding.DENIED, "asked", ("T-locks",)),
    ]
    # a confirmed one less: (0.15 + 0.16 + 0.2)·0.85 = 0.4335; no denial: 0.66
    assert [one.weight for one in found.evidence] == pytest.approx([0.1275, 0.1275, -0.099])
