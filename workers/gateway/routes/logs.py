"""`/v1/logs`: logs that may be searched, by labels and texts or by LogQL."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field, StrictFloat, StrictInt

from contracts.base import Contract
from contracts.log_questions import LogReading
from contracts.log_sources import LogResult, LogSource
from contracts.statements import name as identifier
from contracts.statements import quote, say
from workers.errors import Conflict, NotFound, SourceUnavailable
from workers.gateway.access.caller import Caller, Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import Body, Moment, StrictRoute, answered
from workers.gateway.context import Gateway
from workers.logs import Logs, Window, get_log, list_logs, remove_log
from workers.logs.adding import add_with_sample
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


class LogAdded(Contract):
    """A log that was added."""

    log: str
    labels: tuple[str, ...]


class LogGone(Contract):
    """A log that was forgotten."""

    removed: str


@router.get("", response_model=list[LogSource])
def logs(here: Here, caller: MayRead) -> Response:
    """The logs that the caller may search, with their limits. Addresses are never shown."""
    return answered([_without_other_owners(log, caller) for log in list_logs(here.db) if _sees(caller, log)])


@router.post("", status_code=201)
def add(here: Here, _: MayAdminister, body: LogSource) -> LogAdded:
    """Add a log after a look at it. Its address comes from the environment of the gateway and the workers (`BULLPEN_LOG_<NAME>_URL`)."""
    try:
        return LogAdded(log=body.name, labels=tuple(add_with_sample(here.db, here.settings.data_dir, body)))
    except SourceUnavailable as error:  # the log's fault or its settings', not the gateway's
        raise Conflict.of(statement_of(error)) from None


@router.delete("/{name}")
def remove(here: Here, _: MayAdminister, name: str) -> LogGone:
    """Forget a log. Its lines are not touched; the audit stays."""
    remove_log(here.db, name)
    return LogGone(removed=name)


@router.post("/{name}/read")
def read(here: Here, caller: MaySubmit, name: str, body: LogQuestion) -> LogReading:
    """How a search is understood: a LogQL query, a time, and what is not read or missing. Nothing is run."""
    _visible(here, caller, name)
    return Logs(here.db, here.settings.data_dir).read(name, body.question, owner=_owner(caller, body.owner), now=here.settings.now)


@router.post("/{name}/search")
def search(here: Here, caller: MaySubmit, name: str, body: LogSearch) -> LogResult:
    """Run a LogQL query, within the log's limits."""
    _visible(here, caller, name)
    window = Window(body.start, body.end, body.step_s)
    return Logs(here.db, here.settings.data_dir).search(name, body.query, window, owner=_owner(caller, body.owner), lines=body.lines)


def _owner(caller: Caller, wanted: str | None) -> str:
    return caller.only_owner or wanted or caller.owner


def _visible(here: Gateway, caller: Caller, name: str) -> None:
    if not _sees(caller, get_log(here.db, name)):
        raise NotFound.of(say("refused.no_log", log=quote(name[:80]), command=identifier("GET /v1/logs")))


def _sees(caller: Caller, log: LogSource) -> bool:
    return caller.only_owner is None or not log.owners or caller.only_owner in log.owners


def _without_other_owners(log: LogSource, caller: Caller) -> LogSource:
    """Who else may search it is not the caller's business."""
    if caller.only_owner is None or not log.owners:
        return log
    return log.model_copy(update={"owners": (caller.only_owner,)})
