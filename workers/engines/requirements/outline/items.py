"""Columns of a target as lists give them: bullets, rows of a table, enumerations with names before or behind their meaning."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workers.engines.requirements.prose.column_lists import split_columns

_IDENTIFIER = r"`?(?P<name>[A-Za-z_]\w*)`?"
_ITEM = re.compile(
    rf"{_IDENTIFIER}\s*(?:[（(](?P<inside>.+)[)）]|\s*(?:[:：=＝]|\s[-–—]+\s)\s*(?P<behind>.+)|\s+(?P<zh>[\u3400-\u9fff].*))?", re.DOTALL
)
_BEHIND = re.compile(
    r"(?P<said>[\u3400-\u9fff][^（(A-Za-z_、，,]*?)\s*`?(?P<name>[A-Za-z_]\w*)`?\s*(?:[（(](?P<inside>.+)[)）]|\s*[=＝]\s*(?P<behind>.+))?",
    re.DOTALL,
)
_AS = re.compile(rf"(?:the |an? )?(?P<said>[A-Za-z][\w' -]*?)\s+(?:as|named|called)\s+{_IDENTIFIER}", re.DOTALL)
"""`the date of the last check-out as last_visit`."""
_IN_BRACKETS = re.compile(
    rf"(?:the |an? )?(?P<said>[A-Za-z][\w' /-]*?\s[\w' /-]*?)\s*[(]{_IDENTIFIER}(?:\s*[,:;=]\s*(?P<inside>[^()]+))?[)]", re.DOTALL
)
"""`total nights (nights)`, `total spent (spent, nights times rate)`."""
_ONE_OF_SEVERAL = r"`?[A-Za-z_](?:(?![和与及])\w)*`?"
_SEVERAL = re.compile(rf"{_ONE_OF_SEVERAL}(?:\s*(?:,|，|、|/|\band\b|和|与|及)\s*{_ONE_OF_SEVERAL})+")
_SHARED = re.compile(rf"(?P<names>{_SEVERAL.pattern})\s*(?:[:：=]|\s[-–—]+\s)\s*(?P<meaning>.+)", re.DOTALL)
"""`a, b and c: what they all are`."""
_NAMES = frozenset({"column", "columns", "field", "fields", "name", "column name", "field name", "attribute", "metric", "字段", "字段名", "列", "列名", "名称", "字段名称", "英文名"})  # fmt: skip
_TYPES = frozenset({"type", "data type", "datatype", "类型", "数据类型", "字段类型"})
_NULLABLE = frozenset(
    {"nullable", "null", "required", "pk", "key", "example", "可空", "是否可空", "必填", "主键", "示例", "序号", "no", "no.", "#"}
)


@dataclass(frozen=True)
class Item:
    """A column of the target: its name and the words that say what it is."""

    name: str
    meaning: str = ""
    spoken: str = ""
    """Words before the name: 报名人数 students."""


def items_of(text: str, *, is_sure: bool = False) -> list[Item]:
    """The columns that a bullet or a line names; empty: it names none. `is_sure`: a list of columns is expected here, so a name alone is
    a column too."""
    body = text.strip().strip(",，;；、").strip()
    if _SEVERAL.fullmatch(body):
        return [Item(name) for name in re.findall(r"(?!\band\b)[A-Za-z_]\w*", body)]
    if (found := _ITEM.fullmatch(body)) and (
        is_sure or found["inside"] or found["behind"] or found["zh"] or "_" in found["name"] or body.islower()
    ):
        return [Item(found["name"], (found["inside"] or found["behind"] or found["zh"] or "").strip(" .。"))]
    if found := _SHARED.fullmatch(body):
        return [Item(name, found["meaning"].strip(" .。")) for name in re.findall(r"(?!\band\b)[A-Za-z_]\w*", found["names"])]
    if found := _BEHIND.fullmatch(body):
        return [Item(found["name"], (found["inside"] or found["behind"] or "").strip(), found["said"].strip(" ，,：:的"))]
    if found := _AS.fullmatch(body) or _IN_BRACKETS.fullmatch(body):
        inside = found.groupdict().get("inside")
        return [Item(found["name"], (inside or "").strip(" .。"), found["said"].strip())]
    if not is_sure:
        return []
    made: list[Item] = []
    for part in split_columns(body):
        items = items_of(part) or ([Item(part)] if re.fullmatch(r"[A-Za-z]\w*", part) else [])
        if not items:
            return []
        made += items
    return made


def table_items(rows: Sequence[str]) -> list[Item] | None:
    """The columns that a table of Markdown describes; None: it is another table."""
    cells = [[cell.strip().strip("`").strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    lines = [row for row in cells if not all(re.fullmatch(r":?-*:?", cell) for cell in row)]
    if len(lines) == len(cells) or len(lines) < 2:
        return None
    head = [cell.lower() for cell in lines[0]]
    names = [place for place, cell in enumerate(head) if cell in _NAMES] or [0]
    meanings = [place for place, cell in enumerate(head) if place != names[0] and cell not in _TYPES | _NULLABLE]
    made: list[Item] = []
    for row in lines[1:]:
        cell = row[names[0]] if names[0] < len(row) else ""
        if not re.fullmatch(r"[A-Za-z_]\w*", cell):
            return None
        made.append(Item(cell, ", ".join(row[place] for place in meanings if place < len(row) and row[place]).strip(" .。")))
    return made
