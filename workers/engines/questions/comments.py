"""What Chinese comments on tables and columns say: the names by which users know them, and what coded values mean."""

import re
from collections.abc import Iterator

from contracts.tables import ColumnDetail

_HEAD = re.compile(r"[\u3400-\u9fff][\u3400-\u9fffA-Za-z]*")
_BRACKETS = re.compile(r"[（(\[【].*?[）)\]】]")
_ENDS = re.compile(r"[，,：:；;。\n]")
_OPENERS = ("是否已经", "是否已", "是否", "所在的", "所在", "所属", "当前", "该")
_CLOSERS = ("信息表", "记录表", "明细表", "数据表", "主表", "信息", "表")
_LONGEST_NAME = 12
_SHORTEST_NAME = 2
_GLOSS = re.compile(r"(?P<value>[A-Za-z0-9_]+)\s*(?:[-:：=＝是为]|表示|代表)?\s*(?P<word>[\u3400-\u9fff]{2,8})")
_GLOSS_BEHIND = re.compile(r"(?P<word>[\u3400-\u9fff]{2,8})\s*[（(:：=＝]\s*(?P<value>[A-Za-z0-9_]+)")


def names_in(comment: str) -> list[str]:
    """The name with which a Chinese comment begins: 面积（平方米） is 面积, 是否已解决 is 解决, 运单表 is 运单."""
    text = _BRACKETS.sub("", comment).strip()
    head = _ENDS.split(text, maxsplit=1)[0].strip()
    if not _HEAD.fullmatch(head):
        return []
    for opener in _OPENERS:
        head = head.removeprefix(opener) if len(head) > len(opener) + 1 else head
    for closer in _CLOSERS:
        head = head.removesuffix(closer) if len(head) > len(closer) + 1 else head
    return [head] if _SHORTEST_NAME <= len(head) <= _LONGEST_NAME else []


def glossed_values(column: ColumnDetail) -> Iterator[tuple[str, str]]:
    """Chinese words for coded values, and the values: `delivered 已签收`, 1-有效."""
    known = set(column.values)
    for pattern in (_GLOSS, _GLOSS_BEHIND):
        for match in pattern.finditer(column.description):
            if match["value"] in known:
                yield match["word"], match["value"]
                if len(match["word"]) > _SHORTEST_NAME:
                    yield match["word"].removeprefix("已"), match["value"]
