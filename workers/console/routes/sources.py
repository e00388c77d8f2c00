"""The databases and files that jobs may query: what there is, what was run on them, and whether the catalogue knows them."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Response
from pydantic import ValidationError

from contracts.sources import Source
from contracts.statements import name as named
from contracts.statements import say
from workers.catalogue import Catalogue, import_source
from workers.console.pages import Administering, Reading
from workers.console.routing import PageRoute
from workers.coordinator.intake import faults
from workers.errors import InvalidInput, NotFound
from workers.gateway.access.caller import Caller, Here
from workers.operations.sources import sources as open_sources
from workers.sources import add_source, check_source, get_source, list_executions, list_policies, with_url
from workers.sources.addresses import kind_of_address

router = APIRouter(prefix="/console/sources", include_in_schema=False, route_class=PageRoute)

SHOWN = 50
SERVERS = ("postgresql", "postgres", "mysql", "mariadb")
"""Schemes of the URLs that a page takes: a path on the gateway's machine is for its own shell."""
Words = Annotated[str, Form(max_length=4_000)]
TABLES_SHOWN = 200
"""Of a source, by their names; the others are found by the search of the catalogue."""


@router.get("")
def sources(here: Here, look: Reading) -> Response:
    """Those that the caller may query."""
    return look.html("sources.html", sources=open_sources(here, look.who))


@router.post("")
def add(here: Here, look: Administering, name: Words = "", url: Words = "") -> Response:
    """Add a database server by its URL, which is a secret: it goes into the secrets file of the gateway's machine, and never into a row.
    Files and folders are added on the server."""
    if url.partition("://")[0].lower() not in SERVERS:
        raise InvalidInput(look("console.sources.only_servers"))
    with with_url(here.db, name.strip(), url.strip()):
        kind = kind_of_address(name.strip())
        try:
            wanted = Source.model_validate({"name": name.strip(), "kind": kind})
        except ValidationError as error:
            raise InvalidInput.of(faults(error)) from None
        add_source(here.db, here.settings.data_dir, wanted)
    return Response(status_code=201, headers={"HX-Redirect": f"/console/sources/{wanted.name}"})


@router.get("/{name}")
def source(here: Here, look: Reading, name: str) -> Response:
    """A source: its limits, its policies, and the last statements."""
    found = get_source(here.db, name)
    if not sees(found.owners, look.who):
        raise NotFound.of(say("refused.no_source", source=named(name[:80])))
    owner = look.who.only_owner
    runs = list_executions(here.db, source=name, owner=owner, limit=SHOWN)
    policies = list_policies(here.db, name) if owner is None else []
    catalogue = Catalogue(here.db, None)
    tables = catalogue.tables(name, owner=owner, limit=TABLES_SHOWN)
    return look.html(
        "source.html", source=found, policies=policies, runs=runs, is_known=catalogue.knows(name), tables=tables, most=TABLES_SHOWN
    )


@router.post("/{name}/check")
def check(here: Here, look: Administering, name: str) -> Response:
    """Look at the source now: whether it answers, and what its account could do."""
    found = get_source(here.db, name)
    if not sees(found.owners, look.who):
        raise NotFound.of(say("refused.no_source", source=named(name[:80])))
    checked = check_source(here.db, here.settings.data_dir, name)
    return look.html(
        "source_checked.html", tables=len(checked.schema.tables), faults=checked.faults, broken=(*checked.broken, *checked.schema.notes)
    )


@router.post("/{name}/catalogue")
def describe(here: Here, look: Administering, name: str) -> Response:
    """Let the catalogue read the source: names, types, keys, sizes, and samples of its values."""
    get_source(here.db, name)
    import_source(here.db, here.services.embedder, here.settings.data_dir, name)
    return Response(status_code=200, headers={"HX-Redirect": f"/console/catalogue?{urlencode({'text': name})}"})


def sees(owners: tuple[str, ...], who: Caller) -> bool:
    """Whether the caller may query a source of these owners; one without owners is everybody's."""
    return who.only_owner is None or not owners or who.only_owner in owners
