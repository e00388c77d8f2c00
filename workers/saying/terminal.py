"""A document on a terminal: lines of at most the width, wrapped at words; only code and diffs keep their lines as they are.

Texts become rich `Text`s, so that brackets in data are only brackets.
"""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from contracts.charts import Chart, Mark
from contracts.drawings import Graph, Places, Ranges
from contracts.statements import Shown
from workers.saying.catalogues import INSTALLED, Catalogues
from workers.saying.columns import GAP, padded, widths_of
from workers.saying.document import (
    Align,
    Block,
    Callout,
    CalloutKind,
    CodeBlock,
    Diff,
    Document,
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
from workers.saying.drawn_tables import named, origins_of
from workers.saying.harmless import flat, source_lines
from workers.saying.range_bars import bar_of
from workers.saying.spans import Span, SpanKind, Spans, Speaker
from workers.saying.terminal_bars import bar_lines
from workers.saying.terminal_heat import heat_lines
from workers.saying.terminal_places import place_lines
from workers.saying.terminal_plots import plot_lines
from workers.saying.terminal_stacks import stack_lines
from workers.saying.wrapping import wrapped

NARROWEST = 20
"""Cells of a line that are used even if a terminal says it has fewer."""

BAR_ROWS = 60
"""Rows of a chart on a terminal; the other media show all."""

_TONES = {Tone.NORMAL: "", Tone.STRONG: "bold", Tone.DIM: "dim", Tone.GOOD: "green", Tone.WARNING: "yellow", Tone.BAD: "bold red"}
_SPANS = {SpanKind.CODE: "cyan", SpanKind.REF: "bold"}
_CALLOUTS = {CalloutKind.NOTE: "cyan", CalloutKind.WARNING: "yellow", CalloutKind.QUESTION: "magenta"}
_LEVELS = {2: "bold underline", 3: "bold", 4: "italic"}
_DIFFS = {"+": "green", "-": "red", "@": "cyan"}


def print_document(console: Console, document: Document, language: str) -> None:
    """The document at the console's width."""
    for line in to_lines(document, language, console.width):
        console.print(line, soft_wrap=True)


def to_lines(document: Document, language: str, width: int, catalogues: Catalogues = INSTALLED) -> list[Text]:
    """The document in lines of a terminal."""
    page = _Page(Speaker(language, catalogues), max(width, NARROWEST))
    tone = Tone.STRONG if document.tone is Tone.NORMAL else document.tone
    page.text(page.styled(document.title, _TONES[tone]))
    page.blocks(document.blocks, is_spaced=True, follows_heading=False)
    return page.lines


class _Page:
    """Lines, and the indent of those that come next."""

    def __init__(self, speaker: Speaker, width: int) -> None:
        self.lines: list[Text] = []
        self._speaker = speaker
        self._width = width
        self._indent = Text()

    def blocks(self, blocks: Sequence[Block], *, is_spaced: bool, follows_heading: bool = True) -> None:
        """Blocks below each other, with a blank line between them, but not behind a heading."""
        for block in blocks:
            if is_spaced and not follows_heading:
                self.lines.append(Text.assemble(self._indent))
                self.lines[-1].rstrip()
            self._block(block)
            follows_heading = isinstance(block, Heading)

    def styled(self, shown: Shown, style: str = "") -> Text:
        """A text with its spans' styles."""
        return self._assembled(self._speaker.spans(shown), style)

    def _flat(self, shown: Shown) -> str:
        return flat(self._speaker.text(shown))

    def text(self, text: Text, first: Text | str = "", rest: Text | str = "") -> None:
        """A text in wrapped lines; `first` precedes the first line, `rest` the others."""
        for place, line in enumerate(wrapped(text, self._room(max(cell_len(str(first)), cell_len(str(rest)))))):
            self._line(Text.assemble(rest if place else first, line))

    def _line(self, line: Text) -> None:
        self.lines.append(Text.assemble(self._indent, line))

    def _room(self, taken: int = 0) -> int:
        return self._width - cell_len(self._indent.plain) - taken

    def _inside(self, blocks: Sequence[Block], indent: Text, *, is_spaced: bool = False) -> None:
        """Indented blocks. The indent is left out if it would exceed a third of the line."""
        before = self._indent
        if cell_len(before.plain) + cell_len(indent.plain) <= self._width // 3:
            self._indent = Text.assemble(before, indent)
        self.blocks(blocks, is_spaced=is_spaced)
        self._indent = before

    def _assembled(self, spans: Spans, style: str = "") -> Text:
        text = Text(style=style)
        for span in spans:
            is_code = span.kind is SpanKind.CODE and len(spans) > 1
            text.append(f"`{span.text}`" if is_code else span.text, _SPANS.get(span.kind))
        text.expand_tabs(4)
        return text

    def _block(self, block: Block) -> None:
        match block:
            case Heading():
                self.text(self.styled(block.text, _LEVELS[block.level]))
            case Paragraph():
                self.text(self.styled(block.text, _TONES[block.tone]))
            case Items():
                self._items(block)
            case Facts():
                for fact in block.facts:
                    self._labelled(fact.label, self._speaker.spans(fact.value), _TONES[fact.tone])
            case Figures():
                self._figures(block)
            case Table():
                self._table(block)
            case CodeBlock():
                self._code(block)
            case Diff():
                self._diff(block)
            case Chart() | Ranges() | Places() | Graph():
                self._drawn(block)
            case Callout():
                self._callout(block)
            case References():
                for reference in block.references:
                    mark = f"[{flat(reference.id)}] " if reference.id else ""
                    self.text(Text.assemble(mark, self.styled(reference.text)), "", "  ")
            case Fold():
                self.text(self.styled(block.summary, "bold dim"))
                self._inside(block.blocks, Text("  "))

    def _items(self, block: Items) -> None:
        last = block.first + len(block.items) - 1
        for number, item in enumerate(block.items, start=block.first):
            mark = f"{number:{len(str(last))}}. " if block.is_numbered else "• "
            self.text(self.styled(item.text, _TONES[item.tone]), mark, " " * len(mark))
            self._inside(item.blocks, Text(" " * len(mark)))

    def _labelled(self, label: Shown, value: Spans, style: str = "") -> None:
        """`label: value`, further lines indented."""
        spans = self._speaker.framed("saying.labelled", label=(Span(self._speaker.text(label)),), value=value)
        text = self._assembled(spans, style)
        text.stylize("dim", 0, len(self._speaker.text(label)))
        lines = wrapped(text, self._room(2))
        for place, line in enumerate(lines):
            self._line(Text.assemble("  " if place else "", line))

    def _figures(self, block: Figures) -> None:
        for figure in block.figures:
            value = self._speaker.spans(figure.value)
            if figure.note is not None:
                value = self._speaker.framed("saying.aside", text=value, aside=self._speaker.spans(figure.note))
            self._labelled(figure.label, value)

    def _callout(self, block: Callout) -> None:
        bar = Text("│ ", style=_CALLOUTS[block.callout])
        title = Text(self._speaker.text(block.callout.term()), style=f"bold {_CALLOUTS[block.callout]}")
        self.text(title, bar, bar)
        self._inside(block.blocks, bar)

    def _table(self, block: Table) -> None:
        if block.caption is not None:
            self.text(self.styled(block.caption, "bold"))
        rows = [[self.styled(cell) for cell in row] for row in block.rows]
        titles = [self.styled(column.title, "dim") for column in block.columns]
        widths = widths_of(block.columns, [[cell.plain for cell in row] for row in (titles, *rows)], self._room())
        if widths is None:
            self._rows_as_facts(block)
            return
        for row in (titles, *rows):
            cells = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
            for place in range(max(map(len, cells))):
                line = Text()
                for column, cell, width in zip(block.columns, cells, widths, strict=True):
                    line.append_text(padded(cell[place] if place < len(cell) else Text(), width, column.align))
                    line.append(" " * GAP)
                line.rstrip()
                self._line(line)

    def _rows_as_facts(self, block: Table) -> None:
        """A table that does not fit: each row as its labelled cells."""
        for place, row in enumerate(block.rows):
            if place:
                self._line(Text())
            for column, cell in zip(block.columns, row, strict=True):
                self._labelled(column.title, self._speaker.spans(cell))
        if not block.rows:
            for column in block.columns:
                self.text(self.styled(column.title, "dim"))

    def _title(self, title: Shown | None) -> None:
        if title is not None:
            self.text(self.styled(title, "dim"))

    def _code(self, block: CodeBlock) -> None:
        self._title(block.title)
        lines = list(source_lines(block.text))
        first = block.first_line if block.first_line is not None else 1
        digits = len(str(first + len(lines)))
        for number, line in enumerate(lines, start=first):
            is_marked = number in block.marked
            mark = Text("> " if is_marked else "  ", style="bold yellow")
            shown = f"{number:{digits}}  " if block.first_line is not None else ""
            self._line(Text.assemble(mark, (shown, "dim"), (line, "bold" if is_marked else "")))

    def _diff(self, block: Diff) -> None:
        self._title(block.title)
        for line in source_lines(block.text):
            self._line(Text(line, style=_DIFFS.get(line[:1], "dim")))

    def _chart(self, block: Chart) -> None:
        """Lines, points, fields and stacks as such; bars where there is no room for them."""
        self.text(self.styled(block.title, "bold"))
        titles = [self._flat(channel.title) for channel in block.channels()]
        self.text(Text(" · ".join(titles), style="dim"))
        drawn = None
        if block.mark is Mark.HEAT:
            drawn = heat_lines(block, self._speaker, self._room(), BAR_ROWS)
        elif block.mark in (Mark.LINE, Mark.POINT):
            drawn = plot_lines(block, self._speaker, self._room())
        elif block.is_stacked:
            drawn = stack_lines(block, self._speaker, self._room(), BAR_ROWS)
        for line in bar_lines(block, self._speaker, self._room(), BAR_ROWS) if drawn is None else drawn:
            for part in [line] if cell_len(line.plain) <= self._room() else wrapped(line, self._room()):
                self._line(part)

    def _drawn(self, block: Chart | Ranges | Places | Graph) -> None:
        match block:
            case Chart():
                self._chart(block)
            case Ranges():
                self._ranges(block)
            case Places():
                self.text(self.styled(block.title, "bold"))
                for line in place_lines(block, self._speaker, self._room()) or ():
                    self._line(line)
            case Graph():
                self._graph(block)

    def _ranges(self, block: Ranges) -> None:
        """A line for each bar under one scale, with what is written beside it."""
        self.text(self.styled(block.title, "bold"))
        low, high = block.scale()
        shown = [(self._flat(row.name), self._flat(block.beside(row))) for row in block.rows]
        name_cells = min(max((cell_len(name) for name, _ in shown), default=0), self._room() // 3)
        note_cells = min(max((cell_len(note) for _, note in shown), default=0), self._room() // 3)
        cells = max(0, self._room() - name_cells - note_cells - 2 * GAP)
        for row, (name, note) in zip(block.rows, shown, strict=True):
            names, notes = wrapped(Text(name), name_cells), wrapped(Text(note, style="bold"), note_cells)
            bar = (bar_of(row, low, high, cells), "yellow" if row.is_marked else "cyan")
            for place in range(max(len(names), len(notes))):
                line = padded(names[place] if place < len(names) else Text(), name_cells)
                line.append(" " * GAP)
                line.append_text(padded(notes[place] if place < len(notes) else Text(), note_cells, Align.RIGHT))
                line.append(" " * GAP)
                line.append(*(bar if place == 0 else ("", "")))
                line.rstrip()
                self._line(line)
        ends = self._speaker.framed(
            "saying.ranges.scale", axis=self._speaker.spans(block.axis), low=self._speaker.spans(block.shown(low)),
            high=self._speaker.spans(block.shown(high)),
        )  # fmt: skip
        self.text(self._assembled(ends, "dim"))

    def _graph(self, block: Graph) -> None:
        """Each thing with what it is made from."""
        self.text(self.styled(block.title, "bold"))
        for node in block.nodes:
            origins = origins_of(block, node)
            text = self.styled(named(node), "bold" if node.is_marked else "")
            if origins:
                text = Text.assemble(text, (" ← ", "dim"), self.styled(origins))
            self.text(text, "", "  ")
