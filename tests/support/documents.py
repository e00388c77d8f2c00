"""Documents full of text that tries to be markup."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from contracts.charts import Channel, Chart, Mark, Measure
from contracts.statements import Shown, Target, code, count, listing, name, quote, ref, say, seconds, share, size
from workers.saying.document import (
    Align,
    Block,
    Callout,
    CalloutKind,
    CodeBlock,
    Column,
    Diff,
    Document,
    Fact,
    Facts,
    Figure,
    Figures,
    Fold,
    Heading,
    Item,
    Items,
    Paragraph,
    Reference,
    References,
    Table,
    Tone,
)

NASTY = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "[bold red]x[/]",
    "[link=http://x]y[/link]",
    "`tick`",
    "```",
    "````\n# x",
    "| a | b |",
    "a\\|b",
    "\\",
    "* item",
    "- item",
    "1. item",
    "1) item",
    "# title",
    "> quote",
    "---",
    "===",
    "***bold***",
    "_em_",
    "~~gone~~",
    "[a](http://x.y)",
    "![a](http://x.y)",
    "<http://x.y>",
    "https://x.y/z",
    "www.x.y",
    "a@b.cd",
    "&lt;b&gt;",
    "&#x3c;",
    "{stage}",
    "{0}",
    "%s",
    "$x^2$",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://x\x07",
    "\u202eevil",
    "\r\nline",
    "  four",
    "\ttab",
    "中文，没有空格的一段很长的文字，用来换行。",
    "👨‍👩‍👧 ☁️",
    "</summary></details>",
    "]]>",
    "<!-- x -->",
    '"><b>',
    "' onload='x",
    "a\n\nb",
    "\n",
    " ",
    "x" * 90,
    "é\u0301",
    "|",
    "`",
    "``a",
    "+",
    "[^1]",
    ":smile:",
)

PLAIN_TEXT = st.one_of(
    st.sampled_from(NASTY),
    st.text(alphabet="abc <>&`*_[]()#+-.!|~\\{}$\"'/:@w1=\n\t中，。（\x1b\u202e☁\ufe0f", max_size=40),
    st.lists(st.sampled_from((*NASTY, "word", "of", "stage")), min_size=2, max_size=8).map(" ".join),
)

SHOWN: st.SearchStrategy[Shown] = st.one_of(
    PLAIN_TEXT,
    PLAIN_TEXT.map(name),
    PLAIN_TEXT.map(code),
    PLAIN_TEXT.map(quote),
    st.floats(-1e12, 1e12).map(size),
    st.floats(0, 1e6).map(seconds),
    st.floats(0, 1).map(share),
    st.integers(-(10**9), 10**9).map(count),
    st.builds(
        lambda text, inner: say("saying.aside", text=quote(text), aside=listing(name(inner), code(text), quote(inner))),
        PLAIN_TEXT,
        PLAIN_TEXT,
    ),
    st.sampled_from(("F1", "F2", "T-1 <b>")).map(lambda id: ref(Target.FIX, id)),
)


@dataclass(frozen=True)
class Shape:
    """A document's form; `fill` makes a document of it with each text given by a function."""

    numbers: tuple[int, ...]

    def fill(self, text: Callable[[int], Shown], raw: Callable[[int], str]) -> Document:
        """`text` and `raw` are asked for the n-th text."""
        return Document(title=text(0), blocks=tuple(self._block(kind, place + 1, text, raw) for place, kind in enumerate(self.numbers)))

    def _block(self, kind: int, place: int, text: Callable[[int], Shown], raw: Callable[[int], str]) -> Block:
        at = place * 10
        anchor = {"to": Target.FIX, "id": f"F{place}"}
        paragraph = Paragraph(text=text(at + 5), tone=Tone.DIM)
        makers: tuple[Callable[[], Block], ...] = (
            lambda: Heading(text=text(at), level=2 + place % 3, **anchor),
            lambda: Paragraph(text=text(at), tone=list(Tone)[place % len(Tone)]),
            lambda: Items(
                items=(Item(text=text(at), blocks=(paragraph, self._block(7, place + 50, text, raw))), Item(text=text(at + 1), **anchor))
            ),
            lambda: Items(items=(Item(text=text(at)), Item(text=text(at + 1), blocks=(paragraph,))), is_numbered=True, first=9),
            lambda: Facts(facts=(Fact(label=text(at), value=text(at + 1)), Fact(label=text(at + 2), value=text(at + 3)))),
            lambda: Table(
                columns=(Column(title=text(at)), Column(title=text(at + 1), align=Align.RIGHT, wraps=False), Column(title=text(at + 2))),
                rows=((text(at + 3), text(at + 4), text(at + 5)), (text(at + 6), text(at + 7), text(at + 8))),
                caption=text(at + 9),
            ),
            lambda: Figures(figures=(Figure(label=text(at), value=text(at + 1), note=text(at + 2), **anchor),)),
            lambda: CodeBlock(text=raw(at), language="python", first_line=place, marked=(place,), title=text(at + 1)),
            lambda: Diff(text=raw(at), title=text(at + 1)),
            lambda: Chart(
                title=text(at),
                x=Channel(field="x", title=text(at + 1)),
                y=Channel(field="y", type="quantitative", title=text(at + 2), measure=Measure.BYTES),
                data=({"x": raw(at + 3), "y": 5e6}, {"x": raw(at + 4), "y": -3.0}),
            ),
            lambda: Chart(
                title=text(at),
                mark=Mark.LINE,
                x=Channel(field="x", type="quantitative", title=text(at + 1)),
                y=Channel(field="y", type="quantitative", title=text(at + 2)),
                color=Channel(field="s", title=text(at + 3)),
                data=({"x": 1.0, "y": 5.0, "s": raw(at + 4)}, {"x": 2.0, "y": 3.0, "s": raw(at + 4)}),
            ),
            lambda: Callout(callout=CalloutKind.QUESTION, blocks=(paragraph, Items(items=(Item(text=text(at)),)))),
            lambda: References(references=(Reference(text=text(at), **anchor), Reference(text=text(at + 1)))),
            lambda: Fold(summary=text(at), blocks=(paragraph, Heading(text=text(at + 1), level=4))),
        )
        return makers[kind]()


KINDS = 14
SHAPES = st.lists(st.integers(0, KINDS - 1), min_size=1, max_size=6).map(lambda numbers: Shape(tuple(numbers)))
