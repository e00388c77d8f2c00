"""Asking back in the dialogue: answered from what is known, without using up a turn, whatever method diagnoses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import Diagnosis, PhenomenonItem, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import Anomaly, Ticket, TicketEvidence
from tests.support.evidence import evidence_of
from tests.support.spoken import chinese, english
from workers.kinds.base import ShowOptions
from workers.kinds.diagnose.rules.asking_back import answering_queries, counted_turns
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.methods import move as by_method
from workers.kinds.diagnose.rules.wording import question_text
from workers.kinds.diagnose.view import show_result

INCIDENT = "Orders hang since noon and the shop is slow"
CAUSES = {
    "lock queue": ("sessions wait for a relation lock", "an ALTER TABLE waits first", "connections pile up"),
    "full disk": ("writes fail with no space", "the archive directory grows", "connections pile up"),
    "bad plan": ("row estimates are far off", "a nested loop runs for long", "the CPU is saturated"),
    "slow network": ("pings take 80 ms", "only remote clients suffer", "the CPU is idle"),
}
HISTORY = [
    Ticket(
        ticket_id=f"T-{number}-{copy}",
        description="The shop is slow",
        root_cause=cause,
        anomalies=tuple(Anomaly(description=sign, observation_method="SELECT 1") for sign in signs),
    )
    for number, (cause, signs) in enumerate(CAUSES.items())
    for copy in range(4)
]
EVIDENCE = evidence_of(HISTORY, INCIDENT)

Turn = tuple[PhenomenonQuestion, str]


def move(
    turns: list[Turn], *, incident: str = INCIDENT, evidence: TicketEvidence = EVIDENCE, may_ask: bool = True, max_turns: int = 5
) -> Diagnosis | PhenomenonQuestion:
    request = DiagnoseRequest(description=incident, max_turns=max_turns)
    decide = lambda counted: next_move(request, evidence, counted, may_ask=may_ask)  # noqa: E731 as the role does
    return answering_queries(evidence, turns, decide, may_ask=may_ask)


def asked(turns: list[Turn], **options: object) -> PhenomenonQuestion:
    question = move(turns, **options)  # pyright: ignore[reportArgumentType] options of `move`
    assert isinstance(question, PhenomenonQuestion)
    return question


def test_why_puts_the_same_question_again_with_the_reason():
    """D16, D20: same items, same numbers, same turn."""
    first = asked([])

    again = asked([(first, "why?")])

    assert again.model_copy(update={"notes": first.notes}) == first
    assert "which cause it is" in english(again.notes[0])
    assert [f"“{item.description}”: {english(item.why)}" in english(again.notes[item.number]) for item in first.items] == [True] * len(
        first.items
    )
    assert english(question_text(again)).startswith(english(again.notes[0]))


def test_progress_says_what_was_confirmed_denied_and_told():
    """D5, D16."""
    first = asked([])
    evidence = evidence_of(HISTORY, INCIDENT, ["the archive directory grows fast"])
    second = first.model_copy(update={"turn": 2})

    again = asked(
        [(first, "1 yes 2 no 3 don't know, also the archive directory grows fast"), (second, "what do you know so far?")], evidence=evidence
    )

    confirmed, denied, unknown = (item.description for item in first.items)
    assert (again.turn, again.items) == (2, second.items)
    notes = [english(note) for note in again.notes]
    assert notes[:5] == [
        "Known so far (questions answered: 1):",
        f"- confirmed: “{confirmed}”",
        f"- denied: “{denied}”",
        f"- unknown: “{unknown}”",
        "- you also said: “the archive directory grows fast” (like “the archive directory grows”)",
    ]
    assert notes[5].startswith(f"- most likely now: “{second.hypotheses[0].root_cause}” {second.hypotheses[0].confidence:.0%}")


def test_nothing_known_is_said():
    first = asked([])

    assert "nothing beyond your description" in english(asked([(first, "status")]).notes[1])


def test_hypotheses_come_with_their_share_their_findings_and_their_tickets():
    """D11, D16."""
    first = asked([])
    turns = [(first, f"{first.items[0].number} yes, the others no")]
    second = asked(turns)

    again = asked([*turns, (second, "可能的原因有哪些"), (second, "which causes are possible?")])

    best = second.hypotheses[0]
    notes = [english(note) for note in again.notes]
    assert notes[0] == "Causes in question:"
    assert notes[1].startswith(f"- “{best.root_cause}” {best.confidence:.0%}, for it “{first.items[0].description}” (confirmed)")
    assert notes[1].endswith(f"tickets {', '.join(best.ticket_ids[:5])}")


def test_a_reply_can_be_read_in_chinese():
    first = asked([])

    again = asked([(first, "为什么？ 目前知道什么？怀疑什么？")])

    notes = [chinese(note) for note in again.notes]
    assert notes[0].startswith("为什么问这些")
    assert "目前已知（已完成 0 轮问答）：" in notes
    assert "目前考虑的根因：" in notes


def test_a_mixed_answer_counts_and_the_next_question_carries_the_reply():
    """D16."""
    first = asked([])

    second = asked([(first, "1 don't know, what do you know so far?")])

    assert second.turn == 2
    assert {item.phenomenon_id for item in second.items}.isdisjoint(item.phenomenon_id for item in first.items)
    assert "Known so far (questions answered: 1):" in [english(note) for note in second.notes]


def test_a_diagnosis_carries_the_reply_in_its_explanation():
    """D10: with the causes beside it."""
    signs = CAUSES["full disk"]
    items = tuple(
        PhenomenonItem(number=n, phenomenon_id=f"P:{sign}", description=sign, observation_method="", why="it tells")
        for n, sign in enumerate(signs[:2], start=1)
    )

    found = move([(PhenomenonQuestion(turn=1, items=items), "all yes. why? Which causes are possible?")])

    assert isinstance(found, Diagnosis)
    assert (found.root_cause, found.turns) == ("full disk", 1)
    assert "- 1. “writes fail with no space”: it tells" in english(found.explanation)
    assert f"Other causes that were considered:\n- “{found.alternatives[0].root_cause}”" in english(found.explanation)


def test_asking_back_uses_up_no_turn_and_is_no_sign_of_being_stuck():
    """D20, D22."""
    first = asked([], max_turns=1)
    often: list[Turn] = [(first, "why?"), (first, "status"), (first, "which causes are possible?")] * 5

    assert asked(often, max_turns=1).turn == 1
    found = move([*often, (first, "all no")], max_turns=1)
    assert isinstance(found, Diagnosis)
    assert found.turns == 1
    assert counted_turns(often) == []


def test_asking_why_a_symptom_is_wanted_leaves_the_question_open():
    """D14, decision 6: the one question for a key symptom is not used up."""
    nothing = TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=9, total_causes=3)
    first = asked([], evidence=nothing)

    again = asked([(first, "why?")], evidence=nothing)

    assert (again.items, again.turn) == ((), 1)
    assert "your own words" in english(again.notes[0])
    assert isinstance(move([(first, "why?"), (again, "the pump is loud")], evidence=nothing), Diagnosis)


def test_who_may_not_ask_concludes_with_the_reply():
    """D20."""
    first = asked([])

    found = move([(first, "what do you suspect?")], may_ask=False)

    assert isinstance(found, Diagnosis)
    assert found.turns == 0
    assert "Other causes that were considered:" in english(found.explanation)


@pytest.mark.parametrize(
    "answer", ["9 yes, why?", "all no, 9 yes", "1 yes. Not 2, but 3", "1 and 2, without any doubt", "wait no, 1 is true", "你理解反了"]
)
def test_an_answer_that_is_not_read_whole_changes_nothing_costs_no_turn_and_is_told(answer: str):
    """D12, D16."""
    first = asked([])

    again = asked([(first, answer)])

    assert again.model_copy(update={"notes": first.notes}) == first
    assert english(again.notes[0]).startswith(
        f"Not read: “{answer}”. It changes nothing, uses no turn and is kept as a note. Answer 1 to 3 "
    )
    assert chinese(again.notes[0]).startswith("未读取：")
    assert counted_turns([(first, answer)]) == []


def test_a_number_that_the_question_has_not_costs_no_turn_and_is_told():
    """D12: also of a question with one item, and of the list of systems."""
    one = asked([]).model_copy(update={"items": asked([]).items[:1]})
    systems = asked([]).model_copy(update={"items": (), "systems": ("MySQL", "Kafka")})

    for question, answer in ((one, "2是"), (one, "2 yes"), (systems, "3"), (systems, "第3个")):
        again = asked([(question, answer)])
        assert (again.turn, again.items, again.systems) == (1, question.items, question.systems)
        assert counted_turns([(question, answer)]) == []
        assert english(again.notes[0]).startswith(f"Not read: “{answer}”.")


def test_a_conclusion_quotes_what_nobody_could_read():
    """D12: words that changed nothing stay in the report."""
    first = asked([])

    found = move([(first, "the pool is dry, I guess not 1"), (first, "all no")], max_turns=1)

    assert isinstance(found, Diagnosis)
    assert found.unread == ("the pool is dry, I guess not 1",)
    report = show_result(found.to_json(), ShowOptions())
    assert report is not None
    assert "the pool is dry, I guess not 1" in str(report)


def test_it_is_said_that_words_alone_were_compared():
    """With the first question, and with the conclusion."""
    partial = EVIDENCE.model_copy(update={"words_only": True})
    first = asked([], evidence=partial)
    second = asked([(first, "1 no")], evidence=partial)
    ended = move([(first, "1 no")], evidence=partial, may_ask=False)

    assert isinstance(ended, Diagnosis)
    said = "The history has no vectors yet, so words alone were compared"
    assert [said in "".join(map(english, each.notes)) for each in (first, second)] == [True, False]
    assert said in english(ended.explanation)


def test_who_says_stop_gets_the_conclusion():
    first = asked([])

    found = by_method(DiagnoseRequest(description=INCIDENT), EVIDENCE, [(first, "stop")], method=DiagnosisMethod.GAR)

    assert isinstance(found, Diagnosis)
    assert found.evidence_for == found.evidence_against == ()


ANSWERS = st.sampled_from(["all yes", "all no", "1 yes 2 no", "?", "writes fail", "why?", "进展", "1 no, what do you suspect?", "", "死锁"])


@given(answers=st.lists(ANSWERS, min_size=1, max_size=12), max_turns=st.integers(1, 6))
def test_a_dialogue_with_questions_in_it_goes_as_without_them(answers, max_turns):
    """D20, D29: what only asks back changes neither the turns nor the outcome."""
    turns: list[Turn] = []
    plain: list[Turn] = []
    for answer in answers:
        question = move(turns, max_turns=max_turns)
        other = move(plain, max_turns=max_turns)
        if isinstance(question, Diagnosis) or isinstance(other, Diagnosis):
            assert isinstance(question, Diagnosis)
            assert isinstance(other, Diagnosis)
            assert question.model_copy(update={"explanation": ""}) == other.model_copy(update={"explanation": ""})
            return
        assert question.model_copy(update={"notes": ()}) == other.model_copy(update={"notes": ()})
        turns.append((question, answer))
        if answer not in ("why?", "进展"):
            plain.append((question, answer))
