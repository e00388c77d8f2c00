"""A metrics server over HTTP: a bounded time and a bounded answer, no redirects.

The API of Prometheus 2 and 3 (`/api/v1/query`, `/api/v1/query_range`), which Thanos, Mimir and VictoriaMetrics speak too.
"""

from collections.abc import Mapping
from typing import Any, cast

from contracts.base import clean_text
from contracts.log_sources import LogSeries
from contracts.sources import Lock
from contracts.statements import Name, Statement, passage, say, seconds
from contracts.wire import NotJson, read_json
from workers.engines.promql.answers import read_series
from workers.errors import SourceUnavailable, StatementFailed, StatementRefused
from workers.prometheus.addresses import MetricsAddress

_SHOWN = 300
"""Characters of a server's own words."""
_NOT_TAKEN = (400, 422)
"""Statuses of a query that is no PromQL or that fails as it is run."""


def ask(address: MetricsAddress, path: str, values: Mapping[str, str], timeout_s: float) -> list[LogSeries]:
    """The series of an answer. Raises `StatementFailed`, `StatementRefused` or `SourceUnavailable`."""
    import httpx2

    from workers.llm.bounded_http import bounded_client

    headers = {"Accept": "application/json"}
    if address.token is not None:
        headers["Authorization"] = f"Bearer {address.token}"
    if address.tenant is not None:
        headers["X-Scope-OrgID"] = address.tenant
    form = {**values, "timeout": f"{max(1, round(timeout_s * 1000))}ms"}
    try:
        with bounded_client() as client:
            answer = client.post(f"{address.url}/api/v1/{path}", data=form, headers=headers, timeout=timeout_s)
            body = answer.content
    except httpx2.TimeoutException:
        raise StatementRefused(Lock.LIMITS, say("metrics.refused.slow", limit=seconds(timeout_s))) from None
    except httpx2.RemoteProtocolError as error:
        if "too large" in str(error):
            raise StatementRefused(Lock.LIMITS, say("metrics.refused.large")) from None
        raise SourceUnavailable.of(say("metrics.refused.no_http")) from None
    except httpx2.HTTPError as error:
        raise SourceUnavailable.of(say("metrics.refused.away", reason=Name(text=type(error).__name__))) from None
    found = _object(body)
    if answer.status_code in _NOT_TAKEN and found.get("status") == "error":
        raise StatementFailed.of(say("metrics.refused.not_taken", reason=passage(_brief(found.get("error")))))
    if answer.status_code != 200:
        raise SourceUnavailable.of(_answered(answer.status_code))
    if found.get("status") != "success":
        raise SourceUnavailable.of(say("metrics.refused.no_prometheus"))
    return _series(found.get("data"))


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = read_json(body)
    except NotJson:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _answered(status: int) -> Statement:
    if status in (401, 403):
        return say("metrics.refused.denied", status=Name(text=str(status)))
    if 300 <= status < 400:
        return say("metrics.refused.redirect", status=Name(text=str(status)))
    return say("metrics.refused.status", status=Name(text=str(status)))


def _brief(words: object) -> str:
    return " ".join(clean_text(str(words)).split())[:_SHOWN]


def _series(data: Any) -> list[LogSeries]:
    try:
        return read_series(data)
    except ValueError:
        raise SourceUnavailable.of(say("metrics.refused.no_prometheus")) from None
