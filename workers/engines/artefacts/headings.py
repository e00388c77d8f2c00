"""What the headings of a table mean: a field by its many names in English and Chinese (`headings.toml`), and the unit in a heading."""

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any


class Measure(StrEnum):
    """What a field holds, and so which units it may have."""

    TEXT = "text"
    COUNT = "count"
    MS = "ms"
    BYTES = "bytes"
    SHARE = "share"
    RATIO = "ratio"


UNITS: dict[Measure, dict[str, float]] = {
    Measure.MS: {
        "ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1, "msec": 1, "millis": 1, "milliseconds": 1, "毫秒": 1,
        "s": 1e3, "sec": 1e3, "secs": 1e3, "second": 1e3, "seconds": 1e3, "秒": 1e3,
        "m": 6e4, "min": 6e4, "mins": 6e4, "minutes": 6e4, "分": 6e4, "分钟": 6e4, "h": 3.6e6, "hours": 3.6e6, "小时": 3.6e6,
    },
    Measure.BYTES: {
        "b": 1, "byte": 1, "bytes": 1, "字节": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
        "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20, "兆": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
        "t": 1 << 40, "tb": 1 << 40, "tib": 1 << 40,
    },
    Measure.SHARE: {"%": 0.01, "pct": 0.01, "percent": 0.01},
    Measure.COUNT: {"万": 1e4, "亿": 1e8, "k": 1e3, "million": 1e6},
}  # fmt: skip
"""Word → how many ms, bytes or ones it is. Of bytes, kilo is 1,024 as Spark's own UI has it."""

KNOWN_UNITS = frozenset(word for words in UNITS.values() for word in words)
BARE_UNITS = frozenset(word for word in KNOWN_UNITS if len(word) > 1)
"""Those that are units without brackets too, at the end of a heading: in `task_m` the m may be anything."""

FIELDS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
MEASURES = {field: Measure(known["measure"]) for field, known in FIELDS.items()}
"""Field → what it holds."""

MEANS = {name: field for field, known in FIELDS.items() for name in (*known["en"], *known.get("zh", ()))}
"""A heading as `_plain` spells it → the field that it means."""

HEADING_CHARS = 100
BRACKETS = re.compile(r"[(\[（【]([^()\[\]（）【】]{1,20})[)\]）】]")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
GAPS = re.compile(r"[\s_\-.:：]+")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that is understood."""

    field: str
    measure: Measure
    factor: float | None
    """Factor from its unit to ms, bytes or single items; None: the heading names no unit."""


def heading_of(text: str) -> Heading | None:
    """What a heading means; None: nothing here."""
    text = CAMEL.sub(" ", text.strip()[:HEADING_CHARS]).lower()
    unit = next((found.strip() for found in BRACKETS.findall(text) if found.strip() in KNOWN_UNITS), "")
    words = _plain(text)
    field = MEANS.get(words) or MEANS.get(_plain(BRACKETS.sub(" ", text)))
    first, _, last = words.rpartition(" ")
    if field is None and last in BARE_UNITS and first in MEANS and last in UNITS.get(MEASURES[MEANS[first]], {}):
        unit, field = last, MEANS[first]  # `duration_ms`; but `max_bytes` is a field of its own
    if field is None:
        return None
    measure = MEASURES[field]
    return Heading(field, measure, UNITS.get(measure, {}).get(unit))


def _plain(text: str) -> str:
    return GAPS.sub(" ", text).strip()
