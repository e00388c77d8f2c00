"""What comments on tables and columns say: the Chinese names by which users know them, and what coded values mean."""

import re
from collections.abc import Iterator

from contracts.tables import ColumnDetail
from workers.engines.questions.codes import english_glosses

_HEAD = re.compile(r"[\u3400-\u9fff][\u3400-\u9fffA-Za-z]*")
_BRACKETS = re.compile(r"[（(\[【].*?[）)\]】]")
_ENGLISH_FIRST = re.compile(r"[A-Za-z][A-Za-z0-9 '&-]*[\s/|(（\[【,，]\s*(?=[\u3400-\u9fff])")
_ENGLISH_BEHIND = re.compile(r"(?<=[\u3400-\u9fff])\s*[\s/|]\s*[A-Za-z][A-Za-z0-9 '&-]*$")
_ENDS = re.compile(r"[，,：:；;。\n]")
_OPENERS = ("是否已经", "是否已", "是否", "所在的", "所在", "所属", "当前", "该")
_CLOSERS = ("信息表", "数据表", "主表", "信息", "表")
_KINDS_OF_ROWS = ("明细", "记录")
"""Ends of a name without which it may still be meant, and may be the name of another table: 订单 of 订单明细."""
_LONGEST_NAME = 12
_SHORTEST_NAME = 2
_GLOSS = re.compile(r"(?P<value>[A-Za-z0-9_]+)\s*(?:[-:：=＝是为]|表示|代表)?\s*(?P<word>[\u3400-\u9fff]{2,8})")
_GLOSS_BEHIND = re.compile(r"(?P<word>[\u3400-\u9fff]{2,8})\s*[（(:：=＝]\s*(?P<value>[A-Za-z0-9_]+)")


def names_in(comment: str) -> list[str]:
    """The name with which a Chinese comment begins, alone or beside its English: 面积（平方米） is 面积, 是否已解决 is 解决,
    运单表 is 运单, `Freight fee 运费（元）` and `Freight fee (运费)` are 运费."""
    text = _BRACKETS.sub("", _ENGLISH_FIRST.sub("", comment.strip(), count=1)).strip()
    head = _ENGLISH_BEHIND.sub("", _ENDS.split(text, maxsplit=1)[0].strip(" ）)]】"))
    if not _HEAD.fullmatch(head):
        return []
    for opener in _OPENERS:
        head = head.removeprefix(opener) if len(head) > len(opener) + 1 else head
    for closer in _CLOSERS:
        head = head.removesuffix(closer) if len(head) > len(closer) + 1 else head
    return [head] if _SHORTEST_NAME <= len(head) <= _LONGEST_NAME else []


def shortened(name: str) -> str:
    """A name without its last word, where that says what kind of rows they are; empty for other names."""
    end = next((end for end in _KINDS_OF_ROWS if name.endswith(end)), "")
    return name.removesuffix(end) if end and len(name) >= len(end) + _SHORTEST_NAME else ""


_MOST_CODES = 12


def _codes(column: ColumnDetail) -> set[str]:
    """The whole numbers of a column that has few of them: 0 and 1."""
    low, high = column.minimum or "", column.maximum or ""
    if not (low.isdigit() and high.isdigit()) or int(high) - int(low) >= _MOST_CODES:
        return set()
    return {str(number) for number in range(int(low), int(high) + 1)}


def glossed_values(column: ColumnDetail) -> Iterator[tuple[str, str]]:
    """Words for coded values, and the values: `delivered 已签收`, 1-有效, `D dog`, `1 if paid`. English ones are in lower case."""
    known = set(column.values) | _codes(column)
    yield from english_glosses(column.description, known)
    taken: set[int] = set()
    for pattern in (_GLOSS, _GLOSS_BEHIND):
        for match in pattern.finditer(column.description):
            if match["value"] in known and match.start("value") not in taken:
                taken.add(match.start("value"))  # of `部件：brake 刹车` only what is behind
                yield match["word"], match["value"]
                if len(match["word"]) > _SHORTEST_NAME:
                    yield match["word"].removeprefix("已"), match["value"]
