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
from contracts.statements import Name, Quote, count, name, passage, say, seconds
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
                    got, within = count(size, exact=True), seconds(self._within_s)
                    raise StoreUnavailable.of(say("bundles.refused.slow_file", where=Name(text=self._where), got=got, within=within))
                file.write(data)
            if declared is not None and declared.isdecimal() and size != int(declared):
                got, of = count(size, exact=True), count(int(declared), exact=True)
                raise StoreUnavailable.of(say("bundles.refused.broken_off", where=Name(text=self._where), got=got, of=of))
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
            raise StoreUnavailable.of(say("bundles.refused.away", where=Name(text=self._where), reason=passage(reason))) from error

    def _refusal(self, method: str, error: HTTPError) -> BullpenError:
        if method == "HEAD" and error.code in (400, 403, 405, 501):
            return _NotTold()
        if 300 <= error.code < 400:
            to = urlsplit(error.headers.get("Location") or "").hostname
            where, status = Name(text=self._where), Name(text=str(error.code))
            if to:
                return InvalidInput.of(say("bundles.refused.redirects_to", where=where, status=status, to=Quote(text=to[:100])))
            return InvalidInput.of(say("bundles.refused.redirects", where=where, status=status))
        if error.code in (404, 410):
            return NotFound.of(say("bundles.refused.nothing_there", where=Name(text=self._where), status=Name(text=str(error.code))))
        if error.code in (408, 425, 429) or error.code >= 500:
            return StoreUnavailable.of(say("bundles.refused.unavailable", where=Name(text=self._where), status=Name(text=str(error.code))))
        return InvalidInput.of(say("bundles.refused.denied", where=Name(text=self._where), status=Name(text=str(error.code))))


class _NotTold(BullpenError):
    """The server does not support HEAD."""
