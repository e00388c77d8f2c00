"""Texts for users: statements as text in a language, and documents for a terminal, Markdown or HTML.

The names below are loaded when they are first used: a command that only makes text harmless does not load the code for statements.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.saying.catalogues import INSTALLED, Catalogues, UnknownMessage, add_catalogue
    from workers.saying.errors import message_of
    from workers.saying.languages import UnknownLanguage, check_language, find_language
    from workers.saying.spans import Span, SpanKind, plain, spans_of, text_of

__all__ = [
    "INSTALLED",
    "Catalogues",
    "Span",
    "SpanKind",
    "UnknownLanguage",
    "UnknownMessage",
    "add_catalogue",
    "check_language",
    "find_language",
    "message_of",
    "plain",
    "spans_of",
    "text_of",
]

_MODULES = {
    "catalogues": ("INSTALLED", "Catalogues", "UnknownMessage", "add_catalogue"),
    "errors": ("message_of",),
    "languages": ("UnknownLanguage", "check_language", "find_language"),
    "spans": ("Span", "SpanKind", "plain", "spans_of", "text_of"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import the module of a name on its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
