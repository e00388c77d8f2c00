"""What a human says of a finished job: handed to what learns from it, then told in the job's log.

Two transactions, the ticket first: a crash between them leaves a ticket without its event, and saying it again mends that.
"""

from uuid import UUID

from pydantic import ValidationError

from contracts.diagnosis import Diagnosis, PhenomenonQuestion, TicketEvidence
from contracts.events import EventKind
from contracts.feedback import DiagnosisFeedback, Learnt
from contracts.jobs import FINISHED, DiagnoseRequest, JobStatus
from contracts.stages import INPUT
from workers.blackboard.board import read_board
from workers.blackboard.engine import Database
from workers.coordinator.actions import Touched
from workers.coordinator.freshness import look
from workers.coordinator.playbooks import DIAGNOSE
from workers.engines.diagnosis.feedback import EndedDiagnosis
from workers.errors import Conflict, InvalidInput
from workers.knowledge.feedback import learn_from_diagnosis
from workers.llm.embeddings import Embedder

_DIALOGUE = """
SELECT payload->'detail' AS question, response->>'text' AS answer FROM requests
 WHERE id = ANY(%(ids)s) AND kind = 'question' AND response IS NOT NULL AND payload->>'kind' = 'phenomena' ORDER BY id
"""

_TOLD_CHARACTERS = 500
"""Of a cause, in the event."""


def feed_back(db: Database, embedder: Embedder | None, job_id: UUID, said: DiagnosisFeedback) -> Learnt:
    """Make a confirmed ticket of a finished diagnosis; it counts at once, and a second word corrects the first. Raises
    `NotFound`, `InvalidInput`, or `Conflict` when there is nothing to judge (yet)."""
    learnt = learn_from_diagnosis(db, embedder, _ended(db, job_id), said)
    detail = {"verdict": learnt.verdict, "ticket_id": learnt.ticket_id, "cause_id": learnt.cause_id}
    with db.session() as connection, connection.transaction():
        row = connection.execute(
            "UPDATE jobs SET rev = rev + 1, decided_rev = CASE WHEN decided_rev = rev THEN rev + 1 ELSE decided_rev END "
            "WHERE id = %s RETURNING rev, status",
            (job_id,),
        ).fetchone()
        if row is not None:
            told = Touched(connection, job_id, row["rev"], JobStatus(row["status"]))
            told.tell(EventKind.FEEDBACK_GIVEN, stage=DIAGNOSIS, detail={**detail, "cause": learnt.root_cause[:_TOLD_CHARACTERS]})
    return learnt


TICKETS, DIAGNOSIS = (stage.name for stage in DIAGNOSE.stages)


def _ended(db: Database, job_id: UUID) -> EndedDiagnosis:
    """What stands on the board of a finished diagnosis."""
    board = read_board(db, job_id)
    if board.kind != DIAGNOSE.kind:
        raise InvalidInput(f"Job {job_id} is of kind {board.kind}; feedback is taken on jobs of kind {DIAGNOSE.kind}.")
    if board.status not in FINISHED:
        raise Conflict(f"Job {job_id} is {board.status}: there is no diagnosis to judge yet. Follow it: bullpen watch {job_id}")
    view = look(board)
    currents = {name: seen.current.id for name, seen in view.stages.items() if seen.current is not None}
    rows = db.statement("SELECT stage, content FROM deliverables WHERE id = ANY(%(ids)s)", {"ids": list(currents.values())})
    contents = {row["stage"]: row["content"] for row in rows}
    if board.status != JobStatus.SUCCEEDED or not {INPUT, TICKETS, DIAGNOSIS} <= contents.keys():
        raise Conflict(f"Job {job_id} is {board.status} and has no diagnosis to judge. Do it again: bullpen replay {job_id}")
    said = db.statement(_DIALOGUE, {"ids": list(view.stages[DIAGNOSIS].request_ids)})
    try:
        return EndedDiagnosis(
            job_id=job_id,
            request=DiagnoseRequest.model_validate(contents[INPUT]),
            evidence=TicketEvidence.model_validate(contents[TICKETS]),
            dialogue=[(PhenomenonQuestion.model_validate(row["question"]), row["answer"] or "") for row in said],
            diagnosis=Diagnosis.model_validate(contents[DIAGNOSIS]),
        )
    except ValidationError as error:
        what = error.title
        raise Conflict(f"What stands on the board of job {job_id} is no {what}: it was revised. bullpen unpin {job_id} STAGE") from None
