"""What the shells show of a job: the document that its kind makes of a result, and the language it is read in."""

import json
from typing import Any
from uuid import UUID

from contracts.statements import Sayable, name
from workers.blackboard.engine import Database
from workers.coordinator.job_language import job_language
from workers.errors import Conflict, InvalidInput
from workers.kinds.base import ResultRows, ShowOptions
from workers.kinds.registry import find_kind, load_kinds
from workers.reading.facts import JobFacts
from workers.reading.jobs import Job, read_request
from workers.saying import UnknownLanguage, check_language
from workers.saying.content import in_words
from workers.saying.document import CodeBlock, Document
from workers.settings import load_settings


def language_for(db: Database, job: Job, wanted: str | None) -> str:
    """The wanted language, otherwise the job's. Raises `InvalidInput` for a language that no catalogue has. Loads the kinds with their
    texts."""
    load_kinds(load_settings().extensions)
    if wanted is None:
        return job_language(job.kind, job.language, None if job.language else read_request(db, job.id))
    try:
        return check_language(wanted)
    except UnknownLanguage as error:
        raise InvalidInput(str(error)) from None


def result_document(kind: str, content: Any, job_id: UUID, *, details: bool = False, page: int | None = None) -> Document | None:
    """The report that a kind makes of a result; None: the kind has no view, or cannot read this content."""
    load_kinds(load_settings().extensions)
    known = find_kind(kind)
    if known is None or known.view is None:
        return None
    return known.view.result.load()(content, ShowOptions(job_id=job_id, details=details, page=page))


def result_rows(kind: str, content: Any) -> ResultRows | None:
    """The statement behind the rows of a result; None: it has no rows of a statement."""
    load_kinds(load_settings().extensions)
    known = find_kind(kind)
    if known is None or known.view is None or known.view.rows is None:
        return None
    return known.view.rows.load()(content)


def question_standing(kind: str, detail: Any) -> Sayable | None:
    """A line of the kind beside a question: how far the work is while it asks."""
    load_kinds(load_settings().extensions)
    known = find_kind(kind)
    if known is None or known.view is None or known.view.question is None:
        return None
    return known.view.question.load()(detail)


def report_of(facts: JobFacts, language: str, *, details: bool = False, page: int | None = None) -> Document:
    """The result as a document, for any kind. Raises `Conflict` when the job has none, and `InvalidInput` when it has no such page."""
    job = facts.job
    if facts.result is None:
        raise Conflict(f"Job {job.id} is {job.status} and has no result to print. Follow it: bullpen watch {job.id}")
    content = facts.result.content
    if page is not None and result_rows(job.kind, content) is None:
        raise InvalidInput(f"The result of job {job.id} holds no rows, so it has no pages.")
    report = result_document(job.kind, content, job.id, details=details, page=page)
    if report is None:  # a kind without a view
        text = json.dumps(in_words(content, language), ensure_ascii=False, indent=2)
        report = Document(title=name(job.kind), blocks=(CodeBlock(text=text, language="json"),))
    return report
