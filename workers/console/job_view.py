"""A job's page in sections. Each is made from the same facts that every shell shows, and can be sent again when the job changed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from markupsafe import Markup

from contracts.base import Json
from contracts.events import EventKind
from contracts.statements import Sayable, Shown, passage
from workers.blackboard.engine import Database
from workers.bundles.manifest import REF_PREFIX
from workers.console.forks import differences
from workers.console.hints import hint
from workers.console.pages import Look
from workers.console.rating import NOT_RATED, Rated, rated_of
from workers.console.stage_labels import in_plain_words
from workers.console.tabs import tabs_of
from workers.console.timeline import timeline_of
from workers.coordinator.choices import choice_words
from workers.coordinator.playbooks import find_playbook
from workers.errors import BullpenError
from workers.kinds.base import AskedForm
from workers.kinds.registry import find_kind
from workers.kinds.shown import question_form, question_standing, report_of, result_document, result_rows, suggestions_of
from workers.reading.calls import read_call_counts
from workers.reading.events import EventFacts, read_events
from workers.reading.facts import JobFacts, read_job_facts
from workers.reading.jobs import read_request
from workers.reading.lists import files_of
from workers.reading.questions import QuestionFacts
from workers.reading.results import read_earlier_results
from workers.reading.waiting import explain
from workers.reading.words import event_statement
from workers.saying.document import anchors_in

SECTIONS = ("head", "progress", "result", "dialogue", "stages", "activity")
"""The parts of a job's page: its name and state, what is at work, the answer, what was said, the stages, and what happened."""

EVENTS_SHOWN = 200
_AT_WORK = ("running", "queued")

_NO_FORM = AskedForm()


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said in the dialogue of a job."""

    at: datetime
    who: str
    """`user` or a stage."""
    text: Shown
    question: QuestionFacts | None = None
    form: AskedForm = _NO_FORM
    standing: Sayable | None = None
    choices: tuple[tuple[str, str], ...] = ()
    """Values and labels of the buttons."""
    runnable: tuple[int, ...] = ()
    """The items whose method can be run by a click, by their numbers."""
    taken: UUID | None = None
    """The question that this answers, where the answer can be taken back."""
    is_used: bool = False
    """The job went on from it already: what came after is done again."""


@dataclass(frozen=True, slots=True)
class JobView:
    """A job at one revision, as this reader sees it."""

    rev: int
    name: str
    """What the user asked for or, without words, the names of the files; empty where neither is known."""
    sections: dict[str, str]
    at_work: frozenset[str] = frozenset()
    """The ids of the steps that wait for a worker or have one."""


def view_job(db: Database, job_id: UUID, look: Look, *, owner_cap: int) -> JobView:
    """All sections of a job's page. Raises `NotFound`."""
    facts = read_job_facts(db, job_id)
    values: dict[str, Any] = {
        "facts": facts, "job": facts.job, "request": read_request(db, job_id) or {}, "kind": find_kind(facts.job.kind), "may": look.who.may
    }  # fmt: skip
    about = _words(facts.job.kind, values["request"])
    name = about or files_of(db, job_id)
    values |= {"about": about, "name": name}
    facts, is_remade = _with_result(db, facts)
    lines = timeline_of(facts, read_call_counts(db, job_id))
    tasks = {line.stage.name: line.stage.task for line in lines}

    def label(stage: str) -> str:
        return look.stage(stage, tasks.get(stage))

    def plain(statement: Sayable) -> Sayable:
        return in_plain_words(statement, label, look.role)

    report, rated = _rated(facts, look, is_remade=is_remade)
    by_person = tuple(line.stage for line in lines if line.by_person)
    made = {
        "head": {
            "by_person": by_person, "differences": differences(db, facts),
            "faults": tuple(look.text(plain(fault)) for fault in (facts.job.error, facts.plan_fault) if fault),
        },
        "progress": {"at_work": tuple(line for line in lines if line.state in _AT_WORK)},
        "result": {
            "report": report, "rated": rated,
            "tabs": _tabs(facts, look), "suggestions": _suggestions(facts, look), "is_remade": is_remade,
            "has_rows": facts.result is not None and result_rows(facts.job.kind, facts.result.content) is not None,
        },
        "dialogue": {"turns": tuple(_turns(db, facts, about, look)), "tasks": tasks},
        "stages": {"lines": lines},
        "activity": {
            "tasks": tasks, **_happened(db, facts, look, label), **_why(db, facts, look, owner_cap, plain),
        },
    }  # fmt: skip
    sections = {section: look.render(f"job/{section}.html", **values, **made[section]) for section in SECTIONS}
    return JobView(facts.job.rev, name, sections, frozenset(str(step.id) for step in facts.steps if step.is_live))


