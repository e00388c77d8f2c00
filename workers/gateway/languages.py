"""The language that a request asks for: what a refusal is said in."""

from collections.abc import Iterator

from fastapi import Request

from workers.saying import UnknownLanguage, check_language, find_language

MOST = 35
"""Characters of a language's code (RFC 5646, section 4.4.1)."""


def language_of(request: Request) -> str:
    """The language of `?language=`; else the first of `Accept-Language` that there is a catalogue for; else English."""
    if named := request.query_params.get("language"):
        return find_language(named[:MOST])
    for wanted in _accepted(request.headers.get("accept-language", "")):
        try:
            return check_language(wanted[:MOST])
        except UnknownLanguage:
            continue
    return find_language(None)


def _accepted(header: str) -> Iterator[str]:
    """The codes of an `Accept-Language`, the best liked first; of equals the first. At most 20."""
    weighed: list[tuple[float, str]] = []
    for part in header.split(",")[:20]:
        code, _, weight = part.partition(";")
        if code.strip():
            weighed.append((_weight(weight), code.strip()))
    return (code for weight, code in sorted(weighed, key=lambda pair: -pair[0]) if weight > 0)


def _weight(text: str) -> float:
    """Of `q=0.8`; 1 if there is nothing; 0 if it is not a number."""
    name, _, value = text.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
