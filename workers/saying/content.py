"""Stored content for a reader who has no catalogue: each statement in it as text."""

from typing import Any

from pydantic import ValidationError

from contracts.statements import Statement
from contracts.wire import MAX_DEPTH
from workers.saying.catalogues import INSTALLED
from workers.saying.spans import Speaker

_FIELDS = frozenset(Statement.model_fields)


def in_words(content: Any, language: str) -> Any:
    """The same JSON value with every statement as its text in the language; all else as it is, as is what lies deeper than `MAX_DEPTH`."""
    return _in_words(content, Speaker(language, INSTALLED))


def _in_words(value: Any, speaker: Speaker, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, list):
        return [_in_words(item, speaker, depth + 1) for item in value]  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    if not isinstance(value, dict):
        return value
    found = _statement(value)  # pyright: ignore[reportUnknownArgumentType] as above
    if found is not None:
        return speaker.text(found)
    return {key: _in_words(item, speaker, depth + 1) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType] as above


def _statement(value: dict[str, Any]) -> Statement | None:
    if value.get("kind") != "statement" or value.keys() != _FIELDS:
        return None
    try:
        return Statement.model_validate(value)
    except ValidationError:
        return None
