"""Cells of a table into numbers: `1,234`, `1.5 GB`, `2 min 3 s`, `38 %`, `1.2亿`."""

import math
import re

from workers.engines.artefacts.headings import KNOWN_UNITS, UNITS, Heading, Measure

CELL_CHARS = 64
PIECE = re.compile(r"([+-]?(?:\d{1,3}(?:\.\d{3})+,\d+|\d[\d,_]*(?:\.\d+)?)(?:[eE][+-]?\d{1,3})?)[ \t]*(%|[A-Za-zµ\u4e00-\u9fff]{0,12})")
STAGE_NUMBER = re.compile(r"(?:stage|阶段)?[\s_#\-]*(\d{1,9})(?:\.0)?", re.IGNORECASE)
_THOUSAND = 3
"""Digits between its separators."""
LARGEST = 1e18
"""What goes beyond counts nothing that exists."""


def number_of(cell: object, heading: Heading) -> float | None:
    """In ms, bytes, ones or as a share; None where the cell holds no number. A unit in the cell wins over the heading's."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int | float):
        return _bounded(cell * (heading.factor or 1)) if abs(cell) <= LARGEST else None
    if not isinstance(cell, str):
        return None
    return _of_text(cell.strip()[:CELL_CHARS], heading)


def _of_text(text: str, heading: Heading) -> float | None:
    units = UNITS.get(heading.measure, {})
    pieces = list(PIECE.finditer(text))
    if not pieces or pieces[0].start():
        return None
    first, total = pieces[0], 0.0
    if first[2].lower() not in units:  # none, or what is counted: `12 tasks`
        return None if first[2].lower() in KNOWN_UNITS else _bounded(_float(first[1]) * (heading.factor or 1))
    for piece in pieces:
        factor = units.get(piece[2].lower())
        if factor is None:
            break
        total += _float(piece[1]) * factor
        if heading.measure is not Measure.MS:  # `10 MiB / 200` tells size and records; `2 min 3 s` is one time
            break
    return _bounded(total)


def _float(text: str) -> float:
    """A comma is decimal where it cannot separate thousands: 1,5 and 0,125 and 1.234,5."""
    whole, comma, behind = text.partition(",")
    if comma and ("." in whole or (behind.isdigit() and (len(behind) != _THOUSAND or not whole.strip("+-0")))):
        return float(f"{whole.replace('.', '')}.{behind}")
    return float(text.replace(",", "").replace("_", ""))


def _bounded(value: float) -> float | None:
    return value if math.isfinite(value) and 0 <= value <= LARGEST else None


def stage_number(text: str) -> int | None:
    """Of `3`, `Stage 3`, `stage_3`; None for a name."""
    found = STAGE_NUMBER.fullmatch(text.strip())
    return int(found[1]) if found else None
