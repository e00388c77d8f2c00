"""The language that a job is read in. Its kind says it where nobody asks for another one, and brings the texts."""

from collections.abc import Callable

from contracts.base import Json
from contracts.statements import names, quote, say
from workers.blackboard.engine import Database
from workers.coordinator.job_language import job_language
from workers.errors import InvalidInput
from workers.kinds.registry import known_kind
from workers.reading.jobs import Job, read_request
from workers.saying import INSTALLED, UnknownLanguage, check_language
from workers.settings import load_settings


def language_for(db: Database, job: Job, wanted: str | None) -> str:
    """The wanted language, otherwise the job's. Raises `InvalidInput` for a language that no catalogue has. Loads the kind with its
    texts."""
    return language_of(job, wanted, lambda: read_request(db, job.id))


def language_of(job: Job, wanted: str | None, request: Callable[[], Json | None]) -> str:
    """See `language_for`; `request` reads the job's request where its language has to be found from it."""
    known_kind(job.kind, load_settings().extensions)
    if wanted is None:
        return job_language(job.kind, job.language, None if job.language else request())
    try:
        return check_language(wanted)
    except UnknownLanguage:
        raise InvalidInput.of(say("refused.no_language", wanted=quote(wanted), languages=names(INSTALLED.languages()))) from None
