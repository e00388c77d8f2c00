"""`/v1/tickets`, `/v1/catalogue`, `/v1/skills`: what the fleet knows, as far as the caller may see it."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field, StrictBool

from contracts.base import Contract, Json
from contracts.catalogue import LineageEdge, NodeKind
from contracts.pointers import POINTER_CAP, AnyPointer
from contracts.statements import name as identifier
from contracts.statements import quote, say
from contracts.tables import TableDetail
from contracts.tickets import ImportReport, Ticket
from workers.errors import NotFound
from workers.gateway.access.caller import Here, MayAdminister, MayRead
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.languages import language_of
from workers.kinds.skills_shown import judged, problem_json, skill_json
from workers.operations import catalogue
from workers.operations import tickets as history
from workers.saying.content import in_words
from workers.skills import load_skills
from workers.skills.folders import skill_folders
from workers.tickets.search import TicketHit

router = APIRouter(prefix="/v1", route_class=StrictRoute)

MOST_WORDS = 5_000
"""Characters of a search. A request line has at most 64 KB, and a character is up to twelve bytes of it."""
Words = Annotated[str, Query(alias="q", min_length=1, max_length=MOST_WORDS, description="What is looked for, in any words.")]
Name = Annotated[str, Query(min_length=1, max_length=1_000)]
Owner = Annotated[str | None, Query(max_length=200, description="As whom to look, for keys of scope admin; others see their own.")]


class TicketRows(Body):
    """Tickets as rows, as `bullpen tickets import` reads them."""

    tickets: list[dict[str, Any]] = Field(min_length=1, max_length=5_000)
    strict: StrictBool = False
    """Import nothing if any row has a problem."""


class Gone(Contract):
    """What was deleted."""

    deleted: str


@router.get("/tickets", tags=["tickets"], response_model=list[TicketHit])
def search_solved(here: Here, caller: MayRead, q: Words, limit: Annotated[int, Query(ge=1, le=200)] = 10) -> Response:
    """Solved incidents whose symptoms are nearest to a text. Every owner sees the same history."""
    return answered(history.tickets(here, caller, q, limit=limit))


@router.post("/tickets", tags=["tickets"])
def bring_tickets(request: Request, here: Here, caller: MayAdminister, body: TicketRows) -> ImportReport:
    """Import tickets: new ones are added, changed ones (same ticket_id) replaced. Rows with a problem are reported."""
    report = history.import_tickets(here, caller, body.tickets, strict=body.strict)
    return ImportReport.model_validate(in_words(report.to_json(), language_of(request)))


@router.get("/tickets/{ticket_id:path}", tags=["tickets"])
def ticket(here: Here, caller: MayRead, ticket_id: str) -> Ticket:
    """A ticket as it was imported."""
    return history.ticket(here, caller, ticket_id)


@router.delete("/tickets/{ticket_id:path}", tags=["tickets"])
def remove_ticket(here: Here, caller: MayAdminister, ticket_id: str) -> Gone:
    """Delete a ticket, and the phenomena and cause that no other ticket has."""
    history.delete_ticket(here, caller, ticket_id)
    return Gone(deleted=ticket_id)


@router.get("/catalogue", tags=["catalogue"], response_model=list[AnyPointer])
def search_catalogue(
    here: Here,
    caller: MayRead,
    q: Words,
    source: Annotated[str | None, Query(max_length=200)] = None,
    kind: Annotated[list[NodeKind] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=POINTER_CAP)] = 10,
    owner: Owner = None,
) -> Response:
    """Tables, columns, values, queries, metrics and documents that bear on a question, as far as the caller may see them."""
    return answered(catalogue.catalogue(here, caller, q, source=source, kinds=kind, limit=limit, owner=owner))


@router.get("/catalogue/tables", tags=["catalogue"], response_model=list[TableDetail])
def catalogue_tables(here: Here, caller: MayRead, source: Name, owner: Owner = None) -> Response:
    """All tables of a source."""
    return answered(catalogue.catalogue_tables(here, caller, source, owner=owner))


@router.get("/catalogue/table", tags=["catalogue"], response_model=catalogue.TableSeen)
def catalogue_table(here: Here, caller: MayRead, source: Name, name: Name, owner: Owner = None) -> Response:
    """A table with its columns, keys, values and joins."""
    return answered(catalogue.catalogue_table(here, caller, source, name, owner=owner))


@router.get("/catalogue/lineage", tags=["catalogue"], response_model=list[LineageEdge])
def catalogue_lineage(
    here: Here, caller: MayRead, source: Name, name: Name, depth: Annotated[int, Query(ge=1, le=20)] = 5, owner: Owner = None
) -> Response:
    """What a table, or a column (`TABLE.COLUMN`), is computed from, and what is computed from it."""
    return answered(catalogue.lineage(here, caller, source, name, depth=depth, owner=owner))


@router.get("/catalogue/entry", tags=["catalogue"], response_model=dict[str, Any])
def catalogue_entry(here: Here, caller: MayRead, place: Name, owner: Owner = None) -> Response:
    """A section of a document, a term or a query, by its place as a search gives it."""
    return answered(catalogue.catalogue_entry(here, caller, place, owner=owner))


@router.get("/skills", tags=["skills"], response_model=dict[str, Any])
def skills(here: Here, _caller: MayRead, language: Annotated[str, Query(max_length=35)] = "en") -> Json:
    """The skills of this machine, with what kinds of jobs take from them, and what is wrong with them."""
    library = load_skills(skill_folders(here.settings))
    usable, held, problems = judged(library)
    packs = [_without_paths(skill_json(skill, held.get(skill.name, {}))) for skill in usable]
    return {"packs": packs, "problems": [problem_json(problem, language) for problem in problems]}


@router.get("/skills/{name}", tags=["skills"], response_model=dict[str, Any])
def skill(here: Here, _caller: MayRead, name: str) -> Json:
    """A skill with its instructions."""
    library = load_skills(skill_folders(here.settings))
    found = library.get(name)
    if found is None:
        raise NotFound.of(say("refused.no_skill_listed", skill=quote(name[:80]), command=identifier("GET /v1/skills")))
    held = judged(library)[1]
    return {**_without_paths(skill_json(found, held.get(found.name, {}))), "body": found.body}


def _without_paths(pack: Json) -> Json:
    return {name: value for name, value in pack.items() if name not in ("file", "folder")}
