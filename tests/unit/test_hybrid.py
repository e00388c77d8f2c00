"""The hybrid: GAR tracks, RAR is consulted where GAR is at a loss, and believed only where the history bears it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, RarAnswer, Verdict
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod, DiagnosisProfile
from tests.support.evidence import evidence_of
from tests.support.incidents import CAUSES, EVIDENCE, HISTORY, INCIDENT, REQUEST, TICKETS, Turn, answered, asked, concludes, recommends
from tests.support.spoken import chinese, english
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.hybrid import CONSULT_BAR, hybrid_move, objection
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.rar.case import read_case

LAST = DiagnoseRequest(description=INCIDENT, max_turns=1)


def never(_: object) -> RarAnswer:
    pytest.fail("RAR is consulted")


def at_the_end(answer: RarAnswer, turn: Turn) -> Diagnosis:
    """The conclusion after the last turn."""
    found = hybrid_move(LAST, EVIDENCE, [turn], consult=lambda _: answer)
    assert isinstance(found, Diagnosis)
    return found


def test_gar_asks_first_and_concludes_alone_where_it_is_sure():
    """D25: the graph tracks the state; RAR is not paid for while GAR gets on."""
    first = hybrid_move(REQUEST, EVIDENCE, (), consult=never)
    sure = hybrid_move(REQUEST, EVIDENCE, [asked(*CAUSES["bad plan"], answer="all yes")], consult=never)
    tracking = [asked("connections pile up", answer="1 yes")]
    tracked = hybrid_move(REQUEST, EVIDENCE, tracking, consult=never)

    assert first == next_move(REQUEST, EVIDENCE, ())
    assert isinstance(sure, Diagnosis)
    assert (sure.verdict, sure.method) == (Verdict.DIAGNOSED, DiagnosisMethod.GAR)
    assert isinstance(tracked, PhenomenonQuestion)
    assert tracked.hypotheses[0].confidence >= CONSULT_BAR


def test_below_its_bar_rar_is_consulted_and_believed_when_the_graph_bears_it():
    """D26, D28: fallback on low confidence, verified by the graph."""
    turn = asked("connections pile up", "writes fail with no space", answer="1 yes, 2 don't know")

    found = at_the_end(concludes("full disk", "T-5", "T-6"), turn)

    assert (found.verdict, found.root_cause, found.method) == (Verdict.DIAGNOSED, "full disk", DiagnosisMethod.RAR)
    assert found.downgraded is None


@pytest.mark.parametrize(
    ("answer", "turn", "reason"),
    [
        (concludes("full disk", "T-999"), asked("connections pile up", answer="1 yes"), "without citing"),
        (concludes("full disk", "T-9"), asked("connections pile up", answer="1 yes"), "another cause"),
        (concludes("bad plan", "T-9"), asked("connections pile up", answer="1 yes"), "nothing that the user confirmed"),
        (
            concludes("full disk", "T-5"),
            asked("connections pile up", "writes fail with no space", "the archive directory grows", answer="1 yes 2 no 3 no"),
            "2 were denied and only 1 confirmed",
        ),
    ],
    ids=["invented", "other cause", "not linked", "denied"],
)
def test_what_the_history_does_not_bear_is_downgraded_to_gars_own_conclusion(answer, turn, reason):
    """D28: each condition alone is enough to refuse."""
    own = next_move(LAST, EVIDENCE, [turn])
    found = at_the_end(answer, turn)

    assert isinstance(own, Diagnosis)
    assert reason in english(found.downgraded)
    assert found == own.model_copy(update={"downgraded": found.downgraded})
    assert found.method is DiagnosisMethod.GAR


def test_the_reason_can_be_read_in_chinese():
    request = DiagnoseRequest(description="中午开始下单卡住，商城很慢", max_turns=1)
    found = hybrid_move(request, EVIDENCE, [asked("connections pile up", answer="1 有")], consult=lambda _: concludes("bad plan", "T-9"))

    assert isinstance(found, Diagnosis)
    assert "不予采信" in chinese(found.downgraded)


def test_an_objection_looks_at_the_evidence_itself():
    """D28: a diagnosis from anywhere is held against the tickets, not against what it says of itself."""
    case = read_case(REQUEST, EVIDENCE, [asked("connections pile up", answer="1 yes")])
    good = Diagnosis(
        verdict=Verdict.DIAGNOSED,
        root_cause="full disk",
        cause_id="full disk",
        confidence=1,
        cited_tickets=("T-5",),
        explanation="",
        turns=1,
    )

    assert objection(good, case) is None
    assert objection(good.model_copy(update={"cited_tickets": ("T-5", "T-999")}), case)
    assert objection(good.model_copy(update={"cited_tickets": ("T-5", "T-1")}), case)
    assert objection(good.model_copy(update={"cause_id": "cosmic rays"}), case)


def test_rar_asks_where_gar_would_give_up():
    """D25: recommendations are the next question where GAR has none."""
    nothing = EVIDENCE.model_copy(update={"phenomena": (), "observations": ()})
    spent = [asked(sign, turn=n, answer="don't know") for n, sign in enumerate(("a b c", "d e f"), start=1)]
    symptom = PhenomenonQuestion(turn=3, items=()), "don't know"

    own = next_move(REQUEST, nothing, [*spent, symptom])
    stuck = hybrid_move(REQUEST, nothing, [*spent, (symptom[0], "the dog barks")], consult=lambda _: recommends("the moon is full"))

    assert isinstance(own, Diagnosis)
    assert isinstance(stuck, PhenomenonQuestion)
    assert [item.description for item in stuck.items] == ["the moon is full"]
    assert stuck.method is DiagnosisMethod.RAR


@pytest.mark.parametrize("method", DiagnosisMethod)
def test_every_method_comes_through_one_door(method):
    """D23: switched by the job, both independent, the same contract."""
    turns: list[Turn] = []
    while isinstance(found := move(REQUEST, EVIDENCE, turns, method=method, profile=DiagnosisProfile.OURS), PhenomenonQuestion):
        turns.append(answered(found, CAUSES["slow network"]))

    assert (found.verdict, found.root_cause) == (Verdict.DIAGNOSED, "slow network")
    assert isinstance(move(REQUEST, EVIDENCE, (), method=method, may_ask=False), Diagnosis)


ANSWERS = st.sampled_from(
    [recommends("the moon is full"), recommends(confidence=0.9), *(concludes(cause, f"T-{n}") for cause in CAUSES for n in (1, 5, 9, 99))]
)
USERS = st.sampled_from(["all yes", "all no", "1 yes 2 no", "?", "the dog barks", ""])


@given(answers=st.lists(ANSWERS, min_size=1, max_size=5), users=st.lists(USERS, min_size=1, max_size=5), max_turns=st.integers(1, 6))
def test_every_dialogue_ends_with_a_diagnosis_that_the_history_bears(answers, users, max_turns):
    """D20, D28, D29."""
    request = DiagnoseRequest(description=INCIDENT, max_turns=max_turns)
    evidence = evidence_of(HISTORY, INCIDENT)
    turns: list[Turn] = []
    seen: list[str] = []
    while True:
        answer = answers[len(turns) % len(answers)]
        found = hybrid_move(request, evidence, turns, consult=lambda _, answer=answer: answer)
        if isinstance(found, Diagnosis):
            break
        seen += [item.phenomenon_id for item in found.items]
        turns.append((found, users[len(turns) % len(users)]))
        assert len(turns) <= max_turns
    assert len(seen) == len(set(seen))
    assert set(found.cited_tickets) <= TICKETS.keys()
    if found.method is DiagnosisMethod.RAR and found.verdict is not Verdict.UNKNOWN:
        assert objection(found, read_case(request, evidence, turns)) is None
