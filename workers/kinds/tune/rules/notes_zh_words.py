"""Parts of notes in Chinese: times, counts of operations, events of a plain log, platforms, and why a stream breaks off."""

import re
from collections.abc import Callable

from workers.kinds.tune.rules.wording_zh import FIGURES

TIME = r"\d[\d.,]* (?:ms|s|min|h)(?: \d+ (?:s|min))?"
"""A time as `human.duration` has it in English."""

_UNITS = {"ms": "毫秒", "s": "秒", "min": "分", "h": "小时"}
_UNIT = re.compile(r"\b(ms|s|min|h)\b")

_OPERATIONS = {
    "read": "读取",
    "extract": "读取",
    "write": "写出",
    "output": "写出",
    "join": "join",
    "cross": "笛卡尔积",
    "group": "分组",
    "aggregate": "聚合",
    "window": "窗口",
    "sort": "排序",
    "distinct": "去重",
    "filter": "过滤",
    "select": "投影",
    "union": "union",
    "exchange": "Exchange",
    "repartition": "重分区",
    "process": "processor",
    "reduce": "reducer",
    "combine": "combiner",
    "no rowsets": "没有行集",
}
_PLATFORMS = {"of unknown version": "版本未知", "unknown": "未知平台", "local": "本地模式", "standalone": "独立集群"}
_STATES = {"state not told": "状态未知"}
_COUNTED = re.compile(r"(\d[\d,]*) (\w+)")
_EVENT = re.compile(r"([a-z ]+) in ([\d,]+) lines?")
_TOP = {"memory": "内存最多", "time": "用时最多", "bytes": "数据最多"}

_BREAKS: tuple[tuple[str, str], ...] = (
    ("its place in the archive is damaged", "它在压缩包里的部分已损坏"),
    ("its last line breaks off", "最后一行不完整"),
    ("foreign bytes follow", "数据块之后有无关字节"),
    ("has an unknown", "数据块的格式未知"),
    ("tells a size above", "数据块标示的大小超限"),
    ("is damaged", "数据块已损坏"),
    ("it ends within", "压缩数据在中途结束"),
)
"""A part of the reason → the reason."""


def amount(text: str) -> str:
    """`2 min 31 s` → `2 分 31 秒`."""
    told = _UNIT.sub(lambda unit: _UNITS[unit[1]], text)
    return f"{told}钟" if told.endswith("分") else told


def operations(text: str) -> str:
    """`2 read, 1 join` → `2 个读取，1 个 join`. A word of another kind stays."""
    parts = [_COUNTED.fullmatch(part) for part in text.split(", ")]
    if not all(parts):
        return _OPERATIONS.get(text, text)
    return "，".join(f"{part[1]} 个{_spaced(_OPERATIONS.get(part[2], part[2]))}" for part in parts if part)


def events(text: str) -> str:
    """`out of memory in 3 lines` → `内存不足（OOM）3 行`."""
    found = [_EVENT.fullmatch(part) for part in text.split(", ")]
    told = "，".join(f"{FIGURES.get(one[1], one[1])} {one[2]} 行" for one in found if one)
    return told.replace("） ", "）") if all(found) else text


def platform(text: str) -> str:
    """A platform or a version that has a word; names of products stay."""
    return _PLATFORMS.get(text, text)


def state(text: str) -> str:
    """A job's state as its file has it."""
    return _STATES.get(text, text)


def breaks(text: str) -> str:
    """Per part of the log why it breaks off."""
    return "；".join(_break(part) for part in text.split("; "))


def tops(text: str) -> str:
    """`; most memory: SV1, SV2` → `；内存最多：SV1, SV2`."""
    return re.sub(r"; most (\w+): ", lambda one: f"；{_TOP.get(one[1], one[1])}：", text)


def _break(part: str) -> str:
    name, mark, reason = part.rpartition(": ")
    told = next((chinese for english, chinese in _BREAKS if english in reason), reason)
    return f"{name}：{told}" if mark else told


def _spaced(word: str) -> str:
    return f" {word}" if word.isascii() else word


WORDS: dict[str, Callable[[str], str]] = {
    "time": amount,
    "operations": operations,
    "events": events,
    "platform": platform,
    "state": state,
    "break": breaks,
    "tops": tops,
}
"""The names that a note's places may have."""
