"""Feedback on a finished diagnosis: it becomes a ticket, and then an event in the job's log."""

from uuid import UUID

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion
from contracts.diagnose.feedback import DiagnosisFeedback, Learnt
from contracts.diagnose.request import DiagnoseRequest
from contracts.stages import INPUT
from contracts.tickets import Ticket, TicketEvidence
from workers.blackboard.engine import Database
from workers.coordinator.feedback import EndedJob, read_ended, tell_feedback
from workers.kinds.diagnose.learning import learn_from_diagnosis, plan_ticket
from workers.kinds.diagnose.playbook import PLAYBOOK, TICKETS
from workers.kinds.diagnose.rules.feedback import EndedDiagnosis
from workers.kinds.diagnose.rules.known import with_heard
from workers.llm.embedder import Embedder

_DIALOGUE = """
SELECT payload->'detail' AS question, response->>'text' AS answer FROM requests
 WHERE id = ANY(%(ids)s) AND kind = 'question' AND response IS NOT NULL AND payload->>'kind' = 'phenomena' ORDER BY id
"""

_TOLD_CHARACTERS = 500
"""Of a cause, in the event."""

DIAGNOSIS = PLAYBOOK.result


def feed_back_diagnosis(db: Database, embedder: Embedder | None, job_id: UUID, given: DiagnosisFeedback) -> Learnt:
    """Make a confirmed ticket of a finished diagnosis. It counts at once, and later feedback replaces earlier feedback. Raises
    `NotFound`, `InvalidInput`, or `Conflict` when there is nothing to judge (yet)."""
    learnt = learn_from_diagnosis(db, embedder, _ended(db, job_id), given)
    detail = {"verdict": learnt.verdict, "ticket_id": learnt.ticket_id, "cause_id": learnt.cause_id}
    with db.session() as connection, connection.transaction():
        tell_feedback(connection, job_id, DIAGNOSIS, {**detail, "cause": learnt.root_cause[:_TOLD_CHARACTERS]})
    return learnt


def preview_ticket(db: Database, job_id: UUID, given: DiagnosisFeedback) -> tuple[Ticket, bool]:
    """The ticket that feedback would store, and whether the history knows its cause. Raises what `feed_back_diagnosis` raises."""
    ticket, cause = plan_ticket(db, _ended(db, job_id), given)
    return ticket, cause.known


def _ended(db: Database, job_id: UUID) -> EndedDiagnosis:
    return _as_diagnosis(db, read_ended(db, job_id, PLAYBOOK.kind, (INPUT, TICKETS, DIAGNOSIS)))


def _as_diagnosis(db: Database, ended: EndedJob) -> EndedDiagnosis:
    """The questions, the answers and the conclusion."""
    turns = db.statement(_DIALOGUE, {"ids": list(ended.view.stages[DIAGNOSIS].request_ids)})
    diagnosis = ended.read(Diagnosis, DIAGNOSIS)
    dialogue = [(PhenomenonQuestion.model_validate(row["question"]), row["answer"] or "") for row in turns]
    return EndedDiagnosis(
        job_id=ended.job_id,
        request=ended.read(DiagnoseRequest, INPUT),
        evidence=ended.read(TicketEvidence, TICKETS),
        dialogue=with_heard(dialogue, diagnosis.heard),
        diagnosis=diagnosis,
    )
