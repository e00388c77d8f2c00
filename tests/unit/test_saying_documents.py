"""Documents on a terminal, as Markdown and as HTML: no data becomes markup, no line is too long, no text is lost."""

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pydantic import ValidationError
from rich.cells import cell_len
from rich.console import Console

from contracts.charts import Channel, Chart, Mark
from contracts.statements import Shown, Target, name, ref, say, seconds
from tests.support import texts
from tests.support.documents import PLAIN_TEXT, SHAPES, SHOWN, Shape
from tests.support.texts import foreign_words_in
from workers.saying import Catalogues, spans_of, terminal, text_of
from workers.saying.catalogues import FLEET_CATALOGUE
from workers.saying.document import Align, Callout, CodeBlock, Column, Document, Heading, Item, Items, Paragraph, Table, texts_in
from workers.saying.harmless import UNSAFE, flat
from workers.saying.markdown import to_markdown
from workers.saying.plots import scripts as scripts_of_ours
from workers.saying.terminal import print_document, to_lines
from workers.saying.web_page import policy, to_html

CATALOGUES = Catalogues(FLEET_CATALOGUE, Path(texts.__file__).with_name("locale"))
LANGUAGES = st.sampled_from(("en", "zh", "qaa"))
FILLED = st.tuples(SHAPES, st.lists(SHOWN, min_size=1, max_size=12), st.lists(PLAIN_TEXT, min_size=1, max_size=5))
TAGS = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "span",
        "ul",
        "ol",
        "li",
        "dl",
        "div",
        "dt",
        "dd",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
        "figcaption",
        "pre",
        "code",
        "mark",
        "ins",
        "del",
        "details",
        "summary",
        "aside",
        "b",
        "a",
        "q",
        "br",
        "svg",
        "rect",
        "path",
        "text",
        "button",
        "script",
    ]
)
VOID = {"meta", "br"}


def filled(shape: Shape, shown: list[Shown], raw: list[str]) -> Document:
    return shape.fill(lambda n: shown[n % len(shown)], lambda n: raw[n % len(raw)])


def benign(shown: Any) -> Any:
    """The same value with every data text replaced by `x`."""
    if isinstance(shown, str):
        return "x" if flat(shown) else ""
    return type(shown).model_validate(_benign_json(shown.to_json()))


def _benign_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_benign_json(item) for item in value]
    if isinstance(value, dict):
        return {
            key: ("x" if flat(item) else "") if key == "text" and isinstance(item, str) else _benign_json(item)
            for key, item in value.items()
        }
    return value


class Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.runs: list[str] = []
        """Scripts that are no data."""
        html, main, scripts = html.partition("</main>")
        assert scripts.startswith(f"\n{scripts_of_ours()}\n</body>") or "<script" not in scripts
        self.feed(f"{html}{main}</body></html>" if main else html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {key for key, _ in attrs}
        self.ids += [value or "" for key, value in attrs if key == "id"]
        self.runs += [tag] if tag == "script" and dict(attrs).get("type") != "application/json" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data: str) -> None:
        self.text += data


def squeezed(text: str) -> str:
    return "".join(text.split())


@given(FILLED, LANGUAGES)
def test_no_data_becomes_html(drawn: tuple[Shape, list[Shown], list[str]], language: str) -> None:
    shape, shown, raw = drawn

    page = Page(to_html(filled(shape, shown, raw), language, CATALOGUES))
    plain_lines = ["\n".join(line[:1] + "x" if line[:1] in ("+", "-") else line and "x" for line in text.split("\n")) for text in raw]
    harmless = Page(to_html(filled(shape, [benign(one) for one in shown], plain_lines), language, CATALOGUES))

    drawn_tags, coloured = {"br", "text", "rect"}, {"span"}  # code has an element for each of its words
    counted = [
        Counter(tag for tag in one.tags if tag not in {"br", "code", "q", "ins", "del", *drawn_tags, *coloured}) for one in (page, harmless)
    ]
    assert counted[0] == counted[1]
    assert set(page.tags) <= TAGS
    assert not {attribute for attribute in page.attributes if attribute.startswith("on") or attribute in ("src", "style")}
    assert page.open == page.runs == []
    assert len(page.ids) == len(set(page.ids))


@given(FILLED, LANGUAGES)
def test_every_text_is_on_the_html_page(drawn: tuple[Shape, list[Shown], list[str]], language: str) -> None:
    document = filled(*drawn)

    text = squeezed(Page(to_html(document, language, CATALOGUES)).text).replace("`", "")  # what stands in ticks is code there

    for shown in texts_in(document):
        assert squeezed("".join(span.text for span in spans_of(shown, language, CATALOGUES))).replace("`", "") in text


