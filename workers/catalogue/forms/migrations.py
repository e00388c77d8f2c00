"""Folders of migrations: the order of their files, what of them leads forward, and what a change leaves of a table."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from sqlglot import exp

from contracts.tables import ColumnDetail, ForeignKey, TableDetail

_UNDOES = re.compile(r"(?:^|/)(?:down|undo|rollback)s?/|(?:^|/)U\d[\w.]*__[^/]*$|[._](?:down|undo|rollback)\.(?:sql|ddl)$", re.IGNORECASE)
"""Files that take a change back: Flyway's `U2__name.sql`, `0001_name.down.sql`."""
_BACKWARD = re.compile(r"^--[ \t]*(?:\+\w+[ \t]+|migrate:[ \t]*)(down|up)\b.*$", re.IGNORECASE | re.MULTILINE)
"""The line from which a file with both directions takes its change back: goose, sql-migrate, dbmate."""
_NUMBER = re.compile(r"(\d+)")


def in_order(files: Iterable[tuple[str, Path]]) -> list[tuple[str, Path]]:
    """The files that lead forward, as their versions count: V2 before V10."""
    return sorted((pair for pair in files if not _UNDOES.search(pair[0])), key=lambda pair: _version(pair[0]))


def _version(name: str) -> list[tuple[bool, int, str]]:
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in _NUMBER.split(name)]


def forward(text: str) -> str:
    """A text without what takes its changes back."""
    marks = [*_BACKWARD.finditer(text)]
    if not marks:
        return text
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return "".join(text[mark.end() : end] for mark, end in zip(marks, ends, strict=True) if mark[1].lower() == "up")


def changed(table: TableDetail, action: exp.Expr, made: Sequence[ColumnDetail]) -> TableDetail | None:
    """The table after a part of ALTER TABLE that adds no key. `made`: the columns that the part defines. None: it is not known what the
    part does to the columns or the keys."""
    match action:
        case exp.ColumnDef() | exp.Schema():
            new = {column.name.lower() for column in made}
            return table.model_copy(update={"columns": (*(column for column in table.columns if column.name.lower() not in new), *made)})
        case exp.ModifyColumn():
            before = action.args.get("rename_from")
            named = renamed(table, before.name, made[0].name) if isinstance(before, exp.Expr) and made else table
            return _with_column(named, made[0]) if made else None
        case exp.RenameColumn():
            return renamed(table, action.this.name, action.args["to"].name)
        case exp.AlterColumn():
            return _retyped(table, action)
        case exp.Drop() if str(action.args.get("kind")).upper() == "COLUMN":
            named = action.find(exp.Identifier)
            return without(table, named.name) if named is not None else None
        case exp.DropPrimaryKey():
            return table.model_copy(update={"primary_key": ()})
        case exp.AddConstraint():
            return table
        case _:
            return None


def _with_column(table: TableDetail, new: ColumnDetail) -> TableDetail:
    columns = (new if column.name.lower() == new.name.lower() else column for column in table.columns)
    return table.model_copy(update={"columns": tuple(columns)})


def _retyped(table: TableDetail, action: exp.AlterColumn) -> TableDetail:
    kind, may_be_null = action.args.get("dtype"), action.args.get("allow_null")
    update: dict[str, object] = {"type": kind.sql()} if isinstance(kind, exp.Expr) else {}
    update |= {"nullable": bool(may_be_null)} if may_be_null is not None else {}
    columns = (column.model_copy(update=update) if column.name.lower() == action.this.name.lower() else column for column in table.columns)
    return table.model_copy(update={"columns": tuple(columns)})


def renamed(table: TableDetail, old: str, new: str) -> TableDetail:
    """The table with another name of a column, in its keys too."""
    columns = (column.model_copy(update={"name": new}) if column.name.lower() == old.lower() else column for column in table.columns)
    keys = (key.model_copy(update={"columns": _named(key.columns, old, new)}) for key in table.foreign_keys)
    return table.model_copy(update={
        "columns": tuple(columns), "primary_key": _named(table.primary_key, old, new), "foreign_keys": tuple(keys),
        "unique": tuple(_named(columns, old, new) for columns in table.unique),
    })  # fmt: skip


def without(table: TableDetail, name: str) -> TableDetail:
    """The table without a column, and without the keys that have it."""
    low = name.lower()
    return table.model_copy(update={
        "columns": tuple(column for column in table.columns if column.name.lower() != low),
        "primary_key": () if low in map(str.lower, table.primary_key) else table.primary_key,
        "unique": tuple(columns for columns in table.unique if low not in map(str.lower, columns)),
        "foreign_keys": tuple(key for key in table.foreign_keys if low not in map(str.lower, key.columns)),
    })  # fmt: skip


def referring(key: ForeignKey, table: str, *, to: str = "", column: tuple[str, str] = ("", "")) -> ForeignKey:
    """A foreign key after the table that it leads to, or a column there, has another name."""
    if key.table.lower() != table.lower():
        return key
    return key.model_copy(update={"table": to or key.table, "references": _named(key.references, *column)})


def _named(columns: Sequence[str], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if column.lower() == old.lower() else column for column in columns)
