"""HTML as text like Markdown, for documents and for descriptions that other tools keep as HTML."""

import re
from html.parser import HTMLParser

_BLANKS = re.compile(r"\n\s*\n+")


def text_of_html(text: str) -> str:
    """The words of a page; what runs or is not shown is left out."""
    parser = _TextOfHtml()
    parser.feed(text)
    parser.close()
    return _BLANKS.sub("\n\n", "".join(parser.parts)).strip()


class _TextOfHtml(HTMLParser):
    """HTML as Markdown-like text: headings, paragraphs, items."""

    _DROPPED = frozenset({"script", "style", "noscript", "template", "svg", "iframe", "object", "head", "nav", "footer", "form"})
    _BREAKS = frozenset({"p", "div", "section", "article", "table", "tr", "ul", "ol", "pre", "blockquote", "dl", "dt", "dd", "br", "hr"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._dropping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line where the tag does."""
        if tag in self._DROPPED:
            self._dropping.append(tag)
        elif not self._dropping:
            if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
                self.parts.append("\n\n" + "#" * int(tag[1]) + " ")
            elif tag == "li":
                self.parts.append("\n- ")
            elif tag in ("b", "strong"):
                self.parts.append("**")
            elif tag == "code":
                self.parts.append("`")
            elif tag in ("td", "th"):
                self.parts.append(" | ")
            elif tag in self._BREAKS:
                self.parts.append("\n\n" if tag != "br" else "\n")

    def handle_endtag(self, tag: str) -> None:
        """End it."""
        if self._dropping:
            if tag in self._dropping:
                del self._dropping[self._dropping.index(tag) :]
        elif tag in ("b", "strong"):
            self.parts.append("**")
        elif tag == "code":
            self.parts.append("`")
        elif tag in self._BREAKS or (len(tag) == 2 and tag[0] == "h"):
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        """Words, with white space as a browser shows it."""
        if not self._dropping:
            self.parts.append(re.sub(r"\s+", " ", data))
