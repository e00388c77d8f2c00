"""A model server that hangs: it takes every connection and never says a word."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hanging_server() -> Iterator[str]:
    """Its base URL."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    taken: list[socket.socket] = []

    def take() -> None:
        while True:
            try:
                taken.append(listener.accept()[0])
            except OSError:
                return

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in taken:
            connection.close()
        thread.join()
