"""The method of an item of a question is run for a person, by the job's kind."""

from uuid import UUID

from contracts.checks import MethodRun
from contracts.statements import code, count, name, names, say
from workers.checks.gathering import Looking
from workers.coordinator.actions import open_questions
from workers.errors import Conflict, InvalidInput
from workers.kinds.registry import find_kind


def run_item(looking: Looking, kind: str, request_id: UUID | None, item: int, *, by: str) -> MethodRun:
    """Run an item of a question, by default of the only open one. Raises `InvalidInput` for a kind whose questions name no methods, and
    what the kind raises."""
    job_id = looking.job_id
    found = find_kind(kind)
    if found is None or found.run is None or job_id is None:
        raise InvalidInput.of(say("refused.nothing_to_run", kind=name(kind)))
    if request_id is None:
        waiting = open_questions(looking.db, job_id)
        if not waiting:
            raise Conflict.of(say("refused.no_open_question", job=name(job_id), command=code(f"bullpen show {job_id}")))
        if len(waiting) > 1:
            listed = names(f"{row['id']} ({row['asker']})" for row in waiting)
            n = count(len(waiting), exact=True)
            raise InvalidInput.of(say("refused.several_questions", job=name(job_id), n=n, option=name("--request"), questions=listed))
        return found.run.load()(looking, job_id, waiting[0]["id"], item, by=by)
    return found.run.load()(looking, job_id, request_id, item, by=by)
