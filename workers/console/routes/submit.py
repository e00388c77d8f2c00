"""A new job: the kinds to choose from, and a form made of the contract of a kind's request."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Response

from contracts.jobs import EngineChoice
from contracts.statements import name as named
from contracts.statements import say
from workers.app.submitting import submit
from workers.console.fields import Field, fields_of, input_of, read_fields
from workers.console.filled import Filled, texts_of
from workers.console.pages import Look, Submitting
from workers.console.routes.sources import sees
from workers.console.routing import PageRoute
from workers.coordinator.intake import read_submission
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.kinds.base import Kind
from workers.kinds.registry import all_kinds, find_kind
from workers.sources import list_sources

router = APIRouter(prefix="/console/new", include_in_schema=False, route_class=PageRoute)


SOURCE = "source"
"""The field of requests that names a source; those that the caller may query are offered."""


@router.get("")
def kinds(look: Submitting) -> Response:
    """The kinds of jobs."""
    return look.html("new.html", kinds=all_kinds())


@router.get("/{kind}")
def new_job(here: Here, look: Submitting, kind: str, text: str = "") -> Response:
    """The form of a kind."""
    known = _kind(kind)
    words = known.playbook.words
    fields = form_of(known, look, {words: text} if words and text else {})
    names = tuple(source.name for source in list_sources(here.db) if sees(source.owners, look.who))
    fields = [replace(field, suggested=names) if field.name == SOURCE else field for field in fields]
    return look.html(
        "new_job.html", kind=known, main=[field for field in fields if _is_main(field, known)],
        more=[field for field in fields if not _is_main(field, known)], engines=[choice.value for choice in EngineChoice],
    )  # fmt: skip


@router.post("/{kind}")
def submit_job(here: Here, look: Submitting, kind: str, form: Filled) -> Response:
    """Make the job."""
    known = _kind(kind)
    texts = texts_of(form)
    request: dict[str, Any] = {**read_fields(form_of(known, look), texts), "kind": kind}
    if known.files is not None:
        reference = str(texts.get(input_of(known.files)) or "").strip()
        if not reference:
            raise InvalidInput(look("console.new.no_files"))
        request[known.files] = reference
    priority = str(texts.get("_priority") or 5)
    submission = read_submission(
        {
            "job": request, "owner": look.who.owner, "engine": texts.get("_engine") or here.settings.engine.value,
            "priority": int(priority) if priority.isdecimal() else priority, "idempotency_key": texts.get("_once") or None,
        }
    )  # fmt: skip
    made = submit(here.services, submission)
    return Response(status_code=201, headers={"HX-Redirect": f"/console/jobs/{made.job_id}"})


def form_of(kind: Kind, look: Look, values: dict[str, Any] | None = None) -> list[Field]:
    """The inputs of a kind's request; its words come first, although they have no description, and its files are an upload."""
    skipped = () if kind.files is None else (kind.files,)
    words = kind.playbook.words
    fields = fields_of(kind.request, look, leave_out=skipped, words=words, values=values)
    return sorted(fields, key=lambda field: not (field.required or field.name == words))


def _is_main(field: Field, kind: Kind) -> bool:
    return field.required or field.name in (kind.playbook.words, SOURCE)


def _kind(name: str) -> Kind:
    known = find_kind(name)
    if known is None:
        raise InvalidInput.of(say("refused.no_kind", kind=named(name[:80])))
    return known
