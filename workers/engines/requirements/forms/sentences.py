"""Sentences of a requirement, and what names in them stand for."""

import re
from collections.abc import Sequence

from contracts.pipelines.expressions import Call, Expression, Function
from contracts.tables import ColumnDetail, TableDetail

_END = re.compile(r"(?<=[.!])(?=\s|$)|(?<=[;。；！])|\n+")
_MARKS = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+)|\*\*|`", re.MULTILINE)


def sentences_of(text: str) -> list[str]:
    """The sentences without their final marks."""
    parts = (part.strip().strip(".;。；!！ ") for part in _END.split(_MARKS.sub("", text)) if part)
    return [part for part in parts if part]


def list_of(text: str) -> list[str]:
    """`a, b and c` as its members."""
    return [part for part in re.split(r"\s*(?:,|，|、|\band\b|\bor\b|和|或|与|及)\s*", text.strip()) if part]


def table_of(name: str, tables: Sequence[TableDetail]) -> TableDetail | None:
    """A table by its name, with or without its schema."""
    wanted = name.lower()
    return next((table for table in tables if wanted in (table.name.lower(), table.full_name.lower())), None)


def column_of(name: str, table: TableDetail) -> ColumnDetail | None:
    """A column by its name."""
    return next((column for column in table.columns if column.name.lower() == name.lower()), None)


def settings_of(text: str) -> dict[str, str]:
    """`a = b, c = d` as a dictionary."""
    pairs = (part.partition("=") for part in re.split(r"[,，]", text))
    return {left.strip().lower(): right.strip() for left, sign, right in pairs if sign}


def both(parts: Sequence[Expression]) -> Expression:
    """All of the conditions."""
    return parts[0] if len(parts) == 1 else Call(function=Function.AND, arguments=tuple(parts))
