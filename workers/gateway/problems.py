"""Errors as problem+json (RFC 9457): what is wrong, and the next move."""

from collections.abc import Mapping
from typing import Any, cast

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from contracts.base import Contract
from workers.errors import BullpenError, Unavailable
from workers.saying.errors import message_of
from workers.telemetry import redact_url

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
_RETRY_AFTER_S = 2


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
    app.add_exception_handler(Exception, _unexpected)


def _ours(request: Request, raised: Exception) -> JSONResponse:
    error = cast("BullpenError", raised)
    name = type(error).__name__
    headers = {"Retry-After": str(_RETRY_AFTER_S)} if isinstance(error, Unavailable) else {}
    return _answer(request, error.http_status, _words(name), message_of(error), kind=f"urn:bullpen:{name}", headers=headers)


def _http(request: Request, raised: Exception) -> JSONResponse:
    error = cast("HTTPException", raised)
    return _answer(request, error.status_code, str(error.detail), str(error.detail), headers=error.headers)


def _invalid(request: Request, raised: Exception) -> JSONResponse:
    faults = cast("list[dict[str, Any]]", list(cast("RequestValidationError", raised).errors()))
    detail = "; ".join(f"{'.'.join(map(str, fault['loc'][1:])) or fault['loc'][0]}: {fault['msg']}" for fault in faults[:5])
    return _answer(request, 422, "Invalid request", detail, kind="urn:bullpen:InvalidRequest")


def _unexpected(request: Request, raised: Exception) -> JSONResponse:
    log.error("request_failed", path=request.url.path, error=type(raised).__name__, exc_info=raised)
    return _answer(request, 500, "Internal error", "The gateway could not answer; its log says why.", kind="urn:bullpen:InternalError")


def _words(name: str) -> str:
    """`NotFound` → `Not found`."""
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
    return spaced[:1].upper() + spaced[1:]
