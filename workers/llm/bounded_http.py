"""An HTTP client with bounded calls: the read timeout limits the whole answer, and the size of an answer is limited.

The client's own timeout applies between two reads, so a server that sends a byte now and then would occupy a worker forever.
"""

import ssl
import time
from collections.abc import Iterator
from functools import cache
from typing import cast

import httpx2

MAX_BODY_BYTES = 8 * 1024 * 1024
"""Bytes of one HTTP body: 32 times the largest answer that is parsed (`reading.MAX_ANSWER_BYTES`), to allow for streaming overhead."""
_DEFAULT_S = 120.0
"""Seconds for a request without a timeout of its own: the default of `BULLPEN_MODEL_TIMEOUT_S`."""
_UNTIL = "bullpen.until"


def bounded_client() -> httpx2.Client:
    """A client for the OpenAI SDK. Each request carries its timeout. Redirects are not followed, since they would forward the API key."""
    return httpx2.Client(verify=_tls(), event_hooks={"request": [_begin], "response": [_watch]}, follow_redirects=False)


def unused_async_client() -> httpx2.AsyncClient:
    """Passed to LangChain so that it does not create its own client, which would load the certificates again (0.1 s of CPU)."""
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
        """Return the connection to the pool, or close it if the answer was not read to its end."""
        self._inner.close()
