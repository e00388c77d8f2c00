"""Fetches a file from a web server: redirects are not followed, and size and time are limited."""

import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit

from contracts.spark import LogRefusal
from contracts.statements import name, say
from workers.bundles.files import needing_room, safe_name
from workers.bundles.limits import CHUNK_BYTES, BundleLimits
from workers.errors import BullpenError, InvalidInput, NotFound, StoreUnavailable, UnreadableLog

HTTP = ("http://", "https://")
SILENCE_S = 30.0
"""Seconds that a server may send nothing."""

VALIDATORS = ("ETag", "Last-Modified")
"""Response headers that show a change of the file."""

UNESCAPED = "/%:=&+,;@!$'()*~-._"
HEADERS = {"User-Agent": "bullpen", "Accept": "*/*"}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, since an allowed server may redirect to a server that is not allowed."""

    def redirect_request(self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str) -> None:
        """Never."""


class WebFile:
    """The file at an allowed http(s) URL. A page that lists files is fetched like any other file. Raises `NotFound`, `InvalidInput` if the
    server denies access, and `StoreUnavailable`."""

    def __init__(self, url: str, limits: BundleLimits, within_s: float) -> None:
        """`within_s`: seconds for the whole transfer."""
        parts = urlsplit(url)
        self._where = repr(url[:200])
        self._limits = limits
        self._within_s = within_s
        self._asked = parts._replace(path=quote(parts.path, safe=UNESCAPED)).geturl()
        self._name = safe_name(unquote(parts.path)).rpartition("/")[2]
        self._opener = urllib.request.build_opener(_NoRedirects)

    def state(self) -> list[Any] | None:
        """A value that changes with the file. None if the server sends no such header; then the file must be fetched."""
        try:
            with self._answer("HEAD") as answer:
                validators = [answer.headers.get(name) for name in VALIDATORS]
        except _NotTold:
            return None
        return [*validators, answer.headers.get("Content-Length")] if any(validators) else None

    def copy_to(self, folder: Path) -> Path:
        """Copy the file and return the path of the copy. Raises `UnreadableLog` if it is too large, even if the server reported a smaller
        size."""
        target, until = folder / self._name, time.monotonic() + self._within_s
        with self._answer("GET") as answer, needing_room(folder), target.open("wb") as file:
            size, declared = 0, answer.headers.get("Content-Length")
            while data := self._read(answer):
                size += len(data)
                if size > self._limits.bytes:
                    raise UnreadableLog(LogRefusal.TOO_LARGE, say("bundles.refused.too_large", what=name(self._where)))
                if time.monotonic() > until:
                    raise StoreUnavailable(
                        f"{self._where} gave {size} bytes in {self._within_s:.0f} s and has more. Upload the file, or raise "
                        "BULLPEN_STEP_TIMEOUT_S."
                    )
                file.write(data)
            if declared is not None and declared.isdecimal() and size != int(declared):
                raise StoreUnavailable(
                    f"{self._where} closed the connection after {size} of {declared} bytes. Try again, or upload the file."
                )
        return target

    @contextmanager
    def _answer(self, method: str) -> Generator[HTTPResponse]:
        request = urllib.request.Request(self._asked, headers=HEADERS, method=method)  # noqa: S310  only http(s) URLs come here
        try:
            with self._speaking():
                answer: HTTPResponse = self._opener.open(request, timeout=SILENCE_S)
        except HTTPError as error:
            with error:
                raise self._refusal(method, error) from error
        with answer:
            yield answer

    def _read(self, answer: HTTPResponse) -> bytes:
        with self._speaking():
            return answer.read1(CHUNK_BYTES)

    @contextmanager
    def _speaking(self) -> Generator[None]:
        try:
            yield
        except HTTPError:
            raise
        except (OSError, HTTPException, UnicodeError) as error:
            reason = str(getattr(error, "reason", None) or error)[:200] or type(error).__name__
            raise StoreUnavailable(f"{self._where} does not answer: {reason}. Check the URL and its server.") from error

    def _refusal(self, method: str, error: HTTPError) -> BullpenError:
        if method == "HEAD" and error.code in (400, 403, 405, 501):
            return _NotTold()
        if 300 <= error.code < 400:
            to = urlsplit(error.headers.get("Location") or "").hostname
            leads = f" to {to[:100]!r}" if to else ""
            return InvalidInput(
                f"{self._where} redirects ({error.code}{leads}), and redirects are not followed. Give the URL of the file itself, if it is "
                "allowed, or upload the file."
            )
        if error.code in (404, 410):
            return NotFound(f"There is nothing at {self._where} ({error.code}). Check the URL.")
        if error.code in (408, 425, 429) or error.code >= 500:
            return StoreUnavailable(f"The server of {self._where} is unavailable ({error.code}). Try again later, or upload the file.")
        return InvalidInput(
            f"The server of {self._where} denies access to this deployment ({error.code}). Download the file yourself and upload it."
        )


class _NotTold(BullpenError):
    """The server does not support HEAD."""
