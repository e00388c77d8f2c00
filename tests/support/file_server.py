"""A web server that hands out files as real ones do, and as broken ones do."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Request"], None]


@dataclass(frozen=True, slots=True)
class Request:
    """One request that waits for its answer."""

    handler: BaseHTTPRequestHandler

    def head(self, status: int = 200, **headers: str) -> bool:
        """Send status and headers; whether a body is wanted."""
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        return self.handler.command == "GET"

    def body(self, data: bytes) -> None:
        """Send a piece of the body."""
        self.handler.wfile.write(data)
        self.handler.wfile.flush()


@dataclass(slots=True)
class FileServer:
    """`answers`: path, with or without its query → what it answers; all else is a 404. `asked`: what it was asked, in order."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    asked: list[str] = field(default_factory=list[str])

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def count(self, method: str) -> int:
        """How often it was asked this way."""
        return sum(line.startswith(f"{method} ") for line in self.asked)


@contextmanager
def file_server() -> Iterator[FileServer]:
    """Listens on a free port of this machine."""
    server = FileServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append(f"{self.command} {self.path}")
            answer = server.answers.get(self.path) or server.answers.get(self.path.partition("?")[0], refuse(404))
            try:
                answer(Request(self))
            except OSError:  # the client has closed the connection
                self.close_connection = True

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.port = listener.server_port
    thread = threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()


def give(data: bytes, **headers: str) -> Answer:
    """A file with its length."""

    def answer(request: Request) -> None:
        if request.head(Content_Length=str(len(data)), **headers):
            request.body(data)

    return answer


def give_without_length(data: bytes) -> Answer:
    """A file that ends where the connection does."""

    def answer(request: Request) -> None:
        if request.head():
            request.body(data)

    return answer


def refuse(status: int, **headers: str) -> Answer:
    """A status alone."""
    return lambda request: request.head(status, Content_Length="0", **headers) and None


def only_get(answer: Answer) -> Answer:
    """What knows no HEAD."""
    return lambda request: answer(request) if request.handler.command == "GET" else refuse(501)(request)


def break_off(data: bytes, length: int) -> Answer:
    """Less than was promised."""

    def answer(request: Request) -> None:
        if request.head(Content_Length=str(length)):
            request.body(data)

    return answer


def without_end(piece: bytes, pause_s: float = 0.0) -> Answer:
    """A body that goes on until nobody listens."""

    def answer(request: Request) -> None:
        if request.head():
            while True:
                request.body(piece)
                time.sleep(pause_s)

    return answer


def silent(for_s: float) -> Answer:
    """No answer for a while, then a late one."""

    def answer(request: Request) -> None:
        time.sleep(for_s)
        request.head(Content_Length="0")

    return answer
