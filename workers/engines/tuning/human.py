"""Numbers as people read them: 1.5 M rows, 38 %, 2.3 GiB, 4 min 10 s; in Chinese 150 万, 4 分 10 秒."""

from contracts.tuning_verdicts import Unit

BYTE_STEPS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
COUNT_STEPS = {"en": ((10**9, " G"), (10**6, " M"), (10**3, " k")), "zh": ((10**8, " 亿"), (10**4, " 万"))}
"""From so many on, and the word. English counts in thousands, Chinese in ten thousands."""

PLAIN_COUNT = 10_000
"""Smaller counts are written out."""

TIME_WORDS = {"en": (" h", " min", " s", " ms"), "zh": (" 小时", " 分", " 秒", " 毫秒")}
LONG_S = 100
"""From so many seconds on minutes are told."""


def count(value: float, language: str) -> str:
    """How many."""
    if abs(value) < PLAIN_COUNT:
        return _short(value)
    for step, word in COUNT_STEPS[language]:
        if abs(value) >= step:
            return _short(value / step) + word
    return _short(value)


def size(value: float) -> str:
    """Bytes."""
    step = 0
    while abs(value) >= 1024 and step < len(BYTE_STEPS) - 1:
        value, step = value / 1024, step + 1
    return f"{_short(value)} {BYTE_STEPS[step]}"


def duration(ms: float, language: str) -> str:
    """Milliseconds: `204 ms`, `12.3 s`, `4 min 10 s`, `2 h 5 min`."""
    hour, minute, second, milli = TIME_WORDS[language]
    if abs(ms) < 1000:
        return f"{ms:.0f}{milli}"
    if abs(ms) < LONG_S * 1000:
        return _short(ms / 1000) + second
    seconds = round(ms / 1000)
    if seconds < 3600:
        return f"{seconds // 60}{minute} {seconds % 60}{second}" if seconds % 60 else f"{seconds // 60}{minute}"
    minutes = round(seconds / 60)
    return f"{minutes // 60}{hour} {minutes % 60}{minute}" if minutes % 60 else f"{minutes // 60}{hour}"


def share(value: float) -> str:
    """A part of one, in percent; what is small keeps a digit."""
    percent = value * 100
    return f"{percent:.1f} %" if 0 < abs(percent) < 1 else f"{percent:.0f} %"


def figure_value(value: float, unit: Unit, language: str) -> str:
    """A figure in its unit."""
    match unit:
        case Unit.MS:
            return duration(value, language)
        case Unit.BYTES:
            return size(value)
        case Unit.SHARE:
            return share(value)
        case Unit.RATIO:
            return f"{_short(value)} 倍" if language == "zh" else f"{_short(value)}×"
        case Unit.RECORDS | Unit.TASKS | Unit.COUNT:
            return count(value, language)


def _short(value: float) -> str:
    """Three digits that matter at most, and no zeros behind the point."""
    if value == round(value) or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}".removesuffix(".0")
