"""The form of an answer as JSON Schema, in the dialect that servers enforce while the model generates."""

import re
from dataclasses import dataclass
from typing import Any

from contracts.base import Contract, Json

_LEFT_OUT = frozenset({"title", "default", "minLength", "maxLength", "uniqueItems", "discriminator"})
"""Keywords that a strict server refuses, or that make its grammar slow. Our own validation still enforces them."""

_NOT_STRICT = frozenset({"prefixItems", "patternProperties", "allOf", "oneOf", "not"})
"""Keywords that no strict server accepts."""


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """The schema of a contract as it is sent to a server. `strict`: the server can enforce every part of it."""

    name: str
    schema: Json
    strict: bool
    functions: tuple[Json, ...] = ()
    """Functions that the model must call one of, in the form of the OpenAI protocol. Then `schema` is not sent."""


def answer_schema(contract: type[Contract]) -> AnswerSchema:
    """The schema of a contract, strict if possible: every field is required and no other is allowed. A contract with a free-form
    object cannot be strict."""
    return sendable_schema(contract.__name__, contract.model_json_schema())


def sendable_schema(name: str, raw: Json) -> AnswerSchema:
    """A JSON schema in the dialect that servers take."""
    strict = _can_be_strict(raw)
    return AnswerSchema(re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:64], _plain(raw, strict=strict), strict)


def _can_be_strict(node: Any) -> bool:
    if isinstance(node, list):
        return all(_can_be_strict(item) for item in node)  # pyright: ignore[reportUnknownVariableType] a schema is JSON
    if not isinstance(node, dict):
        return True
    known: Json = node  # pyright: ignore[reportUnknownVariableType] a schema is JSON
    if known.get("type") == "object" and known.get("additionalProperties") is not False:
        return False
    if not known or _NOT_STRICT & known.keys():
        return False
    return all(_can_be_strict(item) for item in _children(known))


def _plain(node: Any, *, strict: bool) -> Any:
    if isinstance(node, list):
        return [_plain(item, strict=strict) for item in node]  # pyright: ignore[reportUnknownVariableType] a schema is JSON
    if not isinstance(node, dict):
        return node
    known: Json = node  # pyright: ignore[reportUnknownVariableType] a schema is JSON
    kept: Json = {}
    for key, value in known.items():
        if key in _LEFT_OUT:
            continue
        if key in ("properties", "$defs"):  # their keys are names, and a field may be called `title`
            kept[key] = {name: _plain(item, strict=strict) for name, item in value.items()}
        else:
            kept[key] = _plain(value, strict=strict)
    if strict and "properties" in kept:
        kept["required"] = list(kept["properties"])
    return kept


def _children(node: Json) -> list[Any]:
    """The schemas inside a schema. Enums are left out, since their values are not schemas."""
    named = [item for key in ("properties", "$defs") for item in node.get(key, {}).values()]
    return named + [node[key] for key in ("items", "anyOf") if key in node]
