"""What is said to users: statements as text in a language, and documents for a terminal, Markdown or HTML."""

from workers.saying.catalogues import INSTALLED, Catalogues, UnknownMessage, add_catalogue
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
    "plain",
    "spans_of",
    "text_of",
]
