"""Ranges and maps as Vega-Lite, like charts in `vega_lite`."""

import math
from collections.abc import Sequence

from contracts.base import Json
from contracts.charts import Channel
from contracts.drawings import Place, Places, Ranges
from contracts.statements import term
from workers.saying.axes import round_ticks
from workers.saying.drawn_tables import numbers_of, ranges_table
from workers.saying.labels import cells
from workers.saying.spans import Speaker
from workers.saying.vega_lite import CELL, ROW, WIDTH, Drawing, Plot, ticks_written, tooltip, values_beside

BAR = 12
"""Pixels of the height of a bar; the thin lines beside it are drawn at its middle."""

LOWEST, HIGHEST = 160, 460
"""Pixels of the height of a map, which has the shape of what it shows."""
DOT = 100
"""Square pixels of a place without a size of its own."""
STEP = 0.28
"""How far a place with a bearing is drawn from its own place, as a share of the usual distance between places: the sectors of a mast
would hide each other."""
METRES_PER_DEGREE = 111_320.0


def plot_ranges(block: Ranges, speaker: Speaker) -> Plot:
    """The rows under one scale, what reaches beyond a bar as a thin line, its middle as a mark."""
    low, high = block.scale()
    ticks = [tick for tick in round_ticks(low, high) if low <= tick <= high]
    columns, texts = ranges_table(block)
    numbers = numbers_of(block)
    names = _unlike([speaker.text(row.name) for row in block.rows])
    notes = [speaker.text(block.beside(row)) for row in block.rows]
    rows: list[Json] = [
        {
            "name": name, "note": note, "low": row.low, "high": row.high, "least": row.ends[0], "greatest": row.ends[1],
            "middle": row.middle, "marked": row.is_marked,
            **{f"n{number}": read(row) for number, (_, read) in enumerate(numbers)},
            **{f"t{number}": speaker.text(text) for number, text in enumerate(cell)},
        }
        for row, name, note, cell in zip(block.rows, names, notes, texts, strict=True)
    ]  # fmt: skip
    axis = ticks_written(ticks, block.measure, speaker)
    shown = tuple((f"t{place}", speaker.text(column.title)) for place, column in enumerate(columns))
    y: Json = {"field": "name", "type": "nominal", "title": None, "sort": None}
    marked: Json = {"field": "marked", "type": "nominal", "scale": {"domain": [False, True]}, "legend": None}
    layers: list[Json] = [
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {"x": {"field": "least"}, "x2": {"field": "greatest"}, "color": marked}},
        {"mark": {"type": "bar", "height": BAR}, "encoding": {"x2": {"field": "high"}, "color": marked}},
        {
            "transform": [{"filter": {"field": "middle", "valid": True}}],
            "mark": {"type": "tick", "thickness": 2, "size": BAR + 6},
            "encoding": {"x": {"field": "middle"}},
        },
        values_beside("note"),
    ]
    layers[3]["encoding"]["x"] = {"field": "greatest"}
    x: Json = {"field": "low", "type": "quantitative", "title": speaker.text(block.axis), "axis": axis, "scale": {"domain": [low, high]}}
    for layer in layers:
        layer["encoding"]["x"] = x | layer["encoding"].get("x", {})
    spec: Json = {
        "data": {"name": "rows"},
        "height": {"step": ROW + 2},
        "padding": {"left": 5, "top": 5, "bottom": 5, "right": 8 + max(map(cells, notes), default=0) * CELL},
        "encoding": {"y": y, **tooltip(shown)},
        "layer": layers,
    }
    kept = (("name", speaker.text(block.label)), *((f"n{place}", speaker.text(title)) for place, (title, _) in enumerate(numbers)))
    return Plot((Drawing("ranges", term("saying.chart.form.bar"), spec),), {"rows": rows}, shown, kept)


