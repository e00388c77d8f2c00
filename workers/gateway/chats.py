"""A conversation of a chat client as jobs of a session: what the last message is to it, and what is said back."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

from pydantic import ValidationError

from contracts.base import Json, clean_text, content_hash
from contracts.jobs import JobStatus, SubmitJob
from contracts.reports import Usage, refused_in
from contracts.sessions import MessageKind
from contracts.statements import as_value, name, names, quote, say
from workers.app.job_pages import page_of
from workers.app.submitting import submit
from workers.blackboard.live import ANSWER_DELTA
from workers.coordinator.playbooks import find_playbook
from workers.errors import InvalidInput, NotFound, Unavailable
from workers.gateway.access.caller import Caller
from workers.gateway.context import Gateway
from workers.gateway.feed import POLL_S
from workers.kinds.base import Kind
from workers.kinds.languages import language_for
from workers.kinds.registry import all_kinds
from workers.kinds.shown import report_of
from workers.operations.sessions import say as send
from workers.reading.events import EventFacts, read_events
from workers.reading.facts import JobFacts, read_job_facts
from workers.reading.jobs import read_job
from workers.reading.questions import QuestionFacts
from workers.saying import text_of
from workers.saying.markdown import to_markdown

PREFIX = "bullpen/"

_BEGUN: LiteralString = """
SELECT j.session_id FROM jobs j JOIN deliverables i ON i.job_id = j.id AND i.stage = 'input' AND i.version = 1
 WHERE j.owner = %(owner)s AND j.kind = %(kind)s AND j.created_at > now() - interval '30 days'
   AND i.content->>%(words)s = %(text)s ORDER BY j.id DESC LIMIT 1
"""


_AT_WORK: LiteralString = """
SELECT j.id, j.session_id, j.human_rev FROM jobs j JOIN deliverables i ON i.job_id = j.id AND i.stage = 'input' AND i.version = 1
 WHERE j.owner = %(owner)s AND j.finished_at IS NULL AND (j.status <> 'waiting_human' OR j.rev <> j.decided_rev)
   AND (%(session_id)s::uuid IS NULL OR j.session_id = %(session_id)s)
   AND CASE WHEN j.human_rev = 1 THEN i.content_hash = %(content_hash)s
            ELSE %(session_id)s::uuid IS NOT NULL AND %(text)s = (
              SELECT coalesce(r.response, r.payload)->>'text' FROM requests r
               WHERE r.job_id = j.id AND (r.target = 'human' AND r.response IS NOT NULL OR r.asker = 'operator' AND r.kind = 'remark')
               ORDER BY coalesce(r.answered_at, r.created_at) DESC, r.id DESC LIMIT 1) END
 ORDER BY j.id DESC LIMIT 1
"""
"""The job that works on these very words, the last that a person said to it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The job that a message went to, and the revision before it."""

    job_id: UUID
    session_id: UUID | None
    after: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said back, as Markdown."""

    text: str
    usage: Usage


def chat_kinds() -> list[Kind]:
    """The kinds of jobs that begin with words, those that users hold conversations with first."""
    return sorted((kind for kind in all_kinds() if kind.playbook.words), key=lambda kind: (not kind.talks, kind.name))


def kind_called(model: str) -> Kind:
    """The kind behind a model's name. Raises `NotFound`, naming the models."""
    found = next((kind for kind in chat_kinds() if model in (kind.name, PREFIX + kind.name)), None)
    if found is None:
        raise NotFound.of(say("refused.no_chat_model", model=quote(model[:80]), models=names(PREFIX + kind.name for kind in chat_kinds())))
    return found


def take_message(here: Gateway, caller: Caller, kind: Kind, texts: list[str], session_id: UUID | None, *, is_first: bool) -> Turn:
    """Take the last of the user's texts: to the conversation that it belongs to, or as the first message of a new one.

    Chat clients send the whole conversation each time, and no name of it. It is the newest session of this owner that began with the same
    words, unless the client names one. They also send a message again by themselves when its answer is long in coming: the job that is at
    work on it goes on.
    """
    text = texts[-1]
    if not text.strip():
        raise InvalidInput.of(say("refused.empty_words"))
    if session_id is None and not is_first:
        session_id = _begun(here, caller, kind, texts[0])
    if (again := _at_work(here, caller, kind, clean_text(text), session_id)) is not None:
        return again
    if session_id is None:
        request: Json = {"kind": kind.name, kind.playbook.words: text}
        submission: Json = {"job": request, "owner": caller.owner, "engine": here.settings.engine.value}
        made = submit(here.services, SubmitJob.model_validate(submission))
        return Turn(made.job_id, read_job(here.db, made.job_id).session_id, 0)
    taken = send(here, caller, session_id, text, kind=kind.name)
    if taken.job_id is None:
        raise InvalidInput.of(say("refused.chat_command", command=name("/compress"), program=name("bullpen chat")))
    after = 0 if taken.kind is MessageKind.JOB else max(read_job(here.db, taken.job_id).rev - 1, 0)
    return Turn(taken.job_id, session_id, after)


