"""Texts by their concepts, the opening's score by them, and the confidence that is stated."""

import pytest

from contracts.diagnose.deliverables import Hypothesis
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.differential.concepts import Concepts, concepts_of
from workers.kinds.diagnose.rules.differential.confidence import DOUBT, calibrated, doubted
from workers.kinds.diagnose.rules.differential.opening import first_words
from workers.kinds.diagnose.rules.differential.systems import Systems
from workers.kinds.diagnose.rules.posterior import Belief

EMPTY = TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=0, total_causes=0)


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("the volume ran full", {"disk", "no space", "full"}),
        ("No space left on device", {"no space", "space", "device"}),
        ("磁盘满了", {"no space", "disk", "full"}),
        ("SQL is stuck and takes forever", {"sql", "hang", "slow"}),
        ("语句被阻塞，很久不返回", {"sql", "hang", "slow", "返回"}),
        ("dms_res of GAUSS-52400 shows", {"dms_res", "dms", "res", "gauss", "52400"}),
        ("problem shown, please", {"pleas"}),
        ("", set()),
    ],
)
def test_terms_in_both_languages_are_one_concept(text: str, concepts: set[str]):
    assert concepts <= concepts_of(text)
    assert "-" not in concepts_of(text)


def test_a_text_is_nearest_to_what_says_it_in_other_words():
    known = Concepts(["Error: No space left on device", "statements wait for a lock", "主备切换之后连接断开"])

    assert max(range(3), key=known.to("the disk is full").__getitem__) == 0
    assert max(range(3), key=known.holding("sessions hang, locked by another").__getitem__) == 1
    assert max(range(3), key=known.to("after a failover the clients are disconnected").__getitem__) == 2
    assert known.to("") == known.holding("") == [0.0, 0.0, 0.0]


def test_what_nobody_says_is_new():
    known = Concepts(["the disk is full"])

    assert known.novelty("disk full") == 0.0
    assert known.novelty("the certificate has expired") == 1.0
    assert 0.0 < known.novelty("disk full, certificate expired") < 1.0


def test_what_a_ticket_says_first_holds_no_log():
    assert first_words("It hangs.\n```\nERROR 1\n```\nSince noon.") == "It hangs. Since noon."
    assert first_words("```\nERROR 1\n```") == "```\nERROR 1\n```"


def belief(*shares: float, none: float) -> Belief:
    causes = tuple(
        Hypothesis(cause_id=f"C-{at}", root_cause=str(at), confidence=share, prior=0.1, symptom_similarity=0.0, evidence=(), ticket_ids=())
        for at, share in enumerate(shares)
    )
    return Belief(causes, none)


def test_a_belief_is_sharpened_in_its_order_and_sums_to_one():
    made = calibrated(belief(0.5, 0.2, none=0.3))

    first, second = (found.confidence for found in made.hypotheses)
    assert first > 0.5 > 0.2 > second
    assert made.none < 0.3
    assert first + second + made.none == pytest.approx(1.0)


def test_two_causes_that_are_equally_likely_stay_so():
    made = calibrated(belief(0.48, 0.48, none=0.04))

    assert made.hypotheses[0].confidence == made.hypotheses[1].confidence < 0.5


def test_without_a_sign_none_of_them_keeps_its_doubt():
    sure, unsure = doubted(belief(0.95, 0.04, none=0.01)), doubted(belief(0.3, 0.2, none=0.5))

    assert (sure.hypotheses[0].confidence < 0.70, sure.none) == (True, pytest.approx(DOUBT))
    assert unsure.none == 0.5


def test_a_cause_without_a_ticket_is_of_any_of_the_systems():
    weighed = Systems(("A", "B"), {}).weigh({"A": 0.0, "B": -20.0}, EMPTY)

    assert weighed == pytest.approx([-0.693], abs=0.01)


def test_a_text_that_says_one_thing_in_several_words_is_held_by_whoever_says_that_thing():
    """The device and the space within "no space left on device" are no further things."""
    held = Concepts(["No space left on device", "the disk is slow", "disk"]).held_by("有台机器挂了，好像磁盘满了")

    assert held == [1.0, 0.5, 0.0]
