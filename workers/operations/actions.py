"""What is said to a job: answers, instructions, edits, replays, feedback. Each is kept first; then the boss looks at the job."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

from pydantic import ValidationError

from contracts.base import Contract, Json
from contracts.checks import MethodRun
from contracts.statements import name as identifier
from contracts.statements import names, say
from workers.coordinator import actions
from workers.coordinator import replay as replays
from workers.coordinator.edits import Change
from workers.coordinator.intake import faults
from workers.errors import InvalidInput, NotFound
from workers.kinds.registry import load_kinds
from workers.operations.base import Asker, Here, operation, own_job
from workers.reading.jobs import Job, read_job
from workers.reading.steps import read_step


class Taken(Contract):
    """The request that was answered or made."""

    job_id: UUID
    request_id: UUID
    changed: bool = True
    """False: the same was said before."""


class AnswersTaken(Contract):
    """Answers that no longer count, the newest first. The question of the first is open again."""

    job_id: UUID
    request_id: UUID
    taken_back: tuple[str, ...]
    has_feedback: bool
    """Feedback was given on the result before: what it stored stays, until it is given again."""


class Changed(Contract):
    """A value that an edit changes."""

    field: str
    before: Any
    after: Any


class Again(Contract):
    """A stage that is done again."""

    stage: str
    request_id: UUID | None = None
    changes: tuple[Changed, ...] = ()


class Replayed(Contract):
    """What is done again."""

    job_id: UUID
    dry_run: bool
    stages: tuple[Again, ...]


class Revised(Contract):
    """What became of your version."""

    job_id: UUID
    stage: str
    version: int | None
    """None: a dry run."""
    changes: tuple[Changed, ...]
    again: tuple[str, ...]
    """Stages that are done again because of it."""


class Forked(Contract):
    """The copy."""

    job_id: UUID | None
    """None: a dry run."""
    forked_from: UUID
    stage: str
    changes: tuple[Changed, ...]


class Ended(Contract):
    """What became of a cancellation."""

    job_id: UUID
    cancelled: bool
    """False: the job had ended before."""
    status: str


class Unpinned(Contract):
    """The stage whose version the rules choose again."""

    job_id: UUID
    stage: str


@operation("jobs.answer")
def answer(here: Here, asker: Asker, job_id: UUID, words: str, *, request_id: UUID | None = None) -> Taken:
    """Answer a question. The first answer counts: the same again changes nothing, another one raises `AlreadyAnswered`."""
    _job(here, asker, job_id)
    open_before = {row["id"] for row in actions.open_questions(here.db, job_id)}
    question = actions.answer(here.db, job_id, words, request_id=request_id)
    here.go_on(job_id)
    return Taken(job_id=job_id, request_id=question, changed=question in open_before)


@operation("jobs.run_item")
def run_item(here: Here, asker: Asker, job_id: UUID, item: int, *, request_id: UUID | None = None) -> MethodRun:
    """Run the method of an item of a question on the system that the job has looked at, read-only; its rows. It answers nothing."""
    from workers.checks.gathering import Looking
    from workers.kinds.running import run_item as run_here

    known = _job(here, asker, job_id)
    looking = Looking(here.db, here.settings.data_dir, known.owner, job_id)
    return run_here(looking, known.kind, request_id, item, by=asker.name)


@operation("jobs.take_back")
def take_back(here: Here, asker: Asker, job_id: UUID, *, request_id: UUID | None = None) -> AnswersTaken:
    """Take back the last answer; or that to `request_id` and all later ones. Raises `Conflict` when there is none."""
    from workers.coordinator.taking_back import take_back as take_back_here
    from workers.reading.facts import read_feedback

    _job(here, asker, job_id)
    taken = take_back_here(here.db, job_id, request_id=request_id)
    here.go_on(job_id)
    return AnswersTaken(
        job_id=job_id, request_id=taken[-1].request_id, taken_back=tuple(each.text for each in taken),
        has_feedback=read_feedback(here.db, job_id) is not None,
    )  # fmt: skip


@operation("jobs.instruct")
def instruct(here: Here, asker: Asker, job_id: UUID, words: str, *, stage: str | None = None, idempotency_key: str | None = None) -> Taken:
    """Give a running job an instruction. The same `idempotency_key` gives it once."""
    _job(here, asker, job_id)
    if not words.strip():
        raise InvalidInput.of(say("refused.empty_instruction"))
    wanted = None if idempotency_key is None else uuid5(job_id, f"{asker.owner}\n{idempotency_key}")
    request, changed = actions.instruct(here.db, job_id, words, stage=stage, request_id=wanted)
    here.go_on(job_id)
    return Taken(job_id=job_id, request_id=request, changed=changed)


@operation("jobs.replay")
def replay(
    here: Here, asker: Asker, job_id: UUID, *, stage: str | None = None, step_id: UUID | None = None, edit: Json | None = None,
    from_call: int | None = None, dry_run: bool = False,
) -> Replayed:  # fmt: skip
    """Do a stage or a step again, even if its inputs are unchanged; or, when neither is named, what failed. With `from_call` the step goes
    on from this model call, and `edit` is its prompt. A finished job goes on."""
    known = _job(here, asker, job_id)
    wanted = stage if step_id is None else _stage_of(here, job_id, step_id, stage)
    if from_call is not None:
        if step_id is None or dry_run:
            raise InvalidInput.of(say("refused.call.step"))
        if asker.only_owner not in (None, known.owner):
            raise NotFound.of(say("refused.call.owner", job=identifier(job_id)))
        done = [replays.replay_step(here.db, step_id, from_call=replays.FromCall.read(step_id, from_call, edit))]
    elif wanted is None:
        if edit or dry_run:
            raise InvalidInput.of(
                say("refused.name_stage", fields=names(("edit", "dry_run")), stage=identifier("stage"), step=identifier("step_id"))
            )
        done = replays.replay_job(here.db, job_id)
    elif dry_run:
        plan = replays.plan_edit(here.db, job_id, wanted, edit)
        return Replayed(job_id=job_id, dry_run=True, stages=(Again(stage=wanted, changes=_changes(plan.changes)),))
    elif step_id is not None:
        done = [replays.replay_step(here.db, step_id, edit=edit)]
    else:
        done = [replays.replay_stage(here.db, job_id, wanted, edit=edit)]
    here.go_on(job_id)
    stages = tuple(Again(stage=item.stage, request_id=item.request_id, changes=_changes(item.changes)) for item in done)
    return Replayed(job_id=job_id, dry_run=False, stages=stages)


def _stage_of(here: Here, job_id: UUID, step_id: UUID, stage: str | None) -> str:
    """The stage of a step of this job. Raises `NotFound`, and `InvalidInput` where a stage is named too."""
    if stage is not None:
        raise InvalidInput.of(say("refused.stage_or_step", stage=identifier("stage"), step=identifier("step_id")))
    step = read_step(here.db, step_id)
    if step is None or step.job_id != job_id:
        raise NotFound.of(say("refused.no_step", step=identifier(step_id), command=identifier(f"GET /v1/jobs/{job_id}")))
    return step.stage


@operation("jobs.revise")
def revise(here: Here, asker: Asker, job_id: UUID, stage: str, content: Json, *, dry_run: bool = False) -> Revised:
    """Replace what a stage yields by your own version; the stages that need it are done again. Raises `InvalidInput`, naming each wrong
    field; then nothing is written."""
    _job(here, asker, job_id)
    edit, below = actions.plan_revision(here.db, job_id, stage, content)
    version = None
    if not dry_run:
        version = actions.revise(here.db, job_id, stage, content)
        here.go_on(job_id)
    return Revised(job_id=job_id, stage=stage, version=version, changes=_changes(edit.changes), again=below)


@operation("jobs.unpin")
def unpin(here: Here, asker: Asker, job_id: UUID, stage: str) -> Unpinned:
    """Let the rules choose the current version of a stage again."""
    _job(here, asker, job_id)
    actions.unpin(here.db, job_id, stage)
    here.go_on(job_id)
    return Unpinned(job_id=job_id, stage=stage)


@operation("jobs.fork")
def fork(here: Here, asker: Asker, job_id: UUID, stage: str, *, edit: Json | None = None, dry_run: bool = False) -> Forked:
    """Copy a job; the copy does one stage, and what is below it, again."""
    _job(here, asker, job_id)
    plan = replays.plan_edit(here.db, job_id, stage, edit, fork=True)
    copy = None
    if not dry_run:
        copy = replays.fork(here.db, job_id, stage, edit=edit)
        here.go_on(copy)
    return Forked(job_id=copy, forked_from=job_id, stage=stage, changes=_changes(plan.changes))


@operation("jobs.cancel")
def cancel(here: Here, asker: Asker, job_id: UUID) -> Ended:
    """End a job with its running steps and open questions."""
    _job(here, asker, job_id)
    ended = actions.cancel(here.db, job_id)
    here.go_on(job_id)
    return Ended(job_id=job_id, cancelled=ended, status=read_job(here.db, job_id).status)


@operation("jobs.feedback")
def feedback(here: Here, asker: Asker, job_id: UUID, words: Mapping[str, Any], *, preview: bool = False) -> Json:
    """Let the job's kind learn from these words; `lines` says what. With `preview` nothing is stored, and
    `lines` says what would be, where the kind can say it. Raises `InvalidInput`, naming each wrong field."""
    from workers.kinds.base import Giving
    from workers.kinds.languages import language_for
    from workers.kinds.registry import find_kind
    from workers.saying import text_of

    known = _job(here, asker, job_id)
    kind = find_kind(known.kind)
    if kind is None or kind.feedback is None:
        raise InvalidInput.of(say("refused.no_feedback", kind=identifier(known.kind)))
    try:
        filled = kind.feedback.form.load().model_validate(words)
    except ValidationError as error:
        raise InvalidInput.of(faults(error)) from None
    giving = Giving(here.db, here.embedder, job_id, here.settings.data_dir)
    language = language_for(here.db, known, asker.language)
    if preview:
        lines = () if kind.feedback.preview is None else kind.feedback.preview.load()(giving, filled)
        return {"job_id": str(job_id), "stored": False, "lines": [text_of(line, language) for line in lines]}
    given = kind.feedback.give.load()(giving, filled)
    return {"job_id": str(job_id), **given.learnt.to_json(), "lines": [text_of(line, language) for line in given.lines]}


def _job(here: Here, asker: Asker, job_id: UUID) -> Job:
    """A job that the asker may see; its kind is registered from now on, since the boss looks at it. Raises `NotFound`."""
    load_kinds(here.settings.extensions)
    return own_job(here, asker, job_id)


def _changes(changes: Sequence[Change]) -> tuple[Changed, ...]:
    return tuple(Changed(field=change.field, before=change.before, after=change.after) for change in changes)
