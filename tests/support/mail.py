"""A mail server on loopback that speaks as much SMTP as a delivery takes."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def mail_server(refuses: bytes = b"") -> Iterator[tuple[int, list[bytes]]]:
    """Its port, and the messages that it took. `refuses`: the command that it answers with 550."""
    took: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rwb") as stream:

            def say(line: bytes) -> None:
                stream.write(line + b"\r\n")
                stream.flush()

            say(b"220 test")
            for line in stream:
                command = line.split()[0].upper()
                if refuses and command == refuses:
                    say(b"550 no")
                elif command == b"DATA":
                    say(b"354 go on")
                    body: list[bytes] = []
                    while (text := stream.readline()) != b".\r\n":
                        body.append(text.removeprefix(b".") if text.startswith(b"..") else text)
                    took.append(b"".join(body))
                    say(b"250 taken")
                elif command == b"QUIT":
                    say(b"221 bye")
                    return
                else:
                    say(b"250 ok")

    def accept(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1], took
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
