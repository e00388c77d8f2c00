"""Bodies of requests: strict JSON of bounded size, and answers as JSON."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import HTTPException
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict

from contracts.wire import MAX_MESSAGE_BYTES, NotJson, read_json
from workers.reading.values import as_json


class Body(BaseModel):
    """The body of a request: unknown fields are refused, and a boolean is no number (its numbers are `StrictInt`, `StrictFloat`)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class StrictRequest(Request):
    """Reads a body within its limit, as the wire does: no NaN, no number of more than 64 bits, not too deep."""

    async def body(self) -> bytes:
        """The bytes. Raises 413 for more than a message may have."""
        if not hasattr(self, "_body"):
            taken = bytearray()
            async for piece in self.stream():
                taken += piece
                if len(taken) > MAX_MESSAGE_BYTES:
                    raise HTTPException(413, f"The body has more than {MAX_MESSAGE_BYTES} bytes. Upload files: POST /v1/bundles")
            self._body = bytes(taken)
        return self._body

    async def json(self) -> Any:
        """The value. Raises 400."""
        try:
            return read_json(await self.body())
        except NotJson as error:
            raise HTTPException(400, str(error)) from None


class StrictRoute(APIRoute):
    """A route whose request is a `StrictRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with our request in the place of Starlette's."""
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, request.receive))

        return strict


def answered(value: object, *, status: int = 200) -> Response:
    """A value of the read side as JSON."""
    text = json.dumps(as_json(value), ensure_ascii=False, allow_nan=False, default=_as_text, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def _as_text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
