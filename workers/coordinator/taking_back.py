"""Taking an answer back: the question is open again, and what was made from the answer is not current any more.

Nothing is deleted but the answer itself. The rule of freshness does the rest: the question still is what its stage would ask now, so it
counts again; questions that followed from the answer are void, and a result made from it is stale. The same answer given again brings
all of that back.
"""

from dataclasses import dataclass
from uuid import UUID

from contracts.events import EventKind
from contracts.statements import code, name, say
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, Row
from workers.coordinator.actions import OF_THE_BOSS, human_word
from workers.errors import Conflict, NotFound

_ANSWERED = """
SELECT id, asker, payload->>'kind' AS kind, response->>'text' AS text FROM requests
 WHERE job_id = %(job_id)s AND target = 'human' AND response IS NOT NULL AND NOT void ORDER BY answered_at DESC, id DESC
"""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An answer that no longer counts."""

    request_id: UUID
    stage: str
    text: str


def take_back(db: Database, job_id: UUID, *, request_id: UUID | None = None) -> list[TakenBack]:
    """Take back the last answer; or that to `request_id` and those that came after it. Also of a job that has ended: it waits for an
    answer again. The newest first. Raises `NotFound` and `Conflict` when there is nothing that can be taken back."""
    answered = _wanted(db, job_id, request_id)
    if any(row["kind"] in OF_THE_BOSS for row in answered):
        raise Conflict.of(say("refused.answer_carried_out", job=name(job_id), command=code(f"bullpen show {job_id}")))
    with human_word(db, job_id, reopen=True) as job:
        ids = [row["id"] for row in answered]
        changed = job.connection.execute(
            "UPDATE requests SET response = NULL, response_hash = NULL, answered_at = NULL, announced_at = NULL "
            "WHERE id = ANY (%s) AND response IS NOT NULL",
            (ids,),
        ).rowcount
        if changed != len(ids):
            raise Conflict.of(say("refused.taken_back_just_now"))
        texts = [row["text"] or "" for row in answered]
        detail = {"request_ids": [str(each) for each in ids], "text": texts[0][:500]}
        job.tell(EventKind.ANSWER_TAKEN_BACK, stage=answered[0]["asker"], detail=detail)
    return [TakenBack(row["id"], row["asker"], row["text"] or "") for row in answered]


def _wanted(db: Database, job_id: UUID, request_id: UUID | None) -> list[Row]:
    """The answers that are taken back: the last, or all from that one on."""
    read_board(db, job_id)  # raises NotFound for an unknown job
    answered = db.statement(_ANSWERED, {"job_id": job_id})
    if not answered:
        raise Conflict.of(say("refused.no_answer", job=name(job_id), command=code(f"bullpen show {job_id}")))
    if request_id is None:
        return answered[:1]
    places = [place for place, row in enumerate(answered) if row["id"] == request_id]
    if not places:
        command = code(f"bullpen show {job_id}")
        raise NotFound.of(say("refused.not_answered", question=name(request_id), job=name(job_id), command=command))
    return answered[: places[0] + 1]
