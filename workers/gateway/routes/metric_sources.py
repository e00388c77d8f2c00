"""`/v1/metrics`: metrics servers that may be queried by PromQL."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field, StrictFloat, StrictInt

from contracts.base import Contract
from contracts.metric_sources import MetricsResult, MetricsSource
from workers.errors import Conflict, SourceUnavailable
from workers.gateway.access.caller import Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import Body, Moment, StrictRoute, answered
from workers.operations import metrics as operations
from workers.saying.reasons import statement_of

router = APIRouter(prefix="/v1/metrics", tags=["metrics"], route_class=StrictRoute)


class MetricsQuery(Body):
    """A query and its moments."""

    query: str = Field(min_length=1, max_length=20_000, examples=["rate(node_cpu_seconds_total[5m])"])
    end: Moment
    start: Moment | None = None
    """Default: one number a series, at the end."""
    step_s: StrictFloat | StrictInt = Field(default=60, gt=0, le=31_622_400)
    """Seconds between two numbers."""
    owner: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    """Who asks; for keys of scope admin. Default: the caller."""


class MetricsGone(Contract):
    """A server that was forgotten."""

    removed: str


@router.get("", response_model=list[MetricsSource])
def metrics(here: Here, caller: MayRead) -> Response:
    """The metrics servers that the caller may query, with their limits. Addresses are never shown."""
    return answered(operations.metrics(here, caller))


@router.post("", status_code=201)
def add(here: Here, caller: MayAdminister, body: MetricsSource) -> MetricsSource:
    """Add a server after a look at it. Its address comes from the environment of the gateway and the workers
    (`BULLPEN_METRICS_<NAME>_URL`)."""
    try:
        return operations.add_metrics(here, caller, body)
    except SourceUnavailable as error:  # the server's fault or its settings', not the gateway's
        raise Conflict.of(statement_of(error)) from None


@router.delete("/{server}")
def remove(here: Here, caller: MayAdminister, server: str) -> MetricsGone:
    """Forget a server. The audit stays."""
    operations.remove_metrics(here, caller, server)
    return MetricsGone(removed=server)


@router.post("/{server}/query")
def query(here: Here, caller: MaySubmit, server: str, body: MetricsQuery) -> MetricsResult:
    """Run a PromQL query, within the server's limits."""
    return operations.query_metrics(
        here, caller, server, body.query, end=body.end, start=body.start, step_s=float(body.step_s), owner=body.owner
    )  # fmt: skip
