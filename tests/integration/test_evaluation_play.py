"""A case played against a real history: what is hidden stays hidden, and what is cited is held against the tickets."""

from collections.abc import Callable
from typing import Any

import pytest

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod, DiagnosisProfile
from contracts.tickets import Ticket, TicketEvidence
from tests.support.incident_cases import ticket
from workers.blackboard.engine import Database
from workers.errors import InvalidInput
from workers.kinds.diagnose.evaluation.cases import make_cases
from workers.kinds.diagnose.evaluation.play import Dialogue, History, play
from workers.kinds.diagnose.evaluation.user import SimulatedUser
from workers.kinds.diagnose.rules.methods import move
from workers.tickets.tickets import count_history, show_ticket


class Overheard:
    """A method of diagnosis that notes all it is given and all it asks."""

    def __init__(self, method: DiagnosisMethod, profile: DiagnosisProfile) -> None:
        self.evidence: list[TicketEvidence] = []
        self.said: list[str] = []
        self._method, self._profile = method, profile

    def __call__(self, request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue) -> Diagnosis | PhenomenonQuestion:
        made = move(request, evidence, dialogue, method=self._method, profile=self._profile)
        self.evidence.append(evidence)
        self.said += [request.description, *(answer for _, answer in dialogue), made.model_dump_json()]
        return made

    @property
    def shown(self) -> str:
        """Everything that the method was given and said, as one text."""
        return "\n".join([*(one.model_dump_json() for one in self.evidence), *self.said])


def incident(ticket_id: str, cause: str, *phenomena: str, **changed: Any) -> Ticket:
    """A ticket whose hidden fields can be recognised wherever they show up."""
    made = ticket(ticket_id, cause, *phenomena, description="The report runs for hours", title="canarytitle", path="canarypath/x.md")
    return made.model_copy(update={"solution": "canarysolution", **changed})


OTHERS = [
    ticket("T2", "Missing index", "sequential scan of orders", "an index was dropped", description="The list is slow"),
    ticket("T3", "Lock contention", "sessions wait for a lock", description="The page hangs"),
    ticket("T4", "Disk full", "no space left on device", description="Writes fail"),
]
CONTESTANTS = [
    pytest.param(method, profile, id=f"{method}/{profile}")
    for method in DiagnosisMethod
    for profile in DiagnosisProfile
    if method is not DiagnosisMethod.RAR or profile is DiagnosisProfile.OURS
]


@pytest.mark.parametrize(("method", "profile"), CONTESTANTS)
def test_of_a_ticket_that_is_left_out_nothing_is_seen(database: Database, method: DiagnosisMethod, profile: DiagnosisProfile) -> None:
    """D14. Its cause goes by the code, so that its own words for it can be recognised."""
    hidden = incident("T1-canaryid", "canarycause", "sequential scan of orders", "canaryphenomenon of this ticket alone")
    hidden = hidden.model_copy(update={"metadata": {**hidden.metadata, "cause_id": "IX"}})
    other = OTHERS[0].model_copy(update={"metadata": {"cause_id": "IX"}})
    evaluation = make_cases([hidden, other, *OTHERS[1:]])
    overheard = Overheard(method, profile)

    history = History(database, None, evaluation.histories[""])
    played = play(evaluation.cases[0], history, overheard, SimulatedUser(hidden), max_turns=5)

    assert evaluation.cases[0].left_out
    assert "canary" not in overheard.shown
    assert {evidence.total_tickets for evidence in overheard.evidence} == {3}
    assert played.right_cause in {cause.cause_id for evidence in overheard.evidence for cause in evidence.causes}
    assert show_ticket(database, hidden.ticket_id) == hidden