def structure(markdown: str) -> list[str]:
    """The tokens that a parser sees, without text and code within lines."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    seen: list[str] = []
    for token in parser.parse(markdown):
        seen.append(f"{token.type}{token.content if token.type == 'html_block' and '<details>' not in token.content else ''}")
        seen += [child.type for child in token.children or () if child.type not in ("text", "code_inline", "softbreak", "hardbreak")]
    return seen


@given(FILLED, LANGUAGES)
def test_no_data_becomes_markdown(drawn: tuple[Shape, list[Shown], list[str]], language: str) -> None:
    shape, shown, raw = drawn

    markdown = to_markdown(filled(shape, shown, raw), language, CATALOGUES)
    harmless = to_markdown(filled(shape, [benign(one) for one in shown], ["x" if flat(one) else "" for one in raw]), language, CATALOGUES)

    assert structure(markdown) == structure(harmless)


@given(FILLED, LANGUAGES)
def test_every_text_is_in_the_markdown(drawn: tuple[Shape, list[Shown], list[str]], language: str) -> None:
    document = filled(*drawn)
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(to_markdown(document, language, CATALOGUES))

    text = squeezed(Page(html).text)

    for shown in texts_in(document):
        assert squeezed("".join(span.text for span in spans_of(shown, language, CATALOGUES))) in text


@given(FILLED, LANGUAGES, st.integers(40, 200))
def test_no_line_of_a_terminal_is_longer_than_its_width(drawn: tuple[Shape, list[Shown], list[str]], language: str, width: int) -> None:
    shape, shown, raw = drawn
    document = shape.fill(lambda n: shown[n % len(shown)], lambda n: raw[n % len(raw)] if n % 10 in (3, 4) else "code")

    for line in to_lines(document, language, width, CATALOGUES):
        assert cell_len(line.plain) <= width
        assert not UNSAFE.search(line.plain.replace("\n", "\x00"))


@given(FILLED, LANGUAGES, st.integers(40, 200))
def test_every_character_of_a_text_is_on_the_terminal(drawn: tuple[Shape, list[Shown], list[str]], language: str, width: int) -> None:
    """Lines and points are drawn instead of being written: here they are bars."""
    document = filled(*drawn)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(terminal, "plot_lines", lambda *given: None)
        printed = squeezed("".join(line.plain for line in to_lines(document, language, width, CATALOGUES)))

    wanted = Counter(
        squeezed("".join("".join(span.text for span in spans_of(shown, language, CATALOGUES)) for shown in texts_in(document)))
    )
    assert not wanted - Counter(printed)


def test_a_terminal_gets_no_markup_and_no_escapes_from_data() -> None:
    console = Console(width=60, record=True, force_terminal=True, color_system=None, file=StringIO())
    document = Document(title="[bold]x[/bold] \x1b[31m :smile:", blocks=(Paragraph(text=name("[link=http://x]y[/link]")),))

    print_document(console, document, "en")

    assert console.export_text() == "[bold]x[/bold] ␛[31m :smile:\n\n[link=http://x]y[/link]\n"


LONG = "The heaviest task of the stage took much longer than the median task, because one key carries most of the rows."


def table(columns: int) -> Document:
    titles = tuple(Column(title=f"column {n}", wraps=n == 0, align=Align.RIGHT if n else Align.LEFT) for n in range(columns))
    return Document(title="t", blocks=(Table(columns=titles, rows=((LONG, *(seconds(n) for n in range(1, columns))),)),))


def test_a_table_wraps_the_columns_that_may_wrap() -> None:
    lines = [line.plain for line in to_lines(table(2), "en", 60)]

    assert lines[2:5] == [
        "column 0                                            column 1",
        "The heaviest task of the stage took much longer          1 s",
        "than the median task, because one key carries most",
    ]


def test_a_table_that_does_not_fit_becomes_labelled_values() -> None:
    lines = [line.plain for line in to_lines(table(8), "en", 60)]

    assert lines[2] == "column 0: The heaviest task of the stage took much longer"
    assert lines[-1] == "column 7: 7 s"


def test_chinese_is_broken_between_characters_but_not_before_a_comma() -> None:
    document = Document(title="最长的任务用了很长时间，因为一个键占了大部分数据，其他任务早已结束。")

    assert [line.plain for line in to_lines(document, "zh", 22)] == [
        "最长的任务用了很长时",
        "间，因为一个键占了大部",
        "分数据，其他任务早已结",
        "束。",
    ]


def test_code_keeps_its_lines_and_shows_which_to_look_at() -> None:
    block = CodeBlock(text="a = 1\n" + "b" * 100, first_line=41, marked=(42,))

    lines = [line.plain for line in to_lines(Document(title="t", blocks=(block,)), "en", 40)]

    assert lines[2:] == ["  41  a = 1", "> 42  " + "b" * 100]


def test_headings_of_a_page_never_skip_a_level() -> None:
    document = Document(title="t", blocks=(Heading(text="a", level=4), Heading(text="b", level=4), Heading(text="c", level=2)))

    assert [tag for tag in Page(to_html(document, "en")).tags if tag[0] == "h" and tag[1:].isdigit()] == ["h1", "h2", "h3", "h2"]


def test_a_reference_is_a_link_where_the_page_has_its_target() -> None:
    items = Items(items=(Item(text="first", to=Target.FIX, id="F1"), Item(text=ref(Target.FIX, "F1")), Item(text=ref(Target.FIX, "F9"))))

    html = to_html(Document(title="t", blocks=(items,)), "en")

    assert '<li id="fix-F1">' in html
    assert '<a href="#fix-F1">F1</a>' in html
    assert 'href="#fix-F9"' not in html


def test_a_page_names_its_language_and_loads_nothing() -> None:
    html = to_html(Document(title="t"), "zh")

    assert '<html lang="zh" dir="ltr">' in html
    assert "default-src 'none'" in html
    assert "http" not in html.replace("http-equiv", "")


def test_a_third_language_is_one_more_file() -> None:
    skew = say("test.skew", stage=name("12"), longest=seconds(842.0), median=seconds(2.1))
    document = Document(title=skew, blocks=(Callout(blocks=(Paragraph(text=skew),)),))

    for shown in (to_markdown(document, "qaa", CATALOGUES), to_html(document, "qaa", CATALOGUES)):
        assert "Nolu" in shown
        assert "Taluk 14 min, solun 2.1 s" in shown
    assert foreign_words_in(document, "en", catalogues=CATALOGUES) == []
    assert foreign_words_in(document, "zh", catalogues=CATALOGUES) == []


def test_each_cell_of_a_wide_table_on_a_page_has_its_columns_title_for_narrow_screens() -> None:
    def page(count: int) -> str:
        columns = tuple(Column(title=name(f'a "{number}"')) for number in range(count))
        return to_html(Document(title=name("t"), blocks=(Table(columns=columns, rows=(tuple(map(name, range(count))),)),)), "en")

    assert page(4).count("data-label=") == 4
    assert 'class="table stacks"' in page(4)
    assert 'data-label="a &quot;3&quot;"' in page(4)
    assert "data-label=" not in page(3)


def test_a_chart_is_bars_on_a_terminal_a_table_in_markdown_and_a_drawing_on_a_page() -> None:
    chart = Chart(
        title="Time",
        x=Channel(field="stage", title="stage"),
        y=Channel(field="s", type="quantitative", title="time"),
        data=({"stage": "1", "s": 4.0}, {"stage": "2", "s": 2.0}),
    )
    document = Document(title="t", blocks=(chart,))

    assert [line.plain for line in to_lines(document, "en", 26)][4:] == ["1  4  " + "█" * 20, "2  2  " + "█" * 10]
    assert "| 1 | 4 |\n| 2 | 2 |" in to_markdown(document, "en")
    page = to_html(document, "en")
    assert '"rows":[["1",4.0,"4"],["2",2.0,"2"]]' in page
    assert page.count("<td") == 4, "the data as a table"
    assert "<script" not in to_html(Document(title="t"), "en"), "a report without charts brings no script"


def test_a_page_of_its_own_runs_the_scripts_that_its_policy_names_and_no_other() -> None:
    evil = "</script><script>alert(1)</script>"
    x, y = Channel(field="x", title="x"), Channel(field="y", type="quantitative", title="y")
    chart = Chart(title=evil, x=x, y=y, data=({"x": evil, "y": 1.0}, {"x": "b", "y": 2.0}))
    page = to_html(Document(title="t", blocks=(chart,)), "en")

    texts = re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", page, re.DOTALL)
    assert len(texts) == 4
    for text in texts:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy()
    assert "unsafe-eval" not in policy()
    assert "'unsafe-inline'" not in policy().partition("script-src")[2]


def test_bars_of_amounts_below_zero_go_the_other_way_from_the_same_zero() -> None:
    data = ({"stage": "1", "s": -2.0}, {"stage": "2", "s": 6.0})
    chart = Chart(title="t", x=Channel(field="stage", title="s"), y=Channel(field="s", type="quantitative", title="t"), data=data)

    first, second = (line.plain for line in to_lines(Document(title="t", blocks=(chart,)), "en", 23)[4:])

    assert first == "1  -2  " + "█" * 4
    assert second == "2   6  " + " " * 4 + "█" * 12


@pytest.mark.parametrize(
    "wrong",
    [
        {"data": [{"stage": "1"}]},
        {"data": [{"stage": "1", "s": "much"}]},
        {"data": [{"stage": str(n), "s": 1.0} for n in range(1_001)]},
        {"mark": Mark.BAR, "x": {"field": "s", "type": "quantitative", "title": "s"}},
        {"y": {"field": "stage", "title": "stage"}},
        {"data": {"url": "http://x"}},
    ],
)
def test_a_chart_that_cannot_be_drawn_is_refused(wrong: dict[str, Any]) -> None:
    good = {
        "title": "t",
        "x": {"field": "stage", "title": "stage"},
        "y": {"field": "s", "type": "quantitative", "title": "s"},
        "data": [{"stage": "1", "s": 1.0}],
    }
    Chart.model_validate(good)

    with pytest.raises(ValidationError):
        Chart.model_validate(good | wrong)


def test_a_document_reads_back_from_its_json() -> None:
    document = Shape(tuple(range(14))).fill(lambda n: f"text {n}", lambda n: f"raw {n}")

    assert Document.model_validate_json(document.model_dump_json()) == document
    assert text_of(document.title, "en") == "text 0"
