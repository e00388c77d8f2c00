"""The base of all contracts: frozen pydantic models, and the canonical JSON from which hashes are computed."""

import hashlib
import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.fields import FieldInfo

Json = dict[str, Any]
"""A JSON object. Its values are those that `json.loads` returns: no NaN, bytes or dates."""


def clean_text(value: Any) -> Any:
    """Replace what Postgres or UTF-8 cannot hold: NUL and lone surrogates become U+FFFD. Values that are not text are unchanged."""
    if not isinstance(value, str):
        return value
    if "\x00" in value:
        value = value.replace("\x00", "\ufffd")
    if value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_json(value: Any) -> Any:
    """The value with `clean_text` applied to every string in it, keys included."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): clean_json(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType] JSON from outside has no static type
    if isinstance(value, list):
        return [clean_json(item) for item in value]  # pyright: ignore[reportUnknownVariableType] as above
    return value


Text = Annotated[str, BeforeValidator(clean_text)]
"""Text from outside, safe to store."""


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: Any) -> str:
    """The same text for equal values: sorted keys, no spaces, UTF-8. NaN raises `ValueError`."""
    return _CANONICAL.encode(value)


def content_hash(value: Any) -> str:
    """The sha256 of the canonical JSON, in hexadecimal (64 characters)."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


class Contract(BaseModel):
    """A value that components exchange. It is frozen, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def to_json(self) -> Json:
        """The JSON object of this value, ids and dates as text."""
        return self.model_dump(mode="json")


class Message(Contract):
    """A contract that is sent as a message. Unknown fields are ignored, since old workers receive new messages in a rolling deploy."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


def stands_alone(field: FieldInfo) -> bool:
    """Whether a field changes the last result of a conversation, and so is no part of a form for a new job."""
    return isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("alone") is True
