"""A chart as Vega-Lite 6: plain JSON with its data inside, for our pages and for other tools to draw. No address, nothing of a source in an
expression.

Colours are those of a light page; a browser takes those of its theme instead.
"""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from contracts.base import Json
from contracts.charts import Chart, Mark, Measure
from contracts.statements import Shown, Term, member_term
from workers.saying.axes import digits_of, tick_texts, ticks_of, value_shown, wants_zero
from workers.saying.labels import cells
from workers.saying.spans import Speaker

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 640
"""Pixels of a picture; a page takes the width that it has."""
HEIGHT = 260
COLOURS = ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#0a7d91", "#8a6100", "#57606a")
CELL = 7.0
"""Pixels of a narrow character."""
ROW = 24
"""Pixels of a bar with its gap."""
THIN_ROW = 14
"""The same of one bar of several that belong to a name."""
MOST_MARKED = 60
"""Rows of a line up to which each has a dot; the dots of more would hide the line, and are seen by the pointer only."""
MOST_COLUMNS = 120
"""Rows up to which a line may be shown as columns as well."""
_TITLE = 72
"""Characters of a line of the heading, which fit above the drawing."""
_TALL_NAME = 10
"""Narrow characters of a name from which on names below an axis are written at an angle."""
_LABEL, _WHEN, _PARTIAL, _END = "_label", "_when", "_partial", "_end"
"""Fields that no chart has itself: the quantity in words, the time, whether its period is incomplete, which dashed end a row is of."""

CONFIG: Json = {
    "font": "Noto Sans, Noto Sans CJK SC, sans-serif",
    "aria": False,
    "view": {"stroke": None},
    "mark": {"color": COLOURS[0]},
    "tick": {"color": "black"},
    "range": {"category": list(COLOURS), "ramp": {"scheme": "viridis"}},
    "axisY": {"labelLimit": 240},
    "axisQuantitative": {"tickCount": 5},
    "legend": {"orient": "top", "offset": 24, "direction": "horizontal", "columns": 4, "labelLimit": 150},
}


class Form(StrEnum):
    """How a chart is drawn."""

    BAR = "bar"
    LINE = "line"
    AREA = "area"
    POINT = "point"
    HEAT = "heat"

    def term(self) -> Term:
        """Its word on a button."""
        return member_term("saying.chart.form", self)


@dataclass(frozen=True, slots=True)
class Drawing:
    """One way to draw some data."""

    key: str
    label: Shown
    """For the button that chooses it."""
    spec: Json
    """Without its data, its width and its theme."""


@dataclass(frozen=True, slots=True)
class Plot:
    """What a page or a picture is drawn from."""

    drawings: tuple[Drawing, ...]
    """The first is shown until the reader chooses another."""
    datasets: dict[str, list[Json]]
    """`rows`, and what else is drawn."""
    shown: tuple[tuple[str, str], ...]
    """Fields and titles of a row in words, for its tooltip."""
    columns: tuple[tuple[str, str], ...]
    """Fields and titles of a row in plain values, for a file of the data."""

    def whole(self, *titles: Shown, speaker: Speaker) -> Json:
        """The first drawing as a specification that needs nothing else: its heading, its title, its data."""
        *heading, title = map(speaker.text, titles)
        shown: Json = {"text": textwrap.wrap(heading[0], _TITLE), "subtitle": title} if heading else {"text": title}
        return {
            "$schema": SCHEMA,
            "title": shown | {"anchor": "start"},
            "width": WIDTH,
            "config": CONFIG,
            "datasets": self.datasets,
            **self.drawings[0].spec,
        }


def plot_chart(chart: Chart, speaker: Speaker) -> Plot:
    """The chart in each form that suits its data, its own first. Names of rows keep their order; the ends of lines over incomplete periods
    are dashed."""
    forms = _forms_of(chart)
    drawings = tuple(Drawing(form, form.term(), _spec(chart, form, speaker)) for form in forms)
    ends = [row for number, pair in enumerate(chart.partial_ends()) for row in _rows(chart, pair, speaker, {_END: number})]
    datasets = {"rows": list(_rows(chart, chart.data, speaker))} | ({"ends": ends} if ends else {})
    columns = tuple((channel.field, speaker.text(channel.title)) for channel in chart.channels())
    return Plot(drawings, datasets, _shown(chart, speaker), columns)


