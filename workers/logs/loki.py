"""A Loki server over HTTP: a bounded time and a bounded answer, no redirects."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, cast

from contracts.base import clean_text
from contracts.log_questions import LogVocabulary
from contracts.log_sources import LogLimits, LogLine, LogSeries
from contracts.logs import LogQuery, Matcher, MatchOp
from contracts.sources import Lock
from contracts.statements import Name, Statement, passage, say, seconds
from contracts.wire import NotJson, read_json
from workers.engines.logql import LogEntry, print_logql
from workers.engines.logql.pushing import up_to
from workers.engines.logql.vocabulary import APPLICATIONS, VALUES_MAX, learn_vocabulary
from workers.engines.promql.answers import read_series, texts
from workers.errors import SourceUnavailable, StatementFailed, StatementRefused
from workers.logs.addresses import LokiAddress
from workers.logs.backends import Answer, Ask

LABELS_MAX = 40
"""Labels whose values are asked for. A server with more has them from machines."""

SAMPLE_LINES = 1_000
_SAMPLE_TIME = timedelta(hours=6)
_BODY_BYTES_SHOWN = 300


class Loki:
    """See `workers.logs.backends.Backend`."""

    def __init__(self, address: Callable[[], LokiAddress], limits: LogLimits) -> None:
        self._address = address
        self._limits = limits

    def label_names(self) -> tuple[str, ...]:
        """What `/labels` says."""
        data = self._get("labels", {}, 10.0)
        return tuple(str(name) for name in cast("list[Any]", data) if not str(name).startswith("__")) if isinstance(data, list) else ()

    def vocabulary(self, until: datetime) -> LogVocabulary:
        """The labels with their values, and the fields of the newest lines."""
        window = {"start": _ns(until - _SAMPLE_TIME), "end": _ns(until)}
        values: dict[str, tuple[str, ...]] = {}
        deadline = monotonic() + self._limits.timeout_s
        for label in self.label_names()[:LABELS_MAX]:
            if monotonic() > deadline:
                break
            data = self._get(f"label/{label}/values", window, 10.0)
            known = [str(value) for value in cast("list[Any]", data)] if isinstance(data, list) else []
            if 0 < len(known) <= VALUES_MAX:
                values[label] = tuple(known)
        learnt = LogVocabulary(labels=values)
        if not values:
            return learnt
        selector = LogQuery(matchers=(Matcher(label=min(values, key=_rank), op=MatchOp.MATCHES, value=".+"),))
        data = self._get(
            "query_range", {"query": print_logql(selector), "limit": str(SAMPLE_LINES), "direction": "backward", **window}, 10.0
        )
        lines = _lines(_result(data, "streams"))
        sample = learn_vocabulary(LogEntry(0, line.labels, line.line) for line in lines)
        return sample.model_copy(update={"labels": values})

    def search(self, ask: Ask) -> Answer:
        """Run a query on the server."""
        if isinstance(ask.query, LogQuery):
            values = {
                "query": ask.text, "start": _ns(ask.start), "end": _ns(ask.end), "limit": str(ask.lines + 1), "direction": "backward",
            }  # fmt: skip
            lines = _lines(_result(self._get("query_range", values, ask.timeout_s), "streams"))
            return Answer(lines=lines[: ask.lines], cut=len(lines) > ask.lines)
        if ask.step_s is None:
            values = {"query": print_logql(up_to(ask.query)), "time": _ns(ask.end)}
            return Answer(series=_series(self._get("query", values, ask.timeout_s)))
        start = _ns(ask.start + timedelta(seconds=ask.step_s))
        values = {"query": print_logql(up_to(ask.query)), "start": start, "end": _ns(ask.end), "step": f"{ask.step_s:g}s"}
        return Answer(series=_series(self._get("query_range", values, ask.timeout_s)))

    def _get(self, path: str, values: Mapping[str, str], timeout_s: float) -> Any:
        """The `data` of an answer. Raises `StatementFailed`, `StatementRefused` or `SourceUnavailable`."""
        import httpx2

        from workers.llm.bounded_http import bounded_client

        address = self._address()
        headers = {"Accept": "application/json"}
        if address.token is not None:
            headers["Authorization"] = f"Bearer {address.token}"
        if address.tenant is not None:
            headers["X-Scope-OrgID"] = address.tenant
        try:
            with bounded_client() as client:
                answer = client.get(f"{address.url}/loki/api/v1/{path}", params=dict(values), headers=headers, timeout=timeout_s)
                body = answer.content
        except httpx2.TimeoutException:
            raise StatementRefused(Lock.LIMITS, say("logs.refused.slow", limit=seconds(timeout_s))) from None
        except httpx2.RemoteProtocolError as error:
            if "too large" in str(error):
                raise StatementRefused(Lock.LIMITS, say("logs.refused.large")) from None
            raise SourceUnavailable.of(say("logs.refused.no_http")) from None
        except httpx2.HTTPError as error:
            raise SourceUnavailable.of(say("logs.refused.away", reason=Name(text=type(error).__name__))) from None
        if answer.status_code == 400:
            raise StatementFailed.of(say("logs.refused.not_taken", reason=passage(_brief(body))))
        if answer.status_code != 200:
            raise SourceUnavailable.of(_answered(answer.status_code))
        try:
            found = read_json(body)
        except NotJson:
            raise SourceUnavailable.of(say("logs.refused.no_json")) from None
        fields = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        if fields.get("status") != "success":
            raise SourceUnavailable.of(say("logs.refused.no_loki"))
        return fields.get("data")


def _answered(status: int) -> Statement:
    if status in (401, 403):
        return say("logs.refused.denied", status=Name(text=str(status)))
    if 300 <= status < 400:
        return say("logs.refused.redirect", status=Name(text=str(status)))
    return say("logs.refused.status", status=Name(text=str(status)))


def _brief(body: bytes) -> str:
    return " ".join(clean_text(body[:_BODY_BYTES_SHOWN].decode("utf-8", "replace")).split())


def _rank(label: str) -> tuple[int, str]:
    return (APPLICATIONS.index(label) if label in APPLICATIONS else len(APPLICATIONS), label)


def _ns(at: datetime) -> str:
    return str(round(at.timestamp() * 1e6) * 1_000)


def _result(data: Any, kind: str) -> list[Any]:
    if isinstance(data, dict):
        fields = cast("dict[str, Any]", data)
        if fields.get("resultType") == kind and isinstance(fields.get("result"), list):
            return cast("list[Any]", fields["result"])
    raise SourceUnavailable.of(say("logs.refused.no_loki"))


def _lines(streams: list[Any]) -> list[LogLine]:
    try:
        lines = [
            LogLine(at=datetime.fromtimestamp(int(ts) / 1e9, UTC), labels=texts(stream["stream"]), line=clean_text(text))
            for stream in streams
            for ts, text, *_ in stream["values"]
        ]
    except (KeyError, TypeError, ValueError):
        raise SourceUnavailable.of(say("logs.refused.no_loki")) from None
    return sorted(lines, key=lambda line: line.at, reverse=True)


def _series(data: Any) -> list[LogSeries]:
    try:
        return read_series(data)
    except ValueError:
        raise SourceUnavailable.of(say("logs.refused.no_loki")) from None
