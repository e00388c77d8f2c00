"""The names of labels and their values in a question: applications, hosts, environments, levels."""

import re
from collections.abc import Iterable, Iterator

from contracts.log_questions import LogVocabulary
from contracts.logs import Matcher, MatchOp
from workers.engines.logql.asking.marked import Marked

_LABEL_WORDS: dict[str, tuple[str, ...]] = {
    "application": ("application", "app", "service", "system", "job", "应用", "服务", "系统", "程序"),
    "host": ("hostname", "host", "node", "server", "machine", "instance", "主机", "节点", "服务器", "机器"),
    "environment": ("environment", "env", "stage", "环境"),
    "level": ("level", "severity", "log level", "级别", "等级"),
    "namespace": ("namespace", "命名空间"),
    "container": ("container", "容器"),
    "pod": ("pod",),
    "component": ("component", "module", "组件", "模块"),
    "region": ("region", "区域", "地区"),
    "cluster": ("cluster", "集群"),
}
"""What a label holds, and the words that people have for it."""

_LABEL_NAMES: dict[str, tuple[str, ...]] = {
    "application": ("application", "app", "service", "service_name", "job", "app_name"),
    "host": ("host", "hostname", "node", "instance", "node_name", "server", "host_name"),
    "environment": ("env", "environment", "stage"),
    "level": ("level", "severity", "log_level", "detected_level", "severity_text", "levelname", "lvl", "loglevel"),
    "namespace": ("namespace",), "container": ("container", "container_name"), "pod": ("pod", "pod_name"),
    "component": ("component", "logger", "module"), "region": ("region", "zone"), "cluster": ("cluster",),
}  # fmt: skip
"""What a label holds, and the names that logs have for it."""

_VALUE_WORDS: dict[str, tuple[str, ...]] = {
    "prod": ("production", "prod", "live", "生产环境", "生产", "线上环境", "线上", "正式环境"),
    "production": ("production", "prod", "live", "生产环境", "生产", "线上环境", "线上", "正式环境"),
    "staging": ("staging", "stage", "预发布环境", "预发环境", "预发", "预发布"),
    "stage": ("staging", "stage", "预发布环境", "预发环境", "预发", "预发布"),
    "test": ("test environment", "testing", "测试环境"),
    "dev": ("development", "dev", "开发环境"),
    "development": ("development", "dev", "开发环境"),
}
"""Words for the values of an environment."""

_LEVELS: dict[str, tuple[str, ...]] = {
    "error": ("errors", "error", "err", "错误日志", "错误", "报错", "出错", "异常"),
    "warn": ("warnings", "warning", "warns", "warn", "警告日志", "警告", "告警"),
    "info": ("info",),
    "debug": ("debug", "调试日志"),
    "fatal": ("fatal", "critical", "严重错误", "致命错误"),
}
"""Words for a level, the longer ones first."""

_NEGATED = re.compile(r"(?:\b(?:not|except|excluding|without)\s+(?:from\s+|on\s+|in\s+)?|除了|排除|不含)$", re.IGNORECASE)
_LITERAL = re.compile(r"[\w.$:@/-]+")
_JOINED = re.compile(r"[\w$-]")


def kind_of_label(label: str) -> str | None:
    """What a label holds, by its name."""
    return next((kind for kind, names in _LABEL_NAMES.items() if label.lower() in names), None)


def label_for(kind: str, vocabulary: LogVocabulary) -> str | None:
    """The label of the log that holds this, as its authors called it."""
    return next((label for name in _LABEL_NAMES[kind] for label in vocabulary.labels if label.lower() == name), None)


def application_labels() -> tuple[str, ...]:
    """The names that logs have for the label of the application."""
    return _LABEL_NAMES["application"]


def kind_of_word(word: str) -> str | None:
    """What a word of a question means among the labels."""
    word = word.lower()
    return next((kind for kind, words in _LABEL_WORDS.items() if word in words or (word.isascii() and word.rstrip("s") in words)), None)


def take_values(question: Marked, vocabulary: LogVocabulary) -> list[Matcher]:
    """Matchers for the values of labels that the question names, longest first. The values are covered."""
    found: dict[str, Matcher] = {}
    for start, end, labels, value in sorted(_mentions(question, vocabulary), key=lambda mention: (mention[0] - mention[1], mention[0])):
        if question.is_covered(start, end):
            continue
        label = _which(question, start, [label for label in labels if label not in found] or labels)
        if label in found:
            continue
        cue = _cue_before(question, start)
        cue = cue if cue is not None and kind_of_label(label) == cue[1] else None
        question.cover(cue[0] if cue is not None else start, end)
        negated = _NEGATED.search(question.open[: cue[0] if cue else start])
        if negated:
            question.cover(*negated.span())
        found[label] = Matcher(label=label, op=MatchOp.NOT_EQUAL if negated else MatchOp.EQUAL, value=value)
    return list(found.values())