def _forms_of(chart: Chart) -> tuple[Form, ...]:
    own = Form(chart.mark.value)
    if chart.x.type == "quantitative":
        return tuple(dict.fromkeys((own, Form.POINT, Form.LINE)))
    able = [Form.LINE, Form.AREA, Form.POINT]
    if len(chart.data) <= MOST_COLUMNS or own is Form.BAR:
        able.insert(0, Form.BAR)
    return tuple(dict.fromkeys((own, *able)))


def _rows(chart: Chart, rows: Iterable[dict[str, float | str]], speaker: Speaker, also: Json | None = None) -> Iterable[Json]:
    """The rows; times as local ones, in any zone that draws them."""
    when = {str(row[chart.x.field]): moment for row, moment in zip(chart.data, chart.moments, strict=False)}
    digits = digits_of([float(row[chart.y.field]) for row in chart.data]) if chart.data else None
    for row in rows:
        x = str(row[chart.x.field])
        yield {
            **{field: speaker.text(value) if isinstance(value, str) else value for field, value in row.items()},
            _LABEL: speaker.text(value_shown(chart, row, digits)),
            **({_WHEN: f"{when[x]:%Y-%m-%dT%H:%M:%S}"} if x in when else {}),
            **({_PARTIAL: x in chart.partial} if chart.partial else {}),
            **(also or {}),
        }


def _spec(chart: Chart, form: Form, speaker: Speaker) -> Json:
    match form:
        case Form.HEAT:
            return _heat(chart, speaker)
        case Form.BAR if chart.mark is not Mark.LINE:
            return _bars(chart, speaker)
        case Form.BAR:
            return _columns(chart, speaker)
        case Form.LINE:
            return _lines(chart, speaker)
        case Form.AREA:
            return _area(chart, speaker)
        case Form.POINT:
            mark: Json = {"type": "point", "filled": True, "size": 50, "opacity": 0.8}
            return _across(chart, speaker, form) | {"mark": mark, **_zoom(chart)}


def _shown(chart: Chart, speaker: Speaker) -> tuple[tuple[str, str], ...]:
    """The names of a row, and its quantity as the reader writes it."""
    *names, quantity = chart.channels()
    return (*((channel.field, speaker.text(channel.title)) for channel in names), (_LABEL, speaker.text(quantity.title)))


def tooltip(shown: tuple[tuple[str, str], ...]) -> Json:
    """What the pointer shows of a row."""
    return {"tooltip": [{"field": field, "type": "nominal", "title": title} for field, title in shown]}


def _across(chart: Chart, speaker: Speaker, form: Form) -> Json:
    """Time, names or a quantity from left to right, the quantity upwards."""
    x: Json = {"field": chart.x.field, "type": chart.x.type, "title": speaker.text(chart.x.title)}
    if chart.moments and form is not Form.BAR:
        x |= {"field": _WHEN, "type": "temporal", "axis": _TIME_AXIS | {"format": _time_format(chart)} | _ticks(chart)}
    elif chart.x.type == "nominal":
        is_tall = not chart.moments and any(cells(str(row[chart.x.field])) > _TALL_NAME for row in chart.data)
        angle: Json = {"labelAngle": -35, "labelLimit": 110} if is_tall else {"labelAngle": 0}
        x |= {"sort": None, "axis": {"labelOverlap": True, "labelSeparation": 6, **angle}}
    else:
        x |= {"scale": {"zero": False}}
    values = [float(row[chart.y.field]) for row in chart.data]
    has_zero = form in (Form.BAR, Form.AREA) or wants_zero(values)
    y = _quantity(chart, speaker, values, has_zero=has_zero) | {"scale": {"zero": has_zero}}
    spec: Json = {"data": {"name": "rows"}, "height": HEIGHT, "encoding": {"x": x, "y": y} | _colour(chart, speaker)}
    return spec | {"encoding": spec["encoding"] | tooltip(_shown(chart, speaker))}


