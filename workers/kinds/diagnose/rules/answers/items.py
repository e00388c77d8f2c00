"""The items of a question, kept separate: which words of a reply speak of which item.

A word belongs to an item where the item has it, or the same thing in the other language, and no other item has it. Names are split as
people write them (`UnderReplicatedPartitions`, `under-replicated partitions`), and endings do not count (rejects, rejections).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from workers.kinds.diagnose.rules.answers.figures import Threshold, threshold_of

_SAME_THINGS = (
    "lag|delay|behind|latency|落后|延迟|滞后|积压",
    "replica|replication|replicated|slave|standby|secondary|从库|备库|副本|从节点|备节点",
    "heap|堆内存|堆",
    "memory|内存",
    "disk|volume|filesystem|dev|磁盘|硬盘",
    "shard|分片",
    "partition|分区",
    "lock|锁",
    "deadlock|死锁",
    "session|会话",
    "connection|连接",
    "pool|缓冲池|连接池|池",
    "buffer|缓冲",
    "cache|缓存",
    "hit|命中",
    "heartbeat|心跳",
    "scheduler|调度器|调度",
    "queue|queued|排队|队列",
    "task|任务",
    "index|indices|索引",
    "readonly|read-only|read only|只读",
    "error|exception|报错|错误|异常信息",
    "import|导入",
    "query|queries|查询",
    "slow|慢",
    "log|日志",
    "cpu|处理器",
    "thread|线程",
    "reject|rejection|拒绝",
    "timeout|超时",
    "restart|重启",
    "full|满",
    "wait|waiting|等待",
    "transaction|事务",
    "table|表",
    "node|节点",
    "cluster|集群",
    "rebalance|再均衡|重平衡",
    "consumer|消费者|消费组",
    "group|消费组|组",
    "offset|位点|偏移",
    "unassigned|未分配",
    "network|网络",
    "backup|备份",
    "checkpoint|检查点",
    "vacuum|清理",
    "certificate|证书",
    "expire|expired|expires|expiry|过期|到期|失效",
    "evict|evicted|eviction|evictions|驱逐|淘汰",
    "archive|archiver|archiving|归档",
    "user|用户",
    "permission|权限",
)
"""Words for one thing in English and Chinese."""

_CJK_THINGS = re.compile("|".join(sorted((w for g in _SAME_THINGS for w in g.split("|") if not w.isascii()), key=len, reverse=True)))
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[._\-][A-Za-z0-9]+)*|[0-9]{3,}s?")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]{3,}")
_CJK_RUN = re.compile(r"[\u4e00-\u9fff]+")
_ENDING = re.compile(r"(?:ations?|ions?|ings?|ed|es|s|er|est)$")
_COMMON = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "there",
        "here",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "with",
        "by",
        "as",
        "and",
        "or",
        "not",
        "no",
        "yes",
        "any",
        "some",
        "all",
        "both",
        "one",
        "two",
        "three",
        "more",
        "than",
        "less",
        "over",
        "under",
        "above",
        "below",
        "about",
        "again",
        "only",
        "very",
        "most",
        "many",
        "much",
        "few",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "can",
        "cannot",
        "could",
        "will",
        "would",
        "should",
        "may",
        "might",
        "we",
        "i",
        "you",
        "they",
        "he",
        "she",
        "our",
        "my",
        "your",
        "their",
        "us",
        "me",
        "them",
        "so",
        "too",
        "also",
        "just",
        "now",
        "then",
        "when",
        "while",
        "still",
        "than",
        "into",
        "out",
        "up",
        "down",
        "off",
        "per",
        "each",
        "every",
        "other",
        "another",
        "same",
        "such",
        "own",
        "longer",
        "older",
        "greater",
        "second",
        "minute",
        "hour",
        "day",
        "percent",
        "shows",
        "show",
        "state",
        "number",
        "data",
        "goes",
        "go",
        "stay",
        "stays",
        "see",
        "seen",
        "look",
        "looks",
    ]
)
_COMMON_CJK = re.compile(r"[的了吗呢吧啊是有在和与或不没无未处于状态大量存在出现超过低于高于率被置为]|长时间|更新|界面上")


def stem(word: str) -> str:
    """A Latin word without its ending: rejects, rejected and rejections are one."""
    word = word.lower()
    word = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    cut = _ENDING.sub("", word) if len(word) > 4 else word
    return cut if len(cut) > 2 else word


def words_of(text: str) -> frozenset[str]:
    """What a text speaks of: stems, parts of names, and things known by a word in either language."""
    found = set(_CODES.findall(text))
    text = _FIGURE.sub(" ", text)
    lowered = text.lower()
    if "read only" in lowered or "read-only" in lowered:
        found.add("readonly")
    for match in _LATIN.finditer(text):
        name = match[0]
        parts = [part for piece in re.split(r"[._\-]", name) for part in _PART.findall(piece)]
        for part in {name.lower(), *(part.lower() for part in parts)}:
            if part in _COMMON:
                continue
            found.add(_OF_A_THING.get(stem(part), stem(part)))
    for run in _CJK_RUN.findall(text):
        found.update(_OF_A_THING[thing] for thing in _CJK_THINGS.findall(run))
        for rest in _COMMON_CJK.sub(" ", _CJK_THINGS.sub(" ", run)).split():
            found.update({rest[at : at + 2] for at in range(len(rest) - 1)})
    return frozenset(found)


_OF_A_THING = {stem(word.replace("-", "").replace(" ", "")): group.split("|")[0] for group in _SAME_THINGS for word in group.split("|")}
_FIGURE = re.compile(
    r"(?<![0-9])[0-9]+(?:\.[0-9]+)?\s*(?:%|ms|s|sec|seconds?|min|minutes?|h|hours?|[kmgt]i?b|秒|分钟|小时)(?![A-Za-z0-9])", re.IGNORECASE
)


_CODES = re.compile(r"\b([1-9][0-9]{2,4})s\b")
"""Codes in the plural: "no 502s"."""
_WHERE = re.compile(r"\s(?:in|on|at|of)\s(?=the |_|[a-z]+_)|\s*[(（]")


_LAPSE = re.compile(
    r"\b(?:no \w+|not|never|n't)\b.{0,40}\b(?:since|for (?:more|over|longer)|in the last)\b|(?:未|没有?)(?:运行|执行|备份|清理|跑)",
    re.IGNORECASE,
)
_STATE_CHARACTERS = 24
_STATES = re.compile(r"\b(red|yellow|green)\b|(红|黄|绿)色?(?=$|[^\u4e00-\u9fff]|的|了)", re.IGNORECASE)
_STATE_NAMES = {"红": "red", "黄": "yellow", "绿": "green"}
_NEGATION = re.compile(r"\bnot\b|n't\b|\bno\b|不|没", re.IGNORECASE)
_PARTED = "断满锁崩挂停"
"""States that a single character names."""


def _states(text: str) -> set[str]:
    return {_STATE_NAMES.get(match[1] or match[2], (match[1] or match[2]).lower()) for match in _STATES.finditer(text)}


@dataclass(frozen=True)
class Item:
    """One item that was asked."""

    text: str
    words: frozenset[str]
    own: frozenset[str]
    """The words that no other item of the question has."""
    head: frozenset[str]
    """Its words without where to look: `unassigned shards` of "unassigned shards in _cat/shards"."""
    threshold: Threshold | None

    def turned_round_in(self, text: str) -> bool:
        """Whether the text has the opposite of a word of the item: "assigned" of `unassigned`."""
        wording = {word.lower() for word in _LATIN.findall(text)}
        mine = {word.lower() for word in _LATIN.findall(self.text)}
        opposites = [(word, word.removeprefix(prefix)) for word in mine for prefix in ("un", "not", "non") if word.startswith(prefix)]
        return any(len(opposite) > 3 and opposite in wording and word not in wording for word, opposite in opposites) or (
            "未分配" in self.text and "分配" in text and "未分配" not in text
        )

    @property
    def lapse(self) -> bool:
        """Whether the item says that something has not run for a time: "no backup since Sunday"."""
        return _LAPSE.search(self.text) is not None

    def state_in(self, text: str) -> bool | None:
        """Whether the text names the state that the item names ("is red"), or another of its kind ("green"). None: no state."""
        mine = _states(self.text)
        named = _states(text)
        return named == mine if len(mine) == 1 == len(named) and not _NEGATION.search(text) else None

    def repeats(self, text: str) -> bool:
        """Whether a few words say what the item says, in a word of its own: 断了 of 主从连接断开."""
        cjk = _COMMON_CJK.sub("", "".join(_CJK_RUN.findall(text)).strip("已经都也又确实"))
        return 0 < len(cjk) <= 6 and not _LATIN.search(text) and (cjk in self.text or (cjk[-1:] in _PARTED and cjk[-1] in self.text))

    def repeated_in(self, text: str) -> bool:
        """Whether the text has the item's own word for what is missing: `unassigned`, 未分配."""
        wording = words_of(text)
        return any(word in wording for word in self.own if word == "unassigned" or word.startswith("un"))


