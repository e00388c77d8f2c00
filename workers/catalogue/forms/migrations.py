"""Folders of migrations: the order of their files, what of them leads forward, and what a change leaves of a table."""

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from sqlglot import exp

from contracts.tables import ColumnDetail, ForeignKey, TableDetail

_UNDOES = re.compile(r"(?:^|/)(?:(?:down|undo|rollback|revert)s?/|U\d[\w.]*__[^/]*$)", re.IGNORECASE)
"""Files that take a change back: Flyway's `U2__name.sql`, sqitch's `revert/name.sql`."""
_UNDOES_ANOTHER = re.compile(r"(.+)[._](?:down|undo|rollback)(\.(?:sql|ddl))", re.IGNORECASE)
"""`0001_name.down.sql`, where there is what it takes back: `V2__slow_down.sql` makes something."""
_BACKWARD = re.compile(
    r"^(?:--|#)[ \t-]*(?:\+\w+[ \t]+|migrate:[ \t]*|rambler[ \t]+|![ \t]*|//[ \t]*@)(down|up|undo)s?\b.*$", re.IGNORECASE | re.MULTILINE
)
"""The line from which a file with both directions takes its change back: goose, sql-migrate, dbmate, Rambler, Play, MyBatis."""
_NUMBER = re.compile(r"(\d+)")
_FLYWAY = re.compile(r"(.*/)?([VU])(\d+(?:[._]\d+)*)__[^/]*", re.DOTALL)
_REPEATABLE = re.compile(r"(?:^|/)R__[^/]*$")
"""Flyway's scripts that run after all others."""


def in_order(files: Iterable[tuple[str, Path]]) -> tuple[list[tuple[str, Path]], list[str]]:
    """The files that lead forward, as their versions count: V2 before V10. And those that seem to take a change back, where no file that
    leads forward says so by its name."""
    held = sorted(files, key=lambda pair: (_REPEATABLE.search(pair[0]) is not None, _version(pair[0])))
    names = {name.lower() for name, _ in held}
    back = {name for name, _ in held if _UNDOES.search(name) or _is_of_pair(name, names)}
    kept = [pair for pair in held if pair[0] not in back]
    made = {step for name, _ in kept for step in (_step(name), name.lower().rpartition("/")[2])}
    sure = {name for name in back if _is_of_pair(name, names) or {_step(name), name.lower().rpartition("/")[2]} & made - {""}}
    return kept, [name for name, _ in held if name in back - sure]


def _is_of_pair(name: str, names: Collection[str]) -> bool:
    found = _UNDOES_ANOTHER.fullmatch(name.lower())
    return found is not None and any(found[1] + way + found[2] in names for way in ("", ".up", "_up", ".do", "_do"))


def _step(name: str) -> str:
    """The version of a step of Flyway, forward or back."""
    found = _FLYWAY.fullmatch(name)
    return found[3].replace("_", ".") if found else ""


def _version(name: str) -> list[tuple[bool, int, str]]:
    found = _FLYWAY.fullmatch(name)
    if found is None:
        return _numbered(name)
    version = [(False, int(number), "") for number in _NUMBER.findall(found[3])]
    return [*_numbered((found[1] or "") + found[2]), *version, (False, -1, name)]


def _numbered(name: str) -> list[tuple[bool, int, str]]:
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in _NUMBER.split(name)]


def forward(text: str) -> str:
    """A text without what takes its changes back."""
    marks = [*_BACKWARD.finditer(text)]
    if not marks:
        return text
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    ups = "".join(text[mark.end() : end] for mark, end in zip(marks, ends, strict=True) if mark[1].lower() == "up")
    return ups if marks[0][1].lower() == "up" else text[: marks[0].start()] + ups


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