def in_order(matchers: Iterable[Matcher]) -> tuple[Matcher, ...]:
    """A matcher a label, the last that was named; the application first, then host, environment and level."""
    order = list(_LABEL_NAMES)
    by_label = {matcher.label: matcher for matcher in matchers}
    return tuple(sorted(by_label.values(), key=lambda matcher: order.index(kind_of_label(matcher.label) or "cluster")))


def _mentions(question: Marked, vocabulary: LogVocabulary) -> Iterator[tuple[int, int, list[str], str]]:
    by_value: dict[str, list[tuple[str, str]]] = {}
    for label, values in vocabulary.labels.items():
        kind = kind_of_label(label)
        if kind == "level":
            continue
        for value in values:
            words = _VALUE_WORDS.get(value.lower(), ()) if kind == "environment" else ()
            for word in dict.fromkeys((value.lower(), *words)):
                by_value.setdefault(word, []).append((label, value))
    text = question.open.lower()
    for word, places in by_value.items():
        if not _LITERAL.fullmatch(word) or len(word) < 2:
            continue
        at = text.find(word)
        while at >= 0:
            end = at + len(word)
            if _stands_alone(text, at, end) and (len(word) > 2 or _cue_before(question, at) is not None):
                yield at, end, [label for label, _ in places], places[0][1]
            at = text.find(word, at + 1)
    yield from _last_parts(question, vocabulary)


def _last_parts(question: Marked, vocabulary: LogVocabulary) -> Iterator[tuple[int, int, list[str], str]]:
    """A word such as PacketResponder that is the last part of exactly one value: dfs.DataNode$PacketResponder."""
    ends: dict[str, set[tuple[str, str]]] = {}
    for label, values in vocabulary.labels.items():
        for value in values:
            if _LITERAL.fullmatch(value) and kind_of_label(label) not in ("application", "host", "level"):
                for part in dict.fromkeys(re.split(r"[.$/:]", value)):
                    ends.setdefault(part.lower(), set()).add((label, value))
    for found in re.finditer(r"(?=[a-z]*[A-Z_]|[A-Z]\w*[A-Z_])[A-Za-z_]\w{4,}", question.open):
        places = ends.get(found[0].lower(), set())
        if len(places) == 1:
            label, value = next(iter(places))
            if re.split(r"[.$/:]", value)[-1].lower() == found[0].lower() and value.lower() != found[0].lower():
                yield found.start(), found.end(), [label], value


def ends_of_values(vocabulary: LogVocabulary) -> frozenset[str]:
    """The last parts of the values of labels, such as datanode of dfs.DataNode: names of kinds of things, not of texts."""
    values = (value for label, values in vocabulary.labels.items() if kind_of_label(label) != "level" for value in values)
    return frozenset(part.lower() for value in values for part in re.split(r"[.$/:|]", value) if part)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if text[start].isascii() and before and before.isascii() and _JOINED.match(before):
        return False
    if not text[end - 1].isascii() or not after:
        return True
    if after == "." and text[end + 1 : end + 2].isalnum():
        return False
    return not (after.isascii() and _JOINED.match(after))


_CUE = re.compile(
    r"(?:\b(?:for|in|of|on|from|by|at)\s+)?(?:\bthe\s+)?(?:\b(?P<word>applications?|apps?|services?|systems?|hostnames?|hosts?|nodes?|servers?|machines?"
    r"|instances?|environments?|env|levels?|severity|namespaces?|containers?|pods?|components?|modules?|regions?|clusters?)\b"
    r"|(?P<zh>应用|服务|系统|程序|主机|节点|服务器|机器|环境|级别|命名空间|容器|组件|模块|区域|集群))\s*(?:is|=|为|是|named|called|:|：)?\s*['\"“‘「]?$",
    re.IGNORECASE,
)


def _cue_before(question: Marked, start: int) -> tuple[int, str] | None:
    """Where the word for a label before a value begins, and what it means."""
    found = _CUE.search(question.open[:start])
    if found is None:
        return None
    kind = kind_of_word(found["word"] or found["zh"])
    return None if kind is None else (found.start(), kind)


