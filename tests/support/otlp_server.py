"""A server that takes spans by OTLP over HTTP, as a collector does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class OtlpServer:
    """`spans`: what was sent, as (service, span)."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Any]] = []
        taken = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:
                """Tests read `spans`."""

            def do_POST(self) -> None:
                taken.take(self.rfile.read(int(self.headers["content-length"])), self.headers.get("content-encoding"))
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", "0")
                self.end_headers()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, body: bytes, encoding: str | None) -> None:
        import gzip

        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        sent = ExportTraceServiceRequest.FromString(gzip.decompress(body) if encoding == "gzip" else body)
        for resource in sent.resource_spans:
            service = next(item.value.string_value for item in resource.resource.attributes if item.key == "service.name")
            self.spans += [(service, span) for scope in resource.scope_spans for span in scope.spans]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def otlp_server() -> Iterator[OtlpServer]:
    server = OtlpServer()
    try:
        yield server
    finally:
        server.close()
