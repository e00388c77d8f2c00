"""The file that a web server has under a URL: asked for once, from that server alone, within bounds of size and time."""

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
"""How long a server may say nothing."""

VALIDATORS = ("ETag", "Last-Modified")
"""What a server says by which a change is seen."""

UNESCAPED = "/%:=&+,;@!$'()*~-._"
HEADERS = {"User-Agent": "bullpen", "Accept": "*/*"}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A server that is allowed may answer with the address of one that is not."""

    def redirect_request(self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str) -> None:
        """Never."""


class WebFile:
    """An http(s) URL that was allowed; a page that lists files is a file like any other. Raises `NotFound`, `InvalidInput` for what the
    server does not give to us, and `StoreUnavailable`."""

    def __init__(self, url: str, limits: BundleLimits, within_s: float) -> None:
        """`within_s`: seconds in which all of it has to be here."""
        parts = urlsplit(url)
        self._where = repr(url[:200])
        self._limits = limits
        self._within_s = within_s
        self._asked = parts._replace(path=quote(parts.path, safe=UNESCAPED)).geturl()
        self._name = safe_name(unquote(parts.path)).rpartition("/")[2]
        self._opener = urllib.request.build_opener(_NoRedirects)

    def state(self) -> list[Any] | None:
        """What changes when the file does; None when the server does not say, so that it has to be fetched to know."""
        try:
            with self._answer("HEAD") as answer:
                told = [answer.headers.get(name) for name in VALIDATORS]
        except _NotTold:
            return None
        return [*told, answer.headers.get("Content-Length")] if any(told) else None

    def copy_to(self, folder: Path) -> Path:
        """Copy it and give the path of the copy. `UnreadableLog` when it is too large, whatever its server says of its size."""
        target, until = folder / self._name, time.monotonic() + self._within_s
        with self._answer("GET") as answer, needing_room(folder), target.open("wb") as file:
            size, told = 0, answer.headers.get("Content-Length")
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
            if told is not None and told.isdecimal() and size != int(told):
                raise StoreUnavailable(f"{self._where} broke off after {size} of {told} bytes. Try again, or upload the file.")
        return target

    @contextmanager
    def _answer(self, method: str) -> Generator[HTTPResponse]:
        request = urllib.request.Request(self._asked, headers=HEADERS, method=method)  # noqa: S310  http(s) alone comes here
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
                f"{self._where} leads elsewhere ({error.code}{leads}), which is not followed: give the URL of the file itself, if it is "
                "allowed, or upload the file."
            )
        if error.code in (404, 410):
            return NotFound(f"There is nothing at {self._where} ({error.code}). Check the URL.")
        if error.code in (408, 425, 429) or error.code >= 500:
            return StoreUnavailable(f"The server of {self._where} cannot give it now ({error.code}). Try again later, or upload the file.")
        return InvalidInput(
            f"The server of {self._where} does not give it to this deployment ({error.code}). Download it and upload the file."
        )


class _NotTold(BullpenError):
    """The server answers no HEAD."""
