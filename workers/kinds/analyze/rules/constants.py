"""A constant argument against the JSON schema of a tool: what the tool would refuse in every job."""

from typing import Any

from contracts.base import Json
from contracts.refusals import in_words
from contracts.statements import Statement

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,)
}  # fmt: skip
_SAID = {
    "string": "string_type",
    "integer": "int_type",
    "number": "float_type",
    "boolean": "bool_type",
    "array": "list_type",
    "object": "dict_type",
}


def refused(value: Any, schema: Json, whole: Json) -> Statement | None:
    """Why a value does not fit, or None. `whole`: the schema of all arguments, with the definitions that this one may refer to."""
    if value is None:
        return None  # an argument that is null is left out
    if "$ref" in schema:
        place = str(schema["$ref"]).rpartition("/")[2]
        return refused(value, whole.get("$defs", {}).get(place, {}), whole)
    if either := schema.get("anyOf") or schema.get("oneOf"):
        found = [refused(value, option, whole) for option in either]
        return None if None in found else found[0]
    kind = schema.get("type")
    if kind in _TYPES and not _is_a(value, kind):
        return in_words({"type": _SAID[kind], "msg": ""})
    return _outside(value, schema)


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, float) and value.is_integer())


def _outside(value: Any, schema: Json) -> Statement | None:
    """Whether a value of the right type is outside of a bound."""
    if "enum" in schema and value not in schema["enum"]:
        expected = ", ".join(map(repr, schema["enum"][:20]))
        return in_words({"type": "enum", "msg": "", "ctx": {"expected": expected}})
    if isinstance(value, int | float):
        if "minimum" in schema and value < schema["minimum"]:
            return in_words({"type": "greater_than_equal", "msg": "", "ctx": {"ge": schema["minimum"]}})
        if "maximum" in schema and value > schema["maximum"]:
            return in_words({"type": "less_than_equal", "msg": "", "ctx": {"le": schema["maximum"]}})
    if isinstance(value, str):
        if len(value) > schema.get("maxLength", len(value)):
            return in_words({"type": "string_too_long", "msg": "", "ctx": {"max_length": schema["maxLength"]}})
        if len(value) < schema.get("minLength", 0):
            return in_words({"type": "string_too_short", "msg": ""})
    return None
