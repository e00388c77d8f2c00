"""Errors of the console's routes as pages: a login where none is, and a notice in the reader's language otherwise."""

from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import quote

import structlog
from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from workers.console.pages import is_partial, look_of
from workers.errors import BullpenError
from workers.saying.errors import message_of
from workers.telemetry import redact_url

log = structlog.get_logger()

HOME = "/console"
LOGIN = f"{HOME}/login"


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with its errors answered."""
        handler = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handler(request)
            except HTTPException as error:
                return to_login(request) if error.status_code == 401 else _notice(request, error.status_code, str(error.detail))
            except RequestValidationError as error:
                fault = error.errors()[0]
                return _notice(request, 422, f"{'.'.join(map(str, fault['loc'][1:]))}: {fault['msg']}")
            except BullpenError as error:
                return _notice(request, error.http_status, message_of(error))
            except Exception as error:
                log.error("page_failed", path=request.url.path, error=type(error).__name__, exc_info=error)
                return _notice(request, 500, "")

        return answered


def to_login(request: Request) -> Response:
    """The way to the login, and back to the page afterwards."""
    page = request.url.path if request.method == "GET" and not is_partial(request) else HOME
    target = f"{LOGIN}?next={quote(page)}"
    if is_partial(request):
        return Response(status_code=401, headers={"HX-Redirect": target})
    return RedirectResponse(target, 303)


def safe_next(text: str | None) -> str:
    """A page of the console to go on to; anything else is the first page. No address of another site is followed."""
    plain = text or ""
    inside = plain == HOME or plain.startswith(f"{HOME}/")
    return plain if inside and plain.isprintable() and "\\" not in plain and ".." not in plain and len(plain) <= 500 else HOME


def _notice(request: Request, status: int, detail: str) -> Response:
    """What went wrong: a line above the page for a part of a page, else a page of its own."""
    text = redact_url(detail)
    if is_partial(request):
        response = look_of(request).html("notice.html", status=status, detail=text)
        response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#notice", "innerHTML"
        return response
    return look_of(request).html("error.html", status=status, detail=text)
