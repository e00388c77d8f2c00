"""`/v1/sources` and `/v1/audit`: the users' databases, who sees what of them, and what was run on them."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field, StrictBool

from contracts.base import Contract
from contracts.sources import STATEMENT_MAX, Execution, QueryResult, Source, SourcePolicy
from contracts.statements import name as identifier
from contracts.statements import quote, say
from workers.catalogue import forget_source
from workers.catalogue.adding import add_with_sample
from workers.errors import Conflict, NotFound, SourceUnavailable
from workers.gateway.access.caller import Caller, Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.context import Gateway
from workers.gateway.languages import language_of
from workers.saying import text_of
from workers.saying.reasons import statement_of
from workers.sources import (
    Checked,
    Sources,
    check_source,
    get_source,
    list_executions,
    list_policies,
    list_sources,
    remove_policy,
    remove_source,
    set_policy,
)
from workers.sources.writing import allow_writing, forbid_writing, writable_schemas

router = APIRouter(prefix="/v1", tags=["sources"], route_class=StrictRoute)


class Statement(Body):
    """A statement."""

    statement: str = Field(min_length=1, max_length=STATEMENT_MAX)
    values: dict[str, str] = {}
    """The value of each `:NAME`."""
    owner: str | None = Field(default=None, min_length=1, max_length=200)
    """Whose policies apply; for keys of scope admin. Default: the caller's."""


class Opening(Body):
    """A schema that approved scripts may write into, or not."""

    schema_: str = Field(alias="schema", min_length=1, max_length=200)
    open: StrictBool = True


class TableChecked(Contract):
    """A table of a source."""

    table: str
    view: bool
    columns: tuple[str, ...]


class SourceChecked(Contract):
    """What a look at a source found."""

    source: str
    tables: tuple[TableChecked, ...]
    faults: tuple[str, ...]
    """What its account could do besides reading."""
    broken_policies: tuple[str, ...]
    """Policies that can no longer be applied, with the reason."""
    notes: tuple[str, ...] = ()
    """Of a folder: how its files were read, and which were left out."""


class SourceGone(Contract):
    """A source that was removed."""

    source: str
    removed: bool = True
    catalogue_entries: int


class PolicyGone(Contract):
    """A policy that was removed."""

    source: str
    table: str
    owner: str
    removed: bool = True


@router.get("/sources", response_model=list[Source])
def sources(here: Here, caller: MayRead) -> Response:
    """The sources that the caller may query, with their limits. URLs are never shown."""
    return answered([_without_other_owners(source, caller) for source in list_sources(here.db) if _sees(caller, source)])


@router.post("/sources", status_code=201)
def add(here: Here, _: MayAdminister, request: Request, body: Source) -> SourceChecked:
    """Add a source. It is checked first: it must be reachable, and its account must only be able to read. Its URL comes from the
    environment of the gateway and of each worker that may open it (`BULLPEN_SOURCE_<NAME>_URL`), never from a request."""
    try:
        return _checked(body.name, add_with_sample(here.db, here.settings.data_dir, body), language_of(request))
    except SourceUnavailable as error:  # the source's fault or its settings', not the gateway's
        raise Conflict.of(statement_of(error)) from None


@router.get("/sources/{name}", response_model=Source)
def source(here: Here, caller: MayRead, name: str) -> Response:
    """One source."""
    return answered(_without_other_owners(visible(here, caller, name), caller))


@router.delete("/sources/{name}")
def remove(here: Here, _: MayAdminister, name: str) -> SourceGone:
    """Remove a source, its policies, and its entries of the catalogue. Its data is not touched, and the audit is kept."""
    remove_source(here.db, name)
    return SourceGone(source=name, catalogue_entries=forget_source(here.db, name))


@router.post("/sources/{name}/check")
def check(here: Here, _: MayAdminister, request: Request, name: str) -> SourceChecked:
    """Connect, read the schema, and check the account's rights and the policies again."""
    return _checked(name, check_source(here.db, here.settings.data_dir, name), language_of(request))


