"""`revenue and scans per month and lift`, 每月每条缆车的扫描数: what a row is and what is measured, said in one breath."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.requirements.outline.heads import Head, grain_of, says_rows
from workers.engines.requirements.prose.pieces import COUNTER
from workers.engines.sql.build_values import TEMPORAL

_EN = re.compile(
    r"[\s,:]*(?:with |showing |of |the |a )*(?P<what>(?!one row)[A-Za-z][^:;.]*?),? (?:per|by|for each|for every) (?P<grain>[^:;.]+?)\s*\.?",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"[\s,，:：]*(?P<grain>(?:每|按)[^每，,：:；;。的]{1,18}(?:每[^每，,：:；;。的]{1,18})*)(?:的|统计|汇总)\s*(?P<what>[^每，：:；;。]+)[。.]?"
)
_CUT = re.compile(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|、|，|和|与|及|以及)\s*")
_UNITS = {
    "day": "天|日|date|day", "week": "周|week", "month": "月份?|month", "quarter": "季度?|quarter", "year": "年份?|year"
}  # fmt: skip
_UNIT = re.compile(rf"(?P<unit>{'|'.join(_UNITS.values())})", re.IGNORECASE)
_HOUR = re.compile(r"(?:每)?(?:个)?(?:小时|钟头)|hours?", re.IGNORECASE)
"""Of the day, or of one day: which is meant is asked."""
_LISTED = re.compile(r"(?:^|[:：;；,，、])\s*(day|week|month|quarter|year|日期|周|月份|季度|年份)\s*(?=[;；,，、]|$)", re.IGNORECASE)
_CHINESE_UNIT = {"day": "日", "week": "周", "month": "月", "quarter": "季度", "year": "年"}
MOST_ITEMS = 8
MOST_TIMES = 12
"""Times that are tried in the place of a unit."""


def per_in(head: Head) -> Head | None:
    """The head with `per` in the words that the readers know; None: it says nothing of the kind."""
    if says_rows(head.rest) or re.search(r"一行|\bone row\b", head.rest):
        return None
    found = _EN.fullmatch(head.rest) or _ZH.fullmatch(head.rest)
    if found is None:
        return None
    items = [item for item in _CUT.split(found["what"].strip()) if item]
    if not items or len(items) > MOST_ITEMS:
        return None
    if found.re is _EN:
        return Head(head.name, head.pre, f", one row per {found['grain'].strip()}: {', '.join(items)}", head.heading)
    parts = [re.sub(rf"^(?:每{COUNTER}|按)", "", part) for part in re.findall(rf"(?:每{COUNTER}|按)?[^每、和]+", found["grain"]) if part]
    return Head(head.name, head.pre, f"，每个{'、'.join(parts)}一行：{'、'.join(items)}", head.heading)


def grain_said(head: Head | None) -> list[str]:
    """The parts of what a row is, where a head says it."""
    if head is None or not says_rows(re.split(r"[:：]", head.rest.lstrip(" ,，:："))[0]):
        return []
    words = re.sub(
        r"^[\s,，]*(?:with )?(?:one|a|1) row (?:per|for (?:each|every)) ", "", re.split(r"[:：]", head.rest)[0], flags=re.IGNORECASE
    )
    return [part for part in _CUT.split(grain_of(words.strip(" ,，"))) if part]


def units_listed(head: Head | None) -> list[str]:
    """Units of time that a list of columns names without more: `month; total (sum of amount)`, where no words say what a row is."""
    return [found[1] for found in _LISTED.finditer(head.rest)] if head is not None else []


def has_open_hour(parts: Sequence[str]) -> bool:
    """Whether an hour is named, and not whether it is one of a day or of one day."""
    return any(_HOUR.fullmatch(part) for part in parts)


def grains_with_times(parts: Sequence[str], tables: Sequence[TableDetail], *, is_chinese: bool) -> Iterator[str]:
    """What a row may be, each bare unit of time with a time of a table: `month of scan_ts and lift`."""
    if not (has_open_hour(parts) or any(map(_UNIT.fullmatch, parts))):
        return
    times = [(table, column) for table in tables for column in table.columns if _is_moment(column)][:MOST_TIMES]
    named = [column.name for _, column in times]
    for table, column in times:
        name = column.name if named.count(column.name) == 1 else f"{table.name}.{column.name}"
        between = "、" if is_chinese else " and "
        words = between.join(_of(part, name, is_chinese=is_chinese) for part in parts)
        yield words
        if has_open_hour(parts):
            yield between.join((_of("day", name, is_chinese=is_chinese), words))


def _of(part: str, column: str, *, is_chinese: bool) -> str:
    unit = next((unit for unit, words in _UNITS.items() if re.fullmatch(words, part, re.IGNORECASE)), "")
    if _HOUR.fullmatch(part):
        return f"{column} 的时段" if is_chinese else f"hour of day of {column}"
    if not unit:
        return part
    return f"{column} 的{_CHINESE_UNIT[unit]}" if is_chinese else f"{unit} of {column}"


def _is_moment(column: ColumnDetail) -> bool:
    return bool(TEMPORAL.search(column.type))
