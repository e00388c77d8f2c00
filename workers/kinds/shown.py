"""What the shells show of a job: the document that its kind makes of a result."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from contracts.base import Json
from contracts.stages import INPUT
from contracts.statements import Sayable, code, name, say
from workers.errors import Conflict, InvalidInput
from workers.kinds.about import Called, by_name, by_person, marked
from workers.kinds.base import AskedForm, FeedbackPlace, Handing, Part, ResultFile, ResultRows, ShowOptions
from workers.kinds.registry import known_kind
from workers.reading.facts import JobFacts
from workers.reading.words import STATES
from workers.saying.content import in_words
from workers.saying.document import CodeBlock, Document
from workers.settings import load_settings


def result_document(
    kind: str,
    content: Any,
    job_id: UUID,
    *,
    details: bool = False,
    has_buttons: bool = False,
    page: int | None = None,
    by_person: bool = False,
) -> Document | None:
    """The report that a kind makes of a result; None: the kind has no view, or cannot read this content. `by_person`: as in
    `ShowOptions`."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.view is None:
        return None
    options = ShowOptions(job_id=job_id, details=details, has_buttons=has_buttons, page=page, by_person=by_person)
    return known.view.result.load()(content, options)


def prepare_result(kind: str) -> None:
    """Load the code of a kind's report ahead, while its job is still being worked on."""
    known = known_kind(kind, load_settings().extensions)
    if known is not None and known.view is not None:
        known.view.result.load()


def result_rows(kind: str, content: Any) -> ResultRows | None:
    """The statement behind the rows of a result; None: it has no rows of a statement."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.view is None or known.view.rows is None:
        return None
    return known.view.rows.load()(content)


def content_of(facts: JobFacts) -> Any:
    """What a job's result holds. Raises `Conflict` where it has none yet."""
    if facts.result is None:
        raise Conflict.of(
            say(
                "refused.result_to_come",
                job=name(facts.job.id),
                state=STATES[facts.job.status],
                command=code(f"bullpen watch {facts.job.id}"),
            )
        )
    return facts.result.content


def is_by_person(facts: JobFacts) -> bool:
    """Whether a person wrote or edited the result, by the version that counts."""
    return facts.result is not None and any(stage.name == facts.result.stage for stage in by_person(facts))


def rows_of(facts: JobFacts) -> ResultRows:
    """The statement behind a job's result, to run again. Raises `Conflict` where there is none."""
    job = facts.job
    rows = result_rows(job.kind, content_of(facts))
    if rows is None:
        raise Conflict.of(say("refused.no_rows_to_write", job=name(job.id), command=code(f"bullpen export {job.id} --to FILE.html")))
    return rows


def result_parts(kind: str, content: Any, job_id: UUID) -> tuple[Part, ...]:
    """The pages that a kind makes of parts of a result."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.view is None or known.view.parts is None:
        return ()
    return known.view.parts.load()(content, ShowOptions(job_id=job_id, details=True))


def deliverable_document(kind: str, task: str | None, content: Any) -> Document | None:
    """What a task yields, as the kind shows it."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.view is None or known.view.deliverable is None or task is None:
        return None
    return known.view.deliverable.load()(task, content)


def result_files(kind: str, content: Any) -> tuple[ResultFile, ...]:
    """The files that a result holds."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.view is None or known.view.files is None:
        return ()
    return known.view.files.load()(content)


def question_standing(kind: str, detail: Any) -> Sayable | None:
    """A line of the kind beside a question: how far the work is while it asks."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.view is None or known.view.question is None:
        return None
    return known.view.question.load()(detail)


def question_form(kind: str, detail: Any) -> AskedForm:
    """A question as a form; empty where the kind has none for it."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.view is None or known.view.form is None or not isinstance(detail, dict):
        return AskedForm()
    return known.view.form.load()(detail) or AskedForm()  # pyright: ignore[reportUnknownArgumentType] JSON has no static type


def suggestions_of(kind: str, content: Any) -> tuple[Sayable, ...]:
    """What the user may say after a result."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.view is None or known.view.suggestions is None:
        return ()
    return known.view.suggestions.load()(content)


def feedback_places(kind: str, content: Any, given: Json | None) -> tuple[FeedbackPlace, ...]:
    """What can be rated in a result where it is shown. `given`: what the last feedback event says."""
    known = known_kind(kind, load_settings().extensions)
    if known is None or known.feedback is None or known.feedback.places is None:
        return ()
    return known.feedback.places.load()(content, given)


def report_of(
    facts: JobFacts, language: str, *, details: bool = False, has_buttons: bool = False, page: int | None = None, called: Called = by_name
) -> Document:
    """The result as a document, for any kind, with a mark where a person wrote or edited it or what it rests on. `has_buttons`: as in
    `ShowOptions`; `called`: what the mark calls a stage. Raises `Conflict` when the job has none, and `InvalidInput` when it has no such
    page."""
    job = facts.job
    if facts.result is None:
        raise Conflict.of(say("refused.no_result", job=name(job.id), state=STATES[job.status], command=code(f"bullpen watch {job.id}")))
    content = facts.result.content
    if page is not None and ((paged := result_rows(job.kind, content)) is None or not paged.statement):
        raise InvalidInput.of(say("refused.no_pages", job=name(job.id)))
    report = result_document(job.kind, content, job.id, details=details, has_buttons=has_buttons, page=page, by_person=is_by_person(facts))
    if report is None:  # a kind without a view
        text = json.dumps(in_words(content, language), ensure_ascii=False, indent=2)
        report = Document(title=name(job.kind), blocks=(CodeBlock(text=text, language="json"),))
    return marked(report, facts, called)


def handover_of(facts: JobFacts, content: Callable[[str], Json]) -> Document:
    """The page that a kind makes to hand the job over. `content`: what a stage holds. Raises `InvalidInput` where the kind has none."""
    job = facts.job
    own = [question for question in facts.questions if not question.by_boss and isinstance(question.payload.get("detail"), dict)]
    waiting = next((question.payload["detail"] for question in own if question.is_open), None)
    filled = {stage.name for stage in facts.stages if stage.fresh}
    handing = Handing(
        job_id=job.id,
        request=content(INPUT),
        answered=tuple((question.payload["detail"], question.answer or "") for question in own if question.state == "answered"),
        open=waiting,
        result=None if facts.result is None else facts.result.content,
        stage=lambda stage: content(stage) if stage in filled else None,
        by_person=is_by_person(facts),
    )
    known = known_kind(job.kind, load_settings().extensions)
    made = None if known is None or known.view is None or known.view.handover is None else known.view.handover.load()(handing)
    if made is None:
        raise InvalidInput.of(say("refused.no_handover", job=name(job.id), kind=name(job.kind), command=code(f"bullpen show {job.id}")))
    return marked(made, facts)
