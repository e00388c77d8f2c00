"""A request to the gateway as a value, and how its answer is read: one definition for the synchronous and the asynchronous client."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import UUID

from pydantic import TypeAdapter

T = TypeVar("T")

LONG_S = 3_600.0
"""Seconds that an import or a rebuilding of an index may take before the client gives up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    value: Any
    """The JSON value; None for an answer that is not JSON."""


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request. `client.send(call)` sends it, and returns what `read` makes of the answer."""

    method: str
    path: str
    """From `/v1` on; values from outside are quoted."""
    read: Callable[[Answer], T]
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Any = None
    """Sent as JSON; None: no body."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout_s: float | None = None
    """Seconds without a byte; None: the client's."""


def returns(form: type[T] | Any) -> Callable[[Answer], T]:
    """Read the JSON of an answer as this type."""
    adapter: TypeAdapter[T] = TypeAdapter(form)
    return lambda answer: adapter.validate_python(answer.value)


def raw(answer: Answer) -> Any:
    """The JSON of an answer as it is."""
    return answer.value


def whole(answer: Answer) -> Answer:
    """The answer itself."""
    return answer


def text(answer: Answer) -> str:
    """The text of an answer."""
    return answer.content.decode("utf-8", "replace")


def path(template: str, **values: object) -> str:
    """A path with its values quoted, so that none of them leads to another address."""
    return template.format(**{name: quote(str(_plain(value)), safe="") for name, value in values.items()})


def given(**values: Any) -> dict[str, Any]:
    """Parameters or fields without a value that is missing; ids and enumerations as text."""
    return {name: _plain(value) for name, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] of any items
    return value
