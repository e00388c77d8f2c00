"""A document as one self-contained HTML page: no address of another page, one style sheet inside, and scripts only where it has charts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from contracts.charts import Chart, more_rows
from contracts.drawings import Graph, Places, Ranges
from contracts.statements import Shown, Statement, count, say, term
from workers.saying.catalogues import INSTALLED, Catalogues
from workers.saying.code_colours import coloured_diff, coloured_lines
from workers.saying.document import (
    Align,
    Anchored,
    Block,
    Callout,
    CodeBlock,
    Column,
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
    anchors_in,
)
from workers.saying.drawn_tables import graph_table
from workers.saying.graph_svg import graph_svg
from workers.saying.harmless import flat, source_lines
from workers.saying.html_text import Links, anchor_id, escaped, spans_html
from workers.saying.numbers import locale_of
from workers.saying.plots import Plotted, drawn_figure, is_empty, rows_left_out, script_policy, scripts, table_of
from workers.saying.spans import Speaker

_STYLE_SHEET = Path(__file__).with_name("page.css")
_DEEPEST = 6
"""The last level of headings that HTML has."""

WIDE_COLUMNS = 4
"""From so many columns on a narrow screen shows each row as a block, in which each cell has its column's title."""
_DIFFS = {"+": "ins", "-": "del"}


def policy() -> str:
    """What the page may do: load nothing, and run nothing but the scripts of ours that draw its charts."""
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src {script_policy()}; base-uri 'none'; form-action 'none'"


def to_html(document: Document, language: str, catalogues: Catalogues = INSTALLED) -> str:
    """The whole page."""
    speaker = Speaker(language, catalogues)
    page = _Page(speaker, frozenset(anchors_in(document.blocks)))
    title = escaped(speaker.text(document.title).replace("\n", " "))
    blocks = page.blocks(document.blocks)
    return "\n".join(
        (
            "<!doctype html>",
            f'<html lang="{escaped(language)}" dir="{locale_of(language).text_direction}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy()}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>\n{_STYLE_SHEET.read_text('utf-8')}</style>",
            "</head>",
            "<body><main>",
            f"<h1{_tone(document.tone)}>{page.inline(document.title)}</h1>",
            blocks,
            "</main>",
            *((scripts(),) if page.has_plots else ()),
            "</body>",
            "</html>",
            "",
        )
    )


