"""An HTTP client with bounded calls: the read timeout limits the whole answer, headers included, and the size of an answer is limited.

The client's own timeout applies between two reads, so a server that sends a byte now and then would occupy a worker forever. The body is
bounded where it is read; the headers, which the client reads by itself, at the socket.
"""

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, cast

import httpcore2
import httpx2

MAX_BODY_BYTES = 8 * 1024 * 1024
"""Bytes of one HTTP body: 32 times the largest answer that is parsed (`reading.MAX_ANSWER_BYTES`), to allow for streaming overhead."""
_DEFAULT_S = 120.0
"""Seconds for a request without a timeout of its own: the default of `BULLPEN_MODEL_TIMEOUT_S`."""
_UNTIL = "bullpen.until"
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
"""As many calls at once as the process has slots. With the client's own limit (100) the others waited for a connection, and that counted as
the time of their call: a slow server became one that is away."""


def bounded_client() -> httpx2.Client:
    """A client for the OpenAI SDK. Each request carries its timeout. Redirects are not followed, since they would forward the API key."""
    client = httpx2.Client(verify=_tls(), limits=_LIMITS, event_hooks={"request": [_begin], "response": [_watch]}, follow_redirects=False)
    private: Any = client
    for transport in (private._transport, *private._mounts.values()):  # the mounts are those of proxies in the environment
        if transport is not None:
            transport._pool._network_backend = _BoundedNetwork(transport._pool._network_backend)
    return client


def unused_async_client() -> httpx2.AsyncClient:
    """Passed to LangChain so that it does not create its own client, which would load the certificates again (0.1 s of CPU)."""
    return httpx2.AsyncClient(verify=_tls())


@cache
def _tls() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def _begin(request: httpx2.Request) -> None:
    limit_s: float = request.extensions.get("timeout", {}).get("read") or _DEFAULT_S
    request.extensions[_UNTIL] = _deadline.until = time.monotonic() + limit_s


def _watch(response: httpx2.Response) -> None:
    inner = cast("httpx2.SyncByteStream", response.stream)
    response.stream = _BoundedStream(inner, response.request.extensions[_UNTIL], response.request)


class _Deadline(threading.local):
    until = float("inf")
    """Monotonic time at which the request that this thread makes has to be over."""

    def rest_s(self, timeout: float | None) -> float:
        """What is left of a read's own timeout. Raises `httpcore2.ReadTimeout` when nothing is."""
        rest_s = min(_DEFAULT_S if timeout is None else timeout, self.until - time.monotonic())
        if rest_s <= 0:
            raise httpcore2.ReadTimeout("the answer took too long as a whole")
        return rest_s


_deadline = _Deadline()


class _BoundedNetwork(httpcore2.NetworkBackend):
    """Opens connections whose reads end with the request."""

    def __init__(self, inner: httpcore2.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """As the backend below."""
        return _BoundedSocket(self._inner.connect_tcp(host, port, timeout, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        """As the backend below."""
        self._inner.sleep(seconds)


class _BoundedSocket(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """At most until the request's deadline."""
        return self._inner.read(max_bytes, _deadline.rest_s(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """At most until the request's deadline."""
        self._inner.write(buffer, _deadline.rest_s(timeout))

    def close(self) -> None:
        """As the stream below."""
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """The same bounds over TLS."""
        return _BoundedSocket(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """As the stream below."""
        return self._inner.get_extra_info(info)


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, until: float, request: httpx2.Request) -> None:
        self._inner = inner
        self._until = until
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._inner:
            size += len(chunk)
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the answer took too long as a whole", request=self._request)
            if size > MAX_BODY_BYTES:
                raise httpx2.RemoteProtocolError("the answer is too large", request=self._request)
            yield chunk

    def close(self) -> None:
        """Return the connection to the pool, or close it if the answer was not read to its end."""
        self._inner.close()