_TIME_AXIS: Json = {"labelOverlap": True, "labelFlush": False, "labelSeparation": 8}
"""A first label that is moved inwards would touch the second."""
_MOST_TICKS = 12
_FORMATS = {len("2025"): "%Y", len("2025-03"): "%Y-%m", len("2025-01-01"): "%Y-%m-%d"}
"""Length of a time as it is shown → how an axis writes it."""


def _time_format(chart: Chart) -> str:
    shown = str(chart.data[0][chart.x.field])
    return "%Y-Q%q" if "Q" in shown else _FORMATS.get(len(shown), "%m-%d %H:%M")


def _ticks(chart: Chart) -> Json:
    """A tick for each time where they are few: years and quarters, which an axis of times would divide further."""
    times = sorted(set(chart.moments))
    if len(times) > _MOST_TICKS or any(time.hour or time.minute for time in times):
        return {}
    return {"values": [{"year": time.year, "month": time.month, "date": time.day} for time in times]}


_PLAIN = {Measure.NUMBER: None, Measure.COUNT: None, Measure.SHARE: ".1~%"}
"""Measures whose ticks any tool writes as we do; those of others are written here."""


def _quantity(chart: Chart, speaker: Speaker, values: Sequence[float], *, has_zero: bool) -> Json:
    """The axis of the quantity."""
    channel: Json = {"field": chart.y.field, "type": "quantitative", "title": speaker.text(chart.y.title)}
    if chart.y.measure in _PLAIN:
        form = _PLAIN[chart.y.measure]
        return channel | ({"axis": {"format": form}} if form else {})
    return channel | {"axis": ticks_written(ticks_of(Mark.BAR if has_zero else Mark.LINE, values), chart.y.measure, speaker)}


def ticks_written(ticks: Sequence[float], measure: Measure, speaker: Speaker) -> Json:
    """An axis with these ticks, each as the reader writes it: bytes, times, money."""
    texts = [speaker.text(text) for text in tick_texts(ticks, measure)]
    chosen = "".join(f"datum.value==={tick!r}?{_literal(text)}:" for tick, text in zip(ticks, texts, strict=True))
    return {"values": list(ticks), "labelExpr": f"{chosen}''", "labelOverlap": True, "labelSeparation": 8}


