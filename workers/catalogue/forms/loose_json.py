"""Parts of JSON and YAML that other tools write: what is not of the wanted form is empty."""

from collections.abc import Mapping
from typing import Any, cast

from contracts.base import Json


def as_mapping(value: Any) -> Json:
    """The value, or an empty mapping where it is not a mapping."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """The value, or an empty list where it is not a list."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def mappings(value: Any) -> list[Json]:
    """The mappings of a list, or of the values of a mapping."""
    found = list(as_mapping(value).values()) or as_list(value)
    return [as_mapping(item) for item in found if isinstance(item, Mapping)]