@router.post("/sources/{name}/query")
def query(here: Here, caller: MaySubmit, name: str, body: Statement) -> QueryResult:
    """Run one SELECT with the rights of an owner's job, through all five locks."""
    visible(here, caller, name)
    owner = caller.only_owner or body.owner or caller.owner
    return Sources(here.db, here.settings.data_dir).query(name, body.statement, owner=owner, values=body.values)


@router.get("/sources/{name}/writable")
def writable(here: Here, _: MayAdminister, name: str) -> list[str]:
    """The schemas into which scripts that a human has approved may write."""
    get_source(here.db, name)
    return list(writable_schemas(here.db, name))


@router.put("/sources/{name}/writable")
def set_writable(here: Here, _: MayAdminister, name: str, body: Opening) -> list[str]:
    """Open a schema of a Postgres source to approved scripts, or close it."""
    get_source(here.db, name)
    (allow_writing if body.open else forbid_writing)(here.db, name, body.schema_)
    return list(writable_schemas(here.db, name))


@router.get("/sources/{name}/policies")
def policies(here: Here, _: MayAdminister, name: str) -> list[SourcePolicy]:
    """What owners see of a source."""
    get_source(here.db, name)
    return list_policies(here.db, name)


@router.put("/sources/{name}/policies")
def policy(here: Here, _: MayAdminister, name: str, body: SourcePolicy) -> SourcePolicy:
    """Define what an owner sees of a table. It replaces this owner's policy on the table."""
    set_policy(here.db, here.settings.data_dir, name, body)
    return body


@router.delete("/sources/{name}/policies")
def drop_policy(
    here: Here,
    _: MayAdminister,
    name: str,
    table: Annotated[str, Query(min_length=1, max_length=400)],
    owner: Annotated[str, Query(min_length=1, max_length=200)],
) -> PolicyGone:
    """Remove an owner's policy on a table: the owner then sees more."""
    remove_policy(here.db, name, owner, table)
    return PolicyGone(source=name, table=table, owner=owner)


@router.get("/audit", response_model=list[Execution])
def audit(
    here: Here,
    caller: MayRead,
    source: Annotated[str | None, Query(max_length=200)] = None,
    owner: Annotated[str | None, Query(max_length=200, description="For keys of scope admin; others see their own.")] = None,
    job_id: UUID | None = None,
    refused: bool = False,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 50,
) -> Response:
    """What was run on the sources, the newest first, with the verdict of each lock."""
    whose: Any = caller.only_owner or owner
    return answered(list_executions(here.db, source=source, owner=whose, job_id=job_id, refused=refused, limit=limit))


def visible(here: Gateway, caller: Caller, name: str) -> Source:
    """A source that the caller may query. Raises `NotFound`."""
    found = get_source(here.db, name)
    if not _sees(caller, found):
        raise NotFound.of(say("refused.no_source_listed", source=quote(name[:80]), command=identifier("GET /v1/sources")))
    return found


def _sees(caller: Caller, source: Source) -> bool:
    return caller.only_owner is None or source.is_open_to(caller.only_owner)


def _without_other_owners(source: Source, caller: Caller) -> Source:
    """Who else may query it is not the caller's business."""
    if caller.only_owner is None or not source.owners:
        return source
    return source.model_copy(update={"owners": (caller.only_owner,)})


def _checked(name: str, checked: Checked, language: str) -> SourceChecked:
    tables = tuple(
        TableChecked(table=table.full_name, view=table.is_view, columns=tuple(column.name for column in table.columns))
        for table in checked.schema.tables
    )
    groups = (checked.faults, checked.broken, checked.schema.notes)
    faults, broken, notes = (tuple(text_of(says, language) for says in found) for found in groups)
    return SourceChecked(source=name, tables=tables, faults=faults, broken_policies=broken, notes=notes)
