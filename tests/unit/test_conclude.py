"""When the dialogue ends and how: diagnosed, a marked guess, or an honest unknown; and what every diagnosis carries."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import Diagnosis, PhenomenonItem, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Ticket, TicketEvidence
from tests.support.evidence import cause_of, evidence_of
from tests.support.incidents import ticket
from tests.support.spoken import chinese, english
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.diagnose.rules.wording import question_text
from workers.kinds.diagnose.samples import sample_tickets_path

INCIDENT = "Orders hang since noon and the shop is slow"
REQUEST = DiagnoseRequest(description=INCIDENT)

Turn = tuple[PhenomenonQuestion, str]


CAUSES = {
    "lock queue": ("sessions wait for a relation lock", "an ALTER TABLE waits first", "connections pile up"),
    "full disk": ("writes fail with no space", "the archive directory grows", "connections pile up"),
    "bad plan": ("row estimates are far off", "a nested loop runs for long", "the CPU is saturated"),
    "slow network": ("pings take 80 ms", "only remote clients suffer", "the CPU is idle"),
}
_numbers = count(1)
HISTORY = [ticket(next(_numbers), cause, *signs) for cause, signs in CAUSES.items() for _ in range(4)]
EVIDENCE = evidence_of(HISTORY, INCIDENT)


def answered(question: PhenomenonQuestion, signs: tuple[str, ...]) -> Turn:
    """The answer of somebody who sees these signs."""
    said = (f"{item.number} {'yes' if item.description in signs else 'no'}" for item in question.items)
    return question, ", ".join(said)


def dialogue_with(signs: tuple[str, ...], request: DiagnoseRequest = REQUEST) -> tuple[Diagnosis, list[Turn]]:
    turns: list[Turn] = []
    while isinstance(move := next_move(request, EVIDENCE, turns), PhenomenonQuestion):
        turns.append(answered(move, signs) if move.items else (move, "don't know"))
    return move, turns


def denied(*names: str) -> Turn:
    items = tuple(
        PhenomenonItem(number=n, phenomenon_id=f"P:{name}", description=name, observation_method="", why="")
        for n, name in enumerate(names, start=1)
    )
    return PhenomenonQuestion(turn=1, items=items), "all no"


@pytest.mark.parametrize("cause", CAUSES)
def test_a_dialogue_ends_in_the_cause_whose_signs_are_seen(cause):
    """D1, D10, D11: retrieve, weigh, ask, and diagnose with observed phenomena, solution and tickets."""
    found, turns = dialogue_with(CAUSES[cause])

    assert (found.verdict, found.root_cause, found.solution) == (Verdict.DIAGNOSED, cause, f"repair {cause}")
    assert found.confidence >= OURS.conclude_bar
    assert not found.forced
    assert found.evidence_for
    assert all(one.weight > 0 for one in found.evidence_for)
    assert all(one.weight < 0 for one in found.evidence_against)
    assert len(turns) == found.turns <= 4


def test_cited_tickets_are_those_that_show_what_was_confirmed():
    """D3, D15: citations exist, belong to the cause, and the ones that show the confirmed phenomena come first."""
    history = [
        *HISTORY,
        ticket(90, "lock queue", "a table is truncated every minute"),
        ticket(91, "lock queue", "a table is truncated every minute", "sessions wait for a relation lock"),
    ]
    evidence = evidence_of(history, INCIDENT)
    question, _ = denied("a table is truncated every minute", "sessions wait for a relation lock")

    found = next_move(REQUEST, evidence, [(question, "all yes")])

    assert isinstance(found, Diagnosis)
    assert found.cited_tickets[0] == "T-91"
    assert set(found.cited_tickets) <= {one.ticket_id for one in history if one.root_cause == found.root_cause}


def test_turns_that_are_used_up_end_in_a_marked_guess_or_unknown():
    """D20: after the last turn the diagnoser concludes, forced, and says what is missing."""
    question, _ = denied("connections pile up")
    once = DiagnoseRequest(description=INCIDENT, max_turns=1)

    found = next_move(once, EVIDENCE, [(question, "1 yes")])

    assert isinstance(found, Diagnosis)
    assert found.verdict is Verdict.UNKNOWN or found.forced
    assert found.not_checked
    assert found.turns == 1


def test_a_guess_is_forced_names_its_tickets_and_what_was_not_checked():
    """D15, D20: uncertain is a lean, marked, with citations."""
    evidence = evidence_of([ticket(1, "a", "red light", "loud pump"), ticket(2, "b", "cold room", "old cable")], INCIDENT)
    question, _ = denied("red light")

    found = next_move(REQUEST, evidence, [(question, "1 yes")], may_ask=False)

    assert isinstance(found, Diagnosis)
    assert (found.verdict, found.forced, found.root_cause) == (Verdict.UNCERTAIN, True, "a")
    assert OURS.guess_bar <= found.confidence < OURS.conclude_bar
    assert found.cited_tickets == ("T-1",)
    assert "loud pump" in found.not_checked
    assert "best guess" in english(found.explanation)


def test_asking_may_be_forbidden():
    """D20: with `may_ask=False` there is always a diagnosis."""
    assert isinstance(next_move(REQUEST, EVIDENCE, [], may_ask=False), Diagnosis)


def test_the_prior_alone_is_no_diagnosis():
    """D29: a cause that nothing supports is not diagnosed, however common it is."""
    evidence = evidence_of([ticket(n, "the usual", "sign", description="other words entirely") for n in range(1, 30)], INCIDENT)

    found = next_move(REQUEST, evidence, [], may_ask=False)

    assert isinstance(found, Diagnosis)
    assert found.confidence >= OURS.conclude_bar
    assert found.verdict is Verdict.UNCERTAIN


def test_a_description_like_a_ticket_is_support():
    """D11: a clearly matching ticket is enough."""
    history = [ticket(n, "the usual", "sign", description=INCIDENT) for n in range(1, 30)]
    evidence = evidence_of(history, INCIDENT + "\nsign")

    found = next_move(REQUEST, evidence, [])

    assert isinstance(found, Diagnosis)
    assert found.verdict is Verdict.DIAGNOSED


def test_an_empty_history_asks_for_an_import():
    """D29: nothing is invented: no tickets, no cause."""
    empty = TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=0, total_causes=0)

    found = next_move(REQUEST, empty, [])

    assert isinstance(found, Diagnosis)
    assert (found.verdict, found.cited_tickets, found.root_cause) == (Verdict.UNKNOWN, (), None)
    assert "Import" in english(found.explanation)
    assert "导入工单" in chinese(found.explanation)


def test_nothing_near_asks_for_a_key_symptom_once():
    """D14, decision 6: an empty list is never sent as a list: the user is asked for a symptom, once."""
    nothing = TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=9, total_causes=3)

    first = next_move(REQUEST, nothing, [])
    assert isinstance(first, PhenomenonQuestion)
    last = next_move(REQUEST, nothing, [(first, "the pump is loud")])

    assert first.items == ()
    assert "key symptom" in english(question_text(first))
    assert "关键症状" in chinese(question_text(first))
    assert isinstance(last, Diagnosis)
    assert last.verdict is Verdict.UNKNOWN


def test_two_turns_of_denials_ask_for_a_key_symptom_beside_further_phenomena():
    """D22: no progress: ask more widely, and let the user point; a turn is not spent on pointing alone."""
    stuck = [denied("pings take 80 ms"), denied("the CPU is saturated")]

    widened = next_move(REQUEST, EVIDENCE, stuck)

    assert isinstance(widened, PhenomenonQuestion)
    assert widened.turn == 3
    assert widened.items
    assert [english(note).split(":")[0] for note in widened.notes[:1]] == ["Understood"]
    assert "key symptom" in english(widened.notes[-1])
    asked = {item.description for question, _ in stuck for item in question.items}
    assert asked.isdisjoint(item.description for item in widened.items)


def test_no_turn_left_names_the_best_guess_if_it_leads():
    """D20, decision 7: a forced conclusion is marked, and only one that is ahead of the next names a cause."""
    leading = next_move(REQUEST, EVIDENCE, [(denied("pings take 80 ms", "only remote clients suffer")[0], "1 yes")], may_ask=False)
    level = next_move(REQUEST, EVIDENCE, [], may_ask=False)

    assert isinstance(leading, Diagnosis)
    assert isinstance(level, Diagnosis)
    assert (leading.verdict, leading.forced, leading.root_cause) == (Verdict.UNCERTAIN, True, "slow network")
    assert (level.verdict, level.root_cause) == (Verdict.UNKNOWN, None)


def test_one_confirmation_is_progress():
    """D22: two turns are stuck only if everything was denied."""
    turns = [denied("pings take 80 ms"), (denied("connections pile up")[0], "1 yes")]

    found = next_move(REQUEST, EVIDENCE, turns)

    assert isinstance(found, PhenomenonQuestion)
    assert found.items


def test_a_finding_survives_when_retrieval_forgets_its_id():
    """D5: the state of the dialogue is kept when the evidence changes: by a wording that says the same, or without weight."""
    elsewhere = PhenomenonItem(
        number=1, phenomenon_id="old-id", description="Sessions wait for a relation lock.", observation_method="", why=""
    )
    gone = elsewhere.model_copy(update={"number": 2, "description": "the moon is full"})
    turn = PhenomenonQuestion(turn=1, items=(elsewhere, gone)), "all yes"

    found = next_move(REQUEST, EVIDENCE, [turn], may_ask=False)

    assert isinstance(found, Diagnosis)
    assert found.root_cause == "lock queue"
    assert [one.description for one in found.evidence_for] == ["sessions wait for a relation lock"]


def test_a_diagnosis_without_a_ticket_is_downgraded():
    """D15, decision 7: no citation, no diagnosis."""
    bare = EVIDENCE.model_copy(
        update={"tickets": (), "causes": tuple(cause.model_copy(update={"ticket_ids": ()}) for cause in EVIDENCE.causes)}
    )
    question, _ = denied("pings take 80 ms", "only remote clients suffer")

    found = next_move(REQUEST, bare, [(question, "all yes")])

    assert isinstance(found, Diagnosis)
    assert (found.verdict, found.root_cause, found.cited_tickets) == (Verdict.UNKNOWN, None, ())
    assert found.alternatives[0].root_cause == "slow network"


def test_how_each_item_was_read_is_said_back_by_its_words():
    """D16: with the item that has a yes and a no."""
    first = next_move(REQUEST, EVIDENCE, [])
    assert isinstance(first, PhenomenonQuestion)

    found = next_move(REQUEST, EVIDENCE, [(first, "1 don't know, 2 yes 2 no")])

    assert isinstance(found, PhenomenonQuestion)
    one, two, three = (item.description for item in first.items)
    assert [english(note) for note in found.notes] == [
        f"Understood: 1 “{one}”: unknown, 2 “{two}”: unknown, 3 “{three}”: not answered.",
        "Item 2 was answered with both yes and no; it counts as unknown.",
    ]


def test_an_explanation_can_be_read_in_each_language():
    """D10: text is made where it is shown, of the same statement."""
    found = next_move(REQUEST, EVIDENCE, [], may_ask=False)

    assert isinstance(found, Diagnosis)
    assert english(found.explanation).startswith("The history does not support a diagnosis")
    assert chinese(found.explanation).startswith("历史工单不足以支持诊断")


def test_equal_inputs_give_equal_moves():
    """D29: no randomness, no clock."""
    turns = [denied("pings take 80 ms")]

    assert next_move(REQUEST, EVIDENCE, turns) == next_move(REQUEST, EVIDENCE, list(turns))


ANSWERS = st.sampled_from(
    ["all yes", "all no", "1 yes 2 no", "?", "1 no", "writes fail", "不是", "死锁", "9 yes", "1 yes 1 no", "", "\x00"]
)


@given(answers=st.lists(ANSWERS, min_size=1, max_size=10), max_turns=st.integers(1, 8))
def test_every_dialogue_ends_with_an_honest_diagnosis(answers, max_turns):
    """D3, D15, D20, D29: bounded, nothing repeated, everything cited exists, and a verdict never lacks its grounds."""
    request = DiagnoseRequest(description=INCIDENT, max_turns=max_turns)
    tickets = {one.ticket_id: one for one in HISTORY}
    turns: list[Turn] = []
    told: list[str] = []
    asked: list[str] = []
    while isinstance(move := next_move(request, evidence_of(HISTORY, INCIDENT, told), turns), PhenomenonQuestion):
        asked += [item.phenomenon_id for item in move.items]
        answer = answers[len(turns) % len(answers)]
        told += read_answer(answer, move).observations
        turns.append((move, answer))
        assert len(turns) <= max_turns

    assert len(asked) == len(set(asked))
    assert set(move.cited_tickets) <= tickets.keys()
    if move.verdict is Verdict.UNKNOWN:
        assert (move.root_cause, move.solution, move.cited_tickets) == (None, None, ())
    else:
        assert move.cited_tickets
        assert move.root_cause in CAUSES
        assert all(tickets[cited].root_cause == move.root_cause for cited in move.cited_tickets)
        assert move.confidence >= (OURS.conclude_bar if move.verdict is Verdict.DIAGNOSED else OURS.guess_bar)
    assert move.forced is (move.verdict is Verdict.UNCERTAIN)
    assert move.turns == len(turns)


def test_incidents_of_the_sample_history_are_recognised_without_their_own_ticket():
    """D24: leave one out: the user describes the hidden ticket, answers by what it lists, and tells a sign when asked."""
    history = [Ticket.model_validate_json(line) for line in sample_tickets_path().read_text(encoding="utf-8").splitlines()]
    right: list[bool] = []
    for hidden in history[::12]:
        others = [one for one in history if one is not hidden]
        signs = [anomaly.description for anomaly in hidden.anomalies]
        request = DiagnoseRequest(description="\n".join((hidden.description, *signs[:2])))
        told: list[str] = []
        turns: list[Turn] = []
        while True:
            confirmed = [i for q, a in turns for i, finding in read_answer(a, q).findings.items() if finding == "confirmed"]
            move = next_move(request, evidence_of(others, request.description, told, confirmed), turns)
            if isinstance(move, Diagnosis):
                break
            told += [] if move.items else signs[2:3]
            turns.append(answered(move, tuple(signs)) if move.items else (move, signs[2]))
        if move.verdict is Verdict.DIAGNOSED:
            right.append(move.cause_id == cause_of(hidden))

    assert len(right) >= 3
    assert sum(right) >= 0.75 * len(right)
