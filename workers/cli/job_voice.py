"""The language that a command prints a job in. A list of jobs has its own option and does not load the kinds."""

from workers.blackboard.engine import Database
from workers.cli.voice import Voice, voice_in
from workers.coordinator.job_language import job_language
from workers.kinds.registry import load_kinds
from workers.reading.jobs import Job, read_request
from workers.settings import load_settings


def voice_for(db: Database, job: Job, wanted: str | None) -> Voice:
    """The wanted language, otherwise the job's. Raises `InvalidInput` for a language that no catalogue has. Loads the kinds with their
    texts."""
    load_kinds(load_settings().extensions)
    if wanted is None:
        return Voice(job_language(job.kind, job.language, None if job.language else read_request(db, job.id)))
    return voice_in(wanted)
