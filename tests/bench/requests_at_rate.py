"""Requests at a fixed rate, from a process of their own: `python -m tests.bench.requests_at_rate`, which a bench starts by `asked`.

Each rate is held regardless of the server: a request whose time has come is sent at once, over a connection that is free or a new one, and
its wait counts. The client speaks HTTP/1.1 over plain sockets, since a library's requests cost as much as the server's answers, on the same
cores; it costs some 0.2 ms of a core a request.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Asked:
    """One sort of request."""

    method: str
    paths: tuple[str, ...]
    """Taken in turn."""
    per_s: float
    body: str = ""
    """JSON; empty: the request has none."""


@dataclass(slots=True)
class Answered:
    """What was measured of one sort of request."""

    ms: list[float] = field(default_factory=list[float])
    errors: int = 0
    connections: int = 0
    """Opened for it."""


async def asked(host: str, port: int, headers: dict[str, str], sorts: Sequence[Asked], seconds: float) -> list[Answered]:
    """Ask all sorts side by side for so many seconds, from a process that begins and ends with this call."""
    order = {"host": host, "port": port, "headers": headers, "sorts": [asdict(sort) for sort in sorts], "seconds": seconds}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate(json.dumps(order).encode())
    return [Answered(**found) for found in json.loads(out)]


@dataclass(slots=True)
class _Client:
    host: str
    port: int
    headers: dict[str, str]
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(
        default_factory=list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
    )

    async def request(self, sort: Asked, number: int, seen: Answered) -> None:
        began = time.monotonic()
        try:
            if self.idle:
                reader, writer = self.idle.pop()
            else:
                seen.connections += 1
                reader, writer = await asyncio.open_connection(self.host, self.port)
            writer.write(self._text(sort, sort.paths[number % len(sort.paths)]))
            status = await _answer(reader)
            seen.errors += status >= 400
            self.idle.append((reader, writer))
        except (OSError, asyncio.IncompleteReadError, ValueError):
            seen.errors += 1
        seen.ms.append((time.monotonic() - began) * 1000)

    def _text(self, sort: Asked, path: str) -> bytes:
        body = sort.body.encode()
        lines = [
            f"{sort.method} {path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            *(f"{name}: {value}" for name, value in self.headers.items()),
        ]
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


async def _answer(reader: asyncio.StreamReader) -> int:
    """The status of the next answer, when all of it has been read. Raises `ValueError` for one without a length."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.index(b"content-length:") + len(b"content-length:")
    await reader.readexactly(int(head[length : head.index(b"\r\n", length)]))
    return int(head.split(b" ", 2)[1])


async def _at_rate(client: _Client, sort: Asked, until: float) -> Answered:
    seen = Answered()
    running: set[asyncio.Task[None]] = set()
    number, next_at = 0, time.monotonic()
    while sort.per_s and next_at < until:
        await asyncio.sleep(max(0.0, next_at - time.monotonic()))
        task = asyncio.create_task(client.request(sort, number, seen))
        running.add(task)
        task.add_done_callback(running.discard)
        number, next_at = number + 1, next_at + 1 / sort.per_s
    await asyncio.gather(*running)
    return seen


async def _main() -> None:
    order = json.load(sys.stdin)
    sorts = [Asked(sort["method"], tuple(sort["paths"]), sort["per_s"], sort["body"]) for sort in order["sorts"]]
    client = _Client(order["host"], order["port"], order["headers"])
    until = time.monotonic() + order["seconds"]
    found = await asyncio.gather(*(_at_rate(client, sort, until) for sort in sorts))
    for _, writer in client.idle:
        writer.close()
    json.dump([asdict(seen) for seen in found], sys.stdout)


if __name__ == "__main__":
    asyncio.run(_main())
