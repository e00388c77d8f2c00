"""The nouns for the rows of a table, and the plain form in which words are compared."""

import re
from collections.abc import Sequence
from functools import cache

from contracts.tables import TableDetail

CHINESE = re.compile(r"[\u3400-\u9fff]+")
LONGEST_NOUN = 8
"""Characters of a Chinese noun for rows."""
_ARTICLE = re.compile(
    r"^(?:(?:the|a|an|all|any|every|each|its|their|his|her|this|that|these|those|such)\s+)+|^(?:所有的?|全部的?|其|该|这些|每个)\s*",
    re.IGNORECASE,
)
_KINDS_OF_ROWS = ("记录", "记录表", "信息", "信息表", "明细", "明细表", "日志", "日志表", "流水", "流水表")
"""Endings that say what kind of table it is, not what a row is."""
_LAYER = re.compile(r"^(?:raw|stg|src|dim|fact|fct|ods|dwd|dws|ads|tbl|t)_")


def plain(text: str) -> str:
    """Words in lower case without articles, the last of them in the singular."""
    body = _ARTICLE.sub("", re.sub(r"[\s_-]+", " ", text.strip().strip("`'\"").lower())).strip()
    return _singular(body)


def snake(name: str) -> str:
    """A name in lower case with `_` between its words: `startedAt` is started_at."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _singular(text: str) -> str:
    if len(text) > 4 and text.endswith("ies"):
        return f"{text[:-3]}y"
    if re.search(r"(?:ches|shes|xes|sses|zes)$", text):
        return text[:-2]
    return text[:-1] if len(text) > 3 and text.endswith("s") and not text.endswith(("ss", "us", "is")) else text


def nouns_of(table: TableDetail) -> frozenset[str]:
    """The nouns for the rows of a table: from its name, and the Chinese and English word with which its description begins."""
    return _nouns(table.name, table.description)


@cache
def _nouns(table: str, description: str) -> frozenset[str]:
    name = _LAYER.sub("", snake(table))
    found = {plain(table), plain(name)}
    head = re.split(r"[,，:：.。;；(（]", description, maxsplit=1)[0].strip().lower()
    found |= {plain(word) for word in re.split(r"\s*[/、]\s*", head) if word and len(word.split()) <= 3}
    chinese = (
        CHINESE.findall(re.split(r"[,，:：。;；(（]", description, maxsplit=1)[0])
        or [word for word in CHINESE.findall(description) if len(word) <= LONGEST_NOUN][:1]
    )
    found |= {re.sub(r"(?:信息表|明细表|记录表|表)$", "", word) or word for word in chinese}
    found |= {
        word.removesuffix(ending) for word in chinese for ending in _KINDS_OF_ROWS if word.endswith(ending) and len(word) > len(ending) + 1
    }
    found |= {word[0] for word in chinese if re.fullmatch(r".[辆只匹艘]", word)}  # 车辆 are counted as 车
    if found_of := re.match(r"([a-z]+(?: [a-z]+)?) (?:of|that|which|to|from|by|in)\b", head):
        found.add(plain(found_of[1]))
        if part_of := re.match(r"([a-z]+) of ([a-z]+)(?: of .*)?$", head):  # `lines of orders` are order lines
            found.add(f"{plain(part_of[2])} {plain(part_of[1])}")
    english = re.match(r"[a-z]+(?: [a-z]+)?$", re.sub(r"[\u3400-\u9fff].*", "", head).strip())
    if english:
        found.add(plain(english[0]))
    return frozenset(found - {""})


def is_headed(table: TableDetail, word: str) -> bool:
    """Whether a description begins with this Chinese word: 处方 is a row of 处方, not of 处方明细."""
    head = CHINESE.match(table.description)
    return head is not None and (re.sub(r"(?:信息表|表)$", "", head[0]) or head[0]) == word


def shared_prefix(names: Sequence[str]) -> str:
    """What all names begin with, if it is no word that some of them consist of."""
    found = _common([name.lower() for name in names]) if len(names) > 1 else ""
    return found if len(found) > 1 and all(len(name) > len(found) + 1 for name in names) else ""


def _common(names: Sequence[str]) -> str:
    """The letters with which all names begin."""
    first, last = min(names), max(names)
    place = next((place for place, (left, right) in enumerate(zip(first, last, strict=False)) if left != right), min(len(first), len(last)))
    return first[:place]
