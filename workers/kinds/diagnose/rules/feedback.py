"""From a finished diagnosis and a human's word on it to a solved ticket of the history."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contracts.base import Json
from contracts.diagnose.deliverables import AnswerReading, Diagnosis, Finding, PhenomenonItem
from contracts.diagnose.feedback import DiagnosisFeedback
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Anomaly, PhenomenonCard, Ticket, TicketEvidence
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.known import Dialogue, gather, latest_findings, read_all
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
    """A diagnosis with all that was said on the way to it."""

    job_id: UUID
    request: DiagnoseRequest
    evidence: TicketEvidence
    dialogue: Dialogue
    diagnosis: Diagnosis


def ticket_id_of(job_id: UUID) -> str:
    """The ticket that feedback on this job makes: one a job, so that a second word corrects the first."""
    return f"bullpen-{job_id}"


def confirmed_ticket(ended: EndedDiagnosis, said: DiagnosisFeedback, cause: TrueCause) -> Ticket:
    """The incident as a solved ticket: what the user described and told, the phenomena they confirmed or told, the true cause.
    A reason why a phenomenon is relevant is kept only where a ticket gives it for that cause."""
    readings = read_all(ended.dialogue)
    told = dict.fromkeys(text for reading in readings for text in reading.observations)
    reasons = {card.phenomenon_id: card.why_relevant.get(cause.cause_id, "") for card in ended.evidence.phenomena}
    found = ended.diagnosis
    metadata: Json = {
        "source": SOURCE,
        "job_id": str(ended.job_id),
        "verdict": said.verdict,
        "diagnosed": {"verdict": found.verdict.value, "root_cause": found.root_cause, "confidence": round(found.confidence, 4)},
    }
    if cause.label is not None:
        metadata["cause_id"] = cause.label
    return Ticket(
        ticket_id=ticket_id_of(ended.job_id),
        description="\n".join((ended.request.description, *told))[:_DESCRIPTION],
        root_cause=cause.description,
        solution=_solution(ended, said, cause),
        metadata=metadata,
        anomalies=tuple(
            Anomaly(
                description=seen.description,
                observation_method=seen.observation_method,
                why_relevant=reasons.get(seen.phenomenon_id, ""),
            )
            for seen in (*_confirmed(ended, readings), *_told(ended, readings))
        ),
    )


def _confirmed(ended: EndedDiagnosis, readings: Sequence[AnswerReading]) -> list[PhenomenonItem]:
    """What was asked and is there."""
    said = latest_findings(ended.dialogue, readings).values()
    return [item for item, finding in said if finding is Finding.CONFIRMED]


def _told(ended: EndedDiagnosis, readings: Sequence[AnswerReading]) -> list[PhenomenonCard]:
    """Known phenomena that the user told unasked: without them the next one who sees them would be led away from the cause."""
    said = (ended.request.description, *(text for reading in readings for text in reading.observations))
    known = gather(ended.evidence, families(ended.evidence, OURS), ended.dialogue, readings, said, OURS)
    return [fact.card for fact in known.facts if fact.source == "told" and fact.finding is Finding.CONFIRMED]


def _solution(ended: EndedDiagnosis, said: DiagnosisFeedback, cause: TrueCause) -> str:
    """What the human says solved it; else, for a right diagnosis, what it proposed; else what the history knows."""
    if said.solution and said.solution.strip():
        return said.solution.strip()
    proposed = ended.diagnosis.solution if said.verdict == "right" else None
    return proposed or cause.solution
