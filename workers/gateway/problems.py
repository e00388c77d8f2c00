"""Errors as problem+json (RFC 9457): what is wrong, and the next move."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

import psycopg
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from contracts.base import Contract
from contracts.refusals import at, in_words
from contracts.statements import Join, Statement, listing, name, names, passage, quote, say
from workers.errors import BullpenError, Unavailable
from workers.gateway.languages import language_of
from workers.loggers import get_logger
from workers.saying import text_of
from workers.saying.errors import message_of
from workers.secrets import redact_url

log = get_logger(__name__)

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 2


class Problem(Contract):
    """The body of every answer that is an error."""

    type: str = "about:blank"
    """`urn:bullpen:` and the error's class, which stays the same across releases."""
    title: str
    status: int
    detail: str
    """What is wrong with which object, and what to do next."""


def problem(status: int, title: str, detail: str, *, kind: str = "about:blank", headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An answer that is an error."""
    body = Problem(type=kind, title=title, status=status, detail=redact_url(detail))
    return JSONResponse(body.model_dump(), status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


CHAT_PATHS = ("/v1/chat/completions", "/v1/models")
"""Their clients read errors as the OpenAI protocol has them."""


def _answer(
    request: Request, status: int, title: str, detail: str, *, kind: str = "about:blank", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """An answer that is an error, in the form that the client of this route reads."""
    if request.url.path.startswith(CHAT_PATHS):
        body = {"error": {"message": redact_url(detail), "type": kind.rpartition(":")[2], "param": None, "code": str(status)}}
        return JSONResponse(body, status_code=status, headers=dict(headers or {}))
    return problem(status, title, detail, kind=kind, headers=headers)


def answer_errors(app: FastAPI) -> None:
    """Every error of this app becomes a problem."""
    app.add_exception_handler(BullpenError, _ours)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(psycopg.DataError, _unstorable)
    app.add_exception_handler(Exception, _unexpected)


def _ours(request: Request, raised: Exception) -> JSONResponse:
    error = cast("BullpenError", raised)
    called = type(error).__name__
    headers = {"Retry-After": str(RETRY_AFTER_S)} if isinstance(error, Unavailable) else {}
    return _answer(
        request, error.http_status, _words(called), message_of(error, language_of(request)), kind=f"urn:bullpen:{called}", headers=headers
    )


def _http(request: Request, raised: Exception) -> JSONResponse:
    error = cast("HTTPException", raised)
    if error.status_code == 405:  # Starlette names the methods of the first route with this path only
        allowed = sorted(_methods_at(request))
        return refused(request, 405, say("refused.method", methods=names(allowed)), {"Allow": ", ".join(allowed)})
    if error.status_code == 404 and error.detail == HTTPStatus.NOT_FOUND.phrase:  # Starlette's own, for an address of no route
        address = quote(f"{request.method} {request.url.path}"[:200])
        return refused(request, 404, say("refused.no_address", address=address, command=name("GET /v1/openapi.json")), error.headers)
    return refused(request, error.status_code, error.detail, error.headers)


def refused(request: Request, status: int, detail: object, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An answer that refuses a request before anything of ours was asked. `detail`: a statement, or a finished sentence in English."""
    says = text_of(detail, language_of(request)) if isinstance(detail, Statement) else str(detail)
    return _answer(request, status, HTTPStatus(status).phrase, says, headers=headers)


def _methods_at(request: Request) -> set[str]:
    """The methods of every route with the path of a request."""
    found: set[str] = set()
    left: list[Any] = list(request.app.routes)
    while left:
        route = left.pop()
        if hasattr(route, "effective_route_contexts"):  # an included router
            left += route.effective_route_contexts()
        elif getattr(route, "methods", None) and route.path_regex.match(request.url.path):
            found |= set(route.methods)
    return found


def _invalid(request: Request, raised: Exception) -> JSONResponse:
    faults = cast("list[dict[str, Any]]", list(cast("RequestValidationError", raised).errors()))
    sent_as = request.headers.get("content-type", "")
    if any(fault["loc"] == ("body",) for fault in faults) and "json" not in sent_as.lower():  # a form, as curl sends it
        says = say("refused.not_sent_as_json", header=name("Content-Type: application/json"))
        return _answer(request, 422, "Invalid request", text_of(says, language_of(request)), kind="urn:bullpen:InvalidRequest")
    found = [at(".".join(map(str, fault["loc"][1:])) or str(fault["loc"][0]), in_words(fault)) for fault in faults[:5]]
    says = text_of(say("refused.faults", faults=listing(*found, join=Join.CLAUSES)), language_of(request))
    return _answer(request, 422, "Invalid request", says, kind="urn:bullpen:InvalidRequest")


def _unstorable(request: Request, raised: Exception) -> JSONResponse:
    """A value that fits its type and that Postgres cannot hold: a NUL in a text, a time of the year 300000."""
    reason = str(raised).splitlines()[0][:200]
    says = text_of(say("refused.unstorable", reason=passage(reason)), language_of(request))
    return _answer(request, 400, "Invalid value", says, kind="urn:bullpen:InvalidInput")


def _unexpected(request: Request, raised: Exception) -> JSONResponse:
    log.error("request_failed", path=request.url.path, error=type(raised).__name__, exc_info=raised)
    says = text_of(say("refused.gateway_failed"), language_of(request))
    return _answer(request, 500, "Internal error", says, kind="urn:bullpen:InternalError")


def _words(name: str) -> str:
    """`NotFound` → `Not found`."""
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
    return spaced[:1].upper() + spaced[1:]
