"""The language that a command prints a job in. A list of jobs has its own option and does not load the kinds."""

from workers.cli.languages import language_asked
from workers.cli.reach.jobs import request_of
from workers.cli.voice import Voice
from workers.kinds.languages import language_of
from workers.reading.jobs import Job


def voice_for(job: Job, wanted: str | None) -> Voice:
    """The wanted language, else that of BULLPEN_LANGUAGE, otherwise the job's. Raises `InvalidInput` for a wanted language that no
    catalogue has. Loads the kinds with their texts."""
    return Voice(language_of(job, wanted or language_asked(), lambda: request_of(job.id)))