def to_fragment(
    document: Document,
    language: str,
    *,
    below: int = 1,
    links: Links = MappingProxyType({}),
    whole: str = "",
    behind: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The document as a part of a page, its title included. `below`: the level of the page's heading above it; `links`: the pages of what
    it names; `whole`: the address of the same with all rows of its tables; `behind`: anchor of a heading → HTML that follows it, made by
    the page."""
    speaker = Speaker(language, INSTALLED)
    page = _Page(speaker, frozenset(anchors_in(document.blocks)), deeper=below, links=links, whole=whole, behind=behind)
    level = min(below + 1, _DEEPEST)
    return f"<h{level}{_tone(document.tone)}>{page.inline(document.title)}</h{level}>\n{page.blocks(document.blocks)}"


class _Page:
    """Blocks as HTML."""

    def __init__(
        self,
        speaker: Speaker,
        anchors: frozenset[str],
        *,
        deeper: int = 0,
        links: Links = MappingProxyType({}),
        whole: str = "",
        behind: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._links = links
        self._whole = whole
        self._behind = behind
        self._speaker = speaker
        self._anchors = anchors
        self._given: set[str] = set()
        self._level = 1
        self._deeper = deeper
        self.has_plots = False
        """Whether something was shown that a script draws."""
        self._focus = ' tabindex="0"' if deeper else ""
        """What scrolls within a page can be reached with the keyboard; a page of its own scrolls as a whole."""

    def inline(self, shown: Shown) -> str:
        """A text within an element."""
        return spans_html(self._speaker.spans(shown), self._anchors, self._links)

    def blocks(self, blocks: Iterable[Block]) -> str:
        """Blocks, one a line."""
        return "\n".join(self._block(block) for block in blocks)

    def _block(self, block: Block) -> str:
        match block:
            case Heading():
                return self._heading(block)
            case Paragraph():
                return f"<p{_tone(block.tone)}>{self.inline(block.text)}</p>"
            case Items():
                return self._items(block)
            case Facts():
                return self._pairs("facts", ((fact.label, fact.value, _tone(fact.tone)) for fact in block.facts))
            case Figures():
                return self._figures(block)
            case Table():
                return self._table(block.columns, block.rows, block.caption, left_out=block.left_out)
            case CodeBlock():
                return self._titled(block.title, f"<pre{self._focus}><code>{_code_lines(block)}</code></pre>")
            case Diff():
                return self._titled(block.title, f'<pre class="diff"{self._focus}><code>{_diff_lines(block)}</code></pre>')
            case Chart() | Ranges() | Places():
                return self._plot(block)
            case Graph():
                return self._graph(block)
            case Callout():
                word = escaped(self._speaker.text(block.callout.term()))
                return f'<aside class="{block.callout}"><p class="callout">{word}</p>\n{self.blocks(block.blocks)}\n</aside>'
            case References():
                return self._references(block)
            case Fold():
                return f"<details><summary>{self.inline(block.summary)}</summary>\n{self.blocks(block.blocks)}\n</details>"

    def _heading(self, block: Heading) -> str:
        """A heading. Its level is at most one below the previous heading, even if the document skips a level."""
        self._level = min(block.level, self._level + 1)
        level = min(self._level + self._deeper, _DEEPEST)
        return f"<h{level}{self._id(block)}>{self.inline(block.text)}</h{level}>{self._behind.get(block.anchor, '')}"

    def _id(self, block: Anchored) -> str:
        """The attribute that references point to; an id is given once."""
        if not block.anchor or block.anchor in self._given:
            return ""
        self._given.add(block.anchor)
        return f' id="{anchor_id(block.anchor)}"'

    def _items(self, block: Items) -> str:
        items: list[str] = []
        for item in block.items:
            inner = f"\n{self.blocks(item.blocks)}" if item.blocks else ""
            items.append(f"<li{self._id(item)}><span{_tone(item.tone)}>{self.inline(item.text)}</span>{inner}</li>")
        if not block.is_numbered:
            return "<ul>\n" + "\n".join(items) + "\n</ul>"
        start = f' start="{block.first}"' if block.first != 1 else ""
        return f"<ol{start}>\n" + "\n".join(items) + "\n</ol>"

    def _pairs(self, style: str, pairs: Iterable[tuple[Shown, Shown, str]]) -> str:
        shown = (f"<div><dt>{self.inline(label)}</dt><dd{tone}>{self.inline(value)}</dd></div>" for label, value, tone in pairs)
        return f'<dl class="{style}">\n' + "\n".join(shown) + "\n</dl>"

    def _figures(self, block: Figures) -> str:
        parts: list[str] = []
        for figure in block.figures:
            note = f'<dd class="note">{self.inline(figure.note)}</dd>' if figure.note is not None else ""
            parts.append(f"<div{self._id(figure)}><dt>{self.inline(figure.label)}</dt><dd>{self.inline(figure.value)}</dd>{note}</div>")
        return '<dl class="figures">\n' + "\n".join(parts) + "\n</dl>"

    def _table(self, columns: Sequence[Column], rows: Iterable[Sequence[Shown]], caption: Shown | None, *, left_out: int = 0) -> str:
        rows = tuple(rows)
        classes = [
            " ".join(filter(None, ("right" if column.align is Align.RIGHT else "", "" if column.wraps else "whole"))) for column in columns
        ]
        marks = [f' class="{name}"' if name else "" for name in classes]
        head = "".join(f'<th scope="col"{mark}>{self.inline(column.title)}</th>' for column, mark in zip(columns, marks, strict=True))
        is_wide = len(columns) >= WIDE_COLUMNS
        labels = [f' data-label="{escaped(self._speaker.text(column.title))}"' if is_wide else "" for column in columns]
        body = (
            "<tr>"
            + "".join(
                f"<td{mark}{label}{self._number(cell)}>{self.inline(cell)}</td>"
                for cell, mark, label in zip(row, marks, labels, strict=True)
            )
            + "</tr>"
            for row in rows
        )
        above = f"<caption>{self.inline(caption)}</caption>" if caption is not None else ""
        style = "table stacks" if is_wide else "table"
        return (
            f'<div class="{style}"{self._focus}{self._more(len(rows), left_out)}><table>{above}\n<thead><tr>{head}</tr></thead>\n<tbody>\n'
            + "\n".join(body)
            + "\n</tbody></table></div>"
        )

    def _more(self, shown: int, left_out: int) -> str:
        """Where a script gets the rows that are left out, and what its button says."""
        if not left_out or not self._whole:
            return ""
        text = self._speaker.text(say("saying.table.more", n=count(shown + left_out, exact=True)))
        return f' data-more="{escaped(self._whole)}" data-more-text="{escaped(text)}"'

    def _number(self, cell: Shown) -> str:
        """The number that a cell of a page shows, for a script to sort by: `2 min 31 s` is 151."""
        values = list(cell.values.values()) if isinstance(cell, Statement) else [cell]
        value = getattr(values[0], "value", None) if len(values) == 1 else None
        return f' data-value="{value}"' if self._deeper and isinstance(value, int | float) and not isinstance(value, bool) else ""

    def _titled(self, title: Shown | None, inner: str) -> str:
        return inner if title is None else f"<figure><figcaption>{self.inline(title)}</figcaption>{inner}</figure>"

    def _plot(self, block: Plotted) -> str:
        """What a script draws, and the data as a table for those who cannot see it."""
        title, table, more = self.inline(block.title), self._table(*table_of(block), None), rows_left_out(block)
        table += f'\n<p class="dim">{self.inline(more_rows(more))}</p>' if more else ""
        if is_empty(block):
            return f"<figure><figcaption>{title}</figcaption>{table}</figure>"
        self.has_plots = True
        return drawn_figure(block, title, table, self._speaker, self._given, is_alone=not self._deeper)

    def _graph(self, block: Graph) -> str:
        drawing, table = graph_svg(block, self._speaker), self._table(*graph_table(block), None)
        data = f"<details><summary>{self.inline(term('saying.chart.data'))}</summary>\n{table}\n</details>"
        return f'<figure class="graph"{self._focus}><figcaption>{self.inline(block.title)}</figcaption>\n{drawing}\n{data}</figure>'

    def _references(self, block: References) -> str:
        items: list[str] = []
        for item in block.references:
            mark = f"<b>{escaped(flat(item.id))}</b> " if item.id else ""
            items.append(f"<li{self._id(item)}>{mark}{self.inline(item.text)}</li>")
        return '<ul class="references">\n' + "\n".join(items) + "\n</ul>"


def _tone(tone: Tone) -> str:
    return "" if tone is Tone.NORMAL else f' class="{tone}"'


def _code_lines(block: CodeBlock) -> str:
    first = block.first_line if block.first_line is not None else 1
    lines: list[str] = []
    for number, line in enumerate(coloured_lines(tuple(source_lines(block.text)), block.language), start=first):
        label = f'<span class="line">{number}</span>' if block.first_line is not None else ""
        lines.append(f"{label}<mark>{line}</mark>" if number in block.marked else f"{label}{line}")
    return "\n".join(lines)


def _diff_lines(block: Diff) -> str:
    lines: list[str] = []
    for sign, line in coloured_diff(tuple(source_lines(block.text)), block.language):
        tag = _DIFFS.get(sign)
        lines.append(f"<{tag}>{escaped(sign)}{line}</{tag}>" if tag else f"{escaped(sign)}{line}")
    return "\n".join(lines)