def _unlike(names: Sequence[str]) -> list[str]:
    """Names of rows; one that is there twice is numbered, since rows of one name would be drawn over each other."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def plot_places(block: Places, speaker: Speaker) -> Plot:
    """The map, once for each quantity that colours it."""
    width, height = _extent(block)
    points = any(place.bearing is not None for place in block.places)
    step = _step(block, (width, height)) if points else None
    rows: list[Json] = [
        {
            "name": speaker.text(place.name), **_drawn_at(place, step), **place.values,
            **{f"{channel.field}_text": speaker.text(block.shown(place, channel)) for channel in block.colourings},
        }
        for place in block.places
    ]  # fmt: skip
    titles = (("name", block.label), *((f"{by.field}_text", by.title) for by in block.colourings))
    shown = tuple((field, speaker.text(title)) for field, title in titles)
    encoding = _encoding(block, shown)
    drawings = tuple(_map(block, channel, speaker, encoding, (width, height)) for channel in block.colourings or (None,))
    east, north = ("east", "north") if points else ("at_x", "at_y")
    columns = (("name", speaker.text(block.label)), (east, _east(block)), (north, _north(block)))
    kept = (*columns, *((channel.field, speaker.text(channel.title)) for channel in block.colourings))
    return Plot(drawings, {"rows": rows}, shown, kept)


def _east(block: Places) -> str:
    return "longitude" if block.is_geographic else "x_m"


def _north(block: Places) -> str:
    return "latitude" if block.is_geographic else "y_m"


def _extent(block: Places) -> tuple[float, float]:
    """Width and height of what is shown, in metres."""
    east, north = [place.x for place in block.places], [place.y for place in block.places]
    width, height = max(east) - min(east), max(north) - min(north)
    if not block.is_geographic:
        return width, height
    return width * METRES_PER_DEGREE * _narrowing(block), height * METRES_PER_DEGREE


def _narrowing(block: Places) -> float:
    """How much shorter a degree of longitude is than one of latitude, in the middle of the map."""
    north = [place.y for place in block.places]
    return max(math.cos(math.radians((max(north) + min(north)) / 2)), 0.01)


def _step(block: Places, extent: tuple[float, float]) -> tuple[float, float]:
    """How far to the east and to the north a place with a bearing is drawn from its own place, in the unit of the places."""
    standing = len({(place.x, place.y) for place in block.places})
    step = STEP * math.sqrt(max(extent[0] * extent[1], 1.0) / standing)
    return (step / METRES_PER_DEGREE / _narrowing(block), step / METRES_PER_DEGREE) if block.is_geographic else (step, step)


def _drawn_at(place: Place, step: tuple[float, float] | None) -> Json:
    """Where it is drawn and, if that is a step away, where it is."""
    if step is None:
        return {"at_x": place.x, "at_y": place.y}
    turn = math.radians(place.bearing or 0.0)
    east, north = (step[0] * math.sin(turn), step[1] * math.cos(turn)) if place.bearing is not None else (0.0, 0.0)
    return {
        "at_x": round(place.x + east, 6), "at_y": round(place.y + north, 6), "east": place.x, "north": place.y, "bearing": place.bearing
    }  # fmt: skip


def _has_bearings(block: Places) -> bool:
    return block.side_m is None and all(place.bearing is not None for place in block.places)


def _encoding(block: Places, shown: tuple[tuple[str, str], ...]) -> Json:
    turned: Json = {"angle": {"field": "bearing", "type": "quantitative", "scale": None}} if _has_bearings(block) else {}
    where: Json = {"longitude": {"field": "at_x", "type": "quantitative"}, "latitude": {"field": "at_y", "type": "quantitative"}}
    return where | tooltip(shown) | turned


def _mark(block: Places, extent: tuple[float, float]) -> Json:
    if block.side_m is not None:
        width, height = (max(side, block.side_m) for side in extent)
        return {"type": "square", "opacity": 1, "size": {"expr": f"pow(min(width/{width!r},height/{height!r})*{block.side_m!r}+0.6,2)"}}
    if _has_bearings(block):
        return {"type": "point", "filled": True, "shape": "triangle", "size": DOT, "opacity": 0.95}
    return {"type": "circle", "size": DOT, "opacity": 0.95}


def _map(block: Places, channel: Channel | None, speaker: Speaker, encoding: Json, extent: tuple[float, float]) -> Drawing:
    width, height = extent
    shape = min(max(height / width, 0.1), 3.0) if width and height else 0.6
    mark = _mark(block, extent)
    spec: Json = {
        "data": {"name": "rows"},
        "height": round(min(max(WIDTH * shape, LOWEST), HIGHEST)),
        "projection": {"type": "mercator"} if block.is_geographic else {"type": "identity", "reflectY": True},
        "usermeta": {"shape": shape, "lowest": LOWEST, "highest": HIGHEST},
    }
    if channel is None:
        return Drawing("places", term("saying.chart.form.map"), spec | {"mark": mark, "encoding": encoding})
    colour: Json = {"field": channel.field, "type": "quantitative", "title": speaker.text(channel.title)}
    is_known: Json = {"field": channel.field, "valid": True}
    unknown = {key: value for key, value in encoding.items() if key != "angle"}
    layers: list[Json] = [
        {"transform": [{"filter": is_known}], "mark": mark, "encoding": encoding | {"color": colour}},
        {"transform": [{"filter": {"not": is_known}}], "mark": {"type": "circle", "size": DOT / 3, "color": "grey"}, "encoding": unknown},
    ]
    return Drawing(channel.field, channel.title, spec | {"layer": layers})
