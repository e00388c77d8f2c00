"""Numbers as people read them: 1.5 million rows, 38 %, 2.3 GiB, 4 min 10 s, 2 jobs; in Chinese 150 万, 4 分 10 秒. The one place where
a number of a report becomes text."""

from contracts.verdicts import Unit

BYTE_STEPS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
COUNT_STEPS = {"en": ((10**9, " billion"), (10**6, " million")), "zh": ((10**8, " 亿"), (10**4, " 万"))}
"""From so many on, and the word. English counts in thousands, Chinese in ten thousands."""

TIME_WORDS = {"en": (" h", " min", " s", " ms"), "zh": (" 小时", " 分", " 秒", " 毫秒")}
LONG_S = 100
"""From so many seconds on minutes are told."""

WHOLE_MINUTES_S = 600
"""From so many seconds on seconds are not told any more."""

IRREGULAR = {"class": "classes", "entry": "entries", "vertex": "vertices"}


def count(value: float, language: str) -> str:
    """How many, to three digits that matter from a million (a 万) on."""
    for step, word in COUNT_STEPS[language]:
        if abs(value) >= step:
            return _three_digits(value / step) + word
    return whole(value) if value == round(value) else _short(value)


def whole(value: float) -> str:
    """How many, to the last one: `12,416`."""
    return f"{value:,.0f}"


def counted(value: int, word: str) -> str:
    """So many of something, in English: `1 job`, `12,416 task attempts`."""
    return f"{whole(value)} {word if value == 1 else IRREGULAR.get(word, f'{word}s')}"


def size(value: float) -> str:
    """Bytes."""
    step = 0
    while abs(value) >= 1024 and step < len(BYTE_STEPS) - 1:
        value, step = value / 1024, step + 1
    return f"{_short(value)} {BYTE_STEPS[step]}"


def duration(ms: float, language: str) -> str:
    """Milliseconds: `204 ms`, `12.3 s`, `4 min 10 s`, `58 min`, `2 h 5 min`."""
    hour, minute, second, milli = TIME_WORDS[language]
    if abs(ms) < 1000:
        return f"{ms:.0f}{milli}"
    if abs(ms) < LONG_S * 1000:
        return _short(ms / 1000) + second
    seconds = round(ms / 1000)
    if seconds < WHOLE_MINUTES_S and seconds % 60:
        return f"{seconds // 60}{minute} {seconds % 60}{second}"
    minutes, alone = round(seconds / 60), " 分钟" if language == "zh" else minute
    if minutes < 60:
        return f"{minutes}{alone}"
    return f"{minutes // 60:,}{hour} {minutes % 60}{alone}" if minutes % 60 else f"{minutes // 60:,}{hour}"


def took(ms: float) -> str:
    """Milliseconds, in English."""
    return duration(ms, "en")


def share(value: float) -> str:
    """A part of one, in percent; what is small keeps a digit."""
    percent = value * 100
    return f"{percent:.1f} %" if 0 < abs(percent) < 1 else f"{percent:.0f} %"


def times(value: float) -> str:
    """How many times as much: `118`, `1.8`."""
    return _short(value)


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
        case Unit.RECORDS:
            return f"{count(value, language)} 行" if language == "zh" else count(value, language)
        case Unit.TASKS | Unit.COUNT:
            return count(value, language)


def _three_digits(value: float) -> str:
    """`1.64`, `16.4`, `164`; of zeros behind the point none."""
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    shown = f"{value:,.{digits}f}"
    return shown.rstrip("0").removesuffix(".") if digits else shown


def _short(value: float) -> str:
    """A digit behind the point below a hundred, if it is not zero."""
    if value == round(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}".removesuffix(".0")
