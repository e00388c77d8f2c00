"""A submission that was read becomes a job: durable first, then the coordinator gets a message, and the producer an answer."""

from dataclasses import dataclass
from uuid import UUID

from contracts.events import SubmissionAccepted
from contracts.jobs import EngineChoice, SubmitJob
from contracts.roles import RoleName
from workers.app.reply_addresses import read_address
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.coordinator.intake import accept
from workers.kinds.registry import find_kind
from workers.settings import Settings


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a submission."""

    job_id: UUID
    existing: bool
    """Its idempotency key had this job already."""
    broker_answers: bool
    """False: the broker is away; the job is durable and starts within seconds of its return."""


def submit(services: ProcessServices, submission: SubmitJob) -> Submitted:
    """Take the submission. Raises `InvalidInput`, `NotFound` (its session), `Conflict` and `Unavailable`; then there is no job."""
    known = services.settings
    if submission.reply_to:
        read_address(known, submission.reply_to)
    require_own_files(services.database, submission)
    accepted = accept(
        services.database,
        submission,
        owner_cap=known.owner_cap,
        chooser=chooser_for(known, submission.engine),
        has_model=submission.engine == EngineChoice.LLM and services.may_have_model(),
    )
    sent = accepted.existing or services.publisher.advance(accepted.job_id, submission.priority)
    if not accepted.existing:
        services.notifier.changed(accepted.job_id)
    if submission.reply_to:
        from workers.app.answers import keep_answer  # reads results and questions too, which no new job has

        answer = SubmissionAccepted(job_id=accepted.job_id, correlation_id=submission.correlation_id, existing=accepted.existing)
        keep_answer(services, submission.reply_to, answer, job_id=accepted.job_id)
    return Submitted(accepted.job_id, accepted.existing, sent)


def require_own_files(db: Database, submission: SubmitJob) -> None:
    """Raise `NotFound` where the submission names an upload that its owner did not bring."""
    kind = find_kind(str(submission.job.get("kind")))
    named = None if kind is None or kind.files is None else submission.job.get(kind.files)
    if isinstance(named, str):
        from workers.bundles import require_own

        require_own(db, named, submission.owner)


def chooser_for(settings: Settings, engine: EngineChoice) -> RoleName | None:
    """Who finds the stage of an instruction in a job with this engine: the classifier, when it may ask a model for it; else the
    human does."""
    used = settings.engine if engine == EngineChoice.AUTO else engine
    asks_a_model = used != EngineChoice.RULES and settings.model_of(RoleName.CLASSIFIER) is not None
    return RoleName.CLASSIFIER if asks_a_model else None
