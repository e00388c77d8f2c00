"""The first page: what needs a person, what runs, what ended lately, and the box to ask or submit anything."""

from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import uuid4

from fastapi import APIRouter, Form, Response

from contracts.jobs import JobStatus
from workers.app.submitting import submit
from workers.blackboard.engine import Database
from workers.console.pages import Look, Reading, SeenTag, Submitting
from workers.console.routing import HOME, PageRoute
from workers.coordinator.intake import read_submission
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.kinds.base import Kind, WrongSpec
from workers.kinds.registry import all_kinds, find_kind
from workers.kinds.shown import question_form
from workers.reading.lists import JobFilter, JobLine, list_jobs
from workers.reading.questions import read_questions

router = APIRouter(prefix=HOME, include_in_schema=False, route_class=PageRoute)

SHOWN = 6
"""Jobs of each list."""

MOST_CARRIED = 800
"""Characters of what was typed that go with an address to a form: of 8 KB, a sign takes up to nine bytes."""

WAITING, RUNNING, FAILED, DONE = (
    (JobStatus.WAITING_HUMAN,), (JobStatus.RUNNING, JobStatus.ACCEPTED), (JobStatus.FAILED,), (JobStatus.SUCCEEDED,)
)  # fmt: skip


@router.get("")
def home(here: Here, look: Reading) -> Response:
    """The page."""
    kinds = sorted((kind for kind in all_kinds() if kind.playbook.words or kind.files), key=lambda kind: (bool(kind.files), not kind.talks))
    return look.renewed("home.html", "home_now.html", kinds=kinds, last=_last_kind(here.db, look, kinds), **_lists(here.db, look))


@router.get("/home/now")
def now(here: Here, look: Reading, seen: SeenTag = "") -> Response:
    """The lists alone, as they are now; nothing where the page has them already."""
    return look.renewed("now.html", "home_now.html", seen, **_lists(here.db, look))


@router.post("/home")
def ask(here: Here, look: Submitting, text: Annotated[str, Form(max_length=20_000)] = "", kind: Annotated[str, Form()] = "") -> Response:
    """What was typed, as a job: the kinds that are talked to answer in a conversation; those that need files lead to their form."""
    known = find_kind(kind)
    if known is None or not text.strip():
        raise InvalidInput(look("console.job.empty_answer"))
    if known.files is not None:
        query = urlencode({"text": text[:MOST_CARRIED]})
        return Response(status_code=201, headers={"HX-Redirect": f"/console/new/{known.name}?{query}"})
    session, field = uuid4(), known.playbook.words
    if known.specification is not None and _is_spec(known, text):
        field = known.specification.field
    body = {"job": {field: text, "kind": kind}, "owner": look.who.owner, "engine": here.settings.engine.value}
    made = submit(here.services, read_submission({**body, **({"session_id": str(session)} if known.talks else {})}))
    return Response(status_code=201, headers={"HX-Redirect": f"/console/chat/{session}" if known.talks else f"/console/jobs/{made.job_id}"})


def _is_spec(kind: Kind, text: str) -> bool:
    """Whether a text is the file that the kind takes in the place of words, without a fault in its form."""
    if kind.specification is None:
        return False
    try:
        kind.specification.source.load()(text)
    except WrongSpec:
        return False
    return True


def _lists(db: Database, look: Look) -> dict[str, Any]:
    waiting = _jobs(db, look, WAITING)
    return {
        "waiting": [(job, _asked(db, job, look)) for job in waiting], "running": _jobs(db, look, RUNNING),
        "failed": _jobs(db, look, FAILED), "done": _jobs(db, look, DONE),
    }  # fmt: skip


def _jobs(db: Database, look: Look, states: tuple[JobStatus, ...]) -> list[JobLine]:
    """The newest jobs in these states that the caller may see."""
    found = [job for state in states for job in list_jobs(db, JobFilter(status=state, owner=look.who.only_owner), limit=SHOWN).jobs]
    return sorted(found, key=lambda job: job.id, reverse=True)[:SHOWN]


def _asked(db: Database, job: JobLine, look: Look) -> str:
    """What a job asks: the first thing to check, or the words of its question."""
    question = next((question for question in read_questions(db, job.id) if question.is_open), None)
    if question is None:
        return ""
    items = question_form(job.kind, question.payload.get("detail")).items
    return look.text(items[0].text if items else question.form.text)


def _last_kind(db: Database, look: Look, kinds: list[Kind]) -> str:
    """The kind of the caller's newest job, which the box proposes; else the first one."""
    newest = list_jobs(db, JobFilter(owner=look.who.owner), limit=1).jobs
    names = [kind.name for kind in kinds]
    return newest[0].kind if newest and newest[0].kind in names else names[0]
