"""RAR without a model: the vote of the tickets, what it asks, and how it ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import Diagnosis, Finding, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import TicketEvidence
from tests.support.evidence import evidence_of
from tests.support.incidents import CAUSES, EVIDENCE, HISTORY, INCIDENT, REQUEST, TICKETS, Turn, answered, asked, recommends, ticket
from tests.support.spoken import english
from workers.kinds.diagnose.rules.rar import rar_move
from workers.kinds.diagnose.rules.rar.case import CANDIDATES, read_case
from workers.kinds.diagnose.rules.rar.extract import answer
from workers.kinds.diagnose.rules.rar.vote import count_votes, hypotheses
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.diagnose.rules.wording import question_text


def play(signs: tuple[str, ...], request: DiagnoseRequest = REQUEST) -> tuple[Diagnosis, list[Turn]]:
    turns: list[Turn] = []
    while isinstance(found := rar_move(request, EVIDENCE, turns), PhenomenonQuestion):
        turns.append(answered(found, signs) if found.items else (found, "don't know"))
    return found, turns


@pytest.mark.parametrize("cause", CAUSES)
def test_a_dialogue_ends_in_the_cause_whose_signs_are_seen(cause):
    """D4, D8, D10: from the tickets alone, with observed phenomena, solution and citations."""
    found, turns = play(CAUSES[cause])

    assert (found.verdict, found.root_cause, found.solution) == (Verdict.DIAGNOSED, cause, f"repair {cause}")
    assert found.method is DiagnosisMethod.RAR
    assert not found.forced
    assert found.evidence_for
    assert all(one.weight > 0 for one in found.evidence_for)
    assert {TICKETS[cited].root_cause for cited in found.cited_tickets} == {cause}
    assert len(turns) == found.turns <= 4


def test_a_new_ticket_counts_at_once():
    """D4: no preparation."""
    new = ticket(90, "clock skew", "the clocks differ", description=INCIDENT)

    before = read_case(REQUEST, EVIDENCE, ())
    after = read_case(REQUEST, evidence_of([*HISTORY, new], INCIDENT), ())

    assert "clock skew" not in count_votes(before).shares
    assert count_votes(after).top == "clock skew"


def test_votes_are_shares_and_denials_take_them_away():
    """D3, D8: the confidence is the share of the vote; denied phenomena speak against their tickets."""
    before = count_votes(read_case(REQUEST, EVIDENCE, ()))
    after = count_votes(read_case(REQUEST, EVIDENCE, [asked("sessions wait for a relation lock", answer="1 no")]))

    assert sum(before.shares.values()) + before.none == pytest.approx(1)
    assert sum(before.weights.values()) + before.none == pytest.approx(1)
    assert after.shares["lock queue"] < before.shares["lock queue"]
    assert list(after.shares)[-1] == "lock queue"


def test_a_finding_weighs_as_the_ratio_of_what_the_tickets_expect():
    """D3: the weight is ln P(finding | its tickets) / P(finding | the others): by hand 0.8 against 0.1."""
    case = read_case(REQUEST, EVIDENCE, [asked("sessions wait for a relation lock", answer="1 yes")])

    top = hypotheses(case, count_votes(case))[0]

    assert top.root_cause == "lock queue"
    assert [one.finding for one in top.evidence] == [Finding.CONFIRMED]
    assert top.evidence[0].weight == pytest.approx(2.0794, abs=1e-3)
    assert set(top.evidence[0].tickets) == {"T-1", "T-2", "T-3", "T-4"}


def test_what_is_asked_first_separates_the_causes():
    """D9, D12: one to three single phenomena, shown by some of the competing causes and not by others."""
    found = answer(read_case(REQUEST, EVIDENCE, ()))

    assert found.action == "recommend"
    assert 1 <= len(found.recommendations) <= 3
    assert found.recommendations[0].observation == "connections pile up"
    assert all(one.method and one.related_root_causes for one in found.recommendations)


def test_three_key_phenomena_and_a_lean_are_enough():
    """D11."""
    found = answer(read_case(REQUEST, EVIDENCE, [asked(*CAUSES["bad plan"], answer="all yes")]))

    assert (found.action, found.diagnosis and found.diagnosis.root_cause) == ("diagnose", "bad plan")


def test_without_progress_the_search_is_widened_then_a_symptom_is_asked_then_it_concludes():
    """D22: two turns of denials, a third, and silence."""
    history = [*HISTORY, *(ticket(n, f"other {n}", f"sign {n}", description="another matter") for n in range(100, 140))]
    evidence = evidence_of(history, INCIDENT)
    denied = [asked("pings take 80 ms", turn=1), asked("the CPU is saturated", turn=2)]

    narrow, wide = read_case(REQUEST, evidence, denied[:1]), read_case(REQUEST, evidence, denied)
    assert (narrow.widened, len(narrow.tickets)) == (False, CANDIDATES)
    assert (wide.widened, len(wide.tickets)) == (True, len(evidence.tickets))

    denied.append(asked("the CPU is idle", turn=3))
    symptom = rar_move(REQUEST, evidence, denied, consult=lambda _: pytest.fail("nobody is consulted"))
    assert isinstance(symptom, PhenomenonQuestion)
    assert symptom.items == ()
    assert "key symptom" in english(question_text(symptom))
    silent = rar_move(REQUEST, evidence, [*denied, (symptom, "don't know")])
    assert isinstance(silent, Diagnosis)
    assert silent.verdict is not Verdict.DIAGNOSED


def test_an_empty_history_asks_for_an_import_and_nothing_near_for_a_symptom():
    """D29: nothing is invented, and nobody is consulted."""
    nothing = TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=9, total_causes=3)

    empty = rar_move(REQUEST, nothing.model_copy(update={"total_tickets": 0}), ())
    first = rar_move(REQUEST, nothing, (), consult=lambda _: recommends("red light"))

    assert isinstance(empty, Diagnosis)
    assert "Import" in english(empty.explanation)
    assert isinstance(first, PhenomenonQuestion)
    assert first.items == ()
    last = rar_move(REQUEST, nothing, [(first, "the pump is loud")])
    assert isinstance(last, Diagnosis)
    assert (last.verdict, last.cited_tickets) == (Verdict.UNKNOWN, ())


def test_answers_to_what_no_ticket_has_stay_in_the_state():
    """D5, D16: confirmed and denied texts are kept in the dialogue though no evidence holds them."""
    first = rar_move(REQUEST, EVIDENCE, (), consult=lambda _: recommends("the moon is full", "the sea is rough"))
    assert isinstance(first, PhenomenonQuestion)

    case = read_case(REQUEST, EVIDENCE, [(first, "1 yes 2 no, also the dog barks")])

    assert (case.confirmed, case.denied, case.observations) == (("the moon is full",), ("the sea is rough",), ("the dog barks",))
    last = rar_move(REQUEST, EVIDENCE, [(first, "1 yes 2 no")], may_ask=False)
    assert isinstance(last, Diagnosis)
    assert "the moon is full" in english(last.explanation)


def test_equal_inputs_give_equal_moves():
    turns = [asked("pings take 80 ms")]

    assert rar_move(REQUEST, EVIDENCE, turns) == rar_move(REQUEST, EVIDENCE, list(turns))


ANSWERS = st.sampled_from(["all yes", "all no", "1 yes 2 no", "?", "writes fail", "不是", "死锁", "9 yes", "1 yes 1 no", "", "\x00"])


@given(answers=st.lists(ANSWERS, min_size=1, max_size=8), max_turns=st.integers(1, 8))
def test_every_dialogue_ends_with_an_honest_diagnosis(answers, max_turns):
    """D3, D15, D20, D29."""
    request = DiagnoseRequest(description=INCIDENT, max_turns=max_turns)
    turns: list[Turn] = []
    told: list[str] = []
    seen: list[str] = []
    while isinstance(found := rar_move(request, evidence_of(HISTORY, INCIDENT, told), turns), PhenomenonQuestion):
        seen += [item.phenomenon_id for item in found.items]
        reply = answers[len(turns) % len(answers)]
        told += read_answer(reply, found).observations
        turns.append((found, reply))
        assert len(turns) <= max_turns

    assert len(seen) == len(set(seen))
    assert set(found.cited_tickets) <= TICKETS.keys()
    assert (found.verdict is Verdict.UNKNOWN) is (found.root_cause is None)
    assert all(TICKETS[cited].root_cause == found.root_cause for cited in found.cited_tickets)
