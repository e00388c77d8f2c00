"""Charts, ranges and maps of a page: the data that a browser draws them from, with their buttons, and what a page of its own needs to draw.

The console loads the same code from its own addresses; see `browser/VENDORED.md`.
"""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path

from contracts.charts import Chart
from contracts.drawings import Places, Ranges
from contracts.statements import Shown, passage, say, term
from workers.saying.document import Align, Column
from workers.saying.drawn_tables import MOST_PLACES, Rows, places_table, ranges_table
from workers.saying.html_text import escaped
from workers.saying.spans import Speaker
from workers.saying.vega_drawings import plot_places, plot_ranges
from workers.saying.vega_lite import Plot, plot_chart

Plotted = Chart | Ranges | Places
"""What a browser draws by Vega-Lite."""

BROWSER = Path(__file__).with_name("browser")
"""The code that draws in a browser."""
RUNTIME = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.min.js")
"""In the order in which they are loaded. The interpreter evaluates expressions without `eval`, which no policy of ours allows."""
DRAWING = "plots.js"


def plot_of(block: Plotted, speaker: Speaker) -> Plot:
    """What a block is drawn from."""
    match block:
        case Chart():
            return plot_chart(block, speaker)
        case Ranges():
            return plot_ranges(block, speaker)
        case Places():
            return plot_places(block, speaker)


def table_of(block: Plotted) -> tuple[tuple[Column, ...], Rows]:
    """The same as a table, for those who cannot see the drawing."""
    match block:
        case Chart():
            columns = (Column(title=part.title, align=Align.LEFT if part.type == "nominal" else Align.RIGHT) for part in block.channels())
            return tuple(columns), tuple(tuple(block.shown(row, channel) for channel in block.channels()) for row in block.data)
        case Ranges():
            return ranges_table(block)
        case Places():
            return places_table(block)


def rows_left_out(block: Plotted) -> int:
    """Rows that are drawn and not in the table."""
    return max(0, len(block.places) - MOST_PLACES) if isinstance(block, Places) else 0


def is_empty(block: Plotted) -> bool:
    """Whether there is nothing to draw."""
    return not (block.places if isinstance(block, Places) else block.rows if isinstance(block, Ranges) else block.data)


def drawn_figure(block: Plotted, title: str, table: str, speaker: Speaker, taken: set[str], *, is_alone: bool) -> str:
    """A drawing with its buttons, which a script shows, and its data as a table, which is open where no script runs. `title` and `table`:
    markup; `taken`: the ids of the page; `is_alone`: the page is a file that brings its own scripts."""
    plot, name = plot_of(block, speaker), speaker.text(block.title)
    drawings = [(drawing.key, speaker.text(drawing.label)) for drawing in plot.drawings]
    shown: list[tuple[str, Shown]] = [*drawings, ("table", term("saying.chart.form.table"))]
    chosen = _group(speaker, term("saying.chart.drawn_as"), "data-drawing", shown, pressed=drawings[0][0])
    saved = _group(speaker, term("saying.chart.save"), "data-save", [("svg", "SVG"), ("png", "PNG"), ("csv", "CSV")])
    how = speaker.text(say("saying.chart.by_keys", title=passage(name)))
    content = _content(plot, name)
    anchor = f"plot-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    while anchor in taken:
        anchor += "-2"
    taken.add(anchor)
    rows = (
        f"<details{' open' if is_alone else ''}><summary>{escaped(speaker.text(term('saying.chart.data')))}</summary>\n{table}\n</details>"
    )
    return (
        f'<figure class="plotted" id="{anchor}" hx-morph-skip><figcaption>{title}</figcaption>\n'
        f'<div class="plot-tools" hidden>{chosen}{saved}</div>\n'
        f'<div class="plot" role="group" tabindex="0" aria-label="{escaped(how)}"></div><p class="plot-said" role="status"></p>\n'
        f'<script type="application/json" class="plot-data">{content}</script>\n{rows}</figure>'
    )


def _group(speaker: Speaker, label: Shown, data: str, buttons: list[tuple[str, Shown]], pressed: str | None = None) -> str:
    """A row of buttons; those of a choice say which one is taken."""
    marks = [f' aria-pressed="{str(key == pressed).lower()}"' if pressed is not None else "" for key, _ in buttons]
    made = (
        f'<button type="button" {data}="{escaped(key)}"{mark}>{escaped(speaker.text(text))}</button>'
        for (key, text), mark in zip(buttons, marks, strict=True)
    )
    return f'<div role="group" aria-label="{escaped(speaker.text(label))}">{"".join(made)}</div>'


def _content(plot: Plot, title: str) -> str:
    """The data of a drawing as JSON that no page takes for the end of its element."""
    fields = {name: list(dict.fromkeys(field for row in rows for field in row)) for name, rows in plot.datasets.items()}
    content = {
        "title": title, "drawings": {drawing.key: drawing.spec for drawing in plot.drawings}, "shown": plot.shown, "columns": plot.columns,
        "datasets": {
            name: {"fields": fields[name], "rows": [[row.get(field) for field in fields[name]] for row in rows]}
            for name, rows in plot.datasets.items()
        },
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


@cache
def _scripts() -> tuple[tuple[str, str], ...]:
    """Attributes and texts of the scripts of a page that brings its own."""
    plain = [("", (BROWSER / name).read_text("utf-8")) for name in RUNTIME]
    return (*plain, (' type="module"', f"{(BROWSER / DRAWING).read_text('utf-8')}\ndrawAll(document);\n"))


def scripts() -> str:
    """The scripts that draw the figures of a page of its own."""
    return "\n".join(f"<script{attributes}>{text}</script>" for attributes, text in _scripts())


@cache
def script_policy() -> str:
    """The sources of scripts in the policy of such a page: these texts, and no other."""
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for _, text in _scripts())