@dataclass(frozen=True)
class Items:
    """The items of a question, in their order."""

    each: tuple[Item, ...]

    def spoken_of(self, text: str) -> tuple[int, float] | None:
        """The item (from 1) whose own words a text has, and which share of its words the text has. None: no item, or several alike."""
        wording = words_of(text)
        scores = [(len(wording & item.own), len(wording & item.head), number) for number, item in enumerate(self.each, start=1)]
        scores = sorted((score for score in scores if score[0]), reverse=True)
        if not scores or (len(scores) > 1 and scores[0][:2] == scores[1][:2]):
            return None
        number = scores[0][2]
        item = self.each[number - 1]
        return number, max(scores[0][1] / max(len(item.head), 1), len(wording & item.words) / max(len(item.words), 1))

    def state_of(self, text: str) -> tuple[int, float] | None:
        """The one item whose state ("is red") the text names in a few words, or another of its kind: "status green", "red!!"."""
        named = _states(text)
        asked = [number for number, item in enumerate(self.each, start=1) if _states(item.text)]
        return (asked[0], 1.0) if len(named) == 1 == len(asked) and len(text) <= _STATE_CHARACTERS else None

    def has_name(self, number: int, name: str) -> bool:
        """Whether an item (from 1) has this name of a metric, or all parts of it."""
        item = self.each[number - 1]
        parts = words_of(name) - {name.lower()}
        return name.lower() in item.words or (bool(parts) and parts <= item.words)


@lru_cache(256)
def items_of(texts: Sequence[str]) -> Items:
    """`texts`: what was asked, in its order, as a tuple."""
    words = [words_of(text) for text in texts]
    counted = Counter(word for each in words for word in each)
    return Items(
        tuple(
            Item(
                text,
                each,
                frozenset(word for word in each if counted[word] == 1),
                words_of(_WHERE.split(text, maxsplit=1)[0]) or each,
                threshold_of(text),
            )
            for text, each in zip(texts, words, strict=True)
        )
    )