def _which(question: Marked, start: int, labels: list[str]) -> str:
    """The label that is meant among several with the same value."""
    cue = _cue_before(question, start)
    if cue is not None:
        fitting = [label for label in labels if kind_of_label(label) == cue[1]]
        if fitting:
            return fitting[0]
    if re.search(r"\b(?:on|at)\s+$", question.open[:start], re.IGNORECASE):
        hosts = [label for label in labels if kind_of_label(label) == "host"]
        if hosts:
            return hosts[0]
    order = list(_LABEL_NAMES)
    return min(labels, key=lambda label: order.index(kind_of_label(label) or "cluster"))


_LEVEL_WORDS = re.compile(
    r"(?<![\w])(?:" + "|".join(word for words in _LEVELS.values() for word in words if word.isascii()) + r")(?![\w]| messages?\b)|"
    + "|".join(word for words in _LEVELS.values() for word in words if not word.isascii()),
    re.IGNORECASE,
)  # fmt: skip


def take_level(question: Marked, vocabulary: LogVocabulary, *, has_texts: bool) -> list[Matcher]:
    """A matcher for "errors", "warnings", 错误. A level behind quoted words only says what kind of thing they are."""
    label = label_for("level", vocabulary)
    found = question.take(_LEVEL_WORDS)
    if found is None or label is None or has_texts:
        return []
    word = found[0].lower()
    level = next(level for level, words in _LEVELS.items() if word in words)
    values = _spellings(level, vocabulary.labels[label])
    if len(values) == 1:
        return [Matcher(label=label, op=MatchOp.EQUAL, value=values[0])]
    # several services spell it each in their own way; and where the sample has none, there may still be some
    pattern = "|".join(map(re.escape, values)) or f"(?i)(?:{'|'.join(word for word in (level, *_LEVELS[level]) if word.isascii())})"
    return [Matcher(label=label, op=MatchOp.MATCHES, value=pattern)]


_NUMBERED = {"60": "fatal", "50": "error", "40": "warn", "30": "info", "20": "debug", "10": "trace"}
"""Levels as the loggers of JavaScript write them."""


def _spellings(level: str, values: Iterable[str]) -> list[str]:
    """The values of the level's label that mean this level: ERROR, error and Err, or 50 among 30, 40 and 50."""
    known = list(values)
    if known and set(known) <= set(_NUMBERED):
        return [value for value in known if _NUMBERED[value] == level]
    return [value for value in known if value.lower() in (level, *_LEVELS[level], *_OTHER_SPELLINGS[level])]


_OTHER_SPELLINGS: dict[str, tuple[str, ...]] = {
    "error": ("severe", "eror", "e"), "warn": ("wrn", "w"), "info": ("information", "informational", "inf", "notice", "i"),
    "debug": ("dbg", "verbose", "vrb", "trace", "d"), "fatal": ("crit", "ftl", "emerg", "emergency", "alert", "panic", "f"),
}  # fmt: skip
"""Levels as loggers spell them and nobody says them."""

_ALL = re.compile(
    r"\b(?:(?:in|of|for|from|across|over)\s+)?(?:all|every|any)\s+(?:of\s+)?(?:the\s+|our\s+)?(?:applications?|apps?|services?|systems?|of them)\b"
    r"|(?:所有|全部|每个|各个?|任何)(?:的)?(?:应用|服务|系统|程序)|\A\W*(?:all|any|everything|全部|所有)\W*\Z|\n\W*(?:all|any|全部|所有)\W*\Z",
    re.IGNORECASE,
)


def says_all(question: Marked) -> bool:
    """Whether the question is about all applications; the words are covered."""
    return bool(question.take_all(_ALL))


def every_application(vocabulary: LogVocabulary, *, is_all: bool, is_plain: bool) -> list[Matcher]:
    """A matcher for the applications of a question that names none: all of them where it says so, the only one, or every line where the
    lines have no label for them. Otherwise nothing: which one is meant is asked. `is_plain`: no word is left that may be a name."""
    label = label_for("application", vocabulary)
    if label is None:
        first = next((name for name, values in vocabulary.labels.items() if values and kind_of_label(name) != "level"), None)
        return [] if first is None or not is_plain else [Matcher(label=first, op=MatchOp.MATCHES, value=".+")]
    values = vocabulary.labels[label]
    if is_all and values:
        return [Matcher(label=label, op=MatchOp.MATCHES, value=".+")]
    return [Matcher(label=label, op=MatchOp.EQUAL, value=values[0])] if len(values) == 1 and is_plain else []
