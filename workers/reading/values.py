"""The base of what is read: frozen values that become JSON objects by themselves."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Self
from uuid import UUID

from pydantic import TypeAdapter

from contracts.base import Contract, Json


class Value:
    """A frozen dataclass with a JSON form: its fields by their names."""

    __slots__ = ()

    def to_json(self) -> Json:
        """The JSON object of this value, ids and dates as text."""
        return {field.name: as_json(getattr(self, field.name)) for field in fields(self)}  # pyright: ignore[reportArgumentType]  each subclass is a dataclass

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """The value that `to_json` was made of, as another process reads it. Fields that this release does not know are left out."""
        return adapter(cls).validate_python(value)


@cache
def adapter(form: Any) -> TypeAdapter[Any]:
    """What reads JSON as this type. Building one takes milliseconds."""
    return TypeAdapter(form)


_PLAIN = frozenset({str, int, float, bool, type(None)})


def as_json(value: Any) -> Any:
    """What `json.dumps` takes for a value or a container of values."""
    if type(value) in _PLAIN:  # most of what an answer holds
        return value
    if isinstance(value, Value | Contract):
        return value.to_json()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(name): as_json(item) for name, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  JSON has no static type
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(item) for item in value]  # pyright: ignore[reportUnknownVariableType]  as above
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    return value
