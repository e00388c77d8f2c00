"""A log server over HTTP that speaks as Loki does, over given entries, and can misbehave."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from contracts.logs import LogQuery
from workers.engines.logql import LineReader, LogEntry, check_logql, collect, duration_ns, vector_at

API = "/loki/api/v1/"
Asked = tuple[str, dict[str, list[str]], dict[str, str]]


@dataclass(slots=True)
class LokiServer:
    """`entries`: what it holds. `asked`: paths and headers of the requests, in order."""

    entries: list[LogEntry]
    url: str = ""
    token: str | None = None
    asked: list[tuple[str, dict[str, list[str]], dict[str, str]]] = field(
        default_factory=list[tuple[str, dict[str, list[str]], dict[str, str]]]
    )
    pause_s: float = 0.0
    """Seconds between two pieces of an answer, which it then sends byte by byte."""
    instead: tuple[int, dict[str, str], bytes] | None = None
    """Status, headers and body of every answer."""

    def data(self, path: str, values: dict[str, str]) -> Any:
        """The `data` of an answer. Raises `ValueError` for a query that is not LogQL."""
        if path == "labels":
            return sorted({label for entry in self.entries for label in entry.labels})
        if path.startswith("label/"):
            label = path.split("/")[1]
            return sorted({entry.labels[label] for entry in self.entries if label in entry.labels})
        checked = check_logql(values["query"])
        if checked.query is None or checked.problems:
            raise ValueError("parse error")
        if isinstance(checked.query, LogQuery):
            return self._streams(checked.query, values)
        return self._metric(checked.query, path, values)

    def _streams(self, query: LogQuery, values: dict[str, str]) -> Any:
        reader = LineReader(query)
        start, end, limit = int(values["start"]), int(values["end"]), int(values["limit"])
        items = [item for entry in self.entries if start <= entry.ts_ns < end and (item := reader.read(entry)) is not None]
        items.sort(key=lambda item: -item.ts_ns)
        streams: dict[str, Any] = {}
        for item in items[:limit]:
            labels = dict(item.labels)
            stream = streams.setdefault(json.dumps(labels, sort_keys=True), {"stream": labels, "values": []})
            stream["values"].append([str(item.ts_ns), item.line])
        return {"resultType": "streams", "result": list(streams.values())}

    def _metric(self, query: Any, path: str, values: dict[str, str]) -> Any:
        collected = collect(query, self.entries)
        if path == "query":
            at = int(values["time"])
            vector = vector_at(query, collected, at)
            return {
                "resultType": "vector",
                "result": [{"metric": dict(labels), "value": [at / 1e9, str(value)]} for labels, value in vector],
            }
        start, end, step = int(values["start"]), int(values["end"]), duration_ns(values["step"]) or 1
        series: dict[Any, list[Any]] = {}
        for at in range(start, end + 1, step):
            for labels, value in vector_at(query, collected, at):
                series.setdefault(labels, []).append([at / 1e9, str(value)])
        return {"resultType": "matrix", "result": [{"metric": dict(labels), "values": points} for labels, points in series.items()]}


@contextmanager
def loki_server(entries: list[LogEntry]) -> Iterator[LokiServer]:
    """A server on a free port."""
    state = LokiServer(entries)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            values = parse_qs(parts.query)
            state.asked.append((parts.path, values, dict(self.headers)))
            status, headers, body = state.instead or self._answer(parts.path, {name: texts[0] for name, texts in values.items()})
            self.send_response(status)
            for name, text in headers.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                if state.pause_s:
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        time.sleep(state.pause_s)
                else:
                    self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def _answer(self, path: str, values: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
            if state.token is not None and self.headers.get("Authorization") != f"Bearer {state.token}":
                return 401, {}, b"no"
            try:
                data = state.data(path.removeprefix(API), values)
            except ValueError as error:
                return 400, {}, str(error).encode()
            return 200, {"Content-Type": "application/json"}, json.dumps({"status": "success", "data": data}).encode()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
