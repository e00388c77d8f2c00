"""The label that lines are grouped by, and the number in the lines: a label of the log, a field of the lines, or a guess at their text."""

import re
from dataclasses import dataclass

from contracts.log_questions import LogField, LogVocabulary
from contracts.logs import Conversion
from workers.engines.logql.asking.fragments import field_named
from workers.engines.logql.asking.naming import kind_of_word, label_for
from workers.engines.logql.asking.shapes import Shape

_ADDRESS = r"(?P<{0}>\d{{1,3}}(?:\.\d{{1,3}}){{3}})"
_WORDS_EN = {
    "ip": "ip", "ips": "ip", "ip address": "ip", "ip addresses": "ip", "source ip": "source_ip", "source ips": "source_ip", "address": "ip",
    "source ip address": "source_ip", "client ip": "client_ip", "users": "user", "username": "user", "usernames": "user", "user name": "user",
}  # fmt: skip
_WORDS_ZH = {
    "用户": "user", "用户名": "user", "地址": "ip", "来源": "source_ip", "原因": "reason", "异常": "exception", "错误": "error", "接口": "path", "路径": "path",
    "订单": "order", "方法": "method", "状态码": "status", "状态": "status", "类型": "type", "消息": "message",
}  # fmt: skip
_TIME = re.compile(r"time|latenc|duration|took|delay|时|延迟", re.IGNORECASE)
_NOISE = re.compile(r"^(?:the|each|unique|distinct|different|invalid|attempted|failed|most|frequent|common)\s+", re.IGNORECASE)
_STOP = re.compile(
    r"\s+(?:across|in|over|for|of|during|on|along|from|that|with|and|have|had|has|who|which|were|was|are|is|at|by|to|when|while|encountered|values?)\b",
    re.IGNORECASE,
)
_NOT_A_GROUP = frozenset({"time", "times", "day", "hour", "minute", "week", "month", "frequency", "count", "number", "of", "the", "in", "is", "are", "was", "were",
    "timestamp", "timestamps", "次数", "数量", "时间", "小时", "分钟", "天"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """A label to group by, or to take numbers from."""

    label: str
    field: LogField | None = None
    """The field of the lines that it is; None with no guess: a label of the log."""
    guessed: str | None = None
    """A regular expression that takes it from the text of a line."""

    @property
    def conversion(self) -> Conversion:
        """How its text becomes a number."""
        return Conversion(self.field.unit) if self.field is not None and self.field.unit else Conversion.NUMBER


def group_of(words: str, vocabulary: LogVocabulary) -> Group | None:
    """What the words of a grouping mean."""
    words = words.strip().lower()
    while (shorter := _NOISE.sub("", words)) != words:
        words = shorter
    words = _STOP.split(words, maxsplit=1)[0].strip() or words
    for candidate in _candidates(words):
        if candidate in _NOT_A_GROUP:
            return None
        if candidate in vocabulary.labels:
            return Group(candidate)
        kind = kind_of_word(re.sub(r"\d+$", "", candidate))
        if kind is not None and (label := label_for(kind, vocabulary)) is not None:
            return Group(label)
        if (found := field_named(candidate, vocabulary)) is not None:
            return Group(found.name, field=found)
    return _guess(words)


def _candidates(words: str) -> list[str]:
    """The words as they are, then only the last word, then only the first."""
    parts = words.split()
    found = [words, words.replace(" ", "_").replace("-", "_")]
    if len(parts) > 1:
        found += [parts[-1], parts[0]]
    return [
        *found,
        *(_WORDS_EN[part] for part in (words, *parts) if part in _WORDS_EN),
        *([_WORDS_ZH[words]] if words in _WORDS_ZH else []),
    ]


def _guess(words: str) -> Group | None:
    parts = words.split()
    name = _WORDS_EN.get(words) or _WORDS_ZH.get(words)
    if name is None and parts:
        name = next((_WORDS_EN[part] for part in parts if part in _WORDS_EN), None) or re.sub(r"(?<=[a-z]{3})s$", "", parts[-1])
    if not name or not re.fullmatch(r"[a-z_][a-z0-9_]*", name) or name in _NOT_A_GROUP:
        return None
    if "ip" in name.split("_"):
        return Group(name, guessed=_ADDRESS.format(name))
    if name.startswith(("exception", "error")):
        return Group(name, guessed=rf"(?P<{name}>[\w.]*(?:Exception|Error)\b)")
    if name == "user":
        return Group(name, guessed=r"(?i)\b(?:invalid user|user|for)[ =:]+(?P<user>[^\s,;]+)")
    return Group(name, guessed=rf"(?i)\b{name}\w*[ =:#]+(?P<{name}>[^\s,;]+)")


def number_of(shape: Shape, vocabulary: LogVocabulary) -> Group | None:
    """The number that is averaged, summed or compared; None: not one is needed, or not one is known."""
    if not shape.is_metric or shape.number_of is None:
        return None
    words = shape.number_of.lower()
    if words == "took":
        words = "time"
    numbers = [field for field in vocabulary.fields if field.is_number]
    found = field_named(words, vocabulary) or field_named(words.split()[0], vocabulary)
    if found is None and _TIME.search(words):
        found = field_named("duration", vocabulary) or field_named("time", vocabulary)
    if found is not None and found.is_number:
        return Group(found.name, field=found)
    if numbers:
        return None
    if _TIME.search(words):
        return Group("seconds", guessed=r"(?P<seconds>\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?)\b")
    return Group("size", guessed=r"(?i)\b(?:size|bytes|length|total)[ =:]+(?P<size>\d+)")
