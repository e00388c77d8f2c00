"""`/v1/sources` and `/v1/audit`: the users' databases, who sees what of them, and what was run on them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field, StrictBool

from contracts.base import Contract
from contracts.sources import STATEMENT_MAX, Execution, QueryResult, Source, SourcePolicy
from workers.errors import Conflict, SourceUnavailable
from workers.gateway.access.caller import Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.languages import language_of
from workers.operations import sources as operations
from workers.saying import text_of
from workers.saying.reasons import statement_of

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


class PolicyGone(Contract):
    """A policy that was removed."""

    source: str
    table: str
    owner: str
    removed: bool = True


@router.get("/sources", response_model=list[Source])
def sources(here: Here, caller: MayRead) -> Response:
    """The sources that the caller may query, with their limits. URLs are never shown."""
    return answered(operations.sources(here, caller))


@router.post("/sources", status_code=201)
def add(here: Here, caller: MayAdminister, request: Request, body: Source) -> SourceChecked:
    """Add a source. It is checked first: it must be reachable, and its account must only be able to read. Its URL comes from the
    environment of the gateway and of each worker that may open it (`BULLPEN_SOURCE_<NAME>_URL`), never from a request."""
    try:
        return _checked(body.name, operations.add_source(here, caller, body), language_of(request))
    except SourceUnavailable as error:  # the source's fault or its settings', not the gateway's
        raise Conflict.of(statement_of(error)) from None


@router.get("/sources/{name}", response_model=Source)
def source(here: Here, caller: MayRead, name: str) -> Response:
    """One source."""
    return answered(operations.source(here, caller, name))


@router.delete("/sources/{name}")
def remove(here: Here, caller: MayAdminister, name: str) -> operations.SourceGone:
    """Remove a source, its policies, and its entries of the catalogue. Its data is not touched, and the audit is kept."""
    return operations.remove_source(here, caller, name)


@router.post("/sources/{name}/check")
def check(here: Here, caller: MayAdminister, request: Request, name: str) -> SourceChecked:
    """Connect, read the schema, and check the account's rights and the policies again."""
    return _checked(name, operations.check_source(here, caller, name), language_of(request))


@router.post("/sources/{name}/query")
def query(here: Here, caller: MaySubmit, name: str, body: Statement) -> QueryResult:
    """Run one SELECT with the rights of an owner's job, through all five locks."""
    return operations.query(here, caller, name, body.statement, values=body.values, owner=body.owner)


@router.get("/sources/{name}/writable")
def writable(here: Here, caller: MayAdminister, name: str) -> list[str]:
    """The schemas into which scripts that a human has approved may write."""
    return operations.writable(here, caller, name)


@router.put("/sources/{name}/writable")
def set_writable(here: Here, caller: MayAdminister, name: str, body: Opening) -> list[str]:
    """Open a schema of a Postgres source to approved scripts, or close it."""
    return operations.set_writable(here, caller, name, body.schema_, is_open=body.open)


@router.get("/sources/{name}/policies")
def policies(here: Here, caller: MayAdminister, name: str) -> list[SourcePolicy]:
    """What owners see of a source."""
    return operations.policies(here, caller, name)


@router.put("/sources/{name}/policies")
def policy(here: Here, caller: MayAdminister, name: str, body: SourcePolicy) -> SourcePolicy:
    """Define what an owner sees of a table. It replaces this owner's policy on the table."""
    return operations.set_policy(here, caller, name, body)


@router.delete("/sources/{name}/policies")
def drop_policy(
    here: Here,
    caller: MayAdminister,
    name: str,
    table: Annotated[str, Query(min_length=1, max_length=400)],
    owner: Annotated[str, Query(min_length=1, max_length=200)],
) -> PolicyGone:
    """Remove an owner's policy on a table: the owner then sees more."""
    operations.remove_policy(here, caller, name, owner, table)
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
    return answered(operations.audit(here, caller, source=source, owner=owner, job_id=job_id, refused=refused, limit=limit))


def _checked(name: str, seen: operations.Look, language: str) -> SourceChecked:
    """What a look found, in words."""
    tables = tuple(TableChecked(table=table.table, view=table.view, columns=table.columns) for table in seen.tables)
    groups = (seen.faults, seen.broken_policies, seen.notes)
    faults, broken, notes = (tuple(text_of(says, language) for says in found) for found in groups)
    return SourceChecked(source=name, tables=tables, faults=faults, broken_policies=broken, notes=notes)
