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
    failed: dict[str, int] = field(default_factory=dict[str, int])
    """Cause → how many: a status, or what became of the connection."""
    connections: int = 0
    """Opened for it."""

    @property
    def errors(self) -> int:
        """How many failed."""
        return sum(self.failed.values())

    def fail(self, cause: str) -> None:
        """Count a request that failed."""
        self.failed[cause] = self.failed.get(cause, 0) + 1


async def asked(host: str, port: int, headers: dict[str, str], sorts: Sequence[Asked], seconds: float) -> list[Answered]:
    """Ask all sorts side by side for so many seconds, from a process that begins and ends with this call."""
    order = {"host": host, "port": port, "headers": headers, "sorts": [asdict(sort) for sort in sorts], "seconds": seconds}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate(json.dumps(order).encode())
    return [Answered(**found) for found in json.loads(out)]


Idle = tuple[asyncio.StreamReader, asyncio.StreamWriter, float]
"""A connection, and since when nobody uses it."""


@dataclass(slots=True)
class _Client:
    host: str
    port: int
    headers: dict[str, str]
    idle: list[Idle] = field(default_factory=list[Idle])

    async def request(self, sort: Asked, number: int, seen: Answered) -> None:
        began, doing = time.monotonic(), "opening a connection"
        try:
            if self.idle:
                reader, writer, since = self.idle.pop()
                doing = f"on a connection idle for {began - since:.0f} s"
            else:
                seen.connections += 1
                reader, writer = await asyncio.open_connection(self.host, self.port)
                doing = "on a new connection"
            writer.write(self._text(sort, sort.paths[number % len(sort.paths)]))
            status = await _answer(reader)
            if status >= 400:
                seen.fail(f"{sort.method}: status {status}")
            self.idle.append((reader, writer, time.monotonic()))
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            seen.fail(f"{sort.method}: {type(error).__name__} {doing}")
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
    for _, writer, _ in client.idle:
        writer.close()
    json.dump([asdict(seen) for seen in found], sys.stdout)


if __name__ == "__main__":
    asyncio.run(_main())
