"""The ticket that a human's word makes of a finished diagnosis."""

from dataclasses import replace
from uuid import UUID

import pytest
from pydantic import ValidationError

from contracts.diagnose.deliverables import Diagnosis, Finding, HeardTurn, PhenomenonItem, PhenomenonQuestion, ReadFinding, Verdict
from contracts.diagnose.feedback import DiagnosisFeedback
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import CauseCard, ObservationMatch, PhenomenonCard, TicketEvidence
from workers.kinds.diagnose.rules.feedback import EndedDiagnosis, TrueCause, confirmed_ticket
from workers.kinds.diagnose.rules.known import with_heard

JOB = UUID("01a1fca4-0033-702c-8bb3-081573ce7e67")
RIGHT = DiagnosisFeedback(verdict="right")
LOCKS = TrueCause("lock queue", "C-1", "end the transaction", label="LOCK-7", known=True)


def card(name: str, **why: str) -> PhenomenonCard:
    return PhenomenonCard(
        phenomenon_id=name,
        description=name,
        observation_method="",
        similarity=0.5,
        cause_tickets={"C-1": 1},
        cause_count=1,
        why_relevant={f"C-{number[1:]}": text for number, text in why.items()},
    )


EVIDENCE = TicketEvidence(
    causes=(CauseCard(cause_id="C-1", description="lock queue", solution="", ticket_count=1, ticket_ids=("T-1",)),),
    phenomena=(card("waits", c1="sessions queue", c2="of another cause"), card("idle", c2="of another cause"), card("full")),
    tickets=(),
    total_tickets=1,
    total_causes=1,
)


def question(turn: int, *names: str) -> PhenomenonQuestion:
    items = tuple(
        PhenomenonItem(number=n, phenomenon_id=name, description=f"{name}!", observation_method=f"SELECT {n}", why="generated")
        for n, name in enumerate(names, start=1)
    )
    return PhenomenonQuestion(turn=turn, items=items)


def ended(*turns: tuple[PhenomenonQuestion, str], description: str = "orders hang", solution: str | None = "kill it") -> EndedDiagnosis:
    found = Diagnosis(
        verdict=Verdict.DIAGNOSED,
        root_cause="lock queue",
        cause_id="C-1",
        confidence=0.9,
        solution=solution,
        cited_tickets=("T-1",),
        explanation="",
        turns=len(turns),
    )
    return EndedDiagnosis(JOB, DiagnoseRequest(description=description), EVIDENCE, list(turns), found)


def test_a_ticket_holds_what_was_said_and_confirmed():
    """D4, D5: the description with what was told, the confirmed phenomena with their method and their reason."""
    case = ended(
        (question(1, "waits", "full"), "why?"),
        (question(1, "waits", "full"), "1 yes 2 no, also the pool is empty"),
        (question(2, "idle"), "yes"),
    )

    ticket = confirmed_ticket(case, RIGHT, LOCKS)

    assert ticket.ticket_id == f"bullpen-{JOB}"
    assert ticket.description == "orders hang\nthe pool is empty"
    assert [(a.description, a.observation_method, a.why_relevant) for a in ticket.anomalies] == [
        ("waits!", "SELECT 1", "sessions queue"),
        ("idle!", "SELECT 1", ""),
    ]
    assert ticket.metadata == {
        "source": "feedback",
        "job_id": str(JOB),
        "verdict": "right",
        "diagnosed": {"verdict": "diagnosed", "root_cause": "lock queue", "confidence": 0.9},
        "cause_id": "LOCK-7",
    }


def test_a_known_phenomenon_that_was_told_unasked_is_in_the_ticket():
    """D4: the next user who sees it is not led away from the cause by its absence. In its very words only."""
    evidence = EVIDENCE.model_copy(
        update={"observations": tuple(ObservationMatch(text="Idle", phenomenon_id=name, similarity=0.9) for name in ("idle", "full"))}
    )
    case = replace(ended((question(1, "waits", "full"), "1 yes 2 no, also Idle")), evidence=evidence)

    ticket = confirmed_ticket(case, RIGHT, LOCKS)

    assert [anomaly.description for anomaly in ticket.anomalies] == ["waits!", "idle"]


def test_a_phenomenon_that_was_taken_back_is_not_in_the_ticket():
    case = ended(
        (question(1, "waits"), "yes"), (question(2, "waits"), "no"), (question(3, "idle"), "yes"), (question(4, "idle"), "don't know")
    )

    assert [a.description for a in confirmed_ticket(case, RIGHT, LOCKS).anomalies] == ["idle!"]


def test_the_solution_is_what_helped_else_what_was_proposed_else_what_the_history_knows():
    other = TrueCause("full disk", "C-9", "delete old files", known=True)
    wrong = DiagnosisFeedback(verdict="wrong", cause="full disk")

    assert confirmed_ticket(ended(), RIGHT, LOCKS).solution == "kill it"
    assert confirmed_ticket(ended(solution=None), RIGHT, LOCKS).solution == "end the transaction"
    assert confirmed_ticket(ended(), wrong, other).solution == "delete old files"
    assert confirmed_ticket(ended(), wrong.model_copy(update={"solution": " add a disk "}), other).solution == "add a disk"


def test_a_long_incident_fits_into_a_ticket():
    """D29."""
    case = ended((question(1), "x" * 3_000), description="y" * 20_000)

    assert len(confirmed_ticket(case, RIGHT, LOCKS).description) == 20_000


@pytest.mark.parametrize(
    "word", [{"verdict": "wrong"}, {"verdict": "wrong", "cause": " "}, {"verdict": "right", "cause": "x"}, {"verdict": "so"}]
)
def test_feedback_is_right_or_says_what_it_was(word):
    with pytest.raises(ValidationError):
        DiagnosisFeedback.model_validate(word)


def test_a_question_of_a_model_is_kept_as_what_was_answered():
    """The history once had `What is the CPU at?` as something that was seen."""
    asked, answer = question(1, "waits"), "1 wa is high, the rest is idle"
    asked = asked.model_copy(update={"items": (asked.items[0].model_copy(update={"description": "What is the CPU at?"}),)})
    found = ReadFinding(phenomenon_id="waits", finding=Finding.CONFIRMED, quote="wa is high")
    turn = HeardTurn(turn=1, answer=answer, findings=(found,), remarks=(answer,))

    case = ended(*with_heard([(asked, answer)], (turn,)))

    assert [anomaly.description for anomaly in confirmed_ticket(case, RIGHT, LOCKS).anomalies] == ["wa is high"]
