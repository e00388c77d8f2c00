"""The dialogue of the seed profile: when it concludes, what it asks, and which defects of its source it keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import Diagnosis, Finding, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import ObservationMatch, TicketEvidence
from tests.support.cards import asked, cause, evidence, phenomenon
from tests.support.spoken import chinese, english
from workers.kinds.diagnose.rules.wording import question_text
from workers.kinds.diagnose.seed import seed_move

REQUEST = DiagnoseRequest(description="Orders hang since noon and the shop is slow")
LOCKS, DISK = cause("locks"), cause("disk")
OF_LOCKS = tuple(phenomenon(f"lock{n}", {"locks": 1}, near=0.8 - n / 10) for n in range(4))
OF_DISK = tuple(phenomenon(f"disk{n}", {"disk": 1}, near=0.3 - n / 100) for n in range(4))
GRAPH = evidence((LOCKS, DISK), (*OF_LOCKS, *OF_DISK))

Turn = tuple[PhenomenonQuestion, str]


def said(text: str, *names: str) -> Turn:
    """An answer to a question for these phenomena."""
    return asked(*((name, f"{name} is seen") for name in names)), text


def concluded(move: Diagnosis | PhenomenonQuestion) -> Diagnosis:
    assert isinstance(move, Diagnosis)
    return move


def question(move: Diagnosis | PhenomenonQuestion) -> PhenomenonQuestion:
    assert isinstance(move, PhenomenonQuestion)
    return move


def test_the_first_turn_asks_one_phenomenon_of_each_cause_and_explains_it():
    """D3, D9: what to observe, how it stands, and the grounds of its score."""
    move = question(seed_move(REQUEST, GRAPH, []))

    assert [item.phenomenon_id for item in move.items] == ["lock0", "disk0"]
    assert [(one.cause_id, one.confidence) for one in move.hypotheses] == [("locks", pytest.approx(0.26)), ("disk", pytest.approx(0.26))]
    assert "“cause locks” (1 of 1 ticket); if it is absent, to “cause disk”" in english(move.items[0].why)
    # 0.15·1 + 0.2·1 + 0.4·0.26 + 0.25·(0.6 + 0.4)
    assert "Score 0.70: popularity 1.00, specificity 1.00, hypothesis priority 0.26, information gain 1.00." in english(move.items[0].why)


def test_a_confidence_of_080_concludes():
    """D1, D3: three of four and four of five: 0.6·3/4 + 0.16 + 0.2 = 0.81."""
    found = concluded(seed_move(REQUEST, GRAPH, [said("all yes", "lock0", "lock1", "lock2")]))

    assert (found.verdict, found.root_cause, found.solution, found.forced) == (Verdict.DIAGNOSED, "cause locks", "repair locks", False)
    assert found.confidence == pytest.approx(0.81)
    assert [one.phenomenon_id for one in found.evidence_for] == ["lock0", "lock1", "lock2"]
    assert [one.weight for one in found.evidence_for] == pytest.approx([0.15] * 3)
    assert found.cited_tickets == ("T-locks",)
    assert [one.cause_id for one in found.alternatives] == ["disk"]
    assert "with a confidence of 81%" in english(found.explanation)
    assert "probability" not in english(found.explanation)


def test_below_the_bar_it_goes_on_asking():
    """D1: two of four: 0.6·2/4 + 0.16 + 0.2 = 0.66."""
    move = question(seed_move(REQUEST, GRAPH, [said("1 yes 2 yes", "lock0", "lock1")]))

    assert move.turn == 2
    assert [item.phenomenon_id for item in move.items] == ["lock2", "disk0"]
    assert [one.confidence for one in move.hypotheses] == pytest.approx([0.66, 0.26 * 0.7])


def test_nothing_left_to_ask_concludes_from_one_half_on():
    """D1: 0.66·0.85 = 0.561 with two confirmed, one denied, one that nobody knows, and the disk ruled out."""
    turns = [
        said("1 yes 2 yes 3 no 4 don't know", *(card.phenomenon_id for card in OF_LOCKS)),
        said("all no", *(["disk0", "disk1", "disk2", "disk3"])),
    ]

    found = concluded(seed_move(REQUEST, GRAPH, turns))

    assert (found.verdict, found.forced, found.root_cause) == (Verdict.DIAGNOSED, False, "cause locks")
    assert found.confidence == pytest.approx(0.561)
    assert [(one.phenomenon_id, one.weight) for one in found.evidence_against] == [("lock2", pytest.approx(-0.099))]


def test_nothing_left_to_ask_and_no_lean_asks_for_a_key_symptom():
    """D1, decision 6: never an empty list, but our question in free text."""
    turns = [said("all no", *(card.phenomenon_id for card in OF_LOCKS)), said("all no", *(card.phenomenon_id for card in OF_DISK))]

    move = question(seed_move(REQUEST, GRAPH, turns))

    assert (move.turn, move.items) == (3, ())
    assert "key symptom" in english(question_text(move))


def test_a_history_without_phenomena_asks_for_a_key_symptom():
    """D1: no hypothesis at all."""
    assert question(seed_move(REQUEST, evidence((LOCKS,), ()), [])).items == ()


@pytest.mark.parametrize(
    ("answer", "verdict", "forced", "root_cause", "cited"),
    [
        ("all yes", Verdict.UNCERTAIN, True, "cause locks", ("T-locks",)),
        ("1 yes 2 no", Verdict.UNKNOWN, False, None, ()),
    ],
)
def test_the_last_turn_forces_a_guess_from_one_half_on(answer, verdict, forced, root_cause, cited):
    """D15, D20: 0.66 is a guess; (0.15 + 0.16 + 0.2)·0.85 = 0.43 is none. Both say what was not checked."""
    once = DiagnoseRequest(description=REQUEST.description, max_turns=1)

    found = concluded(seed_move(once, GRAPH, [said(answer, "lock0", "lock1")]))

    assert (found.verdict, found.forced, found.root_cause, found.cited_tickets) == (verdict, forced, root_cause, cited)
    assert found.not_checked == ("lock2 is seen", "disk0 is seen")
    assert found.turns == 1


def test_asking_may_be_forbidden():
    """D20: the first conclusion without a single answer is an honest unknown."""
    found = concluded(seed_move(REQUEST, GRAPH, [], may_ask=False))

    assert (found.verdict, found.root_cause, found.confidence) == (Verdict.UNKNOWN, None, pytest.approx(0.26))
    assert [one.cause_id for one in found.alternatives] == ["locks", "disk"]


def test_an_empty_history_says_how_to_import_one():
    """D29: nothing is invented."""
    empty = TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=0, total_causes=0)

    found = concluded(seed_move(REQUEST, empty, []))

    assert found.verdict is Verdict.UNKNOWN
    assert "bullpen tickets import" in english(found.explanation)


def test_a_diagnosis_that_can_cite_no_ticket_is_unknown():
    """D15, defect 1.3.5, not kept: the source returned a diagnosis left without any citation."""
    bare = GRAPH.model_copy(update={"causes": (LOCKS.model_copy(update={"ticket_ids": ()}), DISK), "tickets": ()})

    found = concluded(seed_move(REQUEST, bare, [said("all yes", "lock0", "lock1", "lock2")]))

    assert (found.verdict, found.root_cause, found.cited_tickets) == (Verdict.UNKNOWN, None, ())


@pytest.mark.parametrize(("likeness", "expected"), [(0.75, 0.51), (0.74, 0.26)])
def test_what_the_user_tells_confirms_from_a_match_of_075(likeness, expected):
    """D1: 0.6·1/4 + 0.16 + 0.2 once it does."""
    match = ObservationMatch(text="everybody queues", phenomenon_id="lock0", similarity=likeness)
    graph = GRAPH.model_copy(update={"observations": (match,)})

    move = question(seed_move(REQUEST, graph, [(asked(), "everybody queues")]))

    top = move.hypotheses[0]
    assert top.confidence == pytest.approx(expected)
    assert [(one.source, one.finding) for one in top.evidence] == ([("told", Finding.CONFIRMED)] if likeness >= 0.75 else [])


def test_an_answer_outweighs_what_was_told_and_the_later_answer_the_earlier():
    """D5: a phenomenon is confirmed or denied, never both."""
    match = ObservationMatch(text="everybody queues", phenomenon_id="lock0", similarity=0.9)
    graph = GRAPH.model_copy(update={"observations": (match,)})
    turns = [said("1 yes 2 yes", "lock0", "lock1"), said("1 no", "lock0")]

    top = question(seed_move(REQUEST, graph, turns)).hypotheses[0]

    assert {one.phenomenon_id: one.finding for one in top.evidence} == {"lock0": Finding.DENIED, "lock1": Finding.CONFIRMED}


@pytest.mark.parametrize("answer", ["不是", "不是的", "1正常 2正常", "死锁"])
def test_no_answer_is_read_as_its_opposite(answer):
    """Defects 1.3.1 and 1.3.2, not kept: 不是 holds 是 and is a no; 正常 denies; a short word is no yes."""
    top = question(seed_move(REQUEST, GRAPH, [said(answer, "lock0", "lock1")])).hypotheses[0]

    assert top.confidence <= 0.26 + 1e-9
    assert not any(one.finding is Finding.CONFIRMED for one in top.evidence)


def test_the_same_words_are_not_asked_twice_whatever_their_id():
    """D14: not even when the answer was "don't know"."""
    again = phenomenon("lock0-again", {"locks": 1}, near=0.9, text="lock0 is seen")
    graph = evidence((LOCKS, DISK), (again, *OF_LOCKS, *OF_DISK))

    move = question(seed_move(REQUEST, graph, [said("don't know", "lock0")]))

    assert "lock0 is seen" not in [item.description for item in move.items]


def test_other_words_for_what_was_denied_are_asked_again():
    """Defect 1.3.3, kept: the guard knows equal strings only, so a rephrased phenomenon comes back."""
    reworded = phenomenon("reworded", {"locks": 1}, near=0.9, text="lock0  is seen")
    graph = evidence((LOCKS,), (reworded, *OF_LOCKS[:2]))

    move = question(seed_move(REQUEST, graph, [said("1 no", "lock0")]))

    assert [item.phenomenon_id for item in move.items] == ["reworded"]


def test_one_denied_phenomenon_may_cost_the_right_cause_its_lead():
    """Defect 1.3.4, kept: a denial weighs the same however many tickets of the cause lack the phenomenon."""
    rare = phenomenon("rare", {"common": 1})
    shared = tuple(phenomenon(f"s{n}", {"common": 9, "odd": 1}) for n in range(2))
    graph = evidence((cause("common", 9), cause("odd")), (*shared, rare))

    move = question(seed_move(REQUEST, graph, [said("1 yes 2 no", "s0", "rare")]))

    # common: (0.6·1/3 + 0.2 + 0.2)·0.85 = 0.51; odd: 0.6·1/2 + 0.2·2/5 + 0.2 = 0.58, which leads by 0.07
    assert [(one.cause_id, one.confidence) for one in move.hypotheses] == [
        ("odd", pytest.approx(0.58)),
        ("common", pytest.approx(0.51 * 0.7)),
    ]


def test_score_and_explanation_can_be_read_in_chinese():
    """D3."""
    move = question(seed_move(REQUEST, GRAPH, []))
    found = concluded(seed_move(REQUEST, GRAPH, [said("全部确认", "lock0", "lock1", "lock2")]))

    assert "得分 0.70：流行度 1.00" in chinese(move.items[0].why)
    assert "置信度 81%" in chinese(found.explanation)


def test_what_of_an_answer_could_not_be_read_is_said():
    """D14: nothing is dropped silently."""
    assert "Not read: “1 yes 9 yes”" in english(question(seed_move(REQUEST, GRAPH, [said("1 yes 9 yes", "lock0")])).notes[0])


ANSWERS = st.sampled_from(["all yes", "all no", "1 yes", "1 no 2 yes", "don't know", "the disk is full", "", "{} %s", "都不是"])


@given(st.lists(ANSWERS, min_size=5, max_size=5))
def test_every_dialogue_ends_in_time_and_cites_what_exists(answers):
    """D3, D14, D15, D20, D29: bounded, no text twice, at most five items, a verdict never without its grounds."""
    turns: list[Turn] = []
    texts: list[str] = []
    while isinstance(move := seed_move(REQUEST, GRAPH, turns), PhenomenonQuestion):
        assert len(move.items) <= 5
        assert len(move.hypotheses) <= 5
        assert seed_move(REQUEST, GRAPH, turns) == move
        texts += [item.description for item in move.items]
        turns.append((move, answers[len(turns)]))

    assert move.turns == len(turns) <= REQUEST.max_turns
    assert len(set(texts)) == len(texts)
    assert set(move.cited_tickets) <= {one.ticket_id for one in GRAPH.tickets}
    assert bool(move.cited_tickets) == (move.verdict is not Verdict.UNKNOWN) == (move.root_cause is not None)
