"""By what people know a row of a table: its name or title, what its comment calls its name, and else its key."""

import re
from collections.abc import Mapping, Sequence

from contracts.tables import TableDetail
from workers.engines.questions.comments import names_in
from workers.engines.questions.spelling import without_prefix, written_out
from workers.engines.questions.words import key, split_name

_FULL_NAMES = (
    ("first_name", "last_name"), ("firstname", "lastname"), ("given_name", "family_name"), ("given_name", "surname"),
    ("first_name", "surname"), ("forename", "surname"), ("first_name", "family_name"),
)  # fmt: skip
"""Pairs of columns that are a person's name together."""


def shown_columns(table: TableDetail) -> list[str]:
    """The columns by which people know a row: its name or title, or first and last name; else its key."""
    own = [key(part) for word in without_prefix(split_name(table.name)) for part in written_out(word)]
    by_key = {in_full(column.name, own): column.name for column in table.columns}
    for first, last in _FULL_NAMES:
        if first in by_key and last in by_key:
            return [by_key[first], by_key[last]]
    for wanted in ("name", "full_name", "display_name", "title", f"{'_'.join(own)}_name", f"{own[-1]}_name", "label", *own, "symbol"):
        if wanted in by_key:
            return [by_key[wanted]]
    ending = [name for known, name in by_key.items() if re.search(r"(?:name|title)$", known, re.IGNORECASE)]
    return (ending[:1] if len(ending) == 1 else _commented_as_name(table)) or _described_by(table, by_key)


_NAME_ZH = re.compile(r"(?:姓名|名称|名字|名)$")
_NAME = re.compile(r"^(?:the )?(?:(?:full|display|legal|common|own) )?names?\b(?! of (?:the )?file)|^[a-z]+(?:'s)? name\b", re.IGNORECASE)
_TEXT = re.compile(r"char|text|string", re.IGNORECASE)


def _commented_as_name(table: TableDetail) -> list[str]:
    """Of a table with terse columns, the one that its comment calls a name: `xm` with 姓名, `bez` with "Name of the plant"."""
    texts = [column for column in table.columns if _TEXT.search(column.type)]
    found = [
        column.name for column in texts
        if _NAME.search(column.description) or any(_NAME_ZH.search(called) for called in names_in(column.description))
    ]  # fmt: skip
    return found if len(found) == 1 else []


def _described_by(table: TableDetail, by_key: Mapping[str, str]) -> list[str]:
    """Of a table without a name, the description that tells its rows apart: Amoxicillin for the item AMX."""
    distinct = {column.name: column.distinct for column in table.columns}
    found = [by_key[wanted] for wanted in ("description", "subject") if wanted in by_key]
    return [name for name in found if table.rows and distinct[name] == table.rows][:1]


def in_full(name: str, of: Sequence[str]) -> str:
    """A column's name in lower case without abbreviations: `hotel_nm` is `hotel_name`."""
    return "_".join(part for word in split_name(name.lower()) for part in written_out(word, of))


def key_columns(table: TableDetail) -> list[str]:
    """A column, or several, that tell its rows apart."""
    if table.primary_key:
        return list(table.primary_key)
    unique = [column.name for column in table.columns if table.rows and column.distinct == table.rows and not column.nulls]
    return sorted(unique, key=lambda name: not name.lower().endswith(("id", "key", "code", "no")))[:1]
