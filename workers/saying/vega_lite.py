"""A chart as a Vega-Lite 6 specification: a plain dict with its data inside, for other tools to draw."""

import textwrap
from collections.abc import Sequence

from contracts.base import Json
from contracts.charts import Chart, Mark, Measure
from contracts.statements import Shown
from workers.saying.spans import Speaker
from workers.saying.svg_text import digits_of, value_shown

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 640
HEIGHT = 320
_COLOURS = ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#0a7d91", "#8a6100", "#57606a")
_TITLE = 72
"""Characters of a line of the heading, which fit above the drawing."""
_FONT = "Noto Sans, Noto Sans CJK SC, sans-serif"


def vega_lite(chart: Chart, speaker: Speaker, *, heading: Shown | None = None) -> Json:
    """The specification. Names of rows stay in their order; incomplete periods are drawn with a dashed line. `heading`: what a picture that
    leaves its report is titled, above the chart's own title."""
    title = speaker.text(chart.title)
    titles = {"text": title} if heading is None else {"text": textwrap.wrap(speaker.text(heading), _TITLE), "subtitle": title}
    spec: Json = {
        "$schema": SCHEMA,
        "title": titles | {"anchor": "start"},
        "width": WIDTH,
        "config": {"font": _FONT, "range": {"category": list(_COLOURS)}, "view": {"stroke": None}},
    }
    match chart.mark:
        case Mark.BAR:
            return spec | _bars(chart, speaker)
        case Mark.HEAT:
            return spec | {"height": {"step": 24}, "data": _data(chart), "mark": "rect", "encoding": _heat(chart, speaker)}
        case Mark.POINT:
            mark = {"type": "point", "filled": True, "size": 50, "tooltip": True}
            return spec | {"height": HEIGHT, "data": _data(chart), "mark": mark, "encoding": _across(chart, speaker)}
        case Mark.LINE:
            return spec | {"height": HEIGHT, "encoding": _across(chart, speaker), "layer": _lines(chart)}


_PERCENT = ".1~%"
_WHEN = "when"
_FORMATS = {len("2025"): "%Y", len("2025-03"): "%Y-%m", len("2025-01-01"): "%Y-%m-%d"}
"""Length of a time as it is shown → how an axis writes it."""


def _time_format(chart: Chart) -> str:
    shown = str(chart.data[0][chart.x.field])
    return "%Y-Q%q" if "Q" in shown else _FORMATS.get(len(shown), "%m-%d %H:%M")


_TIME_AXIS: Json = {"labelOverlap": True, "labelFlush": False, "labelSeparation": 8}
"""A first label that is moved inwards would touch the second."""
_MOST_TICKS = 12


def _ticks(chart: Chart) -> Json:
    """A tick for each time where they are few: years and quarters, which an axis of times would divide further."""
    times = sorted(set(chart.moments))
    if len(times) > _MOST_TICKS or any(time.hour or time.minute for time in times):
        return {}
    return {"values": [{"year": time.year, "month": time.month, "date": time.day} for time in times]}


def _data(chart: Chart, rows: Sequence[dict[str, float | str]] | None = None) -> Json:
    """The rows inside of the specification; times as local ones, in any zone that draws them."""
    when = {str(row[chart.x.field]): moment for row, moment in zip(chart.data, chart.moments, strict=False)}
    values = [
        dict(row) | ({_WHEN: f"{when[str(row[chart.x.field])]:%Y-%m-%dT%H:%M:%S}"} if when else {})
        for row in (chart.data if rows is None else rows)
    ]  # fmt: skip
    return {"values": values}


def _across(chart: Chart, speaker: Speaker) -> Json:
    """Time or a quantity from left to right, the quantity upwards."""
    x: Json = {"field": chart.x.field, "type": chart.x.type, "title": speaker.text(chart.x.title)}
    if chart.moments:
        x |= {"field": _WHEN, "type": "temporal", "axis": _TIME_AXIS | {"format": _time_format(chart)} | _ticks(chart)}
    else:
        x |= {"sort": None, "axis": {"labelOverlap": True, "labelAngle": 0}} if chart.x.type == "nominal" else {"scale": {"zero": False}}
    y: Json = {"field": chart.y.field, "type": "quantitative", "title": speaker.text(chart.y.title)}
    if chart.y.measure is Measure.SHARE:
        y["axis"] = {"format": _PERCENT}
    return {"x": x, "y": y} | _colour(chart, speaker)


def _colour(chart: Chart, speaker: Speaker) -> Json:
    if chart.color is None:
        return {"color": {"value": _COLOURS[0]}}
    title = speaker.text(chart.color.title)
    return {"color": {"field": chart.color.field, "type": "nominal", "title": title, "sort": None}}


_LABEL = "label"


def _bars(chart: Chart, speaker: Speaker) -> Json:
    """Horizontal bars, so that long names can be read, with their values behind them."""
    y: Json = {"field": chart.x.field, "type": "nominal", "title": speaker.text(chart.x.title), "sort": None}
    x: Json = {"field": chart.y.field, "type": "quantitative", "title": speaker.text(chart.y.title)}
    if chart.color is not None and not chart.is_stacked:
        y["axis"] = {"labelLimit": 240}
        inside: Json = {"yOffset": {"field": chart.color.field, "sort": None}}
    else:
        y["axis"], inside = {"labelLimit": 240}, {}
    x |= {"stack": "zero" if chart.is_stacked else None}
    encoding = {"y": y, "x": x} | inside
    text: Json = {"mark": {"type": "text", "align": "left", "dx": 4}, "encoding": {"text": {"field": _LABEL, "type": "nominal"}}}
    digits = digits_of([float(row[chart.y.field]) for row in chart.data])
    rows = [row | {_LABEL: speaker.text(value_shown(chart, row, digits))} for row in chart.data]
    if chart.y.measure is Measure.SHARE:
        x["axis"] = {"format": _PERCENT}
    layers: list[Json] = [{"mark": {"type": "bar", "tooltip": True}, "encoding": _colour(chart, speaker)}]
    layers += [] if chart.is_stacked else [text]
    return {"height": {"step": 14 if inside else 24}, "data": _data(chart, rows), "encoding": encoding, "layer": layers}


def _heat(chart: Chart, speaker: Speaker) -> Json:
    up = chart.color or chart.x
    return {
        "x": {"field": up.field, "type": "nominal", "title": speaker.text(up.title), "sort": None},
        "y": {"field": chart.x.field, "type": "nominal", "title": speaker.text(chart.x.title), "sort": None},
        "color": {"field": chart.y.field, "type": "quantitative", "title": speaker.text(chart.y.title)},
    }


def _lines(chart: Chart) -> list[Json]:
    """The line of the whole periods, and dashed ends to those that are not."""
    field = chart.x.field
    whole = [row for row in chart.data if row[field] not in chart.partial]
    layers: list[Json] = [{"data": _data(chart, whole), "mark": {"type": "line", "point": len(whole) <= 60, "tooltip": True}}]
    for ends in chart.partial_ends():
        layers.append({"data": _data(chart, list(ends)), "mark": {"type": "line", "strokeDash": [4, 4], "point": {"filled": False}}})
    return layers