def _begun(here: Gateway, caller: Caller, kind: Kind, first: str) -> UUID | None:
    words = find_playbook(kind.name).words
    values = {"owner": caller.owner, "kind": kind.name, "words": words, "text": clean_text(first)}
    row = here.db.row(_BEGUN, values)
    return None if row is None else row["session_id"]


def _at_work(here: Gateway, caller: Caller, kind: Kind, text: str, session_id: UUID | None) -> Turn | None:
    try:
        begun = content_hash(kind.playbook.read_request({"kind": kind.name, kind.playbook.words: text}))
    except ValidationError:
        begun = None  # words that begin no job may still be said to one
    row = here.db.row(_AT_WORK, {"owner": caller.owner, "session_id": session_id, "content_hash": begun, "text": text})
    return None if row is None else Turn(row["id"], row["session_id"], row["human_rev"] - 1)


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened to a job since the last look."""

    events: tuple[EventFacts, ...] = ()
    words: str = ""
    """Words of an answer, while a model writes them: nobody has checked them yet."""


async def happenings(here: Gateway, caller: Caller, turn: Turn) -> AsyncGenerator[Happening]:
    """What happens to the job, until it has ended or asks; empty while nothing does. Raises `Unavailable` when the gateway or the key ends
    before."""
    after = turn.after
    with here.feed.subscribed(turn.job_id, after, caller.key.id, live=True) as subscription:
        while not subscription.is_over:
            tail = await asyncio.to_thread(read_events, here.db, turn.job_id, after)
            yield Happening(tail.events)
            after = tail.last_rev
            if tail.more:
                continue
            if tail.state.has_ended():
                return
            batches = await subscription.wait(POLL_S)
            while words := words_of(subscription.take_live()):
                yield Happening(words=words)
                if batches or subscription.is_behind:
                    break
                batches = await subscription.wait(POLL_S)
            subscription.is_behind = False
    raise Unavailable.of(say("refused.gateway_ends"))


def words_of(messages: Sequence[Json]) -> str:
    """The words in it; an answer that starts over begins a line."""
    return "".join(("\n" if item.get("first") else "") + str(item["text"]) for item in messages if item["kind"] == ANSWER_DELTA)


def progress_of(event: EventFacts) -> str:
    """A line about an event, or nothing."""
    summary: Any = event.detail.get("summary")
    if event.stage is None or not isinstance(summary, str) or not summary:
        return ""
    return f"{event.stage}: {summary}\n"


def reply_of(here: Gateway, job_id: UUID) -> Reply:
    """What a job that stopped says: its question, its result, or why it ended."""
    facts = read_job_facts(here.db, job_id)
    language = language_for(here.db, facts.job, None)
    usage = Usage() if facts.costs is None else facts.costs.total
    asked = [question for question in facts.questions if question.is_open]
    text = "\n\n".join(_asked(question, language) for question in asked) if asked else _ended(facts, language)
    page = page_of(here.settings, job_id)
    if page is not None:
        text = f"{text.rstrip()}\n\n{text_of(say('fleet.letter.page', page=name(page)), language)}"
    return Reply(text, usage)


def _asked(question: QuestionFacts, language: str) -> str:
    form = question.form
    lines = [text_of(form.text, language), *(f"- {text_of(choice, language)}" for choice in form.choices)]
    if form.guidance is not None:
        lines.append(f"\n{text_of(form.guidance, language)}")
    return "\n".join(lines)


def _ended(facts: JobFacts, language: str) -> str:
    if facts.result is not None:
        return to_markdown(report_of(facts, language), language)
    if facts.job.status is JobStatus.FAILED and facts.job.error:
        return text_of(refused_in(facts.job.error) or say("fleet.job.failed", error=as_value(facts.job.error)), language)
    return f"Job {facts.job.id}: {facts.job.status}. {text_of(facts.job.error or '', language)}".strip()
