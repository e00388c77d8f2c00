"""`/v1/logs`: logs that may be searched, by labels and texts or by LogQL."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field, StrictFloat, StrictInt

from contracts.base import Contract
from contracts.log_questions import LogReading
from contracts.log_sources import LogResult, LogSource
from workers.errors import Conflict, SourceUnavailable
from workers.gateway.access.caller import Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import Body, Moment, StrictRoute, answered
from workers.operations import logs as operations
from workers.saying.reasons import statement_of

router = APIRouter(prefix="/v1/logs", tags=["logs"], route_class=StrictRoute)

Owner = Annotated[str | None, Field(min_length=1, max_length=200)]


class LogQuestion(Body):
    """A search of a log in its closed form, or LogQL."""

    question: str = Field(min_length=1, max_length=20_000, examples=['app=checkout level=error "timeout" last 2h'])
    owner: Owner = None
    """Who asks; for keys of scope admin. Default: the caller."""


class LogSearch(Body):
    """A query and the time that it looks at."""

    query: str = Field(min_length=1, max_length=20_000, examples=['{service="checkout"} |= "error"'])
    start: Moment
    end: Moment
    step_s: StrictFloat | StrictInt | None = Field(default=None, gt=0, le=31_622_400)
    """Seconds between two numbers. Default: one number, at the end."""
    lines: StrictInt | None = Field(default=None, ge=1, le=100_000)
    owner: Owner = None


class LogGone(Contract):
    """A log that was forgotten."""

    removed: str


@router.get("", response_model=list[LogSource])
def logs(here: Here, caller: MayRead) -> Response:
    """The logs that the caller may search, with their limits. Addresses are never shown."""
    return answered(operations.logs(here, caller))


@router.post("", status_code=201)
def add(here: Here, caller: MayAdminister, body: LogSource) -> operations.LogAdded:
    """Add a log after a look at it. Its address comes from the environment of the gateway and the workers (`BULLPEN_LOG_<NAME>_URL`)."""
    try:
        return operations.add_log(here, caller, body)
    except SourceUnavailable as error:  # the log's fault or its settings', not the gateway's
        raise Conflict.of(statement_of(error)) from None


@router.delete("/{name}")
def remove(here: Here, caller: MayAdminister, name: str) -> LogGone:
    """Forget a log. Its lines are not touched; the audit stays."""
    operations.remove_log(here, caller, name)
    return LogGone(removed=name)


@router.post("/{name}/read")
def read(here: Here, caller: MaySubmit, name: str, body: LogQuestion) -> LogReading:
    """How a search is understood: a LogQL query, a time, and what is not read or missing. Nothing is run."""
    return operations.read_logs(here, caller, name, body.question, owner=body.owner)


@router.post("/{name}/search")
def search(here: Here, caller: MaySubmit, name: str, body: LogSearch) -> LogResult:
    """Run a LogQL query, within the log's limits."""
    return operations.search_logs(
        here, caller, name, body.query, start=body.start, end=body.end, step_s=body.step_s, lines=body.lines, owner=body.owner
    )  # fmt: skip
