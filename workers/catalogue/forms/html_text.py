"""HTML as text like Markdown, for documents and for descriptions that other tools keep as HTML."""

import re
from html.parser import HTMLParser
from typing import ClassVar

_BLANKS = re.compile(r"\n\s*\n+")
_DEEPEST = 40
"""Lists and items within each other up to which a text is indented further."""


def text_of_html(text: str) -> str:
    """The words of a page; what runs or is not shown is left out."""
    parser = _TextOfHtml()
    parser.feed(text)
    parser.close()
    return _BLANKS.sub("\n\n", "".join(parser.parts)).strip()


class _TextOfHtml(HTMLParser):
    """HTML as Markdown-like text: headings, paragraphs, items."""

    _DROPPED = frozenset({"script", "style", "noscript", "template", "svg", "iframe", "object", "head", "nav", "footer", "form"})
    _BREAKS = frozenset({"p", "div", "section", "article", "table", "tr", "ul", "ol", "pre", "blockquote", "dl", "dt", "br", "hr"})
    _LISTS = frozenset({"ul", "ol", "dl"})
    _MARKS: ClassVar[dict[str, str]] = {"li": "- ", "dd": ": "}

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._dropping: list[str] = []
        self._open: list[str] = []
        """The lists that are open with their items: what is in an item is indented."""
        self._cell: int | None = None
        """Where the cell begins that is open; None: none, or one of a table that lays out a page."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line where the tag does."""
        if tag in self._DROPPED:
            self._dropping.append(tag)
        elif not self._dropping:
            if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
                self.parts.append("\n\n" + "#" * int(tag[1]) + " ")
            elif tag in self._MARKS:
                self._end_item()
                self.parts.append("\n" + self._indent + self._MARKS[tag])
                self._open += [tag] if len(self._open) < _DEEPEST else []
            elif tag in ("b", "strong"):
                self.parts.append("**")
            elif tag == "code":
                self.parts.append("`")
            elif tag in ("td", "th"):
                self.parts.append(" | ")
                self._cell = len(self.parts) if self._cell is None else None
            elif tag in self._BREAKS:
                if tag == "dt":
                    self._end_item()
                self._break(1 if tag == "br" else 2)
                if tag in self._LISTS and len(self._open) < _DEEPEST:
                    self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """End it."""
        if self._dropping:
            if tag in self._dropping:
                del self._dropping[self._dropping.index(tag) :]
        elif tag in ("b", "strong"):
            self.parts.append("**")
        elif tag == "code":
            self.parts.append("`")
        elif tag in self._MARKS:
            self._end_item()
            self.parts.append("\n")
        elif tag in ("td", "th") and self._cell is not None:
            if "\n#" not in (text := "".join(self.parts[self._cell :])):
                self.parts[self._cell :] = [" ".join(text.split())]
            self._cell = None
        elif tag in self._BREAKS or (len(tag) == 2 and tag[0] == "h"):
            if tag in self._LISTS and tag in self._open:
                del self._open[len(self._open) - 1 - self._open[::-1].index(tag) :]
            self._break(2)

    def handle_data(self, data: str) -> None:
        """Words, with white space as a browser shows it."""
        if not self._dropping:
            text = re.sub(r"\s+", " ", data)
            if text := text.lstrip() if self.parts and self.parts[-1][-1:].isspace() else text:
                self.parts.append(text)

    @property
    def _indent(self) -> str:
        return "  " * sum(tag in self._MARKS for tag in self._open)

    def _end_item(self) -> None:
        """Its end may be left out where the next one begins."""
        if self._open and self._open[-1] in self._MARKS:
            self._open.pop()

    def _break(self, lines: int) -> None:
        """End a line, but not that of a mark that has no words yet."""
        if not (self._indent and self.parts[-1].endswith(tuple(self._MARKS.values())) and self.parts[-1].startswith("\n")):
            self.parts.append("\n" * lines + self._indent)
