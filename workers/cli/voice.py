"""The language that a command prints a job in, and texts in it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from contracts.statements import Seconds, Shown, seconds, term
from workers.blackboard.engine import Database
from workers.cli.display import STATUS_STYLE, shown
from workers.coordinator.job_language import job_language
from workers.errors import InvalidInput
from workers.kinds.registry import load_kinds
from workers.reading.jobs import Job, read_request
from workers.saying import UnknownLanguage, check_language, text_of
from workers.saying.content import in_words
from workers.settings import load_settings

LanguageOption = Annotated[str | None, typer.Option("--language", help="en, zh, ...: print in this language. Default: the job's.")]


@dataclass(frozen=True, slots=True)
class Voice:
    """Texts in one language."""

    language: str

    def plain(self, text: Shown) -> str:
        """As plain text, not cleaned."""
        return text_of(text, self.language)

    def __call__(self, text: Shown) -> str:
        """To be put into markup: cleaned, and its square brackets are only brackets."""
        return shown(self.plain(text))

    def state(self, state: str) -> str:
        """The word for a state of a job, a step or a stage in its colour, as markup; a state of a newer release as it is."""
        word = self(STATES[state]) if state in STATES else shown(state)
        style = STATUS_STYLE.get(state)
        return f"[{style}]{word}[/]" if style else word

    def json(self, content: Any) -> Any:
        """JSON with everything that is said in it as text."""
        return in_words(content, self.language)


STATES = {
    "accepted": term("fleet.status.accepted"),
    "queued": term("fleet.status.queued"),
    "running": term("fleet.status.running"),
    "waiting_human": term("fleet.status.waiting_human"),
    "succeeded": term("fleet.status.succeeded"),
    "failed": term("fleet.status.failed"),
    "cancelled": term("fleet.status.cancelled"),
    "fresh": term("fleet.state.fresh"),
    "stale": term("fleet.state.stale"),
    "missing": term("fleet.state.missing"),
    "drifted": term("fleet.state.drifted"),
}
"""States of jobs, steps and stages."""


def voice_for(db: Database, job: Job, wanted: str | None) -> Voice:
    """The wanted language, else the job's. Raises `InvalidInput` for a language that no catalogue has. Makes the kinds and their
    texts known."""
    load_kinds(load_settings().extensions)
    if wanted is None:
        return Voice(job_language(job.kind, job.language, None if job.language else read_request(db, job.id)))
    try:
        return Voice(check_language(wanted))
    except UnknownLanguage as error:
        raise InvalidInput(str(error)) from None


def age(at: datetime) -> Seconds:
    """How long ago something was, in whole seconds."""
    return seconds(max(round((datetime.now(UTC) - at).total_seconds()), 1))
