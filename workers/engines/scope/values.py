"""Numbers as the artefacts write them: durations, sizes and counts, with or without a unit."""

import re

DURATION_PART = re.compile(
    r"(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|milliseconds?|millis|ms|seconds?|secs?|sec|s|m)\b", re.I
)
CLOCK = re.compile(r"^(?:(\d+)\.)?(\d{1,4}):(\d{1,2})(?::(\d{1,2}(?:\.\d+)?))?$")
"""`[days.]hours:minutes:seconds`, as .NET writes a time span; two parts are minutes and seconds."""
ISO_DURATION = re.compile(r"^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$", re.I)
NUMBER = re.compile(r"^[-+]?\d[\d,_ ]*(?:\.\d+)?(?:e[-+]?\d+)?$", re.I)
SIZE = re.compile(r"(\d+(?:[.,]\d+)*)\s*(bytes?|[kmgtp]i?b|b)\b", re.I)
TIMES = re.compile(r"(\d+(?:\.\d+)?)\s*(?:x\b|times\b|倍)", re.I)

UNIT_MS = {"d": 86_400_000, "h": 3_600_000, "ms": 1, "s": 1_000, "m": 60_000}
POWERS = {"b": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
TICKS_PER_MS = 10_000
"""Ticks of .NET, of 100 ns each."""

MOST = 1 << 62
"""Beyond it a number is no measurement."""


def number(text: str) -> float | None:
    """`1,234.5` → 1234.5; None when it is no plain number."""
    digits = text.strip()
    if len(digits) > 40 or not NUMBER.match(digits):
        return None
    value = float(re.sub(r"[,_ ]", "", digits))
    return value if abs(value) < MOST else None


def count(text: str) -> int | None:
    """A number of things, not negative: -1 means not known in these files."""
    value = number(text)
    return int(value) if value is not None and value >= 0 else None


def size_bytes(text: str) -> int | None:
    """`38.2 GB` → bytes (of 1024 each step, as the engine counts); a plain number is bytes."""
    plain = count(text)
    if plain is not None:
        return plain
    found = SIZE.search(text[:200])
    return _size(found) if found else None


def sizes(text: str) -> list[int]:
    """All sizes with a unit that a sentence names, in its order."""
    return [size for found in SIZE.finditer(text[:2_000]) if (size := _size(found)) is not None]


def _size(found: re.Match[str]) -> int | None:
    value, unit = number(found[1]), found[2].lower()
    size = int(value * 1024 ** POWERS["b" if unit.startswith("byte") else unit[0]]) if value is not None else MOST
    return size if size < MOST else None


def duration_ms(text: str, *, unit_ms: float = 1) -> int | None:
    """`00:42:10`, `2h 15m`, `PT42M`, `1350 s` → milliseconds; a plain number counts `unit_ms` each."""
    written = text.strip()[:100]
    plain = number(written)
    if plain is not None:
        return int(plain * unit_ms) if 0 <= plain * unit_ms < MOST else None
    clock = CLOCK.match(written)
    if clock:
        days, first, second, third = clock.groups()
        if third is None:
            return int(first) * UNIT_MS["m"] + int(second) * UNIT_MS["s"]
        return int(days or 0) * UNIT_MS["d"] + int(first) * UNIT_MS["h"] + int(second) * UNIT_MS["m"] + round(float(third) * 1_000)
    iso = ISO_DURATION.match(written)
    if iso and any(iso.groups()):
        hours, minutes, seconds = (float(part or 0) for part in iso.groups())
        return round(hours * UNIT_MS["h"] + minutes * UNIT_MS["m"] + seconds * UNIT_MS["s"])
    parts = DURATION_PART.findall(written)
    if not parts:
        return None
    total = sum(float(value) * _unit_ms(unit.lower()) for value, unit in parts)
    return int(total) if total < MOST else None


def _unit_ms(unit: str) -> int:
    if unit.startswith(("ms", "milli")):
        return UNIT_MS["ms"]
    if unit.startswith("mi"):
        return UNIT_MS["m"]
    return UNIT_MS[unit[0]]


def named_duration_ms(name: str, text: str) -> int | None:
    """A duration whose field's name tells the unit of a plain number: `RunTimeTicks`, `elapsed_s`, `DurationMs`, ...; else ms."""
    lowered = name.lower()
    if lowered.endswith("ticks"):
        return duration_ms(text, unit_ms=1 / TICKS_PER_MS)
    if lowered.endswith(("seconds", "secs", "sec", "_s")) and not lowered.endswith("milliseconds"):
        return duration_ms(text, unit_ms=1_000)
    return duration_ms(text)


def times(text: str) -> float | None:
    """`12x larger`, `9.5 times the average` → the factor."""
    found = TIMES.search(text[:2_000])
    return float(found[1]) if found else None
