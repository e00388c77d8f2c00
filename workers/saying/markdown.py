"""A document as Markdown (CommonMark with tables), in which no data is read as markup."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from contracts.charts import Chart, more_rows
from contracts.drawings import Graph, Places, Ranges
from contracts.statements import Shown
from workers.saying.catalogues import INSTALLED, Catalogues
from workers.saying.document import (
    Align,
    Block,
    Callout,
    CodeBlock,
    Column,
    Diff,
    Document,
    Fact,
    Facts,
    Figures,
    Fold,
    Heading,
    Items,
    Paragraph,
    References,
    Table,
    Tone,
)
from workers.saying.drawn_tables import MOST_PLACES, graph_table, places_table, ranges_table
from workers.saying.harmless import flat, source_lines
from workers.saying.html_text import spans_html
from workers.saying.spans import Span, SpanKind, Spans, Speaker

_SPECIAL = re.compile(r"([\\`*_\[\]<>~&$|@!{}]|(?<=w)\.|:(?=//))")
"""What may begin inline markup, an entity, or a link that a page makes of a bare address."""

_LINE_START = re.compile(r"^(\s*)(#|[+-](?=[\s+-]|$)|=(?=[\s=]|$)|\d{1,9}(?=[.)](?:\s|$)))")

_BACKTICKS = re.compile(r"`+")


def to_markdown(document: Document, language: str, catalogues: Catalogues = INSTALLED) -> str:
    """The document as Markdown text."""
    page = _Page(Speaker(language, catalogues))
    return "\n".join([f"# {page.line(document.title)}", "", *page.blocks(document.blocks)]).rstrip() + "\n"


def escaped(text: str) -> str:
    """Text of which Markdown reads nothing as markup, at the beginning of a line or elsewhere."""
    text = _SPECIAL.sub(r"\\\1", text)
    return _LINE_START.sub(_start_escaped, text)


def _start_escaped(found: re.Match[str]) -> str:
    if found[2].isdigit():
        return f"{found[1]}{found[2]}\\"
    return f"{found[1]}\\{found[2]}"


def fenced(lines: Sequence[str], info: str = "") -> list[str]:
    """Lines of code between fences that are longer than any in them."""
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + re.sub(r"[^A-Za-z0-9+-]", "", info), *lines, fence]


def code_span(text: str) -> str:
    """Code within a line."""
    fence = "`" * (max((len(run) for run in _BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


class _Page:
    """Blocks as lines."""

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker

    def line(self, shown: Shown) -> str:
        """A text on one line."""
        return self._joined(_on_one_line(self._speaker.spans(shown)))

    def cell(self, shown: Shown) -> str:
        """A text in a table; a bar is written as an entity, which no parser takes for the end of the cell."""
        spans = _on_one_line(self._speaker.spans(shown))
        return "".join(self._span(span, is_cell=True) for span in spans).replace("\\|", "&#124;") or " "

    def text(self, shown: Shown) -> list[str]:
        """A text in its lines."""
        return self._joined(self._speaker.spans(shown)).split("\n")

    def blocks(self, blocks: Iterable[Block]) -> list[str]:
        """Blocks with a blank line behind each."""
        lines: list[str] = []
        for block in blocks:
            found = self._block(block)
            lines.extend([*found, ""] if found else [])
        return lines

    def _joined(self, spans: Spans) -> str:
        """Spans as Markdown that begins a line; further lines are broken hard."""
        shown = (self._line_of(line) for line in _by_line(spans))
        return "\\\n".join(line for line in shown if line)

    def _line_of(self, spans: Sequence[Span]) -> str:
        line = ""
        for span in spans:
            line += self._span(span, is_first=not line)
        return line.rstrip()

    def _span(self, span: Span, *, is_cell: bool = False, is_first: bool = False) -> str:
        is_code = span.kind in (SpanKind.CODE, SpanKind.NAME)
        if is_code and not (is_cell and re.search(r"[|`\\]", span.text)):
            return code_span(span.text)
        return escaped(span.text.lstrip()) if is_first else _SPECIAL.sub(r"\\\1", span.text)

    def _block(self, block: Block) -> list[str]:
        match block:
            case Heading():
                return [f"{'#' * block.level} {self.line(block.text)}"]
            case Paragraph():
                return self._paragraph(block)
            case Items():
                return self._items(block)
            case Facts():
                return [self._fact(fact) for fact in block.facts]
            case Figures():
                return self._figures(block)
            case Table():
                return self._table(block.columns, block.rows, block.caption)
            case CodeBlock():
                return self._titled(block.title, fenced(_numbered(block), block.language))
            case Diff():
                return self._titled(block.title, fenced(list(source_lines(block.text)), "diff"))
            case Chart():
                columns = [Column(title=channel.title) for channel in block.channels()]
                rows = [tuple(block.shown(row, channel) for channel in block.channels()) for row in block.data]
                return self._table(columns, rows, block.title)
            case Places():
                more = len(block.places) - MOST_PLACES
                return [*self._table(*places_table(block), block.title), *(["", self.line(more_rows(more))] if more > 0 else [])]
            case Ranges() | Graph():
                return self._table(*(ranges_table(block) if isinstance(block, Ranges) else graph_table(block)), block.title)
            case Callout():
                title = f"**{self.line(block.callout.term())}**"
                return [f"> {line}".rstrip() for line in (title, "", *self.blocks(block.blocks))][:-1]
            case References():
                return self._references(block)
            case Fold():
                summary = spans_html(_on_one_line(self._speaker.spans(block.summary)))
                return [f"<details><summary>{summary}</summary>", "", *self.blocks(block.blocks), "</details>"]

    def _paragraph(self, block: Paragraph) -> list[str]:
        lines = self.text(block.text)
        text = "\n".join(lines).strip()
        return f"**{text}**".split("\n") if text and block.tone in (Tone.STRONG, Tone.BAD) else lines

    def _items(self, block: Items) -> list[str]:
        lines: list[str] = []
        for number, item in enumerate(block.items, start=block.first):
            mark = f"{number}. " if block.is_numbered else "- "
            text = [line for line in self.text(item.text) if line.strip()]
            inner = [*text, *([""] if text and item.blocks else []), *self.blocks(item.blocks)] or [""]
            lines += [(" " * len(mark) + line if place else mark + line).rstrip() for place, line in enumerate(inner)]
        return lines

    def _fact(self, fact: Fact) -> str:
        return f"- {self._labelled(fact.label, fact.value)}"

    def _labelled(self, label: Shown, value: Shown, note: Shown | None = None) -> str:
        spans = self._speaker.spans(value)
        if note is not None:
            spans = self._speaker.framed("saying.aside", text=spans, aside=self._speaker.spans(note))
        return self._joined(_on_one_line(self._speaker.framed("saying.labelled", label=self._speaker.spans(label), value=spans)))

    def _figures(self, block: Figures) -> list[str]:
        return [f"- {self._labelled(figure.label, figure.value, figure.note)}" for figure in block.figures]

    def _references(self, block: References) -> list[str]:
        return [f"- {escaped(flat(item.id)) + ' ' if item.id else ''}{self.line(item.text)}" for item in block.references]

    def _titled(self, title: Shown | None, lines: list[str]) -> list[str]:
        return lines if title is None else [self.line(title), "", *lines]

    def _table(self, columns: Sequence[Column], rows: Iterable[Sequence[Shown]], caption: Shown | None) -> list[str]:
        lines = [f"**{self.line(caption).strip()}**", ""] if caption is not None and self.line(caption).strip() else []
        lines.append(f"| {' | '.join(self.cell(column.title) for column in columns)} |")
        lines.append(f"| {' | '.join('---:' if column.align is Align.RIGHT else '---' for column in columns)} |")
        return [*lines, *(f"| {' | '.join(self.cell(cell) for cell in row)} |" for row in rows)]


def _by_line(spans: Spans) -> list[list[Span]]:
    """Spans in lines; what begins a line has no indent."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        for place, text in enumerate(span.text.split("\n")):
            if place:
                lines.append([])
            if text:
                lines[-1].append(replace(span, text=text))
    return lines


def _on_one_line(spans: Spans) -> Spans:
    return tuple(replace(span, text=" ".join(span.text.split("\n"))) for span in spans)


def _numbered(block: CodeBlock) -> list[str]:
    """The lines, with numbers and marks where the block has them."""
    lines = list(source_lines(block.text))
    if block.first_line is None and not block.marked:
        return lines
    first = block.first_line if block.first_line is not None else 1
    digits = len(str(first + len(lines)))
    return [f"{'>' if number in block.marked else ' '} {number:{digits}}  {line}" for number, line in enumerate(lines, start=first)]