def question_choices(question: QuestionFacts, look: Look) -> tuple[tuple[str, str], ...]:
    """Each choice as the text of an answer, and as the reader sees it."""
    words = choice_words()
    found: list[tuple[str, str]] = []
    for choice in question.form.choices:
        own = words.get(choice) if isinstance(choice, str) else None
        found.append((look.text(choice), look.text(own) if own is not None else look.text(choice)))
    return tuple(found)


def _words(kind: str, request: Json) -> str:
    """What the user asked for, in their words; empty where the request only names stored files."""
    try:
        field = find_playbook(kind).words
    except BullpenError:  # a kind that this release does not know
        field = ""
    others = (value for value in request.values() if isinstance(value, str) and len(value) > 20 and not value.startswith(REF_PREFIX))
    return str(request.get(field) or request.get("title") or next(others, ""))


def _with_result(db: Database, facts: JobFacts) -> tuple[JobFacts, bool]:
    """The facts with a result to show: a job that is done again keeps its earlier one on the page until the new one is there. And whether
    that is so."""
    again = any(request.kind == "replay" for request in facts.requests) or any(stage.origin == "human" for stage in facts.stages[1:])
    if facts.result is not None or not again:
        return facts, False
    try:
        stage = find_playbook(facts.job.kind).result
    except BullpenError:  # a kind that this release does not know
        return facts, False
    for found in read_earlier_results(db, facts.job.id, stage):
        if result_document(facts.job.kind, found.content, facts.job.id) is not None:
            return replace(facts, result=found), True
    return facts, False


def _turns(db: Database, facts: JobFacts, about: str, look: Look) -> Iterator[Turn]:
    """The request, every question with its answer, and what the user said without being asked, in the order in which it was said."""
    turns = [Turn(facts.job.created_at, "user", about)] if about else []
    for question in facts.questions:
        if question.state == "void":
            continue
        detail = question.payload.get("detail")
        form = question_form(facts.job.kind, detail) if question.is_open else _NO_FORM
        standing = question_standing(facts.job.kind, detail) if question.is_open else None
        turns.append(
            Turn(
                question.created_at,
                question.asker,
                question.form.text,
                question,
                form,
                standing,
                question_choices(question, look),
                _runnable(db, facts, detail) if form.items else (),
            )
        )
        if question.answer is not None:
            at = question.answered_at or question.created_at
            is_used = facts.job.is_finished or any((step.started_at or at) > at for step in facts.steps)
            turns.append(
                Turn(at, "user", question.answer, taken=None if question.by_boss else question.request_id, is_used=is_used)
            )  # fmt: skip
    turns += [
        Turn(request.created_at, "user", str(request.payload["text"]))
        for request in facts.requests
        if request.asker == "operator" and request.kind == "remark" and request.payload.get("text")
    ]
    yield from sorted(turns, key=lambda turn: turn.at)


def _runnable(db: Database, facts: JobFacts, detail: Any) -> tuple[int, ...]:
    kind = find_kind(facts.job.kind)
    return () if kind is None or kind.runnable is None else kind.runnable.load()(db, facts.job.id, detail)


def _rated(facts: JobFacts, look: Look, *, is_remade: bool) -> tuple[Markup | None, Rated]:
    """The report with what rates its parts, and what rates the rest."""
    if facts.result is None:
        return None, NOT_RATED
    document = report_of(facts, look.language, has_buttons=True, called=look.called)
    rated = NOT_RATED if is_remade else rated_of(facts, look, frozenset(anchors_in(document.blocks)))
    return look.document(document, whole=f"/console/jobs/{facts.job.id}/whole", behind=rated.behind), rated


def _tabs(facts: JobFacts, look: Look) -> tuple[tuple[str, str, str], ...]:
    return () if facts.result is None else tabs_of(facts, facts.result.content, look)


def _suggestions(facts: JobFacts, look: Look) -> tuple[str, ...]:
    if facts.result is None or facts.job.session_id is None:
        return ()
    return tuple(look.text(text) for text in suggestions_of(facts.job.kind, facts.result.content))


def _why(db: Database, facts: JobFacts, look: Look, owner_cap: int, plain: Callable[[Sayable], Sayable]) -> dict[str, Any]:
    found = explain(db, facts.job.id)
    hints = tuple(look.rich(plain(hint(wait, owner_cap))) for wait in found.waits)
    return {"reasons": tuple((stage, look.rich(plain(why))) for stage, why in found.reasons.items()), "hints": hints}


def _happened(db: Database, facts: JobFacts, look: Look, label: Callable[[str], str]) -> dict[str, list[tuple[EventFacts, Markup]]]:
    """The last events, the newest first; the coordinator's decisions have a list of their own."""
    tail = read_events(db, facts.job.id, max(0, facts.job.rev - EVENTS_SHOWN))
    lines = [(event, look.rich(event_statement(event, lambda stage: passage(label(stage))))) for event in reversed(tail.events)]
    return {
        "events": [line for line in lines if line[0].kind != EventKind.JOB_DECIDED],
        "decisions": [line for line in lines if line[0].kind == EventKind.JOB_DECIDED],
    }
