"""Web servers on loopback that take answers well, badly, slowly or not at all."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

LOOPBACK = "127.0.0.1/32"

Behave = Callable[["Hook", socket.socket], None]


@dataclass
class Hook:
    """A server; `heard` holds the bodies that it took, `asked` the heads of all requests."""

    port: int
    behave: Behave
    heard: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    asked: list[str] = field(default_factory=list[str])
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def prefix(self) -> str:
        """For BULLPEN_WEBHOOK_URLS."""
        return f"http://127.0.0.1:{self.port}/hooks/"

    @property
    def url(self) -> str:
        """Below that prefix."""
        return f"{self.prefix}orders"

    def take(self, connection: socket.socket) -> dict[str, Any]:
        """Read a whole request."""
        head, _, body = _until(connection, b"\r\n\r\n").partition(b"\r\n\r\n")
        self.asked.append(head.decode())
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
        while len(body) < length:
            body += connection.recv(65_536)
        return json.loads(body)


def _until(connection: socket.socket, mark: bytes) -> bytes:
    data = b""
    while mark not in data:
        piece = connection.recv(65_536)
        if not piece:
            raise OSError("the client left")
        data += piece
    return data


def takes(hook: Hook, connection: socket.socket) -> None:
    """Take it with 204."""
    hook.heard.append(hook.take(connection))
    connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


def answers(status: str, header: str = "") -> Behave:
    """Answer each request with this status."""

    def behave(hook: Hook, connection: socket.socket) -> None:
        hook.take(connection)
        connection.sendall(f"HTTP/1.1 {status}\r\n{header}Content-Length: 0\r\n\r\n".encode())

    return behave


def dribbles(hook: Hook, connection: socket.socket) -> None:
    """A byte of the status line now and then, until the test is over."""
    hook.take(connection)
    connection.sendall(b"HTTP/1.1 ")
    while not hook.over.wait(0.05):
        connection.sendall(b" ")


def hangs(hook: Hook, connection: socket.socket) -> None:
    """Take the request and say nothing."""
    hook.take(connection)
    hook.over.wait()


@contextmanager
def serving(behave: Behave) -> Iterator[Hook]:
    """A server for the time of a test. Each connection has a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    hook = Hook(listener.getsockname()[1], behave)

    def serve(connection: socket.socket) -> None:
        with connection:
            try:
                hook.behave(hook, connection)
            except OSError:
                return

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield hook
    finally:
        hook.over.set()
        listener.close()
