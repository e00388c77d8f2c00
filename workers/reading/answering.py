"""The command that answers a question."""

from uuid import UUID

from workers.reading.questions import QuestionFacts
from workers.saying import text_of


def answer_command(job_id: UUID, question: QuestionFacts, language: str, *, several: bool) -> str:
    """For a terminal; `several`: other questions of the job are open too, so that this one has to be named."""
    example = text_of(question.form.choices[0], language) if question.form.choices else "..."
    named = f" --request {_short(question.request_id)}" if several else ""
    return f'bullpen answer {_short(job_id)} "{example}"{named}'


def _short(value: UUID) -> str:
    """The end of an id, which every command accepts."""
    return str(value).rpartition("-")[2]
