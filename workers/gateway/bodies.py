"""Bodies of requests: strict JSON of bounded size, and answers as JSON."""

import json
import re
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Annotated, Any

from fastapi import Request, Response
from fastapi.exceptions import HTTPException
from fastapi.routing import APIRoute
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict
from starlette.types import Message, Receive

from contracts.statements import Statement, name, say, size
from contracts.wire import MAX_MESSAGE_BYTES, NotJson, read_json
from workers.reading.values import as_json

_DATE = re.compile(r"\d{4}-\d\d-\d\d[Tt ]")


class Body(BaseModel):
    """The body of a request: unknown fields are refused, and a boolean is not a number (its numbers are `StrictInt`, `StrictFloat`)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _as_written(value: object) -> object:
    if not isinstance(value, datetime) and not (isinstance(value, str) and _DATE.match(value)):
        raise ValueError("write a time as 2026-01-31T08:00:00Z")
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_as_written)]
"""A time with its zone. Pydantic alone would also take seconds since 1970."""


def within(request: Request, most: int, refusal: Statement) -> Receive:
    """The messages of a request whose body may not have more than `most` bytes. Raises 413, with the refusal, at once if the request says
    that it has more, else when the first byte too many arrives: nothing reads on."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise HTTPException(413, refusal)
    left = most

    async def message() -> Message:
        nonlocal left
        found = await request.receive()
        left -= len(found.get("body", b""))
        if left < 0:
            raise HTTPException(413, refusal)
        return found

    return message


BODY_TOO_LARGE = say("refused.body_too_large", most=size(MAX_MESSAGE_BYTES), upload=name("POST /v1/bundles"))
"""Why a body of more bytes than a message may have is refused."""


class StrictRequest(Request):
    """Reads JSON as the wire does: no NaN, no number of more than 64 bits, not too deep."""

    async def json(self) -> Any:
        """The value. Raises 400."""
        try:
            return read_json(await self.body())
        except NotJson as error:
            raise HTTPException(400, str(error)) from None


class StrictRoute(APIRoute):
    """A route whose request is a `StrictRequest`, of at most the bytes of a message."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with our request in the place of Starlette's."""
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, within(request, MAX_MESSAGE_BYTES, BODY_TOO_LARGE)))

        return strict


def answered(value: object, *, status: int = 200) -> Response:
    """A value of the read side as JSON."""
    return answered_json(as_json(value), status=status)


def answered_json(value: object, *, status: int = 200) -> Response:
    """What is JSON already."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_as_text, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def _as_text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
