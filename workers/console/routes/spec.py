"""The editor of a specification: filled from a requirement, from tables or from a job, checked while it is written, submitted as a job."""

from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Query, Response

from contracts.base import Json
from contracts.jobs import EngineChoice
from contracts.sources import Source
from contracts.statements import name as named
from contracts.statements import say
from contracts.tables import TableDetail
from workers.app.submitting import submit
from workers.catalogue import Catalogue
from workers.console.fields import Field, fields_of, read_fields
from workers.console.filled import Filled, texts_of
from workers.console.pages import Look, Submitting
from workers.console.routes.sources import sees
from workers.console.routing import PageRoute
from workers.coordinator.intake import read_submission
from workers.engines.sql.trees import dialect_of
from workers.errors import InvalidInput, NotFound
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.kinds.base import Kind, SpecFault, Specification, WrongSpec
from workers.kinds.registry import all_kinds
from workers.reading.deliverables import read_current
from workers.reading.facts import read_job_facts
from workers.reading.jobs import read_request
from workers.sources import list_sources

router = APIRouter(prefix="/console/spec", include_in_schema=False, route_class=PageRoute)

MOST_TABLES = 300
"""Tables that are offered to make a specification from."""
MOST_TEXT = 200_000
Text = Annotated[str, Form(max_length=MOST_TEXT)]
Short = Annotated[str, Form(max_length=300)]


@dataclass(frozen=True, slots=True)
class _Form:
    """The kind that takes specifications, and what it does with them."""

    kind: Kind
    spec: Specification

    def fields(self, look: Look, values: dict[str, Any] | None = None) -> list[Field]:
        """The inputs of its request beside the specification and the user's words."""
        leave_out = (self.spec.field, self.kind.playbook.words, "source")
        return fields_of(self.kind.request, look, leave_out=leave_out, values=values)


@router.get("")
def editor(
    here: Here, look: Submitting, job: UUID | None = None, source: Annotated[str, Query(max_length=100)] = "",
    text: Annotated[str, Query(max_length=20_000)] = "",
) -> Response:  # fmt: skip
    """The page: empty, or with the specification of a job. `text`: a specification or a requirement that was typed elsewhere."""
    form, sources = _form(), _sources(here, look)
    request: dict[str, Any] = {}
    if job is not None:
        request, source, text = _of_job(here, look, form, job)
    chosen = next((item.name for item in sources if item.name == source), sources[0].name if sources else "")
    fields = form.fields(look, {**request, form.spec.field: None})
    return look.html(
        "spec.html", sources=[item.name for item in sources], source=chosen, tables=_tables(here, look, chosen), text=text, job=job,
        kind=form.kind, fields=fields, engines=[choice.value for choice in EngineChoice], most=MOST_TEXT,
    )  # fmt: skip


@router.get("/tables")
def tables(here: Here, look: Submitting, source: Annotated[str, Query(max_length=100)] = "") -> Response:
    """The tables of a source, to make a specification from."""
    return look.html("spec_tables.html", tables=_tables(here, look, source))


@router.post("/fill")
def fill(here: Here, look: Submitting, form: Filled) -> Response:
    """A specification to edit: from the requirement's words, or from the tables that were chosen."""
    filled = texts_of(form)
    made, target = _form(), str(filled.get("target") or "").strip()[:200]
    requirement = str(filled.get("requirement") or "").strip()
    chosen = [str(value) for value in form.getlist("table")][:MOST_TABLES]
    if not (target or requirement or chosen):
        raise InvalidInput(look("console.spec.fill_what"))
    source = _source(here, look, str(filled.get("source") or ""))
    text = made.spec.draft.load()(
        Catalogue(here.db, here.services.embedder), source, target, requirement, look.who.owner, chosen
    )  # fmt: skip
    return look.html("spec_text.html", text=text, most=MOST_TEXT)


