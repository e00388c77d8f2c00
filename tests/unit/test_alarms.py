"""Alarms of metrics: one cause, several at once, and a cause that the history does not know."""

import pytest

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import Anomaly, Ticket
from tests.support.evidence import evidence_of
from workers.kinds.diagnose.rules.alarms import readings_of
from workers.kinds.diagnose.rules.methods import move

SIGNS = {
    "a full table scan": ("High rows_read", "Very high rows_read", "High cpu_user"),
    "a slow disk": ("High io_wait", "Very high io_wait", "Low commits"),
    "a lock queue": ("High threads_running", "Very high threads_running", "High lock_waits"),
    "a saturated network": ("High retransmits", "Low bytes_sent", "Very low bytes_sent"),
}


def text_of(*readings: str) -> str:
    return ". ".join([*readings, "All other metrics are normal."])


HISTORY = [
    Ticket(
        ticket_id=f"A-{number}-{copy}",
        description=text_of(*signs),
        root_cause=cause,
        solution=f"cure of {cause}",
        anomalies=tuple(Anomaly(description=sign) for sign in signs),
    )
    for number, (cause, signs) in enumerate(SIGNS.items())
    for copy in range(5)
]


def diagnosed(*readings: str) -> Diagnosis:
    text = text_of(*readings)
    found = move(DiagnoseRequest(description=text), evidence_of(HISTORY, text), [], method=DiagnosisMethod.GAR)
    assert isinstance(found, Diagnosis)
    return found


@pytest.mark.parametrize("cause", SIGNS)
def test_an_alarm_of_a_known_cause_is_diagnosed_without_a_question(cause: str) -> None:
    found = diagnosed(*SIGNS[cause])

    assert (found.verdict, found.root_cause, found.together, found.turns) == (Verdict.DIAGNOSED, cause, (), 0)
    assert found.cited_tickets
    assert {evidence.description for evidence in found.evidence_for if evidence.source == "told"} == set(SIGNS[cause])


def test_two_causes_at_once_are_both_named_with_what_helped() -> None:
    found = diagnosed(*SIGNS["a full table scan"], *SIGNS["a slow disk"])

    assert found.root_cause == "a full table scan; a slow disk"
    assert len(found.together) == 2
    assert "cure of a full table scan" in str(found.solution)
    assert "cure of a slow disk" in str(found.solution)
    assert {ticket[:3] for ticket in found.cited_tickets} == {"A-0", "A-1"}


def test_an_alarm_that_no_cause_explains_is_not_named_with_confidence() -> None:
    found = diagnosed("High rows_read", "Extremely high temperature", "High fan_speed", "Low voltage", "Very low voltage")

    assert found.confidence < 0.7
    assert found.verdict is not Verdict.DIAGNOSED


@pytest.mark.parametrize(
    "text", ["High load since noon, everything hangs", "High rows_read. Users complain. All other metrics are normal.", "High rows_read."]
)
def test_prose_is_no_alarm(text: str) -> None:
    assert readings_of(text) is None


def test_an_alarm_of_metrics_that_no_ticket_has_is_left_to_the_method() -> None:
    text = text_of("High temperature")

    found = move(DiagnoseRequest(description=text), evidence_of(HISTORY, text), [], method=DiagnosisMethod.GAR)

    assert isinstance(found, PhenomenonQuestion) or found.verdict is not Verdict.DIAGNOSED
