"""Errors of the console's routes as pages: a login where none is, and a notice in the reader's language otherwise."""

from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import quote

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from contracts.refusals import in_words
from contracts.statements import Statement, say, size
from workers.console.pages import Look, is_partial, look_of
from workers.console.renewal import NEW_TOKEN, ask_again, new_token
from workers.errors import BullpenError
from workers.gateway.access.caller import Caller
from workers.gateway.access.logins import COOKIE, find_login
from workers.gateway.bodies import within
from workers.gateway.context import gateway_of
from workers.loggers import get_logger
from workers.reading.names import find_id
from workers.saying import text_of
from workers.saying.errors import message_of
from workers.secrets import redact_url

log = get_logger(__name__)

HOME = "/console"
LOGIN = f"{HOME}/login"

FORM_BYTES = 32 << 20
"""Most bytes of a form: a stage's deliverable in its editor, a file of tickets."""
STRANGER_BYTES = 64 << 10
"""Most bytes of a form from a browser that is not logged in: a key or a code."""

REFUSALS = {403: "console.refused.right", 404: "console.refused.no_page", 405: "console.refused.no_page"}
"""What is said for answers of the server that carry no statement."""


class PageRoute(APIRoute):
    """A route whose errors are pages, and whose body is bounded before anything reads it."""

    def bounded(self, request: Request) -> Request:
        """The request with the bound of its body."""
        most = FORM_BYTES if COOKIE in request.cookies else STRANGER_BYTES
        return Request(request.scope, within(request, most, say("refused.form_too_large", most=size(most))))

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with its errors answered."""
        handler = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handler(self.bounded(request))
            except HTTPException as error:
                return _refused(request, error)
            except RequestValidationError as error:
                fault = error.errors()[0]
                if fault["loc"] == ("path", "job_id") and request.method == "GET":
                    return _of_short_id(request)
                field = ".".join(map(str, fault["loc"][1:]))
                look = _look(request)
                return _notice(request, 422, look("console.refused.field", field=field, fault=text_of(in_words(fault), look.language)))
            except BullpenError as error:
                return _notice(request, error.http_status, message_of(error, _look(request).language))
            except Exception as error:
                log.error("page_failed", path=request.url.path, error=type(error).__name__, exc_info=error)
                return _notice(request, 500, "")

        return answered


class UploadRoute(PageRoute):
    """A route that bounds its body itself."""

    def bounded(self, request: Request) -> Request:
        """The request as it is."""
        return request


def _of_short_id(request: Request) -> Response:
    """To the page of the job whose id begins or ends like this: a terminal shows twelve of its characters."""
    look, given = _look(request), request.path_params["job_id"]
    if look.caller is None:
        return to_login(request)
    try:
        job_id = find_id(gateway_of(request).db, given, "job", owner=look.who.only_owner)
    except BullpenError as error:
        return _notice(request, 404, message_of(error, look.language))
    return RedirectResponse(request.url.path.replace(given, str(job_id), 1), 303)


def _refused(request: Request, error: HTTPException) -> Response:
    """No login, no right, a page of an earlier login, or too many requests."""
    look = _look(request)
    if error.status_code == 401:
        return to_login(request)
    if error.status_code == 403 and (token := new_token(request)) is not None:
        response = _notice(request, 403, look("console.login.renewed_meanwhile"))
        response.headers[NEW_TOKEN] = token
        return response
    if error.status_code == 429:
        return _notice(request, 429, look("console.refused.too_many", n=int((error.headers or {}).get("Retry-After", "1"))))
    detail: object = error.detail
    if isinstance(detail, Statement):
        return _notice(request, error.status_code, look.text(detail))
    code = REFUSALS.get(error.status_code)
    return _notice(request, error.status_code, str(detail) if code is None else look(code))


def to_login(request: Request) -> Response:
    """The way to the login, and back to the page afterwards. A part of a page asks for the login in its notice, so that the page stays."""
    if is_partial(request):
        return ask_again(look_of(request), 401)
    query = f"?{request.url.query}" if request.url.query else ""
    page = f"{request.url.path}{query}" if request.method == "GET" else HOME
    return RedirectResponse(f"{LOGIN}?next={quote(page, safe='')}", 303)


def safe_next(text: str | None) -> str:
    """A page of the console to go on to; anything else is the first page. No address of another site is followed."""
    plain = text or ""
    inside = plain == HOME or plain.startswith(f"{HOME}/")
    return plain if inside and plain.isprintable() and "\\" not in plain and ".." not in plain and len(plain) <= 500 else HOME


def _look(request: Request) -> Look:
    """The reader's look, with the caller where a login is known: the menu stays on a page that says what went wrong."""
    cookie = request.cookies.get(COOKIE)
    try:
        login = None if cookie is None else find_login(gateway_of(request).db, cookie)
    except BullpenError:
        login = None
    return look_of(request, None if login is None else Caller(login.key, login))


def _notice(request: Request, status: int, detail: str) -> Response:
    """What went wrong: a line above the page for a part of a page, else a page of its own."""
    text = redact_url(detail)
    if is_partial(request):
        response = look_of(request).html("notice.html", status=status, detail=text)
        response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#notice", "innerHTML"
        return response
    return _look(request).html("error.html", status=status, detail=text)