@router.post("/check")
def check(here: Here, look: Submitting, text: Text = "", source: Short = "") -> Response:
    """What is wrong in the text, each with its place."""
    if not text.strip():
        return look.html("spec_faults.html", faults=(), is_empty=True)
    return look.html("spec_faults.html", faults=_faults(here, look, _form(), text, source), is_empty=False)


@router.post("")
def submit_spec(here: Here, look: Submitting, form: Filled) -> Response:
    """Make the job of a specification that has no fault; else say what is wrong."""
    filled, made = texts_of(form), _form()
    text, source = str(filled.get("text") or ""), str(filled.get("source") or "")
    faults = _faults(here, look, made, text, source)
    if faults:
        response = look.html("spec_faults.html", faults=faults, is_empty=False)
        response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#faults", "innerHTML"
        return response
    request: dict[str, Any] = {**read_fields(made.fields(look), filled), "kind": made.kind.name, made.spec.field: text}
    named_source = made.spec.source.load()(text) or source
    if named_source:
        request["source"] = named_source
    submission = read_submission(
        {"job": request, "owner": look.who.owner, "engine": filled.get("_engine") or here.settings.engine.value}
    )  # fmt: skip
    return Response(status_code=201, headers={"HX-Redirect": f"/console/jobs/{submit(here.services, submission).job_id}"})


def _form() -> _Form:
    return next(_Form(kind, kind.specification) for kind in all_kinds() if kind.specification is not None)


def _faults(here: Gateway, look: Look, form: _Form, text: str, source: str) -> tuple[SpecFault, ...]:
    """What `bullpen spec check` finds, by its places."""
    try:
        name, dialect = _source(here, look, form.spec.source.load()(text) or source)
        form.spec.read.load()(text, name, dialect, Catalogue(here.db, None).tables(name, owner=look.who.owner))
    except WrongSpec as wrong:
        return tuple(sorted(wrong.faults, key=lambda fault: (fault.line, fault.column)))
    return ()


def _of_job(here: Gateway, look: Look, form: _Form, job_id: UUID) -> tuple[dict[str, Any], str, str]:
    """The request of a job, its source, and its specification."""
    job = look.who.job(here.db, job_id)
    if job.kind != form.kind.name:
        raise NotFound.of(say("console.refused.no_part"))
    request = read_request(here.db, job_id) or {}
    stage = next((seen.name for seen in read_job_facts(here.db, job_id).stages if seen.task == form.spec.task), None)
    content = None if stage is None else _content(here, job_id, stage)
    wanted = str((content or {}).get("source") or request.get("source") or "")
    name, dialect = _source(here, look, wanted)
    found = Catalogue(here.db, None).tables(name, owner=look.who.owner)
    return request, name, form.spec.again.load()(request, content, (name, dialect), found)


def _content(here: Gateway, job_id: UUID, stage: str) -> Json | None:
    try:
        return read_current(here.db, job_id, stage).content
    except NotFound:  # it has not been read yet
        return None


def _sources(here: Gateway, look: Look) -> list[Source]:
    return [source for source in list_sources(here.db) if sees(source.owners, look.who)]


def _source(here: Gateway, look: Look, wanted: str) -> tuple[str, str]:
    """Name and dialect of the source: the one that is named, or the only one. Raises `InvalidInput`."""
    visible = {source.name: source for source in _sources(here, look)}
    name = wanted or (next(iter(visible)) if len(visible) == 1 else "")
    if name not in visible:
        raise InvalidInput.of(say("console.spec.no_source", source=named(wanted[:80] or "-")))
    kind = visible[name].kind.value
    return name, dialect_of(kind) or kind


def _tables(here: Gateway, look: Look, source: str) -> tuple[TableDetail, ...]:
    if source not in {item.name for item in _sources(here, look)}:
        return ()
    return Catalogue(here.db, None).tables(source, owner=look.who.only_owner, limit=MOST_TABLES)