def _literal(text: str) -> str:
    """A text of ours within an expression."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _colour(chart: Chart, speaker: Speaker) -> Json:
    if chart.color is None:
        return {}
    title = speaker.text(chart.color.title)
    return {"color": {"field": chart.color.field, "type": "nominal", "title": title, "sort": None}}


def _zoom(chart: Chart) -> Json:
    """The wheel with Shift zooms, the pointer with Shift moves: without it, both belong to the page."""
    if not chart.moments and chart.x.type == "nominal":
        return {}
    moved = "[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!"
    chosen: Json = {
        "type": "interval",
        "zoom": "wheel![event.shiftKey]",
        "translate": moved,
        "encodings": ["x"] if chart.moments else ["x", "y"],
    }
    return {"params": [{"name": "zoom", "select": chosen, "bind": "scales"}]}


def _lines(chart: Chart, speaker: Speaker) -> Json:
    """The line of the whole periods, and dashed ends to those that are not."""
    whole: Json = {"mark": {"type": "line", "point": True if len(chart.data) <= MOST_MARKED else "transparent"}, **_zoom(chart)}
    layers = [whole]
    if chart.partial:
        whole["transform"] = [{"filter": {"field": _PARTIAL, "equal": False}}]
        dashed: Json = {"type": "line", "strokeDash": [4, 4], "point": {"filled": False, "fill": "transparent"}}
        layers.append({"data": {"name": "ends"}, "mark": dashed, "encoding": {"detail": {"field": _END, "type": "nominal"}}})
    return _across(chart, speaker, Form.LINE) | {"layer": layers}


def _area(chart: Chart, speaker: Speaker) -> Json:
    """Areas on top of each other where the parts make a whole; else one behind the other."""
    is_summed = chart.color is not None and all(float(row[chart.y.field]) >= 0 for row in chart.data)
    spec = _across(chart, speaker, Form.AREA)
    spec["encoding"]["y"] |= {"stack": "zero" if is_summed else None}
    if is_summed and chart.y.measure not in _PLAIN:
        del spec["encoding"]["y"]["axis"]  # its ticks are those of single values
    mark: Json = {"type": "area", "line": True, "fillOpacity": 0.35, "point": "transparent"}
    return spec | {"mark": mark, **_zoom(chart)}


def _columns(chart: Chart, speaker: Speaker) -> Json:
    """Upright bars, from the first time to the last."""
    spec = _across(chart, speaker, Form.BAR)
    if chart.color is not None:
        spec["encoding"]["xOffset"] = {"field": chart.color.field, "sort": None}
    spec["encoding"] |= _faint(chart)
    return spec | {"mark": {"type": "bar"}}


def _faint(chart: Chart) -> Json:
    """Bars of periods that are not whole, in a lighter shade."""
    when: Json = {"test": {"field": _PARTIAL, "equal": True}, "value": 0.4}
    return {"fillOpacity": {"condition": when, "value": 1}} if chart.partial else {}


def _bars(chart: Chart, speaker: Speaker) -> Json:
    """Horizontal bars, so that long names can be read, with their values behind them."""
    is_grouped = chart.color is not None and not chart.is_stacked
    y: Json = {"field": chart.x.field, "type": "nominal", "title": speaker.text(chart.x.title), "sort": None}
    ends = list(_ends(chart))
    x = _quantity(chart, speaker, ends, has_zero=True) | {"stack": "zero" if chart.is_stacked else None}
    encoding: Json = {"y": y, "x": x} | ({"yOffset": {"field": chart.color.field, "sort": None}} if is_grouped and chart.color else {})
    shown = _colour(chart, speaker) | tooltip(_shown(chart, speaker)) | _faint(chart)
    layers: list[Json] = [{"mark": {"type": "bar"}, "encoding": shown}]
    spec: Json = {"data": {"name": "rows"}, "height": {"step": THIN_ROW if is_grouped else ROW}, "encoding": encoding, "layer": layers}
    if chart.is_stacked:
        return spec
    layers.append(values_beside(_LABEL, right=any(end >= 0 for end in ends)))
    digits = digits_of(ends) if ends else None
    longest = max((cells(speaker.text(value_shown(chart, row, digits))) for row in chart.data), default=0)
    return spec | {"padding": {"left": 5, "top": 5, "bottom": 5, "right": 8 + longest * CELL}}


def values_beside(field: str, *, right: bool = True) -> Json:
    """The texts at the ends of horizontal bars."""
    where: Json = {"align": "left", "dx": 4} if right else {"align": "right", "dx": -4}
    return {"mark": {"type": "text", **where}, "encoding": {"text": {"field": field, "type": "nominal"}}}


def _ends(chart: Chart) -> Iterable[float]:
    """Where bars end: those of a name behind one another where they are stacked."""
    sums: dict[tuple[str, bool], float] = {}
    for row in chart.data:
        amount = float(row[chart.y.field])
        if not chart.is_stacked:
            yield amount
            continue
        place = (str(row[chart.x.field]), amount >= 0)
        sums[place] = sums.get(place, 0.0) + amount
    yield from sums.values()


def _heat(chart: Chart, speaker: Speaker) -> Json:
    """A field for each name and series: the larger the quantity, the stronger its colour."""
    across = chart.color or chart.x
    encoding: Json = {
        "x": {
            "field": across.field, "type": "nominal", "title": speaker.text(across.title), "sort": None,
            "axis": {"orient": "top", "labelAngle": 0},
        },
        "y": {"field": chart.x.field, "type": "nominal", "title": speaker.text(chart.x.title), "sort": None},
        **tooltip(_shown(chart, speaker)),
    }  # fmt: skip
    colour: Json = {"field": chart.y.field, "type": "quantitative", "title": speaker.text(chart.y.title), "legend": None}
    layers: list[Json] = [{"mark": {"type": "rect"}, "encoding": {"color": colour}}]
    layers.append({"mark": {"type": "text"}, "encoding": {"text": {"field": _LABEL, "type": "nominal"}}})
    return {"data": {"name": "rows"}, "height": {"step": ROW}, "encoding": encoding, "layer": layers}
