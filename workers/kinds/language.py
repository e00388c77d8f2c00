"""The language that a job is shown in, unless the reader chooses another: its user's."""

from typing import Any

from contracts.base import Json
from workers.engines.language import language_of
from workers.kinds.registry import find_kind
from workers.saying import find_language

FIELD = "language"
"""A request that has this field names its language itself."""
WORDS = ("description", "text")
"""Where the words of a request are whose kind names no field for them."""


def job_language(kind: str, request: Json | None) -> str:
    """What the request asks for, else the language that its text is written in; English where nothing tells."""
    known = find_kind(kind)
    if known is None or request is None:
        return find_language(None)
    named: Any = request.get(FIELD)
    if isinstance(named, str):
        return find_language(named)
    words = (request.get(field) for field in (known.text, *WORDS) if field)
    return find_language(next((language_of(text) for text in words if isinstance(text, str) and text.strip()), None))