@pytest.mark.parametrize(("method", "profile"), CONTESTANTS)
def test_of_a_ticket_that_stays_the_metadata_is_never_seen_and_the_user_tells_no_more_than_the_opening(
    database: Database, method: DiagnosisMethod, profile: DiagnosisProfile
) -> None:
    """D14. Its cause and solution are one hypothesis among others, by design."""
    hidden = incident("T1", "canarycause", "estimated rows differ from actual rows")
    evaluation = make_cases([hidden, *OTHERS])
    overheard = Overheard(method, profile)
    answers: list[str] = []

    class Noted(SimulatedUser):
        def answer(self, question: PhenomenonQuestion) -> str:
            answers.append(super().answer(question))
            return answers[-1]

    history = History(database, None, evaluation.histories[""])
    play(evaluation.cases[0], history, overheard, Noted(hidden), max_turns=5)

    assert not evaluation.cases[0].left_out
    assert "canarytitle" not in overheard.shown
    assert "canarypath" not in overheard.shown
    assert "canary" not in " ".join(answers)
    assert evaluation.cases[0].opening == hidden.description


def test_a_withheld_description_is_not_in_the_evidence_and_comes_back(database: Database) -> None:
    """D14."""
    hidden = incident("T1", "Stale statistics", "estimated rows differ from actual rows", description="canaryopening runs for hours")
    evaluation = make_cases([hidden, *OTHERS])
    overheard = Overheard(DiagnosisMethod.GAR, DiagnosisProfile.OURS)
    history = History(database, None, evaluation.histories[""])

    play(evaluation.cases[0], history, overheard, SimulatedUser(hidden), max_turns=5, withhold=True)

    assert not any("canaryopening" in evidence.model_dump_json() for evidence in overheard.evidence)
    assert any(card.ticket_id == "T1" for card in overheard.evidence[0].tickets)
    assert show_ticket(database, "T1") == hidden


def test_an_incident_with_a_tickets_id_leaves_the_tickets_own_words_in_the_history(database: Database) -> None:
    """D14. Else the next case would find the incident there."""
    cases = [one.model_copy(update={"description": "canaryopening"}) for one in OTHERS[:1]]
    tickets = [*OTHERS, ticket("T5", "Missing index", "sequential scan of parts")]
    evaluation = make_cases(tickets, cases)
    history = History(database, None, tickets)
    before = count_history(database)

    play(evaluation.cases[0], history, Overheard(DiagnosisMethod.RAR, DiagnosisProfile.OURS), SimulatedUser(cases[0]), max_turns=3)

    assert show_ticket(database, "T2") == OTHERS[0]
    assert count_history(database) == before


def test_a_history_that_cannot_be_imported_is_no_empty_history(database: Database) -> None:
    with pytest.raises(InvalidInput, match="1 tickets cannot be imported, the first T3"):
        History(database, None, [*OTHERS, OTHERS[1]])
    assert count_history(database)["tickets"] == 0


def diagnosis(**changed: Any) -> Callable[..., Diagnosis]:
    """A method that concludes at once."""
    made = Diagnosis(verdict=Verdict.DIAGNOSED, confidence=0.9, explanation="", turns=0).model_copy(update=changed)
    return lambda request, evidence, dialogue: made


@pytest.mark.parametrize(
    ("cited", "false"),
    [
        pytest.param(("T5",), 0, id="of the cause"),
        pytest.param(("T3",), 1, id="of another cause"),
        pytest.param(("T5", "T99"), 1, id="that does not exist"),
        pytest.param(("T2", "T5"), 1, id="that was left out"),
        pytest.param((), 1, id="none at all"),
    ],
)
def test_citations_that_bear_nothing_are_counted(database: Database, cited: tuple[str, ...], false: int) -> None:
    """D14."""
    evaluation = make_cases([*OTHERS, ticket("T5", "Missing index", "sequential scan of parts")])
    history = History(database, None, evaluation.histories[""])
    case = evaluation.cases[0]

    named = diagnosis(cause_id=case.cause_id, root_cause="Missing index", cited_tickets=cited)
    played = play(case, history, named, SimulatedUser(case.ticket), max_turns=3)

    assert (played.false_citations, played.top1) == (false, True)


def test_a_confidence_without_a_cause_is_stated_of_nothing(database: Database) -> None:
    """D14."""
    evaluation = make_cases(OTHERS)
    history = History(database, None, OTHERS)
    case = evaluation.cases[0]

    played = play(case, history, diagnosis(verdict=Verdict.UNKNOWN, cause_id=case.cause_id), SimulatedUser(case.ticket), max_turns=3)

    assert (played.named, played.ranked, played.confidence, played.best_is_right) == (None, (), 0.0, False)
