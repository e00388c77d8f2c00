"""From a finished diagnosis and feedback on it to a solved ticket of the history."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contracts.base import Json
from contracts.diagnose.deliverables import DESCRIBED, VOLUNTEERED, AnswerReading, Diagnosis, Finding, PhenomenonItem
from contracts.diagnose.feedback import DiagnosisFeedback
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Anomaly, PhenomenonCard, Ticket, TicketEvidence
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.known import Dialogue, gather, latest_findings, observed_unasked, read_all
from workers.kinds.diagnose.rules.profiles import OURS

SOURCE = "feedback"
"""`metadata.source` of such a ticket."""
_DESCRIPTION = 20_000
"""Characters that a ticket's description may have."""


@dataclass(frozen=True)
class TrueCause:
    """What it really was, as the history has it or will have it."""

    description: str
    cause_id: str
    solution: str = ""
    """Of its tickets; empty for a cause that is new."""
    label: Any = None
    """`metadata.cause_id` of its tickets, which an operator's own classification may hold."""
    known: bool = False


@dataclass(frozen=True)
class EndedDiagnosis:
    """A diagnosis with its dialogue."""

    job_id: UUID
    request: DiagnoseRequest
    evidence: TicketEvidence
    dialogue: Dialogue
    diagnosis: Diagnosis


def ticket_id_of(job_id: UUID) -> str:
    """The id of the ticket for feedback on this job. There is one for each job, so that later feedback replaces earlier feedback."""
    return f"bullpen-{job_id}"


def confirmed_ticket(ended: EndedDiagnosis, given: DiagnosisFeedback, cause: TrueCause) -> Ticket:
    """The incident as a solved ticket: the user's description and observations, the confirmed and reported phenomena, the true cause.

    Only what holds is learnt: nothing that was denied, unknown, taken back or not read.
    A reason why a phenomenon is relevant is kept only where a ticket gives it for that cause.
    """
    readings = read_all(ended.dialogue)
    observations = [text for text in observed_unasked(readings, ended.evidence) if text not in ended.evidence.looked_up]
    reasons = {card.phenomenon_id: card.why_relevant.get(cause.cause_id, "") for card in ended.evidence.phenomena}
    found = ended.diagnosis
    metadata: Json = {
        "source": SOURCE,
        "job_id": str(ended.job_id),
        "verdict": given.verdict,
        "diagnosed": {"verdict": found.verdict.value, "root_cause": found.root_cause, "confidence": round(found.confidence, 4)},
    }
    if cause.label is not None:
        metadata["cause_id"] = cause.label
    return Ticket(
        ticket_id=ticket_id_of(ended.job_id),
        description="\n".join((ended.request.description, *observations)).strip()[:_DESCRIPTION] or cause.description,
        root_cause=cause.description,
        solution=_solution(ended, given, cause),
        metadata=metadata,
        anomalies=tuple(
            Anomaly(
                description=seen.description,
                observation_method=seen.observation_method,
                why_relevant=reasons.get(seen.phenomenon_id, ""),
            )
            for seen in (*_confirmed(ended, readings), *_volunteered(ended, readings))
        ),
    )


def _confirmed(ended: EndedDiagnosis, readings: Sequence[AnswerReading]) -> list[PhenomenonItem]:
    """The phenomena that the user confirmed when asked. Of a question that a model put, it is what the user said; a mere yes to it says
    nothing that another incident could show."""
    quotes = {found: words.strip() for reading in readings for found, words in reading.quotes.items()}
    items = [item for item, finding in latest_findings(ended.dialogue, readings).values() if finding is Finding.CONFIRMED]
    shown = [item.model_copy(update={"description": quotes.get(item.phenomenon_id, "")}) if item.is_question else item for item in items]
    return [item for item in shown if item.description]


def _volunteered(ended: EndedDiagnosis, readings: Sequence[AnswerReading]) -> list[PhenomenonCard]:
    """Known phenomena that the user reported without being asked. Without them the ticket would count against the cause in later
    incidents that show them."""
    texts = (ended.request.description, *observed_unasked(readings, ended.evidence))
    known = gather(ended.evidence, families(ended.evidence, OURS), ended.dialogue, readings, texts, OURS)
    return [fact.card for fact in known.facts if fact.source in (VOLUNTEERED, DESCRIBED) and fact.finding is Finding.CONFIRMED]


def _solution(ended: EndedDiagnosis, given: DiagnosisFeedback, cause: TrueCause) -> str:
    """The solution from the feedback; otherwise, for a right diagnosis, the proposed one; otherwise the solution of the history."""
    if given.solution and given.solution.strip():
        return given.solution.strip()
    proposed = ended.diagnosis.solution if given.verdict == "right" else None
    return proposed or cause.solution
