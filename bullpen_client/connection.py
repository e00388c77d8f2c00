"""What the two clients share: the address, the key, how an answer or an error is read."""

import os
from typing import Any
from uuid import UUID

import httpx2

from bullpen_client.call import Answer, Call, path, returns
from bullpen_client.errors import Unreachable, error_of
from bullpen_client.events import SILENCE_S
from bullpen_client.models import Bundle

TIMEOUT_S = 60.0
CONNECT_S = 10.0
BUNDLES = "/v1/bundles"
read_bundle = returns(Bundle)


class Connection:
    """A gateway and how to speak to it."""

    def __init__(self, url: str, key: str | None, timeout_s: float, language: str | None = None) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"The gateway's URL begins with http:// or https://, not {url[:40]!r}.")
        self.url = url.rstrip("/")
        self._timeout_s = timeout_s
        self.connect_s = CONNECT_S
        self._headers = {"Accept": "application/json"} | ({} if key is None else {"Authorization": f"Bearer {key}"})
        self._headers |= {} if language is None else {"Accept-Language": language}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    @property
    def headers(self) -> dict[str, str]:
        """Of every request. The key is in them, so they are never shown."""
        return dict(self._headers)

    def options(self, call: Call[Any]) -> dict[str, Any]:
        """What httpx2 takes beside method and address."""
        timeout = httpx2.Timeout(call.timeout_s or self._timeout_s, connect=CONNECT_S)
        body = {} if call.body is None else {"json": call.body}
        return {"params": dict(call.params), "headers": dict(call.headers), "timeout": timeout, **body}

    def lost(self, error: httpx2.TransportError) -> Unreachable:
        """A connection that failed, as an error of ours."""
        reason = str(error) or type(error).__name__
        return Unreachable(f"The gateway at {self.url} does not answer ({reason}). Is it running, and is its URL right?")


def from_environment() -> tuple[str, str | None]:
    """The gateway of `BULLPEN_URL` and the key of `BULLPEN_KEY`. Raises `ValueError` without the first."""
    url = os.environ.get("BULLPEN_URL", "")
    if not url:
        raise ValueError("BULLPEN_URL is not set: the gateway's address, such as http://127.0.0.1:8420.")
    return url, os.environ.get("BULLPEN_KEY") or None


def answer_of(response: httpx2.Response, content: bytes) -> Answer:
    """What came back. Raises the error in it."""
    if response.status_code >= 300:
        raise error_of(response.status_code, content, response.headers.get("retry-after"))
    is_json = response.headers.get("content-type", "").partition(";")[0].endswith("json")
    return Answer(response.status_code, response.headers, content, response.json() if is_json and content else None)


def events_at(job_id: UUID | str, until: str, *, live: bool = False) -> tuple[str, dict[str, str], httpx2.Timeout]:
    """Address, parameters and patience of a stream."""
    params = {"until": until, "live": "true"} if live else {"until": until}
    return path("/v1/jobs/{job_id}/events", job_id=job_id), params, httpx2.Timeout(SILENCE_S, connect=CONNECT_S)
