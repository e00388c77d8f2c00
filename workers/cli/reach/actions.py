"""What is said to jobs: answers, instructions, edits, replays, feedback. Each is kept first; then the boss looks at the job."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from contracts.base import Json
from contracts.checks import MethodRun
from workers.cli.context import database, services
from workers.cli.going_on import set_going
from workers.cli.job_voice import voice_for
from workers.cli.reach.jobs import job_of
from workers.cli.reach.remote import gateway
from workers.coordinator import actions
from workers.coordinator import replay as replays
from workers.coordinator.edits import Change
from workers.coordinator.replay import Replayed
from workers.kinds.base import Feedback, Giving
from workers.settings import load_settings


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Answers that no longer count."""

    request_id: UUID
    """The question that is open again."""
    texts: tuple[str, ...]
    """The newest first."""
    has_feedback: bool
    """Feedback was given on the result before."""


@dataclass(frozen=True, slots=True)
class Said:
    """What feedback led to."""

    learnt: Json
    lines: tuple[str, ...]


def answer(job_id: UUID, words: str, request_id: UUID | None) -> UUID:
    """Answer a question; its id."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        return away.send(jobs.answer(job_id, words, request_id=request_id)).request_id
    question = actions.answer(database(), job_id, words, request_id=request_id)
    set_going(job_id)
    return question


def run_item(job_id: UUID, item: int, request_id: UUID | None, by: str) -> MethodRun:
    """Run the method of an item of a question."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        return away.read(MethodRun, jobs.run_item(job_id, item, request_id=request_id))
    from workers.checks.gathering import Looking
    from workers.kinds.running import run_item as run_here
    from workers.reading.jobs import read_job

    job = read_job(database(), job_id)
    looking = Looking(database(), load_settings().data_dir, job.owner, job_id)
    return run_here(looking, job.kind, request_id, item, by=by)


def take_back(job_id: UUID, request_id: UUID | None) -> TakenBack:
    """Take an answer back."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        value = away.value(jobs.take_back(job_id, request_id=request_id))
        return TakenBack(UUID(value["request_id"]), tuple(value["taken_back"]), value["has_feedback"])
    from workers.coordinator.taking_back import take_back as take_back_here
    from workers.reading.facts import read_feedback

    taken = take_back_here(database(), job_id, request_id=request_id)
    set_going(job_id)
    return TakenBack(taken[-1].request_id, tuple(each.text for each in taken), read_feedback(database(), job_id) is not None)


def instruct(job_id: UUID, words: str, stage: str | None) -> UUID:
    """Give an instruction; its id."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        return away.send(jobs.instruct(job_id, words, stage=stage)).request_id
    request, _ = actions.instruct(services().database, job_id, words, stage=stage)
    set_going(job_id)
    return request


def plan_revision(job_id: UUID, stage: str, content: Json) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """What your own version of a deliverable would change, and the stages that would be done again."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        planned = away.send(jobs.revise(job_id, stage, content, dry_run=True))
        return _changes(planned.changes), planned.again
    edit, below = actions.plan_revision(services().database, job_id, stage, content)
    return edit.changes, below


def revise(job_id: UUID, stage: str, content: Json) -> int | None:
    """Make your own version of a deliverable the current one; its number."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        return away.send(jobs.revise(job_id, stage, content)).version
    version = actions.revise(services().database, job_id, stage, content)
    set_going(job_id)
    return version


def unpin(job_id: UUID, stage: str) -> None:
    """Let the rules choose the current version again."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        away.send(jobs.unpin(job_id, stage))
        return
    actions.unpin(services().database, job_id, stage)
    set_going(job_id)


def cancel(job_id: UUID) -> bool:
    """End a job. False: it had ended before."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        return away.send(jobs.cancel(job_id)).cancelled
    ended = actions.cancel(database(), job_id)
    set_going(job_id)
    return ended


def failed_steps(*, role: str | None, kind: str | None, error: str | None, since: datetime | None) -> list[Json]:
    """What a bulk replay would do again: `id`, `job_id`, `stage`, `role`, `kind`, `error`, `finished_at` of each step."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        rows = away.value(jobs.failed_steps(role=role, kind=kind, error=error, since=since))
        return [{**row, **_typed(row)} for row in rows]
    return [dict(row) for row in replays.failed_steps(services().database, role=role, kind=kind, error=error, since=since)]


def _typed(row: Json) -> Json:
    ended = row["finished_at"]
    return {
        "id": UUID(row["id"]),
        "job_id": UUID(row["job_id"]),
        "finished_at": None if ended is None else datetime.fromisoformat(ended),
    }


def plan_edit(job_id: UUID, stage: str, edit: Json | None, *, fork: bool = False) -> tuple[Change, ...]:
    """What an edit of a stage's parameters would change."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        if fork:
            return _changes(away.send(jobs.fork(job_id, stage, edit=edit, dry_run=True)).changes)
        return _changes(away.send(jobs.replay(job_id, stage=stage, edit=edit, dry_run=True)).stages[0].changes)
    return replays.plan_edit(services().database, job_id, stage, edit, fork=fork).changes


def replay(
    job_id: UUID, *, stage: str | None = None, step_id: UUID | None = None, edit: Json | None = None, from_call: int | None = None
) -> list[Replayed]:
    """Do a stage, a step, or what failed of a job, again. With `from_call` the step goes on from this model call, and `edit` is its
    prompt."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        done = away.send(jobs.replay(job_id, stage=stage, step_id=step_id, edit=edit, from_call=from_call))
        return [Replayed(job_id, item.stage, item.request_id or job_id, _changes(item.changes)) for item in done.stages]
    db = services().database
    if step_id is not None and from_call is not None:
        made = [replays.replay_step(db, step_id, from_call=replays.FromCall.read(step_id, from_call, edit))]
    elif step_id is not None:
        made = [replays.replay_step(db, step_id, edit=edit)]
    elif stage is not None:
        made = [replays.replay_stage(db, job_id, stage, edit=edit)]
    else:
        made = replays.replay_job(db, job_id)
    set_going(job_id)
    return made


def fork(job_id: UUID, stage: str, edit: Json | None) -> UUID | None:
    """Copy a job, and do a stage of the copy again; the copy's id."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        return away.send(jobs.fork(job_id, stage, edit=edit)).job_id
    copy = replays.fork(services().database, job_id, stage, edit=edit)
    set_going(copy)
    return copy


def preview_feedback(taken: Feedback, job_id: UUID, filled: BaseModel) -> tuple[str, ...]:
    """What would be stored; empty where the kind does not say."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        return tuple(away.value(jobs.feedback(job_id, _words(filled), preview=True))["lines"])
    if taken.preview is None:
        return ()
    voice = voice_for(job_of(job_id), None)
    return tuple(voice.plain(line) for line in taken.preview.load()(Giving(database(), services().embedder, job_id), filled))


def give_feedback(taken: Feedback, job_id: UUID, filled: BaseModel) -> Said:
    """Let the job's kind learn."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        value = away.value(jobs.feedback(job_id, _words(filled)))
        return Said({name: item for name, item in value.items() if name not in ("job_id", "lines")}, tuple(value["lines"]))
    given = taken.give.load()(Giving(database(), services().embedder, job_id), filled)
    voice = voice_for(job_of(job_id), None)
    return Said(given.learnt.to_json(), tuple(voice.plain(line) for line in given.lines))


def _words(filled: BaseModel) -> Json:
    return filled.model_dump(mode="json", exclude_unset=True)


def _changes(found: Sequence[Any]) -> tuple[Change, ...]:
    return tuple(Change(change.field, change.before, change.after) for change in found)
