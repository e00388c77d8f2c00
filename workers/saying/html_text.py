"""Text in HTML: escaped, harmless, and spans as elements."""

import re
from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from urllib.parse import quote

from workers.saying.harmless import clean
from workers.saying.spans import SpanKind, Spans

_TICKED = re.compile("`([^`\n]+)`")
_OURS = (SpanKind.PLAIN, SpanKind.GIVEN)
_ELEMENTS = {SpanKind.CODE: "code", SpanKind.NAME: "code", SpanKind.QUOTE: "q"}


def escaped(text: str) -> str:
    """Text that HTML reads as text, in an element or a quoted attribute."""
    return escape(clean(text), quote=True)


def ticked(html: str) -> str:
    """A text of ours as HTML with what is between backticks as code: texts are written for a terminal as well."""
    return _TICKED.sub(r"<code>\1</code>", html)


def anchor_id(anchor: str) -> str:
    """The id of an element that references point to: `fix-F1`."""
    return quote(anchor, safe="").replace("%3A", "-", 1).replace("%", "_")


Links = Mapping[str, str]
"""What a reference may point to outside of its page, `ticket` or `job` → the beginning of the address, which the id ends."""


def spans_html(spans: Spans, anchors: frozenset[str] = frozenset(), links: Links = MappingProxyType({})) -> str:
    """Spans as inline HTML; a reference is a link where the page has its target, or another page has."""
    parts: list[str] = []
    for span in spans:
        text = escaped(span.text).replace("\n", "<br>")
        if span.kind is SpanKind.REF and span.target in anchors:
            parts.append(f'<a href="#{anchor_id(span.target)}">{text}</a>')
        elif span.kind is SpanKind.REF and (start := links.get(span.target.partition(":")[0])):
            parts.append(f'<a href="{escaped(start + quote(span.target.partition(":")[2], safe=""))}">{text}</a>')
        elif span.kind in _ELEMENTS:
            parts.append(f"<{_ELEMENTS[span.kind]}>{text}</{_ELEMENTS[span.kind]}>")
        else:
            parts.append(ticked(text) if span.kind in _OURS else text)
    return "".join(parts)
