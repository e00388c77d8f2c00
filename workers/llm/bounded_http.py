"""An HTTP client whose calls end: the read timeout counts for the whole answer, and an answer has a greatest size.

The client's own timeout counts from one byte to the next, so a server that sends a byte now and then would hold a worker for ever.
"""

import ssl
import time
from collections.abc import Iterator
from functools import cache
from typing import cast

import httpx2

MAX_BODY_BYTES = 8 * 1024 * 1024
_DEFAULT_S = 120.0
_UNTIL = "bullpen.until"


def bounded_client() -> httpx2.Client:
    """A client for the OpenAI SDK. Timeouts come with each request; redirects are not followed, since a key travels with it."""
    return httpx2.Client(verify=_tls(), event_hooks={"request": [_begin], "response": [_watch]}, follow_redirects=False)


def unused_async_client() -> httpx2.AsyncClient:
    """LangChain makes one in any case, and to do so would read the certificates once more (0.1 s of CPU)."""
    return httpx2.AsyncClient(verify=_tls())


@cache
def _tls() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def _begin(request: httpx2.Request) -> None:
    limit_s: float = request.extensions.get("timeout", {}).get("read") or _DEFAULT_S
    request.extensions[_UNTIL] = time.monotonic() + limit_s


def _watch(response: httpx2.Response) -> None:
    inner = cast("httpx2.SyncByteStream", response.stream)
    response.stream = _BoundedStream(inner, response.request.extensions[_UNTIL], response.request)


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
        """Give the connection back, or close it when the answer was not read to its end."""
        self._inner.close()
