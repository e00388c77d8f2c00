"""A map on a terminal: a field for each part of the area, whose shade shows the mean of its places."""

from rich.text import Text

from contracts.drawings import Places
from workers.saying.axes import scale_of
from workers.saying.harmless import flat
from workers.saying.spans import Speaker
from workers.saying.terminal_heat import SHADES, step_of

ROWS = 16
"""Most lines of a map."""
MOST_COLUMNS = 72
NARROWEST = 16
"""Cells below which nothing could be made out."""
FLATTENING = 2
"""A cell of a terminal is about twice as high as wide."""


def place_lines(block: Places, speaker: Speaker, room: int) -> list[Text] | None:
    """The map by its first quantity, and what its shades mean; None where it has no room."""
    columns = min(room, MOST_COLUMNS)
    if columns < NARROWEST:
        return None
    east, north = [place.x for place in block.places], [place.y for place in block.places]
    width, height = max(east) - min(east), max(north) - min(north)
    rows = max(1, min(ROWS, round(columns / FLATTENING * (height / width if width else 1.0))))
    columns = max(1, min(columns, round(rows * FLATTENING * (width / height if height else 1.0)))) if height else columns
    x, y = scale_of(min(east), max(east), 0, columns - 1), scale_of(min(north), max(north), rows - 1, 0)
    by = block.colourings[0] if block.colourings else None
    held: dict[tuple[int, int], list[float]] = {}
    for place in block.places:
        value = place.values.get(by.field) if by else 1.0
        cell = held.setdefault((round(y(place.y)), round(x(place.x))), [])
        cell += [] if value is None else [value]
    means = {cell: sum(values) / len(values) for cell, values in held.items() if values}
    low, high = min(means.values(), default=0.0), max(means.values(), default=0.0)
    lines: list[Text] = []
    for row in range(rows):
        signs = (
            SHADES[step_of(means[cell], low, high)] if (cell := (row, at)) in means else "·" if cell in held else " "
            for at in range(columns)
        )
        lines.append(Text("".join(signs).rstrip(), "cyan"))
    if by is not None:
        ends = [
            next(text for place in block.places if place.values.get(by.field) == end and (text := block.shown(place, by)))
            for end in _ends(block, by.field)
        ]
        lines.append(
            Text(f"{flat(speaker.text(by.title))}: {SHADES[0]} {' … '.join(flat(speaker.text(end)) for end in ends)} {SHADES[-1]}", "dim")
        )
    return lines


def _ends(block: Places, field: str) -> list[float]:
    """The smallest and the greatest value; nothing where none is known."""
    values = [place.values[field] for place in block.places if field in place.values]
    return [min(values), max(values)] if values else []
