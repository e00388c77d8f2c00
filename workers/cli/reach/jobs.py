"""Jobs as commands read them, and new ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from contracts.base import Json
from contracts.jobs import FINISHED, EngineChoice, JobStatus
from contracts.stages import INPUT
from contracts.statements import Sayable, read_stored
from workers.cli.context import database, services_for
from workers.cli.reach.doing import do
from workers.cli.reach.remote import gateway, ours
from workers.reading.events import EVENTS_AT_ONCE, EventFacts, EventTail, Gap, JobState, read_events
from workers.reading.jobs import Job, read_job, read_request
from workers.reading.questions import QuestionFacts, read_questions
from workers.reading.steps import Progress, read_steps

if TYPE_CHECKING:
    from workers.app.explaining import Explained
    from workers.reading.facts import JobFacts


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job that is durable now."""

    job_id: UUID
    existing: bool
    """Its idempotency key had this job already."""
    broker_answers: bool
    """False: the broker is away; the job starts within seconds of its return."""


def job_of(job_id: UUID) -> Job:
    """A job's row. Raises `NotFound`."""
    return read_job(database(), job_id) if gateway() is None else _facts(job_id).job


def questions_of(job_id: UUID) -> tuple[QuestionFacts, ...]:
    """Every question of a job, oldest first."""
    return read_questions(database(), job_id) if gateway() is None else _facts(job_id).questions


def _facts(job_id: UUID) -> "JobFacts":
    from workers.operations.jobs import job as facts  # loads what reads each part of a job

    return do(facts, job_id)


def request_of(job_id: UUID) -> Json | None:
    """What the job was asked."""
    if gateway() is None:
        return read_request(database(), job_id)
    from workers.operations.jobs import deliverable

    return do(deliverable, job_id, INPUT).content


def progress_of(job_id: UUID, status: JobStatus) -> Progress:
    """The steps of a job, with its status; `status`: what is known of it already."""
    if gateway() is not None:
        from workers.operations.jobs import steps

        return do(steps, job_id)
    return Progress(status, read_steps(database(), job_id))


def summaries_of(job: Job) -> dict[UUID, Sayable]:
    """What each step of a job said when it ended, by its id, for readers of any language. Empty over a gateway, which does not send it."""
    if gateway() is not None:
        return {}
    tail = read_events(database(), job.id, max(0, job.rev - EVENTS_AT_ONCE))
    return {event.step_id: read_stored(event.detail["says"]) for event in tail.events if event.step_id and event.detail.get("says")}


def why(job_id: UUID, stage: str | None, language: str | None) -> "Explained":
    """What a job waits for, and what would help."""
    from workers.app.explaining import explained, explained_from

    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        call = jobs.why(job_id, stage=stage, language=language)
        return explained_from(job_of(job_id), away.value(replace(call, params={**call.params, "in_text": False})))
    return explained(services_for(job_of(job_id).kind), job_id, stage, language=language)


def submit(value: Json) -> NewJob:
    """Make a job of a submission; `owner` and `engine` may be None. Raises `InvalidInput`, naming each wrong field."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        away.check_owner(value.pop("owner"))
        made = away.send(jobs.submit(value.pop("job"), **value))
        return NewJob(made.job_id, made.existing, made.broker_answers)
    from workers.app.submitting import submit as submit_here
    from workers.coordinator.intake import read_submission

    value["owner"] = value["owner"] or "default"
    here = services_for(str(value["job"].get("kind")))
    value["engine"] = value["engine"] or EngineChoice.AUTO.value  # the default is that of the workers
    submitted = submit_here(here, read_submission(value))
    return NewJob(submitted.job_id, submitted.existing, submitted.broker_answers)


def tails(
    job_id: UUID, *, after: int, until_question: bool, on_lost: Callable[[str], None], on_live: Callable[[Json], None] | None = None
) -> Iterator[EventTail]:
    """What happens to a job after a revision, until nothing more will happen without a human; with `until_question` until it asks.
    `on_live` hears of words and calls of its steps as they come."""
    if gateway() is not None:
        yield from _streamed(job_id, after, until_question, on_lost, on_live)
        return
    from workers.reading.follow import follow

    found = follow(database(), job_id, after=after, on_lost=lambda error: on_lost(str(error)), on_live=on_live)
    for tail in found:
        yield tail
        if not tail.more and tail.state.has_ended(until_question=until_question):
            found.close()
            return


def _streamed(
    job_id: UUID, after: int, until_question: bool, on_lost: Callable[[str], None], on_live: Callable[[Json], None] | None
) -> Iterator[EventTail]:
    """The tail that the gateway streams, an event each."""
    away, state = gateway(), _state(job_of(job_id))
    if away is None or (state.status in FINISHED and after >= state.rev):
        return
    until = "any_question" if until_question else "question"
    seen = after
    with ours():
        hears = on_live is not None
        for event in away.client.events(job_id, after=after, until=until, live=hears, on_lost=lambda error: on_lost(str(error))):
            match event.kind:
                case "end":
                    yield EventTail(replace(state, status=JobStatus(event.data["status"])), (), None, more=False)
                case "gap":
                    yield EventTail(state, (), Gap.from_json(event.data), more=True)
                case "answer_delta" | "call":
                    if on_live is not None:
                        on_live({"kind": event.kind, **event.data})
                case "snapshot":
                    seen = event.rev or seen
                case _:
                    found = EventFacts.from_json(event.data)
                    seen = found.rev
                    state = replace(state, rev=seen, status=_status(found.detail) or state.status)
                    yield EventTail(state, (found,), None, more=True)


def _state(job: Job) -> JobState:
    return JobState(job.id, job.kind, job.status, job.rev, job.decided_rev, job.error, job.admitted, waiting=False)


def _status(detail: dict[str, Any]) -> JobStatus | None:
    """The status that a decision gave the job."""
    found = detail.get("status")
    return JobStatus(found) if found in tuple(JobStatus) else None
