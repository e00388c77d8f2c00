"""What can go wrong between a client and a gateway. The message of each error is the gateway's `detail`: what is wrong, and the next move.

GatewayError
├── InvalidRequest       400, 413, 422   a value is wrong
├── NotSignedIn          401             no key, or one that is not valid
├── NotAllowed           403             the key does not allow it
├── NotFound             404             it is not there, or not the owner's
├── Conflict             409             the state does not allow it
├── TooManyRequests      429             the key calls too often: `retry_after_s`
├── GatewayFailed        other 4xx, 5xx  the gateway's own fault, or a proxy's
└── Unavailable          502, 503, 504   a server that the gateway needs does not answer: `retry_after_s`
    └── Unreachable                      the gateway does not answer
"""

import json
from typing import Any


class GatewayError(Exception):
    """Base of all errors of this client."""

    def __init__(self, detail: str, *, status: int | None = None, problem: str = "about:blank", retry_after_s: float | None = None) -> None:
        super().__init__(detail)
        self.status = status
        """The HTTP status; None: there was no answer."""
        self.problem = problem
        """`urn:bullpen:` and the error's class, which stays the same across releases."""
        self.retry_after_s = retry_after_s
        """How long the gateway asks to wait; None if it does not say."""

    @property
    def name(self) -> str:
        """The error's class at the gateway, such as `IdempotencyConflict`; empty where it has none."""
        return self.problem.removeprefix("urn:bullpen:") if self.problem.startswith("urn:bullpen:") else ""


class InvalidRequest(GatewayError):
    """A value is wrong; the message names each field."""


class NotSignedIn(GatewayError):
    """There is no key, or it is not valid."""


class NotAllowed(GatewayError):
    """The key does not allow it; the message names the missing scope."""


class NotFound(GatewayError):
    """It is not there, or belongs to another owner."""


class Conflict(GatewayError):
    """The present state does not allow it."""


class TooManyRequests(GatewayError):
    """The key calls more often than it may."""


class GatewayFailed(GatewayError):
    """The gateway could not answer; its log says why."""


class Unavailable(GatewayError):
    """A server that the gateway needs does not answer. Trying again later may help."""


class Unreachable(Unavailable):
    """The gateway itself does not answer."""


_BY_STATUS: dict[int, type[GatewayError]] = {
    400: InvalidRequest,
    401: NotSignedIn,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: InvalidRequest,
    422: InvalidRequest,
    429: TooManyRequests,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}

MOST_DETAIL = 2_000
"""Characters that are shown of an answer that is not a problem document, such as a proxy's page."""


def error_of(status: int, body: bytes, retry_after: str | None) -> GatewayError:
    """The error in an answer. `retry_after`: the header, in seconds."""
    detail, problem = _read(body)
    kind = _BY_STATUS.get(status, GatewayFailed)
    wait_s = float(retry_after) if retry_after is not None and retry_after.isascii() and retry_after.isdecimal() else None
    return kind(detail or f"The gateway answered with status {status}.", status=status, problem=problem, retry_after_s=wait_s)


def _read(body: bytes) -> tuple[str, str]:
    """The detail and type of a problem document; the beginning of any other text."""
    try:
        value: Any = json.loads(body)
    except ValueError:
        return " ".join(body.decode("utf-8", "replace").split())[:MOST_DETAIL], "about:blank"
    if not isinstance(value, dict):
        return "", "about:blank"
    found: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    return str(found.get("detail") or found.get("title") or ""), str(found.get("type") or "about:blank")
